"""The article, in numpy: Q, K, V, S, A, Z, Z_cat, Y.

Every function is one formula of "Attention Is All You Need" (Vaswani et al. 2017,
https://arxiv.org/abs/1706.03762, sections 3.2.1 and 3.2.2) and of docs/maths.md.

Letters: n tokens that look (queries, rows), m tokens looked at (keys, columns),
h heads, d_model the width of a token's vector, d_k and d_v the widths of a head.
Rows are tokens throughout: x_i is row i of X.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from attncli.errors import AttncliError

Array = npt.NDArray[np.floating[Any]]


def project(X: Array, W: Array, b: Array | None = None) -> Array:
    """X W + b, the projection of every row: (n, d_in), (d_in, d_out), (d_out,) -> (n, d_out)."""
    return X @ W if b is None else X @ W + b


def split_heads(M: Array, h: int) -> Array:
    """The h column blocks of M, one per head: (n, h d) -> (h, n, d).

    Head r is M[:, r d : (r + 1) d], which is X W^(r): one wide product equals h narrow ones.
    """
    n, width = M.shape
    if width % h:
        raise AttncliError(f"{width} columns cannot be split into {h} heads of equal width")
    return np.ascontiguousarray(M.reshape(n, h, width // h).transpose(1, 0, 2))  # (h, n, d)


def dot_products(Q: Array, K: Array) -> Array:
    """Q K^T, every query with every key: (h, n, d_k), (h, m, d_k) -> (h, n, m)."""
    return np.stack([q @ k.T for q, k in zip(Q, K, strict=True)])


def scores(dots: Array, scale: float, mask: Array | None = None) -> Array:
    """S = scale Q K^T + mask, as it enters the softmax: (h, n, m) -> (h, n, m).

    `scale` is 1/sqrt(d_k) in the article; `mask` is (n, m), 0 where query i may look at
    key j and -inf where it may not (section 3.2.3).
    """
    S = dots * dots.dtype.type(scale)
    return S if mask is None else S + mask


def causal_mask(n: int, dtype: npt.DTypeLike = np.float32) -> Array:
    """0 for j <= i and -inf for j > i: a token looks at itself and to the left. -> (n, n)."""
    return np.triu(np.full((n, n), -np.inf, dtype), k=1)


def softmax(S: Array) -> Array:
    """a_ij = exp(S_ij) / sum_t exp(S_it), along the last axis; any shape.

    The row's maximum is subtracted first: the quotient stays the same and exp cannot
    overflow. A row in which every key is masked has no weights: it comes out as zeros.
    """
    peak = S.max(axis=-1, keepdims=True)
    E = np.exp(S - np.where(np.isfinite(peak), peak, 0))  # -inf - -inf would be nan
    total = E.sum(axis=-1, keepdims=True)
    A: Array = np.divide(E, total, out=np.zeros_like(E), where=total > 0)
    return A


def weighted_values(A: Array, V: Array) -> Array:
    """Z = A V, z_i = sum_j a_ij v_j: (h, n, m), (h, m, d_v) -> (h, n, d_v)."""
    return A @ V


def concat_heads(Z: Array) -> Array:
    """Z_cat = Concat(Z^(1), ..., Z^(h)), the heads side by side: (h, n, d_v) -> (n, h d_v)."""
    h, n, d_v = Z.shape
    return Z.transpose(1, 0, 2).reshape(n, h * d_v)
