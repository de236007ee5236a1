"""The article in numpy: Q, K, V, S, A, Z, Z_cat and Y, each by its formula.

Source: "Attention Is All You Need" (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762,
sections 3.2.1 to 3.2.3); docs/maths.md has the same formulas in prose. These are the plain
statements. The model computes the same numbers block by block (blocks.py), and tests hold the
two equal.

Letters: n tokens that look (queries, rows), m tokens looked at (keys, columns), h heads, d_model
the width of a token's vector, d_k and d_v the widths of a head. Rows are tokens: x_i is row i of X.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from attncli.errors import AttncliError

Array = npt.NDArray[np.floating[Any]]
Flags = npt.NDArray[np.bool_]


def attention(Q: Array, K: Array, V: Array, mask: Array | None = None) -> Array:
    """Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k) + mask) V: equation (1) of the paper.

    (h, n, d_k), (h, m, d_k), (h, m, d_v) -> (h, n, d_v), or one head without the h. `mask` is
    (n, m): 0 where query i may look at key j, -inf where it may not.
    """
    d_k = Q.shape[-1]
    S = scores(dot_products(Q, K), 1 / math.sqrt(d_k), mask)
    A = softmax(S)
    return weighted_values(A, V)


def multi_head_attention(
    X: Array, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, h: int, mask: Array | None = None
) -> Array:
    """Y = Concat(head_1, ..., head_h) W_O, head_r = Attention(X W_Q^(r), X W_K^(r), X W_V^(r)).

    (n, d_model), (d_model, h d_k) twice, (d_model, h d_v), (h d_v, d_model) -> (n, d_model);
    W^(r) is the r-th block of columns of W (section 3.2.2).
    """
    Q, K, V = (split_heads(project(X, W), h) for W in (W_Q, W_K, W_V))
    return project(concat_heads(attention(Q, K, V, mask)), W_O)


def project(X: Array, W: Array, b: Array | None = None) -> Array:
    """X W + b, the projection of every row: (n, d_in), (d_in, d_out), (d_out,) -> (n, d_out)."""
    return X @ W if b is None else X @ W + b


def split_heads(M: Array, h: int) -> Array:
    """The h column blocks of M, one per head: (n, h d) -> (h, n, d).

    Head r is M[:, r d : (r + 1) d], which is X W^(r): one wide product equals h narrow ones.
    """
    n, width = M.shape
    if width % h:
        raise AttncliError(
            "{width} columns cannot be split into {h} heads of equal width", width=width, h=h
        )
    return np.ascontiguousarray(M.reshape(n, h, width // h).transpose(1, 0, 2))  # (h, n, d)


def kv_head(head: int, h: int, n_kv: int) -> int:
    """The key/value head that query head `head` of h reads where there are only n_kv of them.

    Neighbours share: with h = 8 and n_kv = 2, heads 0 to 3 read K and V of head 0
    (Ainslie et al. 2023, https://arxiv.org/abs/2305.13245).
    """
    return head // (h // n_kv)


def dot_products(Q: Array, K: Array) -> Array:
    """Q K^T, every query with every key: (n, d_k), (m, d_k) -> (n, m); or (h, ...) head by head.

    K of fewer heads than Q is shared (`kv_head`).
    """
    if Q.ndim == 2:
        return Q @ K.T
    h, n_kv = len(Q), len(K)
    return np.stack([q @ K[kv_head(r, h, n_kv)].T for r, q in enumerate(Q)])


def scores(
    dots: Array,
    scale: float,
    mask: Array | None = None,
    *,
    softcap: float | None = None,
    bias: Array | None = None,
) -> Array:
    """S = cap(scale Q K^T) + bias + mask, as it enters the softmax; (..., n, m) -> (..., n, m).

    `scale` is 1/sqrt(d_k) in the article, which has neither cap nor bias; `mask` is (n, m), 0
    where query i may look at key j and -inf where it may not (section 3.2.3).
    """
    S: Array = dots * dots.dtype.type(scale)
    if softcap is not None:
        S = capped(S, softcap)
    if bias is not None:
        S = S + bias
    return S if mask is None else S + mask


def capped(S: Array, softcap: float) -> Array:
    """softcap tanh(S / softcap): no score gets larger than `softcap`; any shape."""
    limit = S.dtype.type(softcap)
    return np.tanh(S / limit) * limit


def softmax(S: Array) -> Array:
    """a_ij = exp(S_ij) / sum_t exp(S_it), along the last axis; any shape.

    The row's maximum is subtracted first: the quotient stays the same and exp cannot overflow.
    A row in which every key is masked (-inf) has no weights: it comes out as zeros. A row with a
    nan or +inf comes out as nan.
    """
    peak = S.max(axis=-1, keepdims=True)
    masked = np.isneginf(peak)
    E = np.exp(S - np.where(masked, 0, peak))  # -inf - -inf would be nan
    A: Array = E / np.where(masked, 1, E.sum(axis=-1, keepdims=True))
    return A


def weighted_values(A: Array, V: Array) -> Array:
    """Z = A V, z_i = sum_j a_ij v_j: (..., n, m), (..., m, d_v) -> (..., n, d_v)."""
    return A @ V


def concat_heads(Z: Array) -> Array:
    """Z_cat = Concat(Z^(1), ..., Z^(h)), the heads side by side: (h, n, d_v) -> (n, h d_v)."""
    h, n, d_v = Z.shape
    return Z.transpose(1, 0, 2).reshape(n, h * d_v)
