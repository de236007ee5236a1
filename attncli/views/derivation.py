"""One row of one head on one page, step by step, as a reader with a calculator would do it.

Every printed result is computed again from the printed operands (analysis/rounding.py). One
that comes out different is marked `≈`, and a note says by how much at most.
"""

from collections.abc import Callable

from rich.style import Style

from attncli.medium.screen import Screen
from attncli.narration.end import agreement_text, rounding_texts
from attncli.narration.page import USUAL_DIGITS, Page, make_page
from attncli.narration.row import Row
from attncli.narration.title import title_notes, title_text
from attncli.views.lines import BOLD, DIM, Line, Lines, on_screen, prose, width_of
from attncli.views.query import query
from attncli.views.ribbon import ribbon
from attncli.views.scores import scores
from attncli.views.sums import heads, weighted

_GOOD = Style(color="green")
_BAD = Style(color="red", bold=True)


def title(page: Page) -> list[Line]:
    """Whose row it is."""
    lines = prose(title_text(page), page.screen, style=BOLD)
    return lines + [line for note in title_notes(page) for line in prose(note, page.screen)]


def rounding_note(page: Page, asked: int) -> list[Line]:
    """By how much printed results differ from what their printed operands give, if they do."""
    style = DIM if page.recheck.explained else _BAD
    texts = rounding_texts(page, asked)
    return [line for text in texts for line in prose(text, page.screen, style=style)]


def agreement(page: Page) -> list[Line]:
    """Whether the row is that of the matrix path."""
    return prose(agreement_text(page), page.screen, style=_GOOD if page.d.agrees else _BAD)


def row_ribbon(page: Page) -> list[Line]:
    """The sentence, shaded by the weights of the row."""
    d, row = page.d, page.row
    return list(ribbon(row.tokens, d.a, d.hidden, d.token, page.screen, keys=row.keys).lines)


def _lines(page: Page, asked: int) -> list[Line]:
    sections = [
        title(page),
        row_ribbon(page),
        query(page),
        scores(page),
        weighted(page),
        heads(page),
    ]
    sections += [rounding_note(page, asked), agreement(page)]
    first, *others = filter(None, sections)
    return [*first, *(line for section in others for line in ([], *section))]


def fitting(
    build: Callable[[Page, int], list[Line]],
    row: Row,
    screen: Screen,
    digits: int | None,
) -> Lines:
    """What `build` makes of a page, with as many of the digits asked for as the width holds."""
    asked = digits or USUAL_DIGITS
    for places in range(asked, 0, -1):
        page = make_page(row, screen, places)
        lines = build(page, asked)
        if max(map(width_of, lines)) <= screen.width:
            break
    return on_screen(lines, screen)


def derivation_view(row: Row, screen: Screen, *, digits: int | None = None) -> Lines:
    """The six steps of the article for one row, `digits` after the point: 4 if not given.

    Fewer digits where the width does not hold that many: then a line says so.
    """
    return fitting(_lines, row, screen, digits)
