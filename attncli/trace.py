"""What a forward pass computed: every number that a view, a derivation or an export shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Literal

import numpy as np

from attncli.attention import Array, dot_products, kv_head
from attncli.language import Phrase
from attncli.position_bias import Alibi, Buckets, Disentangled
from attncli.rotary import Rotary


@dataclass(frozen=True)
class Projections:
    """The parameters of one layer's attention, as in Q = X W_Q + b_Q and Y = Z_cat W_O + b_O.

    Columns r d_k ... (r + 1) d_k - 1 of W_Q belong to head r, those of W_K and W_V to key/value
    head r, of which there may be fewer. What a model lacks is None.
    """

    W_Q: Array  # (d_model, h d_k)
    W_K: Array  # (d_model, n_kv d_k)
    W_V: Array  # (d_model, n_kv d_v)
    W_O: Array | None  # (h d_v, d_model)
    b_Q: Array | None = None  # (h d_k,)
    b_K: Array | None = None  # (n_kv d_k,)
    b_V: Array | None = None  # (n_kv d_v,)
    b_O: Array | None = None  # (d_model,)


@dataclass(frozen=True)
class HeadNorm:
    """How each row of queries or keys is normalized: (x - mean) / sqrt(var + eps) * weight + bias.

    An RMSNorm leaves out the mean: x / sqrt(mean(x^2) + eps) * weight. `over_heads`: over the
    numbers of all heads side by side, otherwise over each head's own.
    """

    kind: Literal["layer", "rms"]
    eps: float
    weight: Array  # (h, d_k), or (1, d_k) where all heads have the same
    bias: Array | None  # as weight
    over_heads: bool


@dataclass(frozen=True)
class Stages:
    """What a layer does with queries and keys between the projection and the dot product."""

    clip: float | None = None  # to -clip ... clip, values as well
    q_norm: HeadNorm | None = None
    k_norm: HeadNorm | None = None
    rotary: Rotary | None = None


@dataclass(frozen=True)
class BucketBias:
    """A learnt number for each bucket of distances and head."""

    buckets: Buckets
    B: Array  # (buckets, h)


@dataclass(frozen=True)
class AlibiBias:
    """A slope of each head, times the position of the key."""

    alibi: Alibi


@dataclass(frozen=True)
class DisentangledBias:
    """Learnt vectors of the distances, projected as queries and as keys; None if not used."""

    disentangled: Disentangled
    Q_position: Array | None  # (h, 2 span, d_k)
    K_position: Array | None  # (h, 2 span, d_k)


PositionBias = BucketBias | AlibiBias | DisentangledBias


@dataclass(frozen=True, eq=False, repr=False)
class AttentionTrace:
    """One layer's attention, named as in the article (docs/maths.md).

    n tokens look (rows) at m tokens (columns): the same ones in self-attention, those of the
    encoder in cross-attention. S = cap(scale * dots) + bias + mask is what enters the softmax;
    its parts are kept apart. Q_projected, Q_unrotated and Q are the stages of the queries; where
    a model does nothing between two stages, they are the same array. Likewise K.
    """

    layer: int
    X: Array  # (n, d_model) what the projections receive
    source: Array  # (m, d_model) what K and V are made of: X itself in self-attention
    Q_projected: Array  # (h, n, d_k) X W_Q + b_Q
    Q_unrotated: Array  # (h, n, d_k) clipped or normalized, where the model does that
    Q: Array  # (h, n, d_k) rotated by its position (RoPE): as it enters the dot product
    K_projected: Array  # (n_kv, m, d_k)
    K_unrotated: Array  # (n_kv, m, d_k)
    K: Array  # (n_kv, m, d_k)
    V: Array  # (n_kv, m, d_v)
    scale: float
    scale_reason: Phrase  # why this factor
    softcap: float | None
    heads: tuple[int, ...]  # whose bias, S and A are kept: all h, or fewer
    bias: Array | None  # (heads, n, m) what the position adds to a score
    mask: Array | None  # (n, m) 0 or -inf
    S: Array  # (heads, n, m)
    A: Array  # (heads, n, m) rows sum to 1; a fully masked row is zeros
    Z: Array  # (h, n, d_v)
    Z_cat: Array  # (n, h d_v)
    Y: Array | None  # (n, d_model); None where the weights have no W_O
    params: Projections
    stages: Stages = Stages()
    position: PositionBias | None = None  # what `bias` is made of

    def __repr__(self) -> str:
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        shapes = [f"{name} {M.shape}" for name, M in arrays.items() if isinstance(M, np.ndarray)]
        return f"<AttentionTrace of layer {self.layer}: {', '.join(shapes)}>"

    @property
    def dots(self) -> Array:
        """Q K^T, computed when asked for: (h, n, m)."""
        return dot_products(self.Q, self.K)

    def of_head(self, name: str, head: int) -> Array:
        """One head's Q, K, V, bias, S, A or Z, or a stage of Q or K; of shared K and V its own."""
        places = {"K": self.kv_head(head), "V": self.kv_head(head)}
        if name in ("bias", "S", "A"):
            places[name[0]] = self.heads.index(head)
        matrix: Array = getattr(self, name)[places.get(name[0], head)]
        return matrix

    @property
    def fully_masked(self) -> list[int]:
        """The rows in which every key is masked: they have no weights."""
        if self.mask is None:
            return []
        rows: list[int] = np.flatnonzero(np.isneginf(self.mask).all(axis=1)).tolist()
        return rows

    def kv_head(self, head: int) -> int:
        """The index into K and V of the head that query head `head` reads."""
        return kv_head(head, len(self.Q), len(self.K))


@dataclass(frozen=True)
class Trace:
    """A forward pass: the layers that were asked for, and the hidden states if asked for."""

    layers: Mapping[int, AttentionTrace]
    cross: Mapping[int, AttentionTrace] = field(default_factory=dict)  # a decoder's, on the encoder
    hidden: tuple[Array, ...] = ()  # each (n, d_model): the embedding output, then after each layer
    output: Array | None = None  # (n, d_model) after the final norm, where all layers ran
