"""The attention of one layer of a model, from what the layer receives to Y.

attention.py has the formulas; here stands what a model does around them: the norm before, the
stages that q and k pass, where the scale, the position bias and the mask come from.
"""

from collections.abc import Sequence
from typing import NamedTuple

from attncli import layers
from attncli.attention import Array, Flags, concat_heads, split_heads
from attncli.blocks import Scoring, attend, project
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.position_bias import (
    Alibi,
    Bias,
    Buckets,
    Disentangled,
    alibi_bias,
    bucket_bias,
    disentangled_bias,
)
from attncli.rotary import rotate
from attncli.trace import (
    AlibiBias,
    AttentionTrace,
    BucketBias,
    DisentangledBias,
    HeadNorm,
    PositionBias,
    Projections,
    Stages,
)
from attncli.weights.params import Params


class Attended(NamedTuple):
    """One layer's result: X, Y and, if wanted, its trace."""

    X: Array  # (n, d_model)
    Y: Array | None  # (n, d_model)
    trace: AttentionTrace | None


class Vectors(NamedTuple):
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
    return _normalize(params.spec, x, *params.norm(role, layer))


def _normalize(spec: Spec, x: Array, weight: Array, bias: Array | None) -> Array:
    if spec.norm == "rms":
        return layers.rms_norm(x, weight, spec.norm_eps)
    return layers.layer_norm(x, weight, bias, spec.norm_eps)


def _head_norm(params: Params, role: str, layer: int) -> HeadNorm | None:
    """The norm of queries or keys; None where the model has none."""
    spec = params.spec
    if spec.qk_norm == "none":
        return None
    weight, bias = params.norm(role, layer)
    return HeadNorm(
        kind=spec.norm,
        eps=spec.norm_eps,
        weight=weight.reshape(-1, spec.d_k),
        bias=None if bias is None else bias.reshape(-1, spec.d_k),
        over_heads=spec.qk_norm == "full",
    )


def clipped_and_normalized(spec: Spec, norm: HeadNorm | None, M: Array) -> Array:
    """Queries or keys, (h, n, d_k), clipped and normalized where the model does that."""
    if spec.clip_qkv is not None:
        M = M.clip(-spec.clip_qkv, spec.clip_qkv)
    if norm is None:
        return M
    weight, bias = norm.weight, norm.bias
    if norm.over_heads:
        flat = None if bias is None else bias.ravel()
        return split_heads(_normalize(spec, concat_heads(M), weight.ravel(), flat), len(M))
    return _normalize(spec, M, weight[:, None], None if bias is None else bias[:, None])


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


def _position(params: Params, layer: int, p: Projections) -> PositionBias | None:
    """What this layer's position bias is made of; None where the positions add nothing."""
    match params.spec.position_bias:
        case Buckets() as buckets:
            return BucketBias(buckets, params.get("B", layer))
        case Alibi() as alibi:
            return AlibiBias(alibi)
        case Disentangled() as disentangled:
            positions = _projected_positions(params, layer, p, disentangled)
            return DisentangledBias(disentangled, *positions)
    return None


def position_bias(position: PositionBias | None, Q: Array, K: Array, scale: float) -> Bias | None:
    """What the positions add to a score, by head and rows."""
    n, d_k = K.shape[1:]
    match position:
        case BucketBias(buckets, B):
            return bucket_bias(B, buckets, n)
        case AlibiBias(alibi):
            return alibi_bias(alibi, len(Q), n, d_k, Q.dtype)
        case DisentangledBias(disentangled, Q_position, K_position):
            return disentangled_bias(disentangled, scale, Q, K, Q_position, K_position)
    return None


def _attended(
    layer: int,
    X: Array,
    source: Array,
    vectors: Vectors,
    scoring: Scoring,
    scale_reason: Phrase,
    p: Projections,
    stages: Stages,
    position: PositionBias | None,
    kept: Sequence[int],
) -> Attended:
    """From Q, K and V to Y; S and A of the `kept` heads are made whole, for a trace."""
    n, m, dtype = len(X), len(source), X.dtype
    S, A, Z = attend(vectors.Q, vectors.K, vectors.V, scoring, kept)  # Z: (h, n, d_v)
    Z_cat = concat_heads(Z)  # (n, h d_v)
    Y = None if p.W_O is None else project(Z_cat, p.W_O, p.b_O)  # (n, d_model)
    if not kept:
        return Attended(X, Y, None)
    trace = AttentionTrace(
        layer=layer,
        X=X,
        source=source,
        **vectors._asdict(),
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
        stages=stages,
        position=position,
    )
    return Attended(X, Y, trace)


def self_attention(
    params: Params, layer: int, x: Array, causal: bool, padding: Flags | None, kept: Sequence[int]
) -> Attended:
    """One layer's attention of the tokens to each other: the article from X to Y."""
    spec = params.spec
    X = norm(params, "pre_attention_norm", layer, x)
    p = params.projections(layer)
    Q_projected = split_heads(project(X, p.W_Q, p.b_Q), spec.n_heads)  # (h, n, d_k)
    K_projected = split_heads(project(X, p.W_K, p.b_K), spec.n_kv_heads)
    V = split_heads(project(X, p.W_V, p.b_V), spec.n_kv_heads)  # (n_kv, n, d_v)
    stages = Stages(
        clip=spec.clip_qkv,
        q_norm=_head_norm(params, "q_norm", layer),
        k_norm=_head_norm(params, "k_norm", layer),
        rotary=spec.rotary[layer] if spec.rotary else None,
    )
    Q_unrotated = clipped_and_normalized(spec, stages.q_norm, Q_projected)
    K_unrotated = clipped_and_normalized(spec, stages.k_norm, K_projected)
    Q, K = Q_unrotated, K_unrotated
    if stages.clip is not None:
        V = V.clip(-stages.clip, stages.clip)
    if stages.rotary is not None:
        Q, K = rotate(Q, stages.rotary), rotate(K, stages.rotary)
    scale, reason = spec.layer_scale(layer)
    position = _position(params, layer, p)
    scoring = Scoring(
        scale=scale,
        softcap=spec.softcap,
        bias=position_bias(position, Q, K, scale),
        causal=causal,
        window=spec.window[layer] if spec.window else None,
        padding=padding,
    )
    vectors = Vectors(Q_projected, Q_unrotated, Q, K_projected, K_unrotated, K, V)
    return _attended(layer, X, X, vectors, scoring, reason, p, stages, position, kept)


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
    vectors = Vectors(Q, Q, Q, K, K, K, V)
    scoring = Scoring(scale, padding=padding)
    return _attended(layer, X, memory, vectors, scoring, reason, p, Stages(), None, kept)
