"""The engine: the formulas of attention.py for whole sentences, in blocks of rows and on threads.

Nothing here computes anything else than attention.py does; tests and `attncli selftest` hold
the two equal. Blocks of rows keep the scores in the cache, and let long sentences run without an
(n, n) matrix that nobody asked for.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from attncli.attention import (
    Array,
    Flags,
    dot_products,
    kv_head,
    scores,
    softmax,
    weighted_values,
)
from attncli.errors import AttncliError

BLOCK = 128  # rows of scores at a time: few enough to stay in the cache, enough for BLAS
THREADS = min(8, os.cpu_count() or 1)
_MOST_BYTES = 8 * 10**9  # of S and A together, in float32
_LARGE = 10**8  # multiplications from which threads pay


def project(X: Array, W: Array, b: Array | None = None) -> Array:
    """X W + b, as attention.project; the rows of a large product on several threads.

    The command keeps BLAS to one thread (cli/__init__.py): its own cost more than they bring on
    one sentence.
    """
    Y = _product(X, W)
    return Y if b is None else Y + b


def _product(X: Array, W: Array) -> Array:
    """X W: (n, d_in), (d_in, d_out) -> (n, d_out)."""
    n, d_in = X.shape
    if THREADS == 1 or n * d_in * W.shape[1] < _LARGE:
        return X @ W
    bounds = [n * part // THREADS for part in range(THREADS + 1)]

    def rows(start: int, stop: int) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):  # the caller checks the result
            return X[start:stop] @ W

    with ThreadPoolExecutor(THREADS) as pool:
        return np.concatenate(list(pool.map(rows, bounds[:-1], bounds[1:])))


def mask_rows(
    rows: slice,
    m: int,
    causal: bool,
    window: int | None,
    dtype: npt.DTypeLike = np.float32,
    padding: Flags | None = None,
) -> Array:
    """0 where query i of `rows` may look at key j < m, -inf where it may not. -> (rows, m)

    `causal`: j <= i. `window`: |i - j| < window, which slides along the sentence.
    `padding`, (m,) or longer: True for a key that nobody may look at.
    """
    right = np.arange(m) - np.arange(rows.start, rows.stop)[:, None]  # j - i
    hidden = np.zeros(right.shape, np.bool_)
    if causal:
        hidden |= right > 0
    if window is not None:
        hidden |= abs(right) >= window
    if padding is not None:
        hidden |= padding[:m]
    return np.where(hidden, np.array(-np.inf, dtype), np.array(0, dtype))


@dataclass(frozen=True)
class Scoring:
    """How the scores of one layer are made from its dot products: the operands of `scores`.

    `bias` gives the position bias of one head and some rows, (rows, m) or (1, m).
    """

    scale: float
    softcap: float | None = None
    bias: Callable[[int, slice], Array] | None = None
    causal: bool = False
    window: int | None = None
    padding: Flags | None = None  # (m,)

    @property
    def masked(self) -> bool:
        """Whether any key may be hidden from a query."""
        return self.causal or self.window is not None or self.padding is not None

    def whole_bias(self, heads: Sequence[int], n: int, m: int) -> Array | None:
        """The position bias of some heads: (len(heads), n, m)."""
        if self.bias is None:
            return None
        return np.stack([np.broadcast_to(self.bias(r, slice(0, n)), (n, m)) for r in heads])

    def whole_mask(self, n: int, m: int, dtype: npt.DTypeLike) -> Array | None:
        """The mask of all rows: (n, m)."""
        if not self.masked:
            return None
        return mask_rows(slice(0, n), m, self.causal, self.window, dtype, self.padding)

    def rows(self, Q: Array, K: Array, head: int, rows: slice) -> Array:
        """S of some rows of one head, as far to the right as they may look. -> (rows, m or less)"""
        m = min(rows.stop, K.shape[1]) if self.causal else K.shape[1]
        dots = dot_products(Q[head, rows], K[kv_head(head, len(Q), len(K)), :m])
        limits = (self.causal, self.window, Q.dtype, self.padding)
        mask = mask_rows(rows, m, *limits) if self.masked else None
        bias = None if self.bias is None else self.bias(head, rows)[:, :m]
        return scores(dots, self.scale, mask, softcap=self.softcap, bias=bias)


class Blocks(NamedTuple):
    """What `attend` computed: S and A of the heads that were to be kept, Z of all."""

    S: Array  # (kept heads, n, m)
    A: Array  # (kept heads, n, m)
    Z: Array  # (h, n, d_v)


def check_size(heads: int, n: int, m: int) -> None:
    """Raises AttncliError where S and A of so many heads, (heads, n, m) each, are too large."""
    size = 2 * heads * n * m * 4
    if size > _MOST_BYTES:
        raise AttncliError(
            "S and A of {count} head{s} for {n} x {m} tokens take {size:,.1f} GB, and {most} GB is "
            "the most: give a shorter text, or fewer heads (`heads`)",
            count=heads,
            n=n,
            m=m,
            size=size / 1e9,
            most=_MOST_BYTES // 10**9,
        )


def attend(Q: Array, K: Array, V: Array, scoring: Scoring, keep: Sequence[int] = ()) -> Blocks:
    """softmax(S) V of all heads: (h, n, d_k), (n_kv, m, d_k), (n_kv, m, d_v) -> Z (h, n, d_v).

    Works in blocks of rows, head by head on several threads. S and A are kept of the heads in
    `keep`, in that order. Raises IndexError for a head that does not exist.
    """
    h, n, _ = Q.shape
    # Filled from the start with what a masked key has: a block writes only what its rows may see.
    S = np.full((len(keep), n, K.shape[1]), -np.inf, Q.dtype)
    A = np.zeros_like(S)
    Z = np.zeros((h, n, V.shape[2]), Q.dtype)
    places: list[list[int]] = [[] for _ in range(h)]  # of each head in S and A
    for place, head in enumerate(keep):
        places[head].append(place)

    def one_head(head: int) -> None:
        v = V[kv_head(head, h, len(V))]
        for start in range(0, n, BLOCK):
            rows = slice(start, min(start + BLOCK, n))
            with np.errstate(over="ignore", invalid="ignore"):  # the caller checks the result
                scored = scoring.rows(Q, K, head, rows)
                weights = softmax(scored)
                seen = scored.shape[1]
                Z[head, rows] = weighted_values(weights, v[:seen])
            for place in places[head]:
                S[place, rows, :seen], A[place, rows, :seen] = scored, weights

    if n <= BLOCK:
        for head in range(h):
            one_head(head)
    else:
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(one_head, range(h)))
    return Blocks(S, A, Z)
