"""The one transformer: token ids -> vectors -> layer after layer, up to the last one wanted.

A layer is, with x (n, d_model) and every norm optional (families/spec.py has the switches):

    X  = pre_attention_norm(x)
    Y  = the attention of X, named step by step in a trace
    h  = attention_norm(x + attention_out_norm(Y))
    h  = cross_norm(h + the attention of pre_cross_norm(h) to the encoder's output)
    x' = mlp_norm(h + mlp_out_norm(mlp(pre_mlp_norm(h))))

or, in parallel, x' = x + Y + mlp(pre_mlp_norm(x)). The article's encoder has attention_norm and
mlp_norm (Vaswani et al. 2017, section 3.1). What differs between families is data: a Spec.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from attncli import layers
from attncli.attention import (
    Array,
    Scoring,
    attend,
    concat_heads,
    mask_rows,
    project,
    split_heads,
)
from attncli.errors import AttncliError
from attncli.families.spec import Spec
from attncli.positions import (
    SINUSOIDS,
    Bias,
    alibi_bias,
    bucket_bias,
    disentangled_bias,
    rotate,
)
from attncli.trace import AttentionTrace, Projections, Trace
from attncli.weights.params import Params


def embed(params: Params, ids: Sequence[int], segments: Sequence[int] | None = None) -> Array:
    """What enters layer 0: the token's vector, plus its position's and segment's -> (n, d_model).

    `segments` says of each token which text of a pair it belongs to; zeros if left out.
    Raises AttncliError for an id that has no vector and for a sentence longer than the
    position table.
    """
    spec = params.spec
    _check_ids(spec, ids)
    x = params.rows("E", ids)
    x = x * x.dtype.type(spec.embed_scale)
    if spec.embed_before_positions:
        x = _widen(params, x)
    positions = _positions(spec, ids)
    if spec.position == "learned":
        x = x + params.rows("P", positions)
    elif spec.position != "none":
        P = SINUSOIDS[spec.position](positions, x.shape[1])
        P[[p < spec.position_offset for p in positions]] = 0
        x = x + P.astype(params.dtype)
    if params.has("T"):
        x = x + params.rows("T", segments or [0] * len(ids))
    return x if spec.embed_before_positions else _widen(params, x)


def _widen(params: Params, x: Array) -> Array:
    """The embedding's norm and its projection to d_model, where a model has them."""
    x = _norm(params, "embed_norm", None, x)
    return project(x, *params.linear("E")) if params.has("W_E") else x


def _positions(spec: Spec, ids: Sequence[int]) -> list[int]:
    """The position of each token: 0, 1, 2, ... from `position_offset` on.

    A `pad_id` is not counted; it stands just before the first position (RoBERTa).
    """
    if spec.pad_id is None:
        return list(range(spec.position_offset, spec.position_offset + len(ids)))
    counted = np.array(ids) != spec.pad_id
    positions: list[int] = (np.cumsum(counted) * counted + spec.position_offset - 1).tolist()
    return positions


