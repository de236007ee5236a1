"""A derivation as Markdown: GitHub's tables, and formulas between dollar signs."""

import re
from collections.abc import Sequence

from attncli.narration.blocks import Block, Cell, Document, Equation, Math, Paragraph, Table
from attncli.narration.page import MARK

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def _escaped(text: str) -> str:
    """Text in which nothing is Markdown's; a line break in a name would end a table."""
    return _SPECIAL.sub(r"\\\1", text)


def _cell(cell: Cell) -> str:
    """A number or a name; the mark of a result stands behind it."""
    if isinstance(cell, Math):
        return f"${cell.tex}$" if cell.tex else ""
    return _escaped(cell.strip())


def _row(cells: Sequence[Cell]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _table(table: Table) -> str:
    under = ["---"] * table.labels + ["---:"] * (len(table.heads) - table.labels)
    return "\n".join([_row(table.heads), "| " + " | ".join(under) + " |", *map(_row, table.rows)])


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return _escaped(text)
        case Equation(tex):
            formula = tex.removesuffix(MARK)
            return f"${formula}$" + (f" {MARK}" if formula != tex else "")
        case Table():
            return _table(block)


def _document(document: Document) -> list[str]:
    parts = [f"# {_escaped(document.title)}", *map(_escaped, document.notes)]
    for section in document.sections:
        parts += [f"## {_escaped(section.title)}", *map(_block, section.blocks)]
    return parts


def to_markdown(documents: Sequence[Document]) -> str:
    """The whole text, with one line feed at its end."""
    return "\n\n".join(part for document in documents for part in _document(document)) + "\n"
