"""A document as a page of text: all in sentences, formulas and small tables, marks written.

What Markdown and LaTeX have in common: they only have to write down the parts.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from attncli.analysis.rounding import Number
from attncli.narration.blocks import (
    LEGIBLE,
    MARK,
    Block,
    Cell,
    Column,
    Equation,
    Equations,
    Marks,
    Math,
    Paragraph,
    Ribbon,
    Run,
    Table,
    Vector,
    Written,
)
from attncli.narration.document import Extent, document
from attncli.narration.end import rounding_notes
from attncli.narration.page import USUAL_DIGITS, Page, Voice
from attncli.narration.row import Row

_COLUMNS = 6  # of a vector, side by side
_EXTENT = Extent(products=8, values=16, addends=16)


@dataclass(frozen=True)
class Title:
    """Of the page (level 1) or of a step (2)."""

    level: int
    text: str


@dataclass(frozen=True)
class Formula:
    """A formula in TeX on a line of its own, and a mark after it or nothing."""

    tex: str
    mark: str = ""


@dataclass(frozen=True)
class Grid:
    """Rows under heads; the first `labels` columns are names, the others numbers."""

    heads: list[str | Math]
    rows: list[tuple[Written, ...]]
    labels: int


Part = Title | Paragraph | Formula | Grid


@dataclass(frozen=True)
class _Writer:
    voice: Voice
    full: bool  # all numbers of a vector, not only the first
    marks: Marks

    def parts(self, block: Block) -> Iterator[Part]:
        """The parts of any block."""
        match block:
            case Paragraph():
                yield block
            case Equations(intro, equations):
                yield from [Paragraph(intro)] * bool(intro)
                yield from map(self._formula, equations)
            case Vector(name, values, style, size):

                def column(t: int) -> Column:
                    return Column(f"[{t}]", [style.write(float(values[t]))])

                run = Run(len(values), column, style.width)
                yield from self._grids(Table([Column("", [Math(name)])], [run]))
                yield Paragraph(size)
            case Table():
                yield from self._grids(block)
            case Ribbon():
                yield from self._ribbon(block)

    def _formula(self, equation: Equation) -> Formula:
        if equation.result is None:
            return Formula(equation.tex)
        written = self.marks.write(equation.result)
        result = written.removesuffix(MARK)
        return Formula(f"{equation.tex} = {result}", written[len(result) :])

    def _grids(self, table: Table) -> Iterator[Part]:
        """One grid, or one for each part of the vectors."""
        count = max(
            [column.count for column in table.columns if isinstance(column, Run)], default=1
        )
        for start in range(0, count if self.full else 1, _COLUMNS):
            made = list(table.labels)
            for column in table.columns:
                if isinstance(column, Run):
                    made += map(column.column, range(column.count)[start : start + _COLUMNS])
                else:
                    made.append(column)
            rows = list(zip(*(map(self._cell, column.cells) for column in made), strict=True))
            yield Grid([column.head for column in made], rows, len(table.labels))
        yield from [Paragraph(table.note)] * bool(table.note)

    def _cell(self, cell: Cell) -> Written:
        return self.marks.write(cell) if isinstance(cell, Number) else cell

    def _ribbon(self, ribbon: Ribbon) -> Iterator[Part]:
        voice = self.voice
        words = [
            "·" * hidden + voice.name_of(token) + f"({number})" * bool(number)
            for token, number, hidden in ribbon.words()
        ]
        yield Paragraph(f"{voice.name_of(ribbon.tokens[ribbon.query])} → {' '.join(words)}")
        says = voice.say("ribbon.number", least=LEGIBLE)
        if ribbon.hidden.any():
            says += voice.say("semicolon") + voice.say("masked", mark="·")
        yield Paragraph(says)


def page_of(row: Row, voice: Voice, *, digits: int | None = None, full: bool = False) -> list[Part]:
    """Every step of a row; of long vectors the first numbers, or all of them if `full`."""
    digits, keys = digits or USUAL_DIGITS, len(row.d.a)
    page = Page(row, voice, digits)
    whole = document(page, Extent(_EXTENT.products, keys, keys) if full else _EXTENT)
    parts: list[Part] = [Title(1, whole.title), *map(Paragraph, whole.notes)]
    for at, section in enumerate(whole.sections, start=1):
        writer = _Writer(voice, full, Marks())
        parts.append(Title(2, f"{at}. {section.title}"))
        if formulas := [*section.formulas, *[section.shapes] * bool(section.shapes)]:
            parts.append(Formula(r"\qquad ".join(formulas)))
        parts.append(Paragraph(section.why))
        parts += [part for block in section.blocks for part in writer.parts(block)]
        parts += rounding_notes(page, writer.marks, digits)
    return parts
