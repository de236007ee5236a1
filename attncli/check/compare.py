"""The difference of two arrays, and how large one may be that is rounding."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from attncli.attention import Array, Flags
from attncli.check.nodes import MASKED
from attncli.check.reading import Values
from attncli.check.report import Difference

# Relative to the largest number: what the order of a sum, a fused product and the rounding of
# intermediate results move in arrays that are stored in this type.
BASE = {"float64": 1e-9, "float32": 1e-5, "json": 1e-5, "float16": 2e-3, "bfloat16": 1e-2}
# The relative rounding error of one number.
UNIT = {"float64": 2e-16, "float32": 1.2e-7, "json": 1.2e-7, "float16": 4.9e-4, "bfloat16": 3.9e-3}
# Relative to the largest number: what another order of summing changes, 64 such errors. The
# digits of so small a difference differ from processor to processor.
ROUNDING = {name: min(BASE[name], 64 * unit) for name, unit in UNIT.items()}
_TIE = 1e-4  # of differences that are equal in four digits rounding makes one the largest


@dataclass(frozen=True)
class Gap:
    """How far one array is from another."""

    largest: float
    total: float
    count: int  # entries that are finite in both
    size: int  # all entries
    where: tuple[int, ...]
    mismatched: int  # entries that only one of them has as a finite number
    scale: float  # the largest finite number of the second

    def difference(self, precision: str, tolerance: float) -> Difference:
        """As it is reported, of an array whose numbers are of the type `precision`."""
        mean = self.total / self.count if self.count else 0.0
        rounding = min(ROUNDING[precision] * self.scale, tolerance)
        return Difference(self.largest, mean, self.where, rounding)

    def within(self, tolerance: float) -> bool:
        return self.mismatched == 0 and self.largest <= tolerance


SHAPES_DIFFER = Gap(math.inf, math.inf, 1, 1, (), 1, 0.0)


def gap(user: Array, right: Array, free: Flags | None = None, *, undefined: bool = False) -> Gap:
    """The gap between two arrays of one shape, or of shapes that broadcast (a mean over heads).

    A score that is -inf or inf on the right may be any large number of that sign on the left.
    Entries where `free` is True, such as the rows of padding, are left out; with `undefined` also
    those that are nan on the right.
    """
    if user.shape != right.shape and not (user.ndim == 3 == right.ndim and user.shape[0] == 1):
        return SHAPES_DIFFER
    if user.shape[1:] != right.shape[1:]:
        return SHAPES_DIFFER
    with np.errstate(invalid="ignore"):
        difference = np.abs(user - right)
    largest = float(difference.max(initial=0))  # nan or inf if any entry is
    if free is not None and not free.any():
        free = None
    if free is None and np.isfinite(largest):
        both, mismatched = None, 0
    else:
        both, mismatched = _comparable(user, right, difference, free, undefined)
        difference[~both] = -1
    first = (difference >= (1 - _TIE) * difference.max(initial=0)).argmax()
    place = np.unravel_index(first, difference.shape)
    return Gap(
        max(float(difference[place]), 0.0),
        float(difference.sum() if both is None else difference[both].sum()),
        difference.size if both is None else int(both.sum()),
        difference.size,
        tuple(int(i) for i in place),
        mismatched,
        _largest(right),
    )


def _comparable(
    user: Array, right: Array, difference: Array, free: Flags | None, undefined: bool
) -> tuple[Flags, int]:
    """(the entries that are finite in both, how many of the others do not go together)."""
    both = np.isfinite(difference)
    same = both | (np.isnan(user) & np.isnan(right)) | (user == right)
    same |= (right == -np.inf) & (user <= MASKED)
    same |= (right == np.inf) & (user >= -MASKED)
    if undefined:
        same |= np.isnan(right)
    if free is not None:
        both = both & ~free
        same = same | free
    return both, int(same.size - np.count_nonzero(same))


def _largest(values: Array) -> float:
    """The largest |value| that is no mask: finite, and not as far from 0 as -1e9."""
    largest = float(np.abs(values).max(initial=0))
    if largest < -MASKED:
        return largest
    finite = np.abs(values[np.isfinite(values)])
    usual = finite[finite < -MASKED]
    return float((usual if usual.size else finite).max(initial=0))


def joined(gaps: Iterable[tuple[Gap, tuple[int, ...]]]) -> Gap:
    """Gaps of blocks, each with the place where its block begins, as one."""
    parts = list(gaps)
    limit = (1 - _TIE) * max(part.largest for part, _ in parts)
    worst, start = next(part for part in parts if part[0].largest >= limit)
    where = tuple(a + b for a, b in zip(worst.where, start, strict=True)) if worst.where else ()
    return Gap(
        worst.largest,
        sum(part.total for part, _ in parts),
        sum(part.count for part, _ in parts),
        sum(part.size for part, _ in parts),
        where,
        sum(part.mismatched for part, _ in parts),
        max(part.scale for part, _ in parts),
    )


def amount(difference: float, rounding: float = 0.0) -> str:
    """A difference: `rounding` up to that much, four digits of ordinary size, else as 1.2e-07."""
    if difference <= rounding > 0:
        return "rounding"
    if not np.isfinite(difference) or difference == 0:
        return f"{difference:g}"
    return f"{difference:.4g}" if 1e-3 <= difference < 1e4 else f"{difference:.1e}"


def span(numbers: Values) -> str:
    """The smallest and the largest of the numbers that are finite, or the one that all are."""
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return "nan"
    low, high = float(finite.min()), float(finite.max())
    if high - low < 5e-5:  # half of the last digit
        return f"{(low + high) / 2:z.4f}"
    return f"{low:z.4f} up to {high:z.4f}"


def precision(values: Values, dtype: str) -> str:
    """The coarsest floating-point type whose numbers these are.

    float32 arrays are often float16 or bfloat16 that were widened to be saved. Small integers
    are numbers of every type and say nothing: the last bit of the coarser type has to be in use.
    """
    if dtype not in ("float32", "float64", "json"):
        return dtype if dtype in BASE else "float64"
    sample = np.asarray(values).ravel()[:4096]
    sample = sample[np.isfinite(sample) & (sample != 0)]
    if sample.size < 16:
        return dtype
    for coarse, cast in (("bfloat16", None), ("float16", np.float16), ("float32", np.float32)):
        if coarse == dtype:
            break
        if _are(sample, coarse, cast):
            return coarse
    return dtype


def _are(sample: Values, coarse: str, cast: type | None) -> bool:
    """Whether all numbers are of a type, and use its last bit about as often as chance does."""
    with np.errstate(over="ignore"):
        single = sample.astype(np.float32)
        if cast is not None and not (sample.astype(cast).astype(sample.dtype) == sample).all():
            return False
    if cast is None:
        bits = single.view(np.uint32)
        if not ((single == sample) & (bits & 0xFFFF == 0)).all():
            return False
        last = bits >> 16 & 1
    elif coarse == "float16":
        last = single.view(np.uint32) >> 13 & 1
    else:
        last = single.view(np.uint32) & 1
    return 0.15 < float(last.mean()) < 0.85
