"""The article, in numpy: Q, K, V, S, A, Z, Z_cat, Y.

Every function is one formula of "Attention Is All You Need" (Vaswani et al. 2017,
https://arxiv.org/abs/1706.03762, sections 3.2.1 and 3.2.2) and of docs/maths.md; what other
models add before the softmax (a cap, a position bias, a window) stands beside it.

Letters: n tokens that look (queries, rows), m tokens looked at (keys, columns),
h heads, d_model the width of a token's vector, d_k and d_v the widths of a head.
Rows are tokens throughout: x_i is row i of X.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attncli.errors import AttncliError

Array = npt.NDArray[np.floating[Any]]
Flags = npt.NDArray[np.bool_]

BLOCK = 128  # rows of scores at a time: few enough to stay in the cache, enough for BLAS
THREADS = min(8, os.cpu_count() or 1)
_LARGE = 10**8  # multiplications from which threads pay


def product(X: Array, W: Array) -> Array:
    """X W: (n, d_in), (d_in, d_out) -> (n, d_out); the rows of a large product on several threads.

    BLAS is kept to one thread (cli/__init__.py): its own cost more than they bring on a sentence.
    """
    n, d_in = X.shape
    if THREADS == 1 or n * d_in * W.shape[1] < _LARGE:
        return X @ W
    out = np.empty((n, W.shape[1]), np.result_type(X, W))
    bounds = [n * part // THREADS for part in range(THREADS + 1)]

    def rows(start: int, stop: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # whoever calls looks at the result
            np.matmul(X[start:stop], W, out=out[start:stop])

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(rows, bounds[:-1], bounds[1:]))
    return out


def project(X: Array, W: Array, b: Array | None = None) -> Array:
    """X W + b, the projection of every row: (n, d_in), (d_in, d_out), (d_out,) -> (n, d_out)."""
    return product(X, W) if b is None else product(X, W) + b


def split_heads(M: Array, h: int) -> Array:
    """The h column blocks of M, one per head: (n, h d) -> (h, n, d).

    Head r is M[:, r d : (r + 1) d], which is X W^(r): one wide product equals h narrow ones.
    """
    n, width = M.shape
    if width % h:
        raise AttncliError(f"{width} columns cannot be split into {h} heads of equal width")
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


def capped(S: Array, softcap: float) -> Array:
    """softcap tanh(S / softcap): no score gets larger than `softcap`; any shape."""
    limit = S.dtype.type(softcap)
    return np.tanh(S / limit) * limit


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


def mask_rows(
    rows: slice,
    m: int,
    causal: bool,
    reach: int | None,
    dtype: npt.DTypeLike = np.float32,
    padding: Flags | None = None,
) -> Array:
    """0 where query i of `rows` may look at key j < m, -inf where it may not. -> (rows, m)

    `causal`: j <= i. `reach`: |i - j| <= reach, a window that slides along the sentence.
    `padding`, (m,) or longer: True for a key that nobody may look at.
    """
    right = np.arange(m) - np.arange(rows.start, rows.stop)[:, None]  # j - i
    hidden = np.zeros(right.shape, np.bool_)
    if causal:
        hidden |= right > 0
    if reach is not None:
        hidden |= abs(right) > reach
    if padding is not None:
        hidden |= padding[:m]
    return np.where(hidden, np.array(-np.inf, dtype), np.array(0, dtype))


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
    """Z = A V, z_i = sum_j a_ij v_j: (..., n, m), (..., m, d_v) -> (..., n, d_v)."""
    return A @ V


def concat_heads(Z: Array) -> Array:
    """Z_cat = Concat(Z^(1), ..., Z^(h)), the heads side by side: (h, n, d_v) -> (n, h d_v)."""
    h, n, d_v = Z.shape
    return Z.transpose(1, 0, 2).reshape(n, h * d_v)


@dataclass(frozen=True)
class Scoring:
    """How the scores of one layer are made of its dot products: the operands of `scores`.

    `bias` gives the position bias of one head and some rows, (rows, m) or (1, m).
    """

    scale: float
    softcap: float | None = None
    bias: Callable[[int, slice], Array] | None = None
    causal: bool = False
    reach: int | None = None
    padding: Flags | None = None  # (m,)

    @property
    def masked(self) -> bool:
        """Whether any key may be hidden from a query."""
        return self.causal or self.reach is not None or self.padding is not None

    def whole_bias(self, heads: Sequence[int], n: int, m: int) -> Array | None:
        """The position bias of some heads: (len(heads), n, m)."""
        if self.bias is None:
            return None
        return np.stack([np.broadcast_to(self.bias(r, slice(0, n)), (n, m)) for r in heads])

    def whole_mask(self, n: int, m: int, dtype: npt.DTypeLike) -> Array | None:
        """The mask of all rows: (n, m)."""
        if not self.masked:
            return None
        return mask_rows(slice(0, n), m, self.causal, self.reach, dtype, self.padding)

    def rows(self, Q: Array, K: Array, head: int, rows: slice) -> Array:
        """S of some rows of one head, as far to the right as they may look. -> (rows, m or less)"""
        m = min(rows.stop, K.shape[1]) if self.causal else K.shape[1]
        dots = dot_products(Q[head, rows], K[kv_head(head, len(Q), len(K)), :m])
        limits = (self.causal, self.reach, Q.dtype, self.padding)
        mask = mask_rows(rows, m, *limits) if self.masked else None
        bias = None if self.bias is None else self.bias(head, rows)[:, :m]
        return scores(dots, self.scale, mask, softcap=self.softcap, bias=bias)


def attend(
    Q: Array,
    K: Array,
    V: Array,
    scoring: Scoring,
    kept: Mapping[int, tuple[Array, Array]] | None = None,
) -> Array:
    """Z = softmax(S) V: (h, n, d_k), (n_kv, m, d_k), (n_kv, m, d_v) -> (h, n, d_v).

    Works in blocks of rows, head by head on several threads, so that no (n, m) matrix is held.
    Of each head in `kept` it writes S and A into the pair of arrays given there, both (n, m).
    """
    h, n, _ = Q.shape
    Z = np.empty((h, n, V.shape[2]), Q.dtype)

    def one_head(head: int) -> None:
        with np.errstate(over="ignore", invalid="ignore"):  # whoever calls looks at the result
            rows_of_head(head)

    def rows_of_head(head: int) -> None:
        v = V[kv_head(head, h, len(V))]
        for start in range(0, n, BLOCK):
            rows = slice(start, min(start + BLOCK, n))
            S = scoring.rows(Q, K, head, rows)
            A = softmax(S)
            seen = S.shape[1]
            Z[head, rows] = weighted_values(A, v[:seen])
            if kept and head in kept:
                whole_S, whole_A = kept[head]
                whole_S[rows, :seen], whole_S[rows, seen:] = S, -np.inf
                whole_A[rows, :seen], whole_A[rows, seen:] = A, 0

    if n <= BLOCK:
        for head in range(h):
            one_head(head)
    else:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(one_head, range(h)))
    return Z