def forward(
    params: Params,
    x: Array,
    keep: Collection[int] = (),
    *,
    memory: Array | None = None,
    keep_cross: Collection[int] = (),
    causal: bool | None = None,
    keep_hidden: bool = False,
) -> Trace:
    """Runs x (n, d_model), what `embed` returned, through the layers.

    Stops after the last attention wanted: the layers in `keep` trace their attention, those in
    `keep_cross` that of a decoder to `memory`, the encoder's output (m, d_model). With
    `keep_hidden` it runs all layers and keeps what enters and leaves each, and the model's
    output. `causal` overrides the model's own mask.
    """
    spec = params.spec
    causal = spec.causal if causal is None else causal
    last = spec.n_layers - 1 if keep_hidden else max([*keep, *keep_cross])
    traces: dict[int, AttentionTrace] = {}
    cross: dict[int, AttentionTrace] = {}
    hidden = [x]
    entered = x
    for layer in range(last + 1):
        here = self_attention(params, layer, x, causal, kept=layer in keep)
        if here.trace:
            traces[layer] = here.trace
        if layer == last and not keep_hidden and layer not in keep_cross:
            break
        h = _behind_attention(params, layer, x, here)
        if memory is not None:
            there = cross_attention(params, layer, h, memory, kept=layer in keep_cross)
            if there.trace:
                cross[layer] = there.trace
            h = _norm(params, "cross_norm", layer, h + _output(there, layer))
        if layer == last and not keep_hidden:
            break
        x = _behind_mlp(params, layer, x, here.X, h)
        if layer == 0 and params.has("W_conv"):
            x = _convolved(params, entered, x)
        if keep_hidden:
            hidden.append(x)
    if not keep_hidden:
        return Trace(traces, cross)
    output = _norm(params, "final_norm", None, x)
    if params.has("W_final"):
        output = output @ params.get("W_final")
    return Trace(traces, cross, tuple(hidden), output)


class Attended(NamedTuple):
    """What a layer goes on with: X, Y, and the trace if it is to be kept."""

    X: Array
    Y: Array | None
    trace: AttentionTrace | None


def self_attention(params: Params, layer: int, x: Array, causal: bool, kept: bool) -> Attended:
    """One layer's attention of the tokens to each other: the article from X to Y."""
    spec = params.spec
    X = _norm(params, "pre_attention_norm", layer, x)
    p = params.projections(layer)
    Q_projected = split_heads(project(X, p.W_Q, p.b_Q), spec.n_heads)  # (h, n, d_k)
    K_projected = split_heads(project(X, p.W_K, p.b_K), spec.n_kv_heads)
    V = split_heads(project(X, p.W_V, p.b_V), spec.n_kv_heads)  # (n_kv, n, d_v)
    Q_unrotated = _limited(params, "q_norm", layer, Q_projected)
    K_unrotated = _limited(params, "k_norm", layer, K_projected)
    Q, K = Q_unrotated, K_unrotated
    if spec.clip_qkv is not None:
        V = V.clip(-spec.clip_qkv, spec.clip_qkv)
    if spec.rotary and (rotary := spec.rotary[layer]):
        Q, K = rotate(Q, rotary), rotate(K, rotary)
    scale, reason = spec.layer_scale(layer)
    scoring = Scoring(
        scale=scale,
        softcap=spec.softcap,
        bias=_position_bias(params, layer, p, Q, K, scale),
        causal=causal,
        reach=spec.reach[layer] if spec.reach else None,
    )
    stages = (Q_projected, Q_unrotated, Q, K_projected, K_unrotated, K, V)
    return _attention(layer, X, X, stages, scoring, reason, p, kept)


def cross_attention(params: Params, layer: int, h: Array, memory: Array, kept: bool) -> Attended:
    """One decoder layer's attention to the encoder's output (Vaswani et al. 2017, section 3.2.3).

    Queries come from the target tokens, h (n, d_model), keys and values from the source tokens,
    `memory` (m, d_model). It knows no positions and hides no key.
    """
    spec = params.spec
    X = _norm(params, "pre_cross_norm", layer, h)
    p = params.projections(layer, cross=True)
    Q = split_heads(project(X, p.W_Q, p.b_Q), spec.n_heads)  # (h, n, d_k)
    K = split_heads(project(memory, p.W_K, p.b_K), spec.n_kv_heads)  # (h, m, d_k)
    V = split_heads(project(memory, p.W_V, p.b_V), spec.n_kv_heads)
    scale, reason = spec.layer_scale(layer)
    return _attention(layer, X, memory, (Q, Q, Q, K, K, K, V), Scoring(scale), reason, p, kept)


