"""What a forward pass computed: every number that a view, a derivation or an export shows."""

from collections.abc import Mapping
from dataclasses import dataclass

from attncli.attention import Array


@dataclass(frozen=True)
class Projections:
    """The parameters of one layer's attention, as in Q = X W_Q + b_Q and Y = Z_cat W_O + b_O.

    Columns r d_k ... (r + 1) d_k - 1 of W_Q belong to head r. What a model lacks is None.
    """

    W_Q: Array  # (d_model, h d_k)
    W_K: Array  # (d_model, h d_k)
    W_V: Array  # (d_model, h d_v)
    W_O: Array | None  # (h d_v, d_model)
    b_Q: Array | None = None  # (h d_k,)
    b_K: Array | None = None  # (h d_k,)
    b_V: Array | None = None  # (h d_v,)
    b_O: Array | None = None  # (d_model,)


@dataclass(frozen=True)
class AttentionTrace:
    """One layer's self-attention, named as in the article (docs/maths.md).

    S = scale * dots + mask is what enters the softmax; its parts are kept apart.
    """

    layer: int
    X: Array  # (n, d_model) what the projections receive
    Q: Array  # (h, n, d_k)
    K: Array  # (h, n, d_k)
    V: Array  # (h, n, d_v)
    dots: Array  # (h, n, n) Q K^T
    scale: float  # 1/sqrt(d_k)
    mask: Array | None  # (n, n) 0 or -inf
    S: Array  # (h, n, n)
    A: Array  # (h, n, n) rows sum to 1; a fully masked row is zeros
    Z: Array  # (h, n, d_v)
    Z_cat: Array  # (n, h d_v)
    Y: Array | None  # (n, d_model); None where the weights have no W_O
    params: Projections


@dataclass(frozen=True)
class Trace:
    """A forward pass: the layers that were asked for, and the hidden states if asked for."""

    layers: Mapping[int, AttentionTrace]
    hidden: tuple[Array, ...] = ()  # each (n, d_model): the embedding output, then after each layer
