"""Does a printed result follow from the printed operands?

A reader with a calculator has only the printed, rounded numbers. `Recheck` computes each
result again from these and says by how many units of its last digit it comes out different.
"""

import math
from dataclasses import dataclass


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
    return max(0, math.ceil(units - 0.5 - 1e-6))


@dataclass
class Recheck:
    """Recomputes printed results and remembers by how much the worst of them was off."""

    worst: int = 0

    def follows(self, printed: str, recomputed: float) -> bool:
        """Whether the printed number is what the recomputed one rounds to."""
        units = off_by(printed, recomputed)
        self.worst = max(self.worst, units)
        return units == 0
