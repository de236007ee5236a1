"""The derivation of a row as a document: every step by itself, or all on one page."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attncli.analysis.written_out import dot_product, q_component, z_component
from attncli.medium.numbers import Notation
from attncli.narration.blocks import Block, Document, Paragraph, Ribbon, Section
from attncli.narration.end import agreement
from attncli.narration.page import Page
from attncli.narration.scores import step_table, whole_table
from attncli.narration.stages import key_stages, stages_of
from attncli.narration.steps import (
    Step,
    more_terms,
    origin,
    score_formula,
    shapes,
    steps_of,
    weight_formula,
)
from attncli.narration.sums import heads_note, heads_table, output, weighted_values
from attncli.narration.title import title_notes, title_text
from attncli.narration.written_out import written_out


@dataclass(frozen=True)
class Extent:
    """How much is written out number by number; the rest is added up."""

    products: int  # of a number
    values: int  # keys with v_j and a_ij v_j
    addends: int  # keys with a_ij v_j, above their sum


SCREENFUL = Extent(products=4, values=5, addends=10)
_ON_ONE_PAGE = Extent(products=4, values=3, addends=3)


def component_of_q(
    page: Page, at: int, products: int = SCREENFUL.products, intro: str = ""
) -> list[Block]:
    """One number of x_i W_Q + b_Q as a sum."""
    d, i = page.d, page.d.token
    return written_out(
        page,
        q_component(d.x, d.W_Q, d.b_Q, d.query.projected, at),
        products,
        name=f"q_{{{i}}}[{at}]",
        factors=(f"x_{{{i}}}[t]", f"W_Q[t,{at}]"),
        intro=intro,
        bias=f"b_Q[{at}]",
    )


def component_of_z(page: Page, at: int, products: int = SCREENFUL.addends) -> list[Block]:
    """One number of z_i as a sum over the keys."""
    d, i = page.d, page.d.token
    return written_out(
        page,
        z_component(d.a, d.v, d.z, at),
        products,
        name=f"z_{{{i}}}[{at}]",
        factors=(f"a_{{{i}j}}", f"v_j[{at}]"),
        index="j",
        label=page.key_name,
    )


def _x(page: Page) -> Block:
    return page.vector(f"x_{{{page.d.token}}}", page.d.x)


def _projected(page: Page, products: int) -> list[Block]:
    """x_i W_Q + b_Q, and its largest number written out."""
    d = page.d
    component = component_of_q(page, d.component.index, products, page.say("largest_component"))
    return [page.vector(f"q_{{{d.token}}}", d.query.projected), *component]


def _strongest_dot(page: Page, products: int) -> list[Block]:
    """The dot product with the key of the largest weight, and how that key was made."""
    d = page.d
    if d.row_max is None:
        return []
    q, k = f"q_{{{d.token}}}", f"k_{{{d.key}}}"
    _, dot = written_out(  # its formula is that of the step
        page,
        dot_product(d.q, d.k, d.dots, d.key),
        products,
        name=rf"{q} \cdot {k}",
        factors=(f"{q}[t]", f"{k}[t]"),
    )
    says = page.say("dot_written_out", name=page.key_name(d.key).text)
    return [Paragraph(says), dot, *key_stages(page)]


def _ribbon(page: Page) -> Ribbon:
    d, row = page.d, page.row
    return Ribbon(row.tokens, d.a, d.hidden, d.token, row.keys)


def _few_permitted(page: Page) -> list[Block]:
    """Of a row that may look at one key only, or at none."""
    permitted = np.count_nonzero(~page.d.hidden)
    if permitted > 1:
        return []
    if permitted:
        weight = Notation(page.digits, "f").write(float(page.d.a[page.d.key]))
        return [Paragraph(page.say("one_permitted", weight=weight))]
    return [Paragraph(page.say("none_permitted", count=1, rows=page.d.token))]


def _blocks(page: Page, key: str, extent: Extent) -> list[Block]:
    """What a step has to show."""
    match key:
        case "x":
            return [_x(page)]
        case "query":
            return _projected(page, extent.products)
        case "clip" | "norm" | "rotary":
            return stages_of(page, f"q_{{{page.d.token}}}", page.d.query)[key]
        case "dots":
            return [step_table(page, key), *_strongest_dot(page, extent.products)]
        case "weights":
            return [step_table(page, key), *_few_permitted(page), _ribbon(page)]
        case "weigh":
            return [weighted_values(page, extent.values, summed=False)]
        case "sum":
            return [weighted_values(page, extent.addends, values=False)]
        case "heads":
            return [heads_table(page, y=False)]
        case "output":
            return output(page, extent.products)
        case "check":
            return [agreement(page)]
    return [step_table(page, key)]


def section(page: Page, step: Step, extent: Extent) -> Section:
    """One step."""
    formulas = [step.formula] * bool(step.formula)
    blocks = _blocks(page, step.key, extent)
    return Section(blocks, step.title, formulas, shapes(page, step.key), step.why)


def document(page: Page, extent: Extent) -> Document:
    """Every step of the row."""
    sections = [section(page, step, extent) for step in steps_of(page)]
    return Document(title_text(page), title_notes(page), sections)


# All on one page


def one_page(page: Page) -> Document:
    """The six steps of the article in a nutshell; the last section compares with the matrices."""
    d, formulas = page.d, {step.key: step.formula for step in steps_of(page)}
    query = [_x(page)]
    if (where := origin(page)) is not None:
        says = page.say("x_origin", x=f"x{page.i}", token=d.token, origin=where)
        query.append(Paragraph(says))
    query += _projected(page, _ON_ONE_PAGE.products)
    for stage in stages_of(page, f"q_{{{d.token}}}", d.query).values():
        query += stage
    scores: list[Block] = [
        whole_table(page),
        *map(Paragraph, more_terms(page)),
        *_few_permitted(page),
    ]
    values = [weighted_values(page, _ON_ONE_PAGE.values)]
    note = page.say("why.no_output") if d.y is None else heads_note(page)
    heads: list[Block] = [heads_table(page), Paragraph(note)]
    last = "heads" if d.y is None else "output"

    def part(title: str, shown: Sequence[str], shape: str, blocks: Sequence[Block]) -> Section:
        return Section(blocks, page.say(f"section.{title}"), shown, shapes(page, shape))

    return Document(
        title_text(page),
        title_notes(page),
        [
            Section([_ribbon(page)]),
            part("query", [formulas["query"]], "query", [*query, *key_stages(page)]),
            part("scores", [score_formula(page), weight_formula(page)], "", scores),
            part("sum", [formulas["sum"]], "", values),
            part("heads", [formulas[last]], last, heads),
            Section([agreement(page)]),
        ],
    )
