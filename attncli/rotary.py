"""Where a token stands, as a rotation of q and k."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from attncli.attention import Array


@dataclass(frozen=True)
class Rotary:
    """How q and k are turned (Su et al. 2021, https://arxiv.org/abs/2104.09864).

    The first `dim` numbers of a head's vector form dim/2 pairs; pair j of a token at position p
    is rotated by the angle p f_j with f_j = theta^(-2j/dim). `interleaved`: pair j is (2j, 2j+1),
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
