"""The stages of one query or key, from x W + b to the dot product.

The matrix path (attention_layer.py) does the same to all heads and tokens at once; `derive`
compares the two.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attncli.attention import Array
from attncli.rotary import Rotary, angles, pairs
from attncli.trace import HeadNorm, Stages

Indices = npt.NDArray[np.intp]

_SAME_LENGTH = 1e-5  # of the length: float32, and angles whose sine and cosine are rounded


def length(vector: Array) -> float:
    """|vector|, added up in float64."""
    return float(np.linalg.norm(vector.astype(float)))


@dataclass(frozen=True)
class Clip:
    """One vector clipped: no number beyond -limit or limit."""

    limit: float
    result: Array  # (d_k,)


@dataclass(frozen=True)
class Norm:
    """One vector normalized: result = (x - mean) / spread * weight + bias."""

    mean: float | None  # None: an RMSNorm, which leaves it out
    spread: float  # sqrt(var + eps), of an RMSNorm sqrt(mean(x^2) + eps)
    eps: float
    over: int  # so many numbers: the head's own, or those of all heads
    weight: Array  # (d_k,)
    bias: Array | None  # (d_k,)
    result: Array  # (d_k,)


@dataclass(frozen=True)
class Rotation:
    """One vector rotated by its position (RoPE): (a, b) becomes (a cos - b sin, b cos + a sin)."""

    position: int
    first: Indices  # (pairs,) the index of each a
    second: Indices  # (pairs,) the index of each b
    angles: Array  # (pairs,) position times the pair's rate, in radians
    factor: float  # cos and sin are multiplied by it: 1 but for stretched positions
    cos: Array  # (pairs,)
    sin: Array  # (pairs,)
    result: Array  # (d_k,)


@dataclass(frozen=True)
class Path:
    """Each stage of one vector, (d_k,); None where the model does no such thing."""

    projected: Array  # x W + b
    clipping: Clip | None
    norming: Norm | None
    turning: Rotation | None

    @property
    def clipped(self) -> Array:
        """Clipped, where the model does that."""
        return self.projected if self.clipping is None else self.clipping.result

    @property
    def unrotated(self) -> Array:
        """Clipped and normalized, where the model does that."""
        if self.norming is not None:
            return self.norming.result
        return self.clipped

    @property
    def end(self) -> Array:
        """As it enters the dot product."""
        return self.unrotated if self.turning is None else self.turning.result

    @property
    def stretched(self) -> bool:
        """Whether the rotation changed the length as well, by more than rounding does."""
        return not math.isclose(length(self.unrotated), length(self.end), rel_tol=_SAME_LENGTH)


def follow(
    heads: Array, head: int, position: int, n: int, stages: Stages, norm: HeadNorm | None
) -> Path:
    """The stages of one token's vector in `head`, from the projections of all heads (h, d_k).

    The token is at `position` of n.
    """
    projected = heads[head]
    clipping = None
    if stages.clip is not None:
        heads = heads.clip(-stages.clip, stages.clip)
        clipping = Clip(stages.clip, heads[head])
    norming = None if norm is None else _normalized(heads, head, norm)
    unrotated = heads[head] if norming is None else norming.result
    turning = None if stages.rotary is None else _rotated(unrotated, position, n, stages.rotary)
    return Path(projected, clipping, norming, turning)


def _normalized(heads: Array, head: int, norm: HeadNorm) -> Norm:
    x = heads[head]
    all_numbers = heads.ravel() if norm.over_heads else x
    mean = all_numbers.mean() if norm.kind == "layer" else None
    centred = all_numbers if mean is None else all_numbers - mean
    spread = np.sqrt(np.square(centred).mean() + x.dtype.type(norm.eps))
    row = head if len(norm.weight) > 1 else 0
    weight, bias = norm.weight[row], None if norm.bias is None else norm.bias[row]
    result = (x if mean is None else x - mean) / spread * weight
    return Norm(
        mean=None if mean is None else float(mean),
        spread=float(spread),
        eps=norm.eps,
        over=all_numbers.size,
        weight=weight,
        bias=bias,
        result=result if bias is None else result + bias,
    )


def _rotated(x: Array, position: int, n: int, rotary: Rotary) -> Rotation:
    turns, factor = angles(rotary, n)
    cos, sin = ((f(turns[position]) * np.float32(factor)).astype(x.dtype) for f in (np.cos, np.sin))
    first, second = (np.arange(len(x))[part] for part in pairs(rotary))
    result = x.copy()
    for j, (at_a, at_b) in enumerate(zip(first, second, strict=True)):
        a, b = x[at_a], x[at_b]
        result[at_a], result[at_b] = a * cos[j] - b * sin[j], b * cos[j] + a * sin[j]
    return Rotation(
        position=position,
        first=first,
        second=second,
        angles=turns[position],
        factor=float(factor),
        cos=cos,
        sin=sin,
        result=result,
    )
