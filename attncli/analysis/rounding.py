"""Does a printed result follow from the printed operands?

A reader with a calculator has only the printed, rounded numbers. A `Reading` is such a number
together with how far the exact one may be from it; what is computed from readings is one too.
`recheck` compares a printed result with a reading: by how many units of the last digit do they
differ, and can rounding have done that?
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_TIE = 1e-6  # of a unit: exactly half a unit may be rounded either way


@dataclass(frozen=True)
class Reading:
    """A number as a reader knows it: the exact one is within `error` of `value`."""

    value: float
    error: float = 0.0

    def __add__(self, other: "Reading") -> "Reading":
        return Reading(self.value + other.value, self.error + other.error)

    def __sub__(self, other: "Reading") -> "Reading":
        return Reading(self.value - other.value, self.error + other.error)

    def __mul__(self, other: "Reading") -> "Reading":
        return Reading(
            self.value * other.value,
            abs(self.value) * other.error + (abs(other.value) + other.error) * self.error,
        )

    def __truediv__(self, other: "Reading") -> "Reading":
        quotient, least = self.value / other.value, abs(other.value) - other.error
        return Reading(
            quotient,
            (self.error + abs(quotient) * other.error) / least if least > 0 else math.inf,
        )

    def exp(self) -> "Reading":
        """e to the power of the number."""
        value = math.exp(self.value)
        return Reading(value, value * math.expm1(min(self.error, 700)))  # e^710 overflows

    def tanh(self) -> "Reading":
        """The hyperbolic tangent, which is the steeper the nearer to 0."""
        size = abs(self.value)
        return Reading(math.tanh(self.value), math.tanh(size) - math.tanh(size - self.error))


def read(printed: str) -> Reading:
    """The printed number, half a unit of its last digit from the exact one at most."""
    return Reading(float(printed), last_digit(printed) / 2)


def total(printed: Iterable[str]) -> Reading:
    """What a reader gets who adds up printed numbers."""
    readings = list(map(read, printed))
    return Reading(math.fsum(r.value for r in readings), sum(r.error for r in readings))


def last_digit(printed: str) -> float:
    """What one unit in the last printed digit is worth: `0.150` -> 0.001, `1.5e-07` -> 1e-08."""
    mantissa, _, exponent = printed.partition("e")
    places = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - places)


def off_by(printed: str, recomputed: float) -> int:
    """Units of the last digit between the printed number and the rounded recomputed one.

    Exactly half a unit still rounds to the printed number: rules for the tie differ.
    """
    units = abs(recomputed - float(printed)) / last_digit(printed)
    return max(0, math.ceil(units - 0.5 - _TIE))


@dataclass(frozen=True)
class Number:
    """A printed number. `off` and `explained` are of results only: an operand is not rechecked."""

    text: str
    off: int | None = None  # units of its last digit from what its printed operands give
    explained: bool = True  # rounding and noise account for that


def recheck(printed: str, recomputed: Reading, noise: float = 0.0) -> Number:
    """The printed result, compared with what its printed operands give.

    `noise` is how far results may be off before they are printed.
    """
    allowed = recomputed.error + noise + (0.5 + _TIE) * last_digit(printed)
    explained = abs(recomputed.value - float(printed)) <= allowed
    return Number(printed, off_by(printed, recomputed.value), explained)
