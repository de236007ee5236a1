"""How the parts of a derivation are laid out on a terminal: headings, columns, vectors."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.attention import Array
from attncli.medium.numbers import notation
from attncli.medium.signs import spell
from attncli.narration.page import Page
from attncli.views.lines import DIM, Line, fold, pieces

INDENT = 3
_FEW = 3  # numbers of a vector: less than that is no impression of it

_STEP = Style(bold=True, color="magenta")


def phrases(page: Page, *texts: tuple[str, Style | None]) -> list[Line]:
    """Words for `fold`: the texts whole, or in pieces if no line of a step holds them."""
    room = page.screen.width - INDENT
    return [line for text, style in texts for line in pieces(spell(text, page.screen), room, style)]


def heading(page: Page, step: str, formula: str, *remarks: str) -> list[Line]:
    """A step's name, its formula, its shapes: on lines of their own where there is no room.

    Formula and remarks may be empty.
    """
    first, *groups = [phrases(page, (step, _STEP))]
    for text in ((formula, None), *((remark, DIM) for remark in remarks)):
        parts = phrases(page, text) if text[0] else []
        if len(parts) > 1:  # what follows a broken formula does not stand on its last line
            groups += [parts, []]
        else:
            (groups[-1] if groups else first).extend(parts)
    room = page.screen.width - INDENT
    return [
        *fold(first, page.screen.width, indent=INDENT, gap=3),
        *([Segment(" " * INDENT), *line] for group in groups for line in fold(group, room, gap=3)),
    ]


def indented(text: str, style: Style | None = None) -> Line:
    """A line of a step."""
    return [Segment(" " * INDENT), Segment(text.rstrip(), style)]


def columns(rows: Sequence[Sequence[str]], gap: int = 1) -> list[str]:
    """Rows of right-aligned texts, `gap` blanks before each column but the first."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        (" " * gap).join(
            [" " * (width - cell_len(text)) + text for text, width in zip(row, widths, strict=True)]
        )
        for row in rows
    ]


def vector(page: Page, name: str, values: Array, norm: float) -> list[Line]:
    """`q₁₀ = [ 0.12 -0.34 … ]`: as many of the numbers as fit, how many there are, the length.

    These two stand on a line of their own where only few numbers would fit beside them.
    """
    style = notation(values, page.digits)
    count = page.counted(len(values), "numbers")
    size = page.say("length_of", numbers=count, length=page.write(norm))
    start = f"{name} = ["
    room = page.screen.width - INDENT - len(start) - len(" … ]")
    beside, apart = (
        min(max(cells // (style.width + 1), 1), len(values))
        for cells in (room - cell_len(size) - 2, room)
    )
    together = beside >= min(apart, _FEW)
    shown = beside if together else apart
    numbers = style.row(values[:shown].tolist(), style.width + 1)
    line = indented(f"{start}{numbers}{' …' if shown < len(values) else ''} ]")
    if together:
        return [[*line, Segment(f"  {size}", DIM)]]
    return [line, indented(f"  {size}", DIM)]
