"""How the numbers of one matrix are written: all alike, none cut."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attncli.attention import Array


@dataclass(frozen=True)
class Notation:
    """One format for many numbers, and the cells that the longest of them takes."""

    digits: int  # after the point
    kind: str  # `f` fixed-point, `e` scientific
    width: int = 0

    def spec(self, cells: int = 0) -> str:
        """The format specification, right aligned in `cells` cells; no minus before a zero."""
        return f"z{cells or ''}.{self.digits}{self.kind}"

    def write(self, value: float) -> str:
        """The number as text."""
        return format(value, self.spec())

    def row(self, values: Sequence[float], cells: int) -> str:
        """The numbers side by side, each right aligned in `cells` cells."""
        return (f"{{:{self.spec(cells)}}}" * len(values)).format(*values)


def notation(values: Array, digits: int) -> Notation:
    """Fixed-point with `digits` places, scientific where that would be all zeros or absurdly wide.

    What is not finite is left out of account.
    """
    finite = values[np.isfinite(values)]
    ends = [float(finite.min()), float(finite.max())] if finite.size else [0.0]
    largest = max(map(abs, ends))
    scientific = largest >= 1e7 or 0 < largest < 10.0**-digits
    style = Notation(digits, "e" if scientific else "f")
    return replace(style, width=max(len(style.write(end)) for end in ends))


def counted(count: int, noun: str) -> str:
    """`1 head`, `2 heads`."""
    return f"{count} {noun}{'s' * (count != 1)}"


def short_weight(text: str) -> str:
    """`.65` for `0.65`."""
    return text.removeprefix("0") if text != "0" else text


def blocks(columns: int, room: int, multiple: int = 1) -> list[range]:
    """The columns in as few ranges of at most `room` as will do, all about equally long.

    Where there is room for it, ranges start at multiples of `multiple`.
    """
    count = -(-columns // room)
    each = -(-columns // count)
    if each + -each % multiple <= room:
        each += -each % multiple
    return [range(start, min(start + each, columns)) for start in range(0, columns, each)]
