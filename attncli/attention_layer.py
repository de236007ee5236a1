"""The attention of one layer of a model, from what the layer receives to Y.

attention.py has the formulas; here stands what a model does around them: the norm before, the
stages that q and k pass, where the scale, the position bias and the mask come from.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attncli import layers
from attncli.attention import Array, Flags, Scoring, attend, concat_heads, project, split_heads
from attncli.families.spec import Spec
from attncli.positions import (
    Alibi,
    Bias,
    Buckets,
    Disentangled,
    alibi_bias,
    bucket_bias,
    disentangled_bias,
    rotate,
)
from attncli.trace import AttentionTrace, Projections
from attncli.weights.params import Params


class Attended(NamedTuple):
    """What a layer goes on with: X, Y, and the trace if it is to be kept."""

    X: Array  # (n, d_model)
    Y: Array | None  # (n, d_model)
    trace: AttentionTrace | None


class Stages(NamedTuple):
    """Queries and keys on their way to the dot product (trace.py), and the values."""

    Q_projected: Array  # (h, n, d_k)
    Q_unrotated: Array
    Q: Array
    K_projected: Array  # (n_kv, m, d_k)
    K_unrotated: Array
    K: Array
    V: Array  # (n_kv, m, d_v)


def norm(params: Params, role: str, layer: int | None, x: Array) -> Array:
    """The norm of this role over each row, or x itself where the model has none there."""
    if not params.has(f"{role}.weight", layer):
        return x
    return _normed(params.spec, x, *params.norm(role, layer))


def _normed(spec: Spec, x: Array, weight: Array, bias: Array | None) -> Array:
    if spec.norm == "rms":
        return layers.rms_norm(x, weight, spec.norm_eps)
    return layers.layer_norm(x, weight, bias, spec.norm_eps)


def limited(params: Params, role: str, layer: int, M: Array) -> Array:
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
    """What the positions add to a score, by head and rows."""
    match params.spec.position_bias:
        case Buckets() as buckets:
            return bucket_bias(params.get("B", layer), buckets, K.shape[1])
        case Alibi() as alibi:
            return alibi_bias(alibi, len(Q), K.shape[1], params.spec.d_k, params.dtype)
        case Disentangled() as disentangled:
            positions = _projected_positions(params, layer, p, disentangled)
            return disentangled_bias(disentangled, scale, Q, K, *positions)
    return None


def _projected_positions(
    params: Params, layer: int, p: Projections, disentangled: Disentangled
) -> tuple[Array | None, Array | None]:
    """DeBERTa's position table as queries and as keys, (h, 2 span, d_k); None if not needed."""
    R = norm(params, "R_norm", None, params.get("R"))  # (2 span, d_model)

    def projected(own: str, shared: tuple[Array, Array | None]) -> Array:
        W, b = params.linear(own, layer) if params.has(f"W_{own}") else shared
        return split_heads(project(R, W, b), params.spec.n_heads)

    return (
        projected("Q_position", (p.W_Q, p.b_Q)) if disentangled.p2c else None,
        projected("K_position", (p.W_K, p.b_K)) if disentangled.c2p else None,
    )


def _attended(
    layer: int,
    X: Array,
    source: Array,
    stages: Stages,
    scoring: Scoring,
    scale_reason: str,
    p: Projections,
    kept: Sequence[int],
) -> Attended:
    """From Q, K and V to Y; S and A of the `kept` heads are made whole, for a trace."""
    n, m, dtype = len(X), len(source), X.dtype
    S, A = (np.empty((len(kept), n, m), dtype) for _ in range(2))
    whole = {head: (S[place], A[place]) for place, head in enumerate(kept)}
    Z = attend(stages.Q, stages.K, stages.V, scoring, whole)  # (h, n, d_v)
    Z_cat = concat_heads(Z)  # (n, h d_v)
    Y = None if p.W_O is None else project(Z_cat, p.W_O, p.b_O)  # (n, d_model)
    if not kept:
        return Attended(X, Y, None)
    trace = AttentionTrace(
        layer=layer,
        X=X,
        source=source,
        **stages._asdict(),
        scale=scoring.scale,
        scale_reason=scale_reason,
        softcap=scoring.softcap,
        bias=scoring.whole_bias(kept, n, m),
        mask=scoring.whole_mask(n, m, dtype),
        heads=tuple(kept),
        S=S,
        A=A,
        Z=Z,
        Z_cat=Z_cat,
        Y=Y,
        params=p,
    )
    return Attended(X, Y, trace)


