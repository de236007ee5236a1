"""A derivation as a document for Markdown and LaTeX: sections of sentences, formulas, tables."""

import numpy as np

from attncli.analysis.path import Path, length
from attncli.analysis.written_out import WrittenOut, dot_product, y_component
from attncli.attention import Array
from attncli.medium.numbers import notation
from attncli.medium.screen import Screen
from attncli.narration.blocks import (
    Block,
    Cell,
    Document,
    Equation,
    Math,
    Paragraph,
    Section,
    Table,
)
from attncli.narration.end import agreement_text, rounding_texts
from attncli.narration.page import USUAL_DIGITS, Page, make_page, texts
from attncli.narration.row import Row
from attncli.narration.scores import Column, foot_names, keys_note, shown_keys, step_columns
from attncli.narration.stages import Example, norm_example, norm_facts, turn_example
from attncli.narration.steps import Step, component_formula, shapes, steps_of
from attncli.narration.sums import (
    addends_of,
    output_rows,
    output_style,
    weighted_keys,
    weighted_rows,
)
from attncli.narration.title import title_notes, title_text
from attncli.narration.written_out import printed_sum

_COLUMNS = 6  # of a vector, side by side
_PRODUCTS = 8  # of a number that is written out; the others are one number
_KEYS = 16  # whose weighted values are written out; the others are one row


def _parts(count: int, full: bool) -> list[range]:
    """The numbers of a vector that stand side by side: the first few, or all in turn."""
    every = [range(at, min(at + _COLUMNS, count)) for at in range(0, count, _COLUMNS)]
    return every if full else every[:1]


def _heads(part: range) -> list[Cell]:
    return [f"[{at}]" for at in part]


def _vector(page: Page, name: str, values: Array, full: bool) -> list[Block]:
    """The numbers of a vector, how many there are, and its length."""
    style = notation(values, page.digits)
    tables = [
        Table(
            ["", *_heads(part)],
            [[Math(name), *texts(style, values[part.start : part.stop])]],
        )
        for part in _parts(len(values), full)
    ]
    count = page.counted(len(values), "numbers")
    says = page.say("length_of", numbers=count, length=page.write(length(values)))
    return [*tables, Paragraph(says)]


def _written_out(
    page: Page, number: WrittenOut, factors: tuple[str, str], result: str, bias: str = ""
) -> Table:
    """The products of a sum, one a row."""
    printed = printed_sum(page, number, _PRODUCTS, str, bias)
    rows: list[list[Cell]] = [[p.label, p.left, p.right, p.result] for p in printed.products]
    rows += [[name, "", "", f"{value} "] for name, value in printed.others]
    rows.append([Math(result), "", "", printed.result])
    left, right = factors
    return Table(["t", Math(left), Math(right), Math(rf"{left}\ {right}")], rows)


def _example(example: Example) -> list[Block]:
    return [Paragraph(example.intro), *(Equation(tex) for tex in example.equations)]


def _clipped(page: Page, name: str, path: Path, full: bool) -> list[Block]:
    if path.clipping is None:
        return []
    says = page.say("clipped", clip=f"{path.clipping.limit:g}")
    return [Paragraph(says), *_vector(page, name, path.clipped, full)]


def _normed(page: Page, name: str, path: Path, full: bool) -> list[Block]:
    if path.norming is None:
        return []
    return [
        Paragraph(norm_facts(page, path.norming)),
        *_vector(page, name, path.norming.result, full),
        *_example(norm_example(page, name, path, path.norming)),
    ]


def _turned(page: Page, name: str, path: Path, full: bool) -> list[Block]:
    if path.turning is None:
        return []
    return [
        Paragraph(page.say("turned", position=path.turning.position)),
        *_vector(page, name, path.turning.result, full),
        *_example(turn_example(page, name, path)),
    ]


def _strongest_key(page: Page, full: bool) -> list[Block]:
    """The dot product with the key of the largest weight, and how that key was made."""
    d = page.d
    if d.row_max is None:
        return []
    q, k = f"q_{{{d.token}}}", f"k_{{{d.key}}}"
    number = dot_product(d.q, d.k, d.dots, d.key)
    blocks: list[Block] = [
        Paragraph(page.say("dot_written_out", name=page.key_name(d.key))),
        _written_out(page, number, (f"{q}[t]", f"{k}[t]"), rf"{q} \cdot {k}"),
    ]
    path = d.strongest
    if path.end is path.projected:
        return blocks
    intro = page.say("keys_likewise", key=f"k_{d.key}", name=page.key_name(d.key))
    return [
        *blocks,
        Paragraph(intro),
        *_vector(page, k, path.projected, full),
        *_clipped(page, k, path, full),
        *_normed(page, k, path, full),
        *_turned(page, k, path, full),
    ]


def _over_keys(page: Page, key: str) -> list[Block]:
    """The columns of a step over the keys."""
    shown, others = shown_keys(page.d)
    made: list[Column] = step_columns(page, key)
    rows: list[list[Cell]] = [
        [str(j), page.key_name(j), *(column.cells[at] for column in made)]
        for at, j in enumerate(shown.tolist())
    ]
    for line, name in enumerate(foot_names(page, others)):
        cells = [column.foot[line] for column in made]
        if any(cell.strip() for cell in cells):
            rows.append(["", name, *cells])
    what = page.say("source_token" if page.cross else "token")
    table = Table(["j", what, *(Math(column.head) for column in made)], rows, labels=2)
    note = keys_note(page, key)
    return [table, *[Paragraph(note)] * bool(note)]


