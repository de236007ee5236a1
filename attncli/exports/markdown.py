"""A derivation as Markdown: GitHub's tables, and formulas between dollar signs."""

import re
from collections.abc import Iterable, Sequence

from attncli.exports.pages import Formula, Grid, Part, Title
from attncli.narration.blocks import Math, Name, Paragraph, Written

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def _escaped(text: str) -> str:
    """Text in which nothing is Markdown's; a line break in a name would end a table."""
    return _SPECIAL.sub(r"\\\1", text)


def _cell(cell: Written) -> str:
    """A number or a name."""
    if isinstance(cell, Math):
        return f"${cell.tex}$"
    if isinstance(cell, Name):
        return f"${cell.tex}$ " * bool(cell.tex) + _escaped(cell.text)
    return _escaped(cell.strip())


def _row(cells: Sequence[Written]) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _part(part: Part) -> str:
    match part:
        case Title(level, text):
            return f"{'#' * level} {_escaped(text)}"
        case Paragraph(text):
            return _escaped(text)
        case Formula(tex, mark):
            return f"${tex}$ {mark}".rstrip()
        case Grid(heads, rows, labels):
            under = " | ".join(["---"] * labels + ["---:"] * (len(heads) - labels))
            return "\n".join([_row(heads), f"| {under} |", *map(_row, rows)])


def to_markdown(pages: Iterable[Iterable[Part]]) -> str:
    """The whole text, with one line feed at its end."""
    return "\n\n".join(_part(part) for page in pages for part in page) + "\n"