def self_stages(params: Params, layer: int, X: Array, p: Projections) -> Stages:
    """Queries, keys and values of tokens that look at each other, X (n, d_model)."""
    spec = params.spec
    Q_projected = split_heads(project(X, p.W_Q, p.b_Q), spec.n_heads)  # (h, n, d_k)
    K_projected = split_heads(project(X, p.W_K, p.b_K), spec.n_kv_heads)
    V = split_heads(project(X, p.W_V, p.b_V), spec.n_kv_heads)  # (n_kv, n, d_v)
    Q_unrotated = limited(params, "q_norm", layer, Q_projected)
    K_unrotated = limited(params, "k_norm", layer, K_projected)
    Q, K = Q_unrotated, K_unrotated
    if spec.clip_qkv is not None:
        V = V.clip(-spec.clip_qkv, spec.clip_qkv)
    if spec.rotary and (rotary := spec.rotary[layer]):
        Q, K = rotate(Q, rotary), rotate(K, rotary)
    return Stages(Q_projected, Q_unrotated, Q, K_projected, K_unrotated, K, V)


def self_scoring(
    params: Params,
    layer: int,
    Q: Array,
    K: Array,
    p: Projections,
    causal: bool,
    padding: Flags | None,
) -> Scoring:
    """How a layer makes S of Q (h, n, d_k) and K (n_kv, n, d_k): its scale, bias and masks."""
    spec = params.spec
    scale, _ = spec.layer_scale(layer)
    return Scoring(
        scale=scale,
        softcap=spec.softcap,
        bias=_position_bias(params, layer, p, Q, K, scale),
        causal=causal,
        reach=spec.reach[layer] if spec.reach else None,
        padding=padding,
    )


def self_attention(
    params: Params, layer: int, x: Array, causal: bool, padding: Flags | None, kept: Sequence[int]
) -> Attended:
    """One layer's attention of the tokens to each other: the article from X to Y."""
    X = norm(params, "pre_attention_norm", layer, x)
    p = params.projections(layer)
    stages = self_stages(params, layer, X, p)
    scoring = self_scoring(params, layer, stages.Q, stages.K, p, causal, padding)
    _, reason = params.spec.layer_scale(layer)
    return _attended(layer, X, X, stages, scoring, reason, p, kept)


def cross_attention(
    params: Params, layer: int, h: Array, memory: Array, padding: Flags | None, kept: Sequence[int]
) -> Attended:
    """One decoder layer's attention to the encoder's output (Vaswani et al. 2017, section 3.2.3).

    Queries come from the target tokens, h (n, d_model), keys and values from the source tokens,
    `memory` (m, d_model). It knows no positions and hides no key but `padding`, (m,).
    """
    spec = params.spec
    X = norm(params, "pre_cross_norm", layer, h)
    p = params.projections(layer, cross=True)
    Q = split_heads(project(X, p.W_Q, p.b_Q), spec.n_heads)  # (h, n, d_k)
    K = split_heads(project(memory, p.W_K, p.b_K), spec.n_kv_heads)  # (h, m, d_k)
    V = split_heads(project(memory, p.W_V, p.b_V), spec.n_kv_heads)
    scale, reason = spec.layer_scale(layer)
    stages = Stages(Q, Q, Q, K, K, K, V)
    return _attended(layer, X, memory, stages, Scoring(scale, padding=padding), reason, p, kept)
