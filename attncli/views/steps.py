"""What the steps of a derivation have in common: the page they stand on and its marks."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.derive import Derivation
from attncli.analysis.rounding import Recheck
from attncli.attention import Array
from attncli.text.token import Token
from attncli.views.labels import subscript
from attncli.views.lines import DIM, Line, fold, spell
from attncli.views.numbers import Notation, notation
from attncli.views.screen import Screen

INDENT = 3
MARK = "≈"

_STEP = Style(bold=True, color="magenta")


@dataclass(frozen=True)
class Page:
    """A derivation and how it is to be printed."""

    d: Derivation
    tokens: Sequence[Token]
    screen: Screen
    digits: int
    recheck: Recheck = field(default_factory=Recheck)

    @property
    def i(self) -> str:
        """The row's number as it stands in a formula: ₁₀."""
        return subscript(self.d.token)

    def checked(self, printed: str, recomputed: float) -> str:
        """The printed result and a mark, which is blank if its printed operands give just it."""
        return printed + (" " if self.recheck.follows(printed, recomputed) else MARK)


def total(printed: Iterable[str]) -> float:
    """What a reader gets who adds up printed numbers."""
    return math.fsum(map(float, printed))


def heading(page: Page, step: str, formula: str, *remarks: str) -> list[Line]:
    """A step's name, its formula, its shapes: on lines of their own where there is no room."""
    words = [[Segment(step, _STEP)], [Segment(spell(formula, page.screen))]]
    words += [[Segment(spell(remark, page.screen), DIM)] for remark in remarks]
    return [[], *fold(words, page.screen.width, indent=INDENT, gap=3)]


def indented(text: str, style: Style | None = None) -> Line:
    """A line of a step."""
    return [Segment(" " * INDENT), Segment(text, style)]


def columns(rows: Sequence[Sequence[str]], gap: int = 1) -> list[str]:
    """Rows of right-aligned texts, `gap` blanks before each column but the first."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        (" " * gap).join(
            [" " * (width - cell_len(text)) + text for text, width in zip(row, widths, strict=True)]
        )
        for row in rows
    ]


def texts(style: Notation, values: Array) -> list[str]:
    """Each number as it is printed."""
    return list(map(style.write, values.tolist()))


def given(printed: Iterable[str]) -> list[str]:
    """Printed numbers that are operands: nothing to check, room for the mark of those that are."""
    return [f"{text} " for text in printed]


def column_sums(page: Page, results: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Printed results, each checked against the total of the printed column above it."""
    return [
        page.checked(result, total(column))
        for result, column in zip(results, zip(*rows, strict=True), strict=True)
    ]


def vector(page: Page, name: str, values: Array) -> Line:
    """`q₁₀ = [ 0.12 -0.34 … ]`: as many of the numbers as fit, how many there are, the length."""
    style = notation(values, page.digits)
    length = float(np.linalg.norm(values.astype(float)))
    size = f"  {len(values)} numbers, length "
    size += notation(np.array(length), page.digits).write(length)
    start = f"{name} = ["
    room = page.screen.width - INDENT - len(start) - len(" … ]") - len(size)
    shown = min(max(room // (style.width + 1), 1), len(values))
    numbers = style.row(values[:shown].tolist(), style.width + 1)
    end = " … ]" if shown < len(values) else " ]"
    return [*indented(f"{start}{numbers}{end}"), Segment(size, DIM)]