def _attention(
    layer: int,
    X: Array,
    source: Array,
    stages: tuple[Array, Array, Array, Array, Array, Array, Array],
    scoring: Scoring,
    scale_reason: str,
    p: Projections,
    kept: bool,
) -> Attended:
    """From the stages of Q, K and V to Y; S and A are only made whole for a trace."""
    Q_projected, Q_unrotated, Q, K_projected, K_unrotated, K, V = stages
    h, n, m = len(Q), len(X), len(source)
    scores = (np.empty((h, n, m), Q.dtype), np.empty((h, n, m), Q.dtype)) if kept else None
    Z = attend(Q, K, V, scoring, scores)  # (h, n, d_v)
    Z_cat = concat_heads(Z)  # (n, h d_v)
    Y = None if p.W_O is None else project(Z_cat, p.W_O, p.b_O)  # (n, d_model)
    if scores is None:
        return Attended(X, Y, None)
    every, bias = slice(0, n), scoring.bias
    trace = AttentionTrace(
        layer=layer,
        X=X,
        source=source,
        Q_projected=Q_projected,
        Q_unrotated=Q_unrotated,
        Q=Q,
        K_projected=K_projected,
        K_unrotated=K_unrotated,
        K=K,
        V=V,
        scale=scoring.scale,
        scale_reason=scale_reason,
        softcap=scoring.softcap,
        bias=None
        if bias is None
        else np.stack([np.broadcast_to(bias(r, every), (n, m)) for r in range(h)]),
        mask=mask_rows(every, m, scoring.causal, scoring.reach, Q.dtype)
        if scoring.masked
        else None,
        S=scores[0],
        A=scores[1],
        Z=Z,
        Z_cat=Z_cat,
        Y=Y,
        params=p,
    )
    return Attended(X, Y, trace)


def _limited(params: Params, role: str, layer: int, M: Array) -> Array:
    """Queries or keys, (h, n, d_k), clipped and normed where the model does that."""
    spec = params.spec
    if spec.clip_qkv is not None:
        M = M.clip(-spec.clip_qkv, spec.clip_qkv)
    if spec.qk_norm == "none":
        return M
    weight, bias = params.norm(role, layer)
    if spec.qk_norm == "full":
        return split_heads(_normed(spec, concat_heads(M), weight, bias), len(M))
    if spec.qk_norm == "each_head":
        weight = weight[:, None]  # (h, 1, d_k)
    return _normed(spec, M, weight, bias)


def _position_bias(
    params: Params, layer: int, p: Projections, Q: Array, K: Array, scale: float
) -> Bias | None:
    """What the model's positions add to a score, by head and rows."""
    spec = params.spec
    m = K.shape[1]
    if spec.buckets:
        return bucket_bias(params.get("B", layer), spec.buckets, m)
    if spec.alibi:
        return alibi_bias(spec.alibi, spec.n_heads, m, spec.d_k, params.dtype)
    if not spec.disentangled:
        return None
    R = params.get("R")  # (2 span, d_model)
    if spec.disentangled.normed:
        R = _norm(params, "R_norm", None, R)
    of_query, of_key = (p.W_Q, p.b_Q), (p.W_K, p.b_K)

    def projected(wanted: bool, own: str, shared: tuple[Array, Array | None]) -> Array | None:
        if not wanted:
            return None
        W_b = params.linear(own, layer) if params.has(f"W_{own}") else shared
        return split_heads(project(R, *W_b), spec.n_heads)

    return disentangled_bias(
        spec.disentangled,
        scale,
        Q,
        K,
        projected(spec.disentangled.p2c, "Q_position", of_query),
        projected(spec.disentangled.c2p, "K_position", of_key),
    )


def _output(attended: Attended, layer: int) -> Array:
    if attended.Y is None:
        raise AttncliError(f"layer {layer} has no W_O: nothing can follow its attention")
    return attended.Y


