"""One row of one head on one page, step by step, as a reader with a calculator would do it.

Every printed result is computed again from the printed operands (analysis/rounding.py). One
that comes out different is marked `≈`, and a note says by how much at most.
"""

from attncli.medium.screen import Screen
from attncli.narration.document import one_page
from attncli.narration.page import Page
from attncli.narration.row import Row
from attncli.views.blocks import Printer, fitting
from attncli.views.lines import BOLD, Line, Lines, prose


def derivation_view(row: Row, screen: Screen, *, digits: int | None = None) -> Lines:
    """The six steps of the article for one row; `digits` as in `fitting`."""

    def draw(page: Page, printer: Printer) -> list[Line]:
        document = one_page(page)
        title = prose(document.title, screen, style=BOLD)
        title += [line for note in document.notes for line in prose(note, screen)]
        *sections, agreement = map(printer.section, document.sections)
        parts = filter(None, [*sections, printer.notes(page, digits), agreement])
        return [*title, *(line for part in parts for line in ([], *part))]

    return fitting(draw, row, screen, digits)
