"""What a document consists of: sections of sentences, formulas, vectors and tables.

Nothing here depends on a medium. Formulas are TeX (formula.py). Columns that show one number of
each vector are computed when a printer asks for them, as it alone knows how many it has room for.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attncli.analysis.rounding import Number
from attncli.attention import Array
from attncli.medium.numbers import Notation, short_weight
from attncli.text.token import Token

LEGIBLE = 0.05  # smaller weights are not written beside a token
MARK = "≈"  # after a result that differs from what its printed operands give


@dataclass(frozen=True)
class Math:
    """A formula in TeX, where other cells are text."""

    tex: str


@dataclass(frozen=True)
class Name:
    """The name of a token, after a formula if there is one: `v_7 it`."""

    text: str
    tex: str = ""
    special: bool = False


Written = str | Math | Name  # a cell as it is printed
Cell = Written | Number


@dataclass(frozen=True)
class Paragraph:
    """Running text; `verdict` says whether it reports that all is well, or that it is not."""

    text: str
    verdict: bool | None = None


@dataclass(frozen=True)
class Equation:
    """A formula that ends with the number that it gives, if `result` is not None."""

    tex: str
    result: Number | None = None


@dataclass(frozen=True)
class Equations:
    """A sentence and the equations that it announces."""

    intro: str
    equations: Sequence[Equation]


@dataclass(frozen=True)
class Vector:
    """`name = [ ... ]`; `size` says how many numbers it has and how long it is."""

    name: str  # TeX
    values: Array
    notation: Notation
    size: str


@dataclass(frozen=True)
class Column:
    """Cells under a head."""

    head: str | Math
    cells: Sequence[Cell]
    short: str = ""  # the head in TeX, where there is little room
    sign: str = ""  # what a reader does with the cells: ×, =


@dataclass(frozen=True)
class Run:
    """As many columns as vectors have numbers; a printer shows the first of them, or all."""

    count: int
    column: Callable[[int], Column]
    width: int  # characters of the longest number, with its mark


@dataclass(frozen=True)
class Table:
    """Columns of names, then columns of numbers. Rows are counted from 0, without the heads."""

    labels: Sequence[Column]  # the names in the last one may be cut
    columns: Sequence[Column | Run]
    note: str = ""  # what is left out
    foot: int = 0  # so many rows at the end sum up those above
    faint: AbstractSet[int] = frozenset()  # rows that have no part in the result
    strong: AbstractSet[int] = frozenset()  # rows that the derivation is about
    bars: Sequence[float] = ()  # for each row above the foot, from 0 to 1
    narrow: Sequence["Table"] = ()  # tables that together say the same in less width


@dataclass(frozen=True)
class Ribbon:
    """The sentence itself, each token with the weight a that the query gives it."""

    tokens: Sequence[Token]
    a: Array  # (m,)
    hidden: npt.NDArray[np.bool_]  # (m,) masked
    query: int
    keys: Sequence[Token] | None = None  # the tokens looked at, where these are not `tokens`

    def words(self) -> list[tuple[Token, str, bool]]:
        """Each token looked at, its weight if that is worth a number, and whether it is masked."""
        numbers = [short_weight(f"{a:.2f}") if a >= LEGIBLE else "" for a in self.a.tolist()]
        return list(zip(self.keys or self.tokens, numbers, self.hidden.tolist(), strict=True))


Block = Paragraph | Equations | Vector | Table | Ribbon


@dataclass(frozen=True)
class Section:
    """One step, or several in a nutshell."""

    blocks: Sequence[Block]
    title: str = ""
    formulas: Sequence[str] = ()  # TeX
    shapes: str = ""  # TeX, of the first formula
    why: str = ""


@dataclass(frozen=True)
class Document:
    """A title, what the reader should know first, and the steps."""

    title: str
    notes: Sequence[str]
    sections: Sequence[Section]


@dataclass
class Marks:
    """Writes numbers with their marks, and remembers the worst of those that were shown."""

    worst: int = 0  # units of the last digit
    explained: bool = True

    def write(self, number: Number) -> str:
        """The number, with the mark if it is a result that is off."""
        self.worst = max(self.worst, number.off or 0)
        self.explained = self.explained and number.explained
        return number.text + MARK * bool(number.off)
