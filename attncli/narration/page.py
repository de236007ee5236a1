"""What all parts of a narrated derivation share: whose row it is, in how many digits, in words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from attncli.analysis.derive import Derivation
from attncli.analysis.rounding import Reading, Recheck, total
from attncli.attention import Array
from attncli.medium.names import name_of
from attncli.medium.numbers import Notation, notation
from attncli.medium.screen import Screen
from attncli.narration.formula import subscript
from attncli.narration.row import Row

MARK = "≈"
USUAL_DIGITS = 4


@dataclass(frozen=True)
class Page:
    """A row and how it is to be printed."""

    row: Row
    screen: Screen
    digits: int
    recheck: Recheck

    @property
    def d(self) -> Derivation:
        """What there is to print."""
        return self.row.d

    @property
    def cross(self) -> bool:
        """Whether the tokens looked at are others than those that look."""
        return self.row.keys is not None

    @property
    def i(self) -> str:
        """The row's number as it stands in a terminal's formula: ₁₀."""
        return subscript(self.d.token)

    def say(self, message: str, **fields: object) -> str:
        """A sentence of the catalogue."""
        return self.screen.say(message, **fields)

    def counted(self, count: int, message: str) -> str:
        """`3 numbers`."""
        return self.say(message, count=count)

    def key_name(self, key: int) -> str:
        """What the token of a key is called."""
        return name_of(self.row.looked_at[key], self.screen)

    def left_out(self, shown: int) -> str:
        """That of the keys no more are shown, and which."""
        return self.say("of_keys", shown=shown, keys=self.counted(len(self.d.a), "keys"))

    def checked(self, printed: str, recomputed: Reading) -> str:
        """The printed result and a mark, which is blank if its printed operands give just it."""
        return printed + (" " if self.recheck.follows(printed, recomputed) else MARK)

    def column_sums(self, results: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
        """Printed results, each checked against the total of the printed column above it."""
        return [
            self.checked(result, total(column))
            for result, column in zip(results, zip(*rows, strict=True), strict=True)
        ]

    def write(self, value: float) -> str:
        """One number by itself."""
        return notation(np.array(value), self.digits).write(value)


def make_page(row: Row, screen: Screen, digits: int) -> Page:
    """A page on which nothing is checked yet."""
    return Page(row, screen, digits, Recheck(row.d.tolerance))


def texts(style: Notation, values: Array) -> list[str]:
    """Each number as it is printed."""
    return list(map(style.write, values.tolist()))


def given(printed: Iterable[str]) -> list[str]:
    """Printed numbers that are operands: nothing to check, room for the mark of those that are."""
    return [f"{text} " for text in printed]
