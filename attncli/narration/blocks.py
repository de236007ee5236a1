"""What a document consists of: sections of running text, formulas and tables."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Math:
    """A formula in TeX, where other cells are text."""

    tex: str


Cell = str | Math


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: str


@dataclass(frozen=True)
class Equation:
    """A formula on a line of its own; a mark may stand behind it."""

    tex: str


@dataclass(frozen=True)
class Table:
    """Rows under heads. The first `labels` columns are names, the others numbers."""

    heads: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    labels: int = 1


Block = Paragraph | Equation | Table


@dataclass(frozen=True)
class Section:
    """One step."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Document:
    """A title, what is to be known first, and the steps."""

    title: str
    notes: Sequence[str]
    sections: Sequence[Section]