def _behind_attention(params: Params, layer: int, x: Array, here: Attended) -> Array:
    """h, from the layer's input x and its attention: the residual and its norms. (n, d_model)"""
    spec = params.spec
    a = _norm(params, "attention_out_norm", layer, _output(here, layer))
    residual = here.X if spec.residual_from_norm else x
    return _norm(params, "attention_norm", layer, residual + _scaled(spec, a))


def _behind_mlp(params: Params, layer: int, x: Array, X: Array, h: Array) -> Array:
    """What the next layer receives, from h behind the attention: (n, d_model)."""
    spec = params.spec
    if spec.parallel:
        into = _norm(params, "pre_mlp_norm", layer, x) if _has_norm(params, layer) else X
        return h + _scaled(spec, _mlp(params, layer, into))
    into = _norm(params, "pre_mlp_norm", layer, h)
    out = _norm(params, "mlp_out_norm", layer, _mlp(params, layer, into))
    residual = into if spec.residual_from_norm else h
    return _norm(params, "mlp_norm", layer, residual + _scaled(spec, out))


def _has_norm(params: Params, layer: int) -> bool:
    return params.has("pre_mlp_norm.weight", layer)


def _scaled(spec: Spec, branch: Array) -> Array:
    """A branch as it is added to the residual."""
    return branch if spec.residual_scale == 1 else branch * branch.dtype.type(spec.residual_scale)


def _mlp(params: Params, layer: int, x: Array) -> Array:
    """act(x W_1 + b_1) W_2 + b_2, times x W_up + b_up in the middle where it is gated.

    Each matrix is read when its turn comes. (n, d_model) -> (n, d_model)
    """
    spec = params.spec

    def expert(item: int | None, x: Array) -> Array:
        if params.has("W_1_up"):
            (W_1, W_up), (b_1, b_up) = params.gated(layer)
            inner = layers.activate(project(x, W_1, b_1), spec.activation)
            inner *= project(x, W_up, b_up)
        else:
            inner = layers.activate(project(x, *params.linear("1", layer, item)), spec.activation)
            if params.has("W_up"):
                inner *= project(x, *params.linear("up", layer, item))
        return project(inner, *params.linear("2", layer, item))

    if spec.n_experts:
        return layers.mixture(x, params.get("W_router", layer), spec.n_experts_used, expert)
    return expert(None, x)


def _convolved(params: Params, entered: Array, x: Array) -> Array:
    """DeBERTa v2's convolution: what entered layer 0, added to what left it. (n, d_model)"""
    out = layers.convolution(entered, *_both(params.linear("conv")))
    out = layers.activate(out, params.spec.conv_activation)
    return _norm(params, "conv_norm", None, x + out)


def _both(W_b: tuple[Array, Array | None]) -> tuple[Array, Array]:
    W, b = W_b
    return W, np.zeros(W.shape[-1], W.dtype) if b is None else b


def _norm(params: Params, role: str, layer: int | None, x: Array) -> Array:
    """The norm of this role over each row, or x itself where the model has none there."""
    if not params.has(f"{role}.weight", layer):
        return x
    return _normed(params.spec, x, *params.norm(role, layer))


def _normed(spec: Spec, x: Array, weight: Array, bias: Array | None) -> Array:
    if spec.norm == "rms":
        return layers.rms_norm(x, weight, spec.norm_eps)
    return layers.layer_norm(x, weight, bias, spec.norm_eps)


def _check_ids(spec: Spec, ids: Sequence[int]) -> None:
    if spec.n_positions is not None and len(ids) > spec.n_positions:
        raise AttncliError(
            f"the sentence has {len(ids)} tokens, the model has {spec.n_positions} positions; "
            f"shorten the sentence"
        )
    for i, token_id in enumerate(ids):
        if not 0 <= token_id < spec.n_vocab:
            raise AttncliError(
                f"token {i} has id {token_id}, the embedding table has {spec.n_vocab} rows "
                f"(0 to {spec.n_vocab - 1}); this tokenizer does not belong to these weights"
            )
