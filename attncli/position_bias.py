"""Where a token stands, as a number added to a score."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from attncli.attention import Array

Indices = npt.NDArray[np.intp]
Bias = Callable[[int, slice], Array]  # (head, rows) -> (rows, m), or (1, m) the same in every row


@dataclass(frozen=True)
class Buckets:
    """A learnt number per head and range of distances j - i (Raffel et al. 2020, T5, section 2.1).

    Half of the `count` buckets hold one distance each, the others ever longer ranges up to
    `max_distance`. `two_sided`: half of the buckets are for keys to the right; otherwise these
    share the bucket of distance 0.
    """

    count: int
    max_distance: int
    two_sided: bool

    def of(self, distance: Indices) -> Indices:
        """The bucket of each distance j - i."""
        count, offset = self.count, np.zeros_like(distance)
        if self.two_sided:
            count //= 2
            offset = np.where(distance > 0, count, 0)
            distance = abs(distance)
        else:
            distance = -np.minimum(distance, 0)
        exact = count // 2
        ratio = np.log(np.maximum(distance, 1).astype(np.float32) / np.float32(exact))
        ratio = ratio / np.float32(math.log(self.max_distance / exact)) * np.float32(count - exact)
        far = np.minimum(exact + ratio.astype(np.intp), count - 1)
        return offset + np.where(distance < exact, distance, far)


def _distances(n: int) -> Indices:
    """All j - i of n tokens, from -(n - 1) to n - 1."""
    return np.arange(1 - n, n)


def _places(rows: slice, n: int) -> Indices:
    """Where the distance j - i stands among `_distances(n)`: (rows, n)."""
    return np.arange(n) - np.arange(rows.start, rows.stop)[:, None] + n - 1


def bucket_bias(table: Array, buckets: Buckets, n: int) -> Bias:
    """table[bucket(j - i), head]; `table` is (buckets, h)."""
    numbers = table[buckets.of(_distances(n))]  # (distances, h)

    def bias(head: int, rows: slice) -> Array:
        found: Array = numbers[:, head][_places(rows, n)]
        return found

    return bias


def _bfloat16(x: Array) -> Array:
    """The nearest numbers that bfloat16 has, ties to even."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (rounded & np.uint32(0xFFFF0000)).view(np.float32)


@dataclass(frozen=True)
class Alibi:
    """ALiBi (Press et al. 2021, https://arxiv.org/abs/2108.12409): the further, the less.

    What is added is slope_h times the key's position, which differs from minus the distance by
    a constant per row, and softmax ignores that. The position counts from the first token
    (`absolute`, BLOOM), or back from the last one (`to_last`, MPT, with slopes of its own).
    `bfloat16`: as BLOOM's, but rounded to bfloat16 and divided by sqrt(d_k) (Falcon).
    """

    kind: Literal["absolute", "to_last", "bfloat16"]


def _slopes(h: int) -> Array:
    """ALiBi's slopes: (h,).

    2^(-8/h), 2^(-16/h), ... for a power of two; for other h those of the next smaller power,
    then every other one of the next larger.
    """
    power = 2 ** math.floor(math.log2(h))
    near = np.float32(2 ** (-8 / power)) ** np.arange(1, power + 1, dtype=np.float32)
    far = np.float32(2 ** (-4 / power)) ** np.arange(1, 2 * (h - power) + 1, 2, dtype=np.float32)
    return np.concatenate([near, far])


def _mpt_slopes(h: int) -> Array:
    """MPT's slopes: those of the next larger power of two, every other one first: (h,)."""
    power = 2 ** math.ceil(math.log2(h))
    slopes = np.exp2(np.float32(-8 / power) * np.arange(1, power + 1, dtype=np.float32))
    if power != h:
        slopes = np.concatenate([slopes[1::2], slopes[::2]])[:h]
    return slopes


def slopes(alibi: Alibi, h: int) -> Array:
    """The slope of each head: (h,)."""
    return _mpt_slopes(h) if alibi.kind == "to_last" else _slopes(h)


def alibi_bias(alibi: Alibi, h: int, m: int, d_k: int, dtype: npt.DTypeLike) -> Bias:
    """slope_h times the position of key j, the same for every query."""
    slope = slopes(alibi, h)[:, None]
    position = np.arange(m, dtype=np.float32) - (m - 1 if alibi.kind == "to_last" else 0)
    values: Array = slope * position
    if alibi.kind == "bfloat16":
        exact = _bfloat16(slope) * _bfloat16(position)
        values = _bfloat16(exact) / np.float32(math.sqrt(d_k))
    values = values.astype(dtype)  # (h, m)
    return lambda head, rows: values[head : head + 1]  # noqa: ARG005


@dataclass(frozen=True)
class Disentangled:
    """DeBERTa's position bias (He et al. 2020, https://arxiv.org/abs/2006.03654, section 3.1).

    `span` distances to either side have a vector; with `buckets` the far ones, up to
    `max_distance`, share theirs. `c2p`: query times position of the key; `p2c`: key times
    position of the query.
    """

    span: int
    buckets: int
    max_distance: int
    c2p: bool
    p2c: bool

    def index(self, distance: Indices) -> Indices:
        """The row of the position table for each distance i - j."""
        if self.buckets > 0:
            mid = self.buckets // 2
            away = np.maximum(abs(distance), 1).astype(np.float32) / np.float32(mid)
            ratio = np.log(away) / np.log(np.float32((self.max_distance - 1) / mid))
            far = (np.ceil(ratio * (mid - 1)) + mid) * np.sign(distance)
            distance = np.where(abs(distance) <= mid, distance, far).astype(np.intp)
        return np.clip(distance + self.span, 0, 2 * self.span - 1)


def disentangled_bias(
    spec: Disentangled,
    scale: float,
    Q: Array,
    K: Array,
    Q_position: Array | None,
    K_position: Array | None,
) -> Bias:
    """scale (q_i . K_position[d(i, j)] + k_j . Q_position[d(j, i)]), the terms that are on.

    Q and K are (h, n, d_k); Q_position and K_position the projected position table,
    (h, 2 span, d_k), None where a term is off.
    """
    n = K.shape[1]
    by_distance = spec.index(-_distances(n))  # of i - j

    def bias(head: int, rows: slice) -> Array:
        index = by_distance[_places(rows, n)]
        total: Array = np.zeros(index.shape, Q.dtype)
        if K_position is not None:
            total += np.take_along_axis(Q[head, rows] @ K_position[head].T, index, axis=1)
        if Q_position is not None:
            by_key = K[head] @ Q_position[head].T  # (m, 2 span)
            total += np.take_along_axis(by_key, index.T, axis=1).T
        return total * Q.dtype.type(scale)

    return bias
