"""Step 1 of a derivation on a terminal: x_i, q_i, and how the numbers of q_i are made."""

from rich.cells import cell_len
from rich.segment import Segment

from attncli.analysis.path import length
from attncli.analysis.written_out import WrittenOut
from attncli.narration.formula import plain
from attncli.narration.page import Page
from attncli.narration.steps import component_formula, origin, query_formula, shapes
from attncli.narration.written_out import Sum, printed_sum
from attncli.text.printable import pad
from attncli.views.lines import DIM, Line, fold, prose
from attncli.views.stages import on_the_way, stages_of_a_key
from attncli.views.steps import INDENT, heading, indented, phrases, vector

_LABEL_CELLS = len("t = 1000")
_PRODUCTS = 4  # of the component that is written out; the others are one number


def sum_lines(number: Sum, result_name: str) -> list[Line]:
    """A sum of products, one a line."""
    label_cells = max([_LABEL_CELLS, *(cell_len(p.label) for p in number.products)])
    cells = number.factor_cells
    rows = [
        (f"{pad(p.label, label_cells)} {p.left:>{cells}} × {p.right:>{cells}}", p.result)
        for p in number.products
    ]
    rows += [(name, f"{value} ") for name, value in number.others]
    rows.append((result_name, number.result))
    longest, cells = max(cell_len(name) for name, _ in rows), number.result_cells + 1
    return [indented(f"{pad(name, longest)} = {value:>{cells}}") for name, value in rows]


def component_of_q(page: Page, number: WrittenOut) -> list[Line]:
    """One number of x_i W_Q + b_Q as a sum."""
    at = number.index
    printed = printed_sum(page, number, _PRODUCTS, lambda t: f"t = {t}", f"b_Q[{at}]")
    return sum_lines(printed, f"{page.say('sum')} = q{page.i}[{at}]")


def _component(page: Page) -> list[Line]:
    """The largest number of q_i as a sum."""
    index = page.d.component.index
    formula = plain(component_formula(page, index)) + page.say("colon").strip()
    intro = phrases(page, (page.say("largest_component"), DIM), (formula, DIM))
    return [
        *([Segment(" " * INDENT), *line] for line in fold(intro, page.screen.width - INDENT)),
        *component_of_q(page, page.d.component),
    ]


def x_lines(page: Page) -> list[Line]:
    """x_i and what it is."""
    d = page.d
    lines = vector(page, f"x{page.i}", d.x, d.x_norm)
    if (where := origin(page)) is None:
        return lines
    says = page.say("x_origin", x=f"x{page.i}", token=d.token, origin=where)
    return [*lines, *prose(says, page.screen, indent=INDENT)]


def projected_lines(page: Page) -> list[Line]:
    """x_i W_Q + b_Q, and its largest number written out."""
    projected = page.d.query.projected
    return [*vector(page, f"q{page.i}", projected, length(projected)), *_component(page)]


def query(page: Page) -> list[Line]:
    """Everything up to the vector that enters the dot product."""
    formula = plain(query_formula(page))
    return [
        *heading(page, page.say("section.query"), formula, plain(shapes(page, "query"))),
        *x_lines(page),
        *projected_lines(page),
        *on_the_way(page, f"q{page.i}", page.d.query),
        *stages_of_a_key(page),
    ]
