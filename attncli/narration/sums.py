"""The weighted values and their sum z_i, the heads side by side, and y_i, as tables."""

import numpy as np

from attncli.analysis.derive import sum_over
from attncli.analysis.path import length
from attncli.analysis.rounding import Number, read, total
from attncli.analysis.written_out import largest, y_component
from attncli.attention import Array
from attncli.medium.numbers import Notation, notation
from attncli.narration.blocks import Block, Cell, Column, Math, Paragraph, Run, Table
from attncli.narration.page import Page, texts
from attncli.narration.written_out import written_out


def weighted_values(page: Page, count: int, *, values: bool = True, summed: bool = True) -> Block:
    """For each of the `count` keys of the largest weights: v_j, if `values`, and a_ij v_j.

    `summed`: the other keys as one row, and z_i. Without `values` the products are operands.
    """
    d, i = page.d, page.d.token
    keys, others = (chosen[d.a[chosen] > 0] for chosen in largest(d.a, count))
    if not len(keys):
        return Paragraph(page.say("nothing_to_add", z=f"z{page.i}"))
    style = notation(np.vstack([d.v[keys], d.a_v[keys], d.z]), page.digits)
    a = texts(Notation(page.digits, "f"), d.a[keys])

    def column(t: int) -> Column:
        cells: list[Cell] = []
        addends = texts(style, d.a_v[keys, t])
        for a_j, v, product in zip(a, texts(style, d.v[keys, t]), addends, strict=True):
            if values:
                cells += [Number(v), page.checked(product, read(a_j) * read(v))]
            else:
                cells.append(Number(product))
        if summed:
            if len(others):
                addends.append(style.write(float(sum_over(d.a_v[:, t], others))))
                cells.append(Number(addends[-1]))
            cells.append(page.checked(style.write(float(d.z[t])), total(addends)))
        return Column(f"[{t}]", cells)

    names: list[Cell] = []
    for j, a_j in zip(keys.tolist(), a, strict=True):
        names += [page.key_name(j, f"v_{{{j}}}")] * values
        names.append(Math(rf"\quad {a_j} \times v_{{{j}}}"))
    if summed:
        if len(others):
            names.append("  " + page.counted(len(others), "other_tokens"))
        names.append(Math(rf"z_{{{i}}} = \text{{{page.say('sum')}}}"))
    note = page.left_out(len(keys)) if len(others) and not summed else ""
    return Table([Column("", names)], [Run(len(d.z), column, style.width + 1)], note)


def _z_run(page: Page, rows: int) -> Run:
    """z of each head; empty cells below them, up to so many rows."""
    d = page.d
    z = d.z_cat.reshape(-1, len(d.z))
    style = notation(z, page.digits)

    def column(t: int) -> Column:
        cells = [Number(text) for text in texts(style, z[:, t])]
        return Column(Math(f"z[{t}]"), [*cells, *[""] * (rows - len(z))])

    return Run(z.shape[1], column, style.width)


def heads_table(page: Page, *, z: bool = True, y: bool = True) -> Table:
    """For each head its z, if `z`, and what it adds to y_i, if `y`; then b_O and y_i, the sum.

    A model without W_O has no y.
    """
    d = page.d
    h = len(d.z_cat) // len(d.z)
    names: list[Cell] = [f"H{r}" for r in range(h)]
    if not y or d.shares is None or d.y is None:
        return Table([Column("", names)], [_z_run(page, h)], strong={d.head})
    addends = d.shares if d.b_O is None else np.vstack([d.shares, d.b_O])
    names += [Math("b_O")] * (d.b_O is not None) + [Math(f"y_{{{d.token}}}")]
    columns = [_z_run(page, len(names))] * z + _y_columns(page, addends, d.y)
    return Table([Column("", names)], columns, strong={d.head})


def _y_columns(page: Page, addends: Array, y: Array) -> list[Column | Run]:
    """What y is the sum of, number by number, and the lengths."""
    vectors = np.vstack([addends, y])
    norms = np.array(list(map(length, vectors)))
    style, norm_style = notation(vectors, page.digits), notation(norms, page.digits)

    def column(t: int) -> Column:
        *terms, result = texts(style, vectors[:, t])
        cells = [*map(Number, terms), page.checked(result, total(terms))]
        return Column(Math(f"y[{t}]"), cells)

    lengths = Column(Math(r"\lvert y \rvert"), list(map(Number, texts(norm_style, norms))))
    return [Run(len(y), column, style.width + 1), lengths]


def heads_note(page: Page) -> str:
    """What the columns of the table are."""
    d = page.d
    return page.say(
        "sum_of_heads",
        z=f"z{page.i}",
        y=f"y{page.i}",
        heads=page.counted(len(d.z_cat) // len(d.z), "heads"),
        numbers=page.counted(len(d.z), "numbers"),
        rows=page.counted(len(d.z), "rows"),
    )


def output(page: Page, products: int) -> list[Block]:
    """What each head adds to y_i, and its largest number as a sum over all heads."""
    d = page.d
    if d.y is None or d.W_O is None:
        return []
    at, y = int(np.abs(d.y).argmax()), f"y_{{{d.token}}}"
    component = written_out(
        page,
        y_component(d.z_cat, d.W_O, d.b_O, d.y, at),
        products,
        name=f"{y}[{at}]",
        factors=(r"z_\text{cat}[t]", f"W_O[t,{at}]"),
        intro=page.say("largest_component"),
        bias=f"b_O[{at}]",
    )
    return [heads_table(page, z=False), *component]