def _weighted(page: Page, full: bool, *, values: bool) -> list[Block]:
    """a_ij v_j with v_j, or with their sum."""
    d = page.d
    keys, others = weighted_keys(d, len(d.a) if full else _KEYS)
    if not len(keys):
        return [Paragraph(page.say("nothing_to_add", z=f"z_{d.token}"))]
    blocks: list[Block] = []
    for part in _parts(len(d.z), full):
        made = weighted_rows(page, keys, others, part, values=values, total=not values)
        rows: list[list[Cell]] = []
        for at, (j, a) in enumerate(zip(made.keys, made.a, strict=True)):
            if values:
                rows.append([page.key_name(j), Math(f"v_{{{j}}}"), *made.values[at]])
            rows.append([page.key_name(j), Math(rf"{a} \times v_{{{j}}}"), *made.products[at]])
        if not values:
            if made.others:
                rows.append(["", page.counted(made.others, "other_tokens"), *made.rest])
            rows.append([page.say("sum"), Math(f"z_{{{d.token}}}"), *made.z])
        blocks.append(Table(["", "", *_heads(part)], rows, labels=2))
    if values and len(others):
        blocks.append(Paragraph(page.left_out(len(keys))))
    return blocks


def _z_cat(page: Page, full: bool) -> list[Block]:
    z = page.d.z_cat.reshape(-1, len(page.d.z))
    style = notation(z, page.digits)
    return [
        Table(
            ["", *_heads(part)],
            [[f"H{r}", *texts(style, row[part.start : part.stop])] for r, row in enumerate(z)],
        )
        for part in _parts(z.shape[1], full)
    ]


def _output(page: Page, full: bool) -> list[Block]:
    """What each head adds to y_i, and one number of y_i as a sum over all heads."""
    d, added = page.d, addends_of(page.d)
    if d.y is None or d.W_O is None:
        return []
    y = f"y_{{{d.token}}}"
    names: list[Cell] = [addend.name for addend in added[:-1]]
    norms = [output_style(page, added)[1].write(addend.norm) for addend in added]
    blocks: list[Block] = []
    for part in _parts(len(d.y), full):
        rows = output_rows(page, added, part)
        blocks.append(
            Table(
                ["", *_heads(part), Math(r"\lvert y \rvert")],
                [
                    [name, *row, norm]
                    for name, row, norm in zip([*names, Math(y)], rows, norms, strict=True)
                ],
            )
        )
    at = int(np.abs(d.y).argmax())
    number = y_component(d.z_cat, d.W_O, d.b_O, d.y, at)
    table = _written_out(
        page, number, (r"z_\text{cat}[t]", f"W_O[t,{at}]"), f"{y}[{at}]", f"b_O[{at}]"
    )
    return [*blocks, Paragraph(page.say("largest_component")), table]


def _query(page: Page, full: bool) -> list[Block]:
    d = page.d
    at, q = d.component.index, f"q_{{{d.token}}}"
    factors = f"x_{{{d.token}}}[t]", f"W_Q[t,{at}]"
    return [
        *_vector(page, q, d.query.projected, full),
        Paragraph(page.say("largest_component")),
        Equation(component_formula(page, at)),
        _written_out(page, d.component, factors, f"{q}[{at}]", f"b_Q[{at}]"),
    ]


def _blocks(page: Page, key: str, full: bool) -> list[Block]:
    """What a step has to show."""
    d, q = page.d, f"q_{{{page.d.token}}}"
    match key:
        case "x":
            return _vector(page, f"x_{{{d.token}}}", d.x, full)
        case "query":
            return _query(page, full)
        case "clip":
            return _clipped(page, q, d.query, full)
        case "norm":
            return _normed(page, q, d.query, full)
        case "rotary":
            return _turned(page, q, d.query, full)
        case "dots":
            return [*_over_keys(page, key), *_strongest_key(page, full)]
        case "weigh" | "sum":
            return _weighted(page, full, values=key == "weigh")
        case "heads":
            return _z_cat(page, full)
        case "output":
            return _output(page, full)
        case "check":
            return [Paragraph(agreement_text(page))]
    return _over_keys(page, key)


def _section(page: Page, number: int, step: Step, full: bool) -> Section:
    page = make_page(page.row, page.screen, page.digits)
    sizes = shapes(page, step.key)
    formula = step.formula + (rf"\qquad {sizes}" if sizes else "")
    equation = [Equation(formula)] if formula else []
    blocks = [*equation, Paragraph(step.why), *_blocks(page, step.key, full)]
    notes = [Paragraph(text) for text in rounding_texts(page, page.digits)]
    return Section(f"{number}. {step.title}", [*blocks, *notes])


def document(
    row: Row, screen: Screen, *, digits: int | None = None, full: bool = False
) -> Document:
    """The steps of a derivation; of long vectors the first numbers, or all of them if `full`.

    Of `screen` only the language counts.
    """
    page = make_page(row, screen, digits or USUAL_DIGITS)
    return Document(
        title_text(page),
        title_notes(page),
        [_section(page, at, step, full) for at, step in enumerate(steps_of(page), start=1)],
    )
