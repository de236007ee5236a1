"""Where a token stands: as a vector, as a rotation of q and k, or as a number added to a score."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from attncli.attention import Array

Indices = npt.NDArray[np.intp]


# ---- vectors


def sinusoids(positions: Sequence[int], d_model: int) -> Array:
    """P[p, 2i] = sin(p / 10000^(2i / d_model)), P[p, 2i + 1] = cos(same). -> (n, d_model)

    Vaswani et al. 2017, section 3.5.
    """
    rates = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    angles = np.array(positions)[:, None] * rates
    P = np.zeros((len(positions), d_model), np.float32)
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)[:, : d_model // 2]
    return P


def sinusoid_halves(positions: Sequence[int], d_model: int) -> Array:
    """The same numbers, all sines first, then all cosines, as Marian has them. -> (n, d_model)"""
    P = sinusoids(positions, d_model)
    return np.concatenate([P[:, 0::2], P[:, 1::2]], axis=1)


def fairseq_sinusoids(positions: Sequence[int], d_model: int) -> Array:
    """[sin(p f) | cos(p f)] with f_k = 10000^(-k / (d_model/2 - 1)). -> (n, d_model)

    tensor2tensor's form, which fairseq and M2M100 use.
    """
    half = d_model // 2
    rates = np.exp(np.arange(half, dtype=np.float32) * np.float32(-math.log(10000) / (half - 1)))
    angles = np.array(positions, np.float32)[:, None] * rates
    P = np.zeros((len(positions), d_model), np.float32)
    P[:, :half], P[:, half : 2 * half] = np.sin(angles), np.cos(angles)
    return P


SINUSOIDS: Mapping[str, Callable[[Sequence[int], int], Array]] = {
    "sinusoids": sinusoids,
    "sinusoid_halves": sinusoid_halves,
    "fairseq_sinusoids": fairseq_sinusoids,
}


# ---- rotary


@dataclass(frozen=True)
class Rotary:
    """How q and k are turned (Su et al. 2021, https://arxiv.org/abs/2104.09864).

    The first `dim` numbers of a head's vector form dim/2 pairs; pair j of a token at position p
    is turned by the angle p f_j with f_j = theta^(-2j/dim). `interleaved`: pair j is (2j, 2j+1),
    otherwise (j, j + dim/2). `kind` stretches the f_j to sentences longer than the training's;
    what follows it are that kind's parameters by their names in config.json.
    """

    dim: int
    theta: float = 10000.0
    interleaved: bool = False
    kind: str = "default"
    max_positions: int = 0
    original_positions: int = 0
    factor: float | None = None
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    beta_fast: float = 32.0
    beta_slow: float = 1.0
    truncate: bool = True
    mscale: float | None = None
    mscale_all_dim: float | None = None
    attention_factor: float | None = None
    short_factor: tuple[float, ...] = ()
    long_factor: tuple[float, ...] = ()

    @property
    def stretch(self) -> float:
        """The factor by which positions are stretched."""
        return self.factor or self.max_positions / self.original_positions


def _rates(dim: int, theta: float) -> Array:
    """f_j = theta^(-2j/dim) in float32, as the reference has them: (dim/2,)."""
    powers = np.arange(0, dim, 2, dtype=np.float32) / np.float32(dim)
    rates: Array = np.float32(1) / np.power(np.float32(theta), powers)
    return rates


def _default(rotary: Rotary, n: int) -> tuple[Array, float]:  # noqa: ARG001
    return _rates(rotary.dim, rotary.theta), 1.0


def _linear(rotary: Rotary, n: int) -> tuple[Array, float]:  # noqa: ARG001
    """Positions divided by the factor (Chen et al. 2023, https://arxiv.org/abs/2306.15595)."""
    return _rates(rotary.dim, rotary.theta) / np.float32(rotary.stretch), 1.0


def _dynamic(rotary: Rotary, n: int) -> tuple[Array, float]:
    """Theta grows with the sentence once it is longer than the training's (NTK-aware)."""
    length = max(n, rotary.max_positions)
    growth = rotary.stretch * length / rotary.max_positions - (rotary.stretch - 1)
    theta = rotary.theta * math.pow(growth, rotary.dim / (rotary.dim - 2))
    return _rates(rotary.dim, theta), 1.0


def _llama3(rotary: Rotary, n: int) -> tuple[Array, float]:  # noqa: ARG001
    """Long waves divided by the factor, short ones kept, a ramp between (Llama 3.1)."""
    rates = _rates(rotary.dim, rotary.theta)
    turns = rotary.original_positions * rates / np.float32(2 * math.pi)
    low, high = rotary.low_freq_factor, rotary.high_freq_factor
    kept = np.clip((turns - np.float32(low)) / np.float32(high - low), 0, 1)
    return (1 - kept) * rates / np.float32(rotary.stretch) + kept * rates, 1.0


def _yarn(rotary: Rotary, n: int) -> tuple[Array, float]:  # noqa: ARG001
    """YaRN (Peng et al. 2023, https://arxiv.org/abs/2309.00071), sections 3.2 to 3.4."""

    def pair_that_turns(times: float) -> float:
        ratio = rotary.original_positions / (times * 2 * math.pi)
        return rotary.dim * math.log(ratio) / (2 * math.log(rotary.theta))

    low, high = pair_that_turns(rotary.beta_fast), pair_that_turns(rotary.beta_slow)
    if rotary.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, rotary.dim - 1)
    width = high - low or 0.001
    pairs = np.arange(rotary.dim // 2, dtype=np.float32)
    stretched = np.clip((pairs - np.float32(low)) / np.float32(width), 0, 1)
    rates = _rates(rotary.dim, rotary.theta)

    def magnitude(mscale: float = 1.0) -> float:
        return 1.0 if rotary.stretch <= 1 else 0.1 * mscale * math.log(rotary.stretch) + 1

    factor = rotary.attention_factor
    if factor is None and rotary.mscale and rotary.mscale_all_dim:
        factor = magnitude(rotary.mscale) / magnitude(rotary.mscale_all_dim)
    turned = rates / np.float32(rotary.stretch) * stretched + rates * (1 - stretched)
    return turned, magnitude() if factor is None else factor


def _longrope(rotary: Rotary, n: int) -> tuple[Array, float]:
    """A factor of its own for every pair (Ding et al. 2024, https://arxiv.org/abs/2402.13753)."""
    long = n > rotary.original_positions
    own: Array = np.array(rotary.long_factor if long else rotary.short_factor, np.float32)
    rates = _rates(rotary.dim, rotary.theta) / own
    factor = rotary.attention_factor
    if factor is None:
        longer = math.log(rotary.stretch) / math.log(rotary.original_positions)
        factor = 1.0 if rotary.stretch <= 1 else math.sqrt(1 + longer)
    return rates, factor


ROTARY_KINDS: Mapping[str, Callable[[Rotary, int], tuple[Array, float]]] = {
    "default": _default,
    "linear": _linear,
    "dynamic": _dynamic,
    "llama3": _llama3,
    "yarn": _yarn,
    "longrope": _longrope,
}


def angles(rotary: Rotary, n: int) -> tuple[Array, float]:
    """p f_j for every position p of n tokens, (n, dim/2), and the factor that cos and sin get."""
    rates, factor = ROTARY_KINDS[rotary.kind](rotary, n)
    return np.arange(n, dtype=np.float32)[:, None] * rates, factor


def pairs(rotary: Rotary) -> tuple[slice, slice]:
    """Where the first and the second numbers of the pairs stand in a head's vector."""
    if rotary.interleaved:
        return slice(0, rotary.dim, 2), slice(1, rotary.dim, 2)
    half = rotary.dim // 2
    return slice(0, half), slice(half, rotary.dim)


def rotate(M: Array, rotary: Rotary) -> Array:
    """Turns the vector of token p in every head by its position p: (h, n, d) -> (h, n, d).

    (a, b) becomes (a cos - b sin, b cos + a sin); what lies beyond `dim` stays as it is.
    """
    turns, factor = angles(rotary, M.shape[1])
    cos, sin = ((f(turns) * np.float32(factor)).astype(M.dtype) for f in (np.cos, np.sin))
    turned = M.copy()
    first, second = pairs(rotary)
    a, b = M[..., first], M[..., second]
    turned[..., first] = a * cos - b * sin
    turned[..., second] = b * cos + a * sin
    return turned


# ---- numbers added to a score

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
