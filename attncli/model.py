"""The one transformer: token ids -> vectors -> layer after layer, up to the last one wanted.

A layer is, with x (n, d_model) (post-norm, Vaswani et al. 2017, section 3.1):

    u  = norm(x + Y)          Y the attention of x, named step by step in a trace
    x' = norm(u + mlp(u))

What differs between families is data: a Spec (families/spec.py).
"""

import math
from collections.abc import Collection, Sequence

import numpy as np

from attncli import layers
from attncli.attention import (
    Array,
    causal_mask,
    concat_heads,
    dot_products,
    project,
    scores,
    softmax,
    split_heads,
    weighted_values,
)
from attncli.errors import AttncliError
from attncli.families.spec import Spec
from attncli.positions import sinusoids
from attncli.trace import AttentionTrace, Trace
from attncli.weights.params import Params


def embed(params: Params, ids: Sequence[int], segments: Sequence[int] | None = None) -> Array:
    """What enters layer 0: the token's vector, plus its position's and segment's -> (n, d_model).

    `segments` says of each token which text of a pair it belongs to; zeros if left out.
    Raises AttncliError for an id that has no vector and for a sentence longer than the
    position table.
    """
    spec = params.spec
    _check_ids(spec, ids)
    x = params.rows("E", ids) * np.float32(spec.embed_scale)
    if spec.position == "learned":
        x = x + params.rows("P", range(len(ids)))
    elif spec.position == "sinusoidal":
        x = x + sinusoids(len(ids), spec.d_model)
    if params.has("T"):
        x = x + params.rows("T", segments or [0] * len(ids))
    return _norm(params, "embed_norm", None, x) if params.has("embed_norm") else x


def forward(
    params: Params,
    x: Array,
    keep: Collection[int],
    *,
    causal: bool | None = None,
    keep_hidden: bool = False,
) -> Trace:
    """Runs x (n, d_model), what `embed` returned, through the layers.

    Stops after the attention of the last layer in `keep`, whose attention is traced; with
    `keep_hidden` it runs all layers and keeps what enters and leaves each. `causal` overrides
    the model's own mask.
    """
    spec = params.spec
    mask = causal_mask(len(x)) if (spec.causal if causal is None else causal) else None
    last = spec.n_layers - 1 if keep_hidden else max(keep)
    traces: dict[int, AttentionTrace] = {}
    hidden = [x]
    for layer in range(last + 1):
        trace = attend(params, layer, x, mask)
        if layer in keep:
            traces[layer] = trace
        if layer < last or keep_hidden:
            x = finish_layer(params, trace)
            hidden.append(x)
    return Trace(layers=traces, hidden=tuple(hidden) if keep_hidden else ())


def attend(params: Params, layer: int, x: Array, mask: Array | None) -> AttentionTrace:
    """One layer's self-attention, every step kept: the article from X to Y."""
    h, p = params.spec.n_heads, params.projections(layer)
    X = x
    Q = split_heads(project(X, p.W_Q, p.b_Q), h)  # (h, n, d_k)
    K = split_heads(project(X, p.W_K, p.b_K), h)
    V = split_heads(project(X, p.W_V, p.b_V), h)  # (h, n, d_v)
    dots = dot_products(Q, K)  # (h, n, n)
    scale = 1 / math.sqrt(params.spec.d_k)
    S = scores(dots, scale, mask)
    A = softmax(S)
    Z = weighted_values(A, V)  # (h, n, d_v)
    Z_cat = concat_heads(Z)  # (n, h d_v)
    Y = None if p.W_O is None else project(Z_cat, p.W_O, p.b_O)  # (n, d_model)
    return AttentionTrace(
        layer=layer,
        X=X,
        Q=Q,
        K=K,
        V=V,
        dots=dots,
        scale=scale,
        mask=mask,
        S=S,
        A=A,
        Z=Z,
        Z_cat=Z_cat,
        Y=Y,
        params=p,
    )


def finish_layer(params: Params, trace: AttentionTrace) -> Array:
    """From a layer's attention to what the next layer receives: residuals, norms and MLP."""
    layer = trace.layer
    if trace.Y is None:
        raise AttncliError(f"layer {layer} has no W_O: nothing can follow its attention")
    u = _norm(params, "attention_norm", layer, trace.X + trace.Y)
    mlp = layers.mlp(
        u,
        params.get("W_1", layer),
        params.get("b_1", layer),
        params.get("W_2", layer),
        params.get("b_2", layer),
        params.spec.activation,
    )
    return _norm(params, "mlp_norm", layer, u + mlp)


def _norm(params: Params, role: str, layer: int | None, x: Array) -> Array:
    weight, bias = params.norm(role, layer)
    return layers.layer_norm(x, weight, bias, params.spec.norm_eps)


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
