"""Steps 5 and 6 of a derivation on a terminal, and what follows them: z_i, the heads, y_i."""

from rich.cells import cell_len

from attncli.medium.numbers import Notation, notation
from attncli.narration.formula import plain, subscript
from attncli.narration.page import MARK, Page, given, texts
from attncli.narration.steps import output_formula, shapes, sum_formula
from attncli.narration.sums import (
    Addend,
    WeightedRows,
    addends_of,
    output_rows,
    output_style,
    weighted_keys,
    weighted_rows,
    weighted_style,
)
from attncli.text.printable import pad
from attncli.views.lines import BOLD, DIM, Line, prose
from attncli.views.steps import INDENT, columns, heading, indented

_VALUES = 3  # a_ij v_j that are written out; the others are one line


# The weighted sum


def _names(page: Page, made: WeightedRows) -> tuple[list[str], list[str]]:
    """What the rows of the values are called, and what those of the products and the sum."""
    indices = [f"v{subscript(j)}" for j in made.keys]
    values = [f"{v} {page.key_name(j)}" for v, j in zip(indices, made.keys, strict=True)]
    products = [f"  {a} × {v}" for a, v in zip(made.a, indices, strict=True)]
    if made.others:
        products.append(f"  {page.counted(made.others, 'other_tokens')}")
    return values, [*products, f"z{page.i} = {page.say('sum')}"]


def _fitting(page: Page, style: Notation, name_cells: int) -> int:
    """How many components there is room for."""
    count = len(page.d.z)
    cells = max(style.width, len(f"[{count - 1}]")) + 1  # with its mark
    return min(max((page.screen.width - INDENT - name_cells + 2) // (cells + 2), 1), count)


def weighted_sum(
    page: Page, count: int = _VALUES, *, values: bool = True, total: bool = True
) -> tuple[list[Line], str]:
    """The table, and how many of the keys and the components it shows if not all.

    `count` keys are written out; of each a row with its value, if `values`. `total`: the last
    rows are the other keys and the sum.
    """
    keys, others = weighted_keys(page.d, count)
    if not len(keys):
        return [indented(page.say("nothing_to_add", z=f"z{page.i}"))], ""
    names, rest = _names(page, weighted_rows(page, keys, others, range(0)))
    longest = min(max(map(cell_len, names)), page.screen.width // 4) if values else 0
    name_cells = max(longest, *map(cell_len, rest)) + 2
    shown = _fitting(page, weighted_style(page, keys), name_cells)
    made = weighted_rows(page, keys, others, range(shown), values=values, total=total)
    rows = []
    for key, (name, product) in enumerate(zip(names, rest, strict=False)):
        rows += [(name, made.values[key])] * values + [(product, made.products[key])]
    if total:
        below = [made.rest, made.z] if made.others else [made.z]
        rows += zip(rest[len(names) :], below, strict=True)
    head, *numbers = columns(
        [given(f"[{column}]" for column in range(shown)), *(row for _, row in rows)], gap=2
    )
    lines = [
        indented(" " * name_cells + head, DIM),
        *(
            indented(pad(name, name_cells - 2) + "  " + row)
            for (name, _), row in zip(rows, numbers, strict=True)
        ),
    ]
    left_out = [page.left_out(len(keys))] if len(others) and not total else []
    if shown < len(page.d.z):
        components = page.counted(len(page.d.z), "components")
        left_out.append(page.say("of_components", shown=shown, components=components))
    return lines, page.say("semicolon").join(left_out)


def weighted(page: Page) -> list[Line]:
    """The section of the page."""
    lines, left_out = weighted_sum(page)
    remarks = [left_out] * bool(left_out)
    return [*heading(page, page.say("section.sum"), plain(sum_formula(page)), *remarks), *lines]


# The heads side by side, and y_i


def _y_columns(page: Page, added: list[Addend], room: int) -> list[list[str]]:
    """As many numbers of the addends and of y as fit, and the lengths, under heads of columns."""
    style, norm_style = output_style(page, added)
    d_model = len(added[0].vector)
    cells = max(style.width, len("y[10]")) + len(f"{MARK}  ")
    shown = min(max((room - len("  …  ") - norm_style.width) // cells, 1), d_model)
    more = ["…"] * (shown < d_model)
    return [
        [*given(f"y[{column}]" for column in range(shown)), *[""] * len(more), "|y|"],
        *(
            [*row, *more, norm_style.write(addend.norm)]
            for row, addend in zip(output_rows(page, added, range(shown)), added, strict=True)
        ),
    ]


def head_table(page: Page, *, output: bool = True) -> list[Line]:
    """One line per head: its z, its share of y, how long that is; then y, their sum.

    Without W_O, or without `output`, there are only the heads' z.
    """
    d = page.d
    z = d.z_cat.reshape(-1, len(d.z))
    h, d_v = z.shape
    style = notation(z, page.digits)
    cells = max(style.width, len("z[10]")) + 2
    room = page.screen.width - INDENT - len(f"▸H{h - 1}")
    added = addends_of(d) if output else []
    shown = min((room // 4 if added else room - len("  …")) // cells, d_v)
    more = ["…"] * (0 < shown < d_v)
    of_z = [[*(f"z[{column}]" for column in range(shown)), *[""] * len(more)]]
    of_z += [[*texts(style, row[:shown]), *more] for row in z]
    names = ["", *(f"{'▸' if r == d.head else ' '}H{r}" for r in range(h))]
    of_y: list[list[str]] = [[]] * (h + 1)
    if added:
        of_y = _y_columns(page, added, room - shown * cells - len("  …"))
        of_z += [[""] * len(of_z[0])] * (len(added) - h)
        names += [addend.name.replace("y", f"y{page.i}") for addend in added[h:]]
    table = [[name, *left, *right] for name, left, right in zip(names, of_z, of_y, strict=True)]
    head, *lines = columns(table, gap=2)
    return [
        indented(head, DIM),
        *(indented(line, BOLD if at == d.head else None) for at, line in enumerate(lines)),
    ]


def heads_note(page: Page) -> str:
    """What the columns of the table are."""
    d = page.d
    h, d_v = len(d.z_cat) // len(d.z), len(d.z)
    z, y = f"z{page.i}", f"y{page.i}"
    if d.y is None:
        return page.say("no_W_O", z=z, y=y)
    return page.say(
        "sum_of_heads",
        z=z,
        y=y,
        heads=page.counted(h, "heads"),
        numbers=page.counted(d_v, "numbers"),
        rows=page.counted(d_v, "rows"),
    )


def heads(page: Page) -> list[Line]:
    """The section of the page."""
    d = page.d
    h, size = len(d.z_cat) // len(d.z), len(d.z_cat)
    formula, remark = "z_cat", f"{h} × {len(d.z)} = {page.counted(size, 'numbers')}"
    if d.y is not None:
        formula, remark = plain(output_formula(page)), plain(shapes(page, "output"))
    return [
        *heading(page, page.say("section.heads"), formula, remark),
        *head_table(page),
        *prose(heads_note(page), page.screen, indent=INDENT),
    ]
