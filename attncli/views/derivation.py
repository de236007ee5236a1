"""One row of one head, step by step, as a reader with a calculator would do it.

Every printed result is computed again from the printed operands (analysis/rounding.py). One
that comes out different is marked `≈`, and a note says by how much at most.
"""

from collections.abc import Sequence

import numpy as np
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.derive import Derivation, largest, length, sum_over
from attncli.analysis.rounding import Recheck, read, total
from attncli.attention import Array
from attncli.families.spec import Spec
from attncli.text.printable import label, pad
from attncli.text.token import Token
from attncli.views.captions import origin_of_X
from attncli.views.labels import name_of, subscript
from attncli.views.lines import BOLD, DIM, Line, Lines, fold, on_screen, prose, width_of
from attncli.views.numbers import Notation, counted, notation
from attncli.views.ribbon import ribbon
from attncli.views.scores import scores
from attncli.views.screen import Screen
from attncli.views.signs import foreign
from attncli.views.stages import stages_of_a_key, stages_of_the_query
from attncli.views.steps import (
    INDENT,
    MARK,
    Page,
    column_sums,
    columns,
    given,
    heading,
    indented,
    phrases,
    texts,
    vector,
)

_PRODUCTS = 4  # of the component that is written out; the others are one number
_VALUES = 3  # a_ij v_j that are written out; the others are one line

_GOOD = Style(color="green")
_BAD = Style(color="red", bold=True)


# Title


def _word_of(token: Token, tokens: Sequence[Token]) -> str | None:
    """The whole word that the token is a piece of; None if it is a word by itself."""
    pieces = [other for other in tokens if other.word == token.word]
    if token.word is None or len(pieces) == 1:
        return None
    return "".join(piece.text for piece in pieces if not piece.part or piece.part[0] == 1)


def _title(page: Page) -> list[Line]:
    d, screen = page.d, page.screen
    token = page.tokens[d.token]
    name = f"“{name_of(token, screen)}”"
    head = f"head L{d.layer}H{d.head}{' of the cross-attention' * page.cross}"
    lines = prose(f"Row {d.token}, {name}, of {head}, step by step", screen, style=BOLD)
    if word := _word_of(token, page.tokens):
        piece, whole = foreign(label(token.piece), screen), foreign(label(word), screen)
        lines += prose(f"token {d.token} «{piece}» of the word «{whole}»", screen)
    if page.cross:
        lines += prose("it is a target token; the keys and values are the source tokens'", screen)
    return lines + prose(_sharing(page), screen)


def _sharing(page: Page) -> str:
    """Whose keys and values the head reads, where that is not one of its own; or nothing."""
    d, spec = page.d, page.spec
    h = len(d.z_cat) // len(d.z)
    if spec is None or spec.n_kv_heads == h:
        return ""
    each = h // spec.n_kv_heads
    first, last = d.kv_head * each, (d.kv_head + 1) * each - 1
    return (
        f"head L{d.layer}H{d.head} reads the keys and values of key/value head {d.kv_head}, "
        f"which heads L{d.layer}H{first} to L{d.layer}H{last} share"
    )


# Step 1: the query


def _component(page: Page) -> list[Line]:
    """The largest number of q_i as a sum: the largest products, the others as one number."""
    c = page.d.component
    written_out, others = largest(c.products, _PRODUCTS)
    terms = []
    if len(others):
        name = counted(len(others), "other product")
        terms.append((name, float(sum_over(c.products, others))))
    if c.bias is not None:
        terms.append((f"b_Q[{c.index}]", c.bias))

    x, w = page.d.x[written_out].tolist(), c.column[written_out].tolist()
    products = c.products[written_out].tolist()
    factor = notation(np.array(x + w), page.digits)
    style = notation(np.array([*products, *(value for _, value in terms), c.value]), page.digits)
    rows, summands = [], []
    for t, x_t, w_t, product in zip(written_out.tolist(), x, w, products, strict=True):
        left, right, result = factor.write(x_t), factor.write(w_t), style.write(product)
        name = f"t = {t:<4} {left:>{factor.width}} × {right:>{factor.width}}"
        rows.append((name, page.checked(result, read(left) * read(right))))
        summands.append(result)
    for name, value in terms:
        rows.append((name, style.write(value) + " "))
        summands.append(style.write(value))
    result = page.checked(style.write(c.value), total(summands))
    rows.append((f"sum = q{page.i}[{c.index}]", result))

    width = max(len(name) for name, _ in rows)
    formula = f"q{page.i}[{c.index}] = Σ x{page.i}[t] W_Q[t,{c.index}]"
    formula += f" + b_Q[{c.index}]:" if c.bias is not None else ":"
    intro = phrases(page, ("the largest in absolute value is", DIM), (formula, DIM))
    return [
        *([Segment(" " * INDENT), *line] for line in fold(intro, page.screen.width - INDENT)),
        *(indented(f"{name:<{width}} = {value:>{style.width + 1}}") for name, value in rows),
    ]


def _query(page: Page) -> list[Line]:
    d = page.d
    d_model, d_k = len(d.x), len(d.q)
    bias = " + b_Q" if d.component.bias is not None else ""
    shapes = f"(1 × {d_model}) ({d_model} × {d_k}) → (1 × {d_k})"
    return [
        *heading(page, "1  Query", f"q{page.i} = x{page.i} W_Q{bias}", shapes),
        *vector(page, f"x{page.i}", d.x, d.x_norm),
        *_origin(page),
        *vector(page, f"q{page.i}", d.q_projected, length(d.q_projected)),
        *_component(page),
        *stages_of_the_query(page),
        *stages_of_a_key(page),
    ]


def _origin(page: Page) -> list[Line]:
    d, spec = page.d, page.spec
    if spec is None:
        return []
    says = f"x{page.i} is row {d.token} of X: {origin_of_X(spec, d.layer, cross=page.cross)}"
    return prose(says, page.screen, indent=INDENT)


# Steps 5 and 6: the weighted sum


def _weighted_sum(page: Page) -> list[Line]:
    d, i, screen = page.d, page.i, page.screen
    step, formula = "5–6  Weighted sum of the values", f"z{i} = Σ a{i}ⱼ vⱼ"
    written_out, others = (keys[d.a[keys] > 0] for keys in largest(d.a, _VALUES))
    if not len(written_out):
        nothing = indented(f"no weights, nothing to add: z{i} = 0")
        return [*heading(page, step, formula), nothing]
    style = notation(np.vstack([d.v[written_out], d.a_v[written_out], d.z]), page.digits)
    a = texts(Notation(page.digits, "f"), d.a[written_out])
    v_names = [f"v{subscript(j)}" for j in written_out.tolist()]
    names = []
    for j, a_j, v_j in zip(written_out.tolist(), a, v_names, strict=True):
        names += [f"{v_j} {name_of(page.keys[j], screen)}", f"  {a_j} × {v_j}"]
    tokens, products = names[::2], names[1::2]
    names += [f"  {counted(len(others), 'other token')}"] * (len(others) > 0) + [f"z{i} = sum"]
    whole = max(map(cell_len, [*products, *names[2 * len(a) :]]))
    name_cells = max(whole, min(max(map(cell_len, tokens)), screen.width // 4)) + 2
    count = len(d.z)
    cells = max(style.width, len(f"[{count - 1}]")) + 1  # with its mark
    shown = min(max((screen.width - INDENT - name_cells + 2) // (cells + 2), 1), count)

    rows, addends = [], []
    for j, a_j in zip(written_out.tolist(), a, strict=True):
        v, a_v = texts(style, d.v[j, :shown]), texts(style, d.a_v[j, :shown])
        rows.append(given(v))
        rows.append(
            [
                page.checked(product, read(a_j) * read(value))
                for product, value in zip(a_v, v, strict=True)
            ]
        )
        addends.append(a_v)
    if len(others):
        addends.append(texts(style, sum_over(d.a_v[:, :shown], others)))
        rows.append(given(addends[-1]))
    rows.append(column_sums(page, texts(style, d.z[:shown]), addends))

    head, *numbers = columns([given(f"[{column}]" for column in range(shown)), *rows], gap=2)
    left_out = [f"{shown} of {counted(count, 'component')}"] * (shown < count)
    return [
        *heading(page, step, formula, *left_out),
        indented(" " * name_cells + head, DIM),
        *[
            indented(pad(name, name_cells - 2) + "  " + row)
            for name, row in zip(names, numbers, strict=True)
        ],
    ]


# The heads side by side, and y_i


def _addends(d: Derivation) -> list[tuple[str, Array, float]]:
    """Name, numbers and length of each head's share, of b_O and of their sum y_i; or nothing."""
    if d.shares is None or d.share_norms is None or d.y is None or d.y_norm is None:
        return []
    norms = d.share_norms.tolist()
    rows = [(f"H{r}", share, norms[r]) for r, share in enumerate(d.shares)]
    if d.b_O is not None and d.b_O_norm is not None:
        rows.append(("b_O", d.b_O, d.b_O_norm))
    return [*rows, (f"y{subscript(d.token)}", d.y, d.y_norm)]


def _y_columns(page: Page, added: list[tuple[str, Array, float]], room: int) -> list[list[str]]:
    """As many numbers of the addends and of y as fit, and the lengths, under heads of columns."""
    vectors = np.array([vector for _, vector, _ in added])
    norms = np.array([norm for _, _, norm in added])
    style, norm_style = (notation(values, page.digits) for values in (vectors, norms))
    d_model = vectors.shape[1]
    cells = max(style.width, len("y[10]")) + len(f"{MARK}  ")
    shown = min(max((room - len("  …  ") - norm_style.width) // cells, 1), d_model)
    more = ["…"] * (shown < d_model)
    *addends, y = [texts(style, vector[:shown]) for vector in vectors]
    return [
        [*given(f"y[{column}]" for column in range(shown)), *[""] * len(more), "|y|"],
        *(
            [*row, *more, norm]
            for row, norm in zip(
                [*map(given, addends), column_sums(page, y, addends)],
                texts(norm_style, norms),
                strict=True,
            )
        ),
    ]


def _heads(page: Page) -> list[Line]:
    """One line per head: its z, its share of y, how long that is; then y, their sum.

    Without W_O there are only the heads' z.
    """
    d, i = page.d, page.i
    z = d.z_cat.reshape(-1, len(d.z))
    h, d_v = z.shape
    style = notation(z, page.digits)
    cells = max(style.width, len("z[10]")) + 2
    room = page.screen.width - INDENT - len(f"▸H{h - 1}")
    added = _addends(d)
    shown = min((room // 4 if added else room - len("  …")) // cells, d_v)
    more = ["…"] * (0 < shown < d_v)
    of_z = [[*(f"z[{column}]" for column in range(shown)), *[""] * len(more)]]
    of_z += [[*texts(style, row[:shown]), *more] for row in z]
    names = ["", *(f"{'▸' if r == d.head else ' '}H{r}" for r in range(h))]
    if added:
        of_y = _y_columns(page, added, room - shown * cells - len("  …"))
        of_z += [[""] * len(of_z[0])] * (len(added) - h)
        names += [name for name, _, _ in added[h:]]
        formula = f"y{i} = z_cat W_O" + (" + b_O" if d.b_O is not None else "")
        d_model = len(added[-1][1])
        remark = f"(1 × {z.size}) ({z.size} × {d_model}) → (1 × {d_model})"
        says = (
            f"z_cat: z{i} of {counted(h, 'head')}, {counted(d_v, 'number')} each; y: what each "
            f"adds to y{i} through its {counted(d_v, 'row')} of W_O, |y| how long that is; then "
            "the sum"
        )
    else:
        of_y = [[]] * (h + 1)
        formula, remark = "z_cat", f"{h} × {d_v} = {counted(z.size, 'number')}"
        says = f"The steps end with z{i}: these weights have no W_O, so there is no y{i}."
    table = [[name, *left, *right] for name, left, right in zip(names, of_z, of_y, strict=True)]
    head, *lines = columns(table, gap=2)
    return [
        *heading(page, "Heads side by side", formula, remark),
        indented(head, DIM),
        *[indented(line, BOLD if at == d.head else None) for at, line in enumerate(lines)],
        *prose(says, page.screen, indent=INDENT),
    ]


# The end: rounding, and the comparison with the matrix path


def _rounding_note(page: Page, asked: int) -> list[Line]:
    digits, worst, screen = page.digits, page.recheck.worst, page.screen
    lines = []
    if digits < asked:
        says = f"{counted(digits, 'digit')}, not {asked}: the width holds no more"
        lines += prose(says, screen)
    if worst and not page.recheck.explained:
        says = f"{MARK} recomputing from the printed numbers differs by up to {worst} in the last "
        lines += prose(f"{says} digit: MORE than rounding can explain", screen, style=_BAD)
    elif worst:
        says = f"{MARK} shown to {counted(digits, 'digit')}, computed in full: recomputing from "
        says += f"the printed numbers can differ by up to {worst} in the last digit"
        computed = page.d.x.dtype
        if digits > np.finfo(computed).precision:
            says += f"; {computed} holds about {np.finfo(computed).precision + 1} digits"
        lines += prose(says, screen)
    return [[], *lines] if lines else []


def _check(page: Page) -> list[Line]:
    d = page.d
    says = f"row {d.token} {'agrees with' if d.agrees else 'DIFFERS from'} the matrix path: "
    says += f"largest difference {d.largest_difference:.1e}"
    return [[], *prose(says, page.screen, style=_GOOD if d.agrees else _BAD)]


def _lines(page: Page, asked: int) -> list[Line]:
    d = page.d
    return [
        *_title(page),
        [],
        *ribbon(
            page.tokens, d.a, d.hidden, d.token, page.screen, keys=page.keys if page.cross else None
        ).lines,
        *_query(page),
        *scores(page),
        *_weighted_sum(page),
        *_heads(page),
        *_rounding_note(page, asked),
        *_check(page),
    ]


def derivation_view(
    d: Derivation,
    tokens: Sequence[Token],
    screen: Screen,
    *,
    digits: int | None = None,
    keys: Sequence[Token] | None = None,
    spec: Spec | None = None,
) -> Lines:
    """The six steps of the article for one row, `digits` after the point: 4 if not given.

    `keys` are the tokens looked at where these are others than `tokens` (cross-attention). With
    the `spec` of the model's stack, the steps say what X is, which heads share keys and values, and
    what the terms of a score are.

    Fewer digits where the width does not hold that many: then a line says so.
    """
    asked = 4 if digits is None else digits
    for places in range(asked, 0, -1):
        recheck = Recheck(d.tolerance)
        page = Page(d, tokens, keys or tokens, keys is not None, spec, screen, places, recheck)
        lines = _lines(page, asked)
        if max(map(width_of, lines)) <= screen.width:
            break
    return on_screen(lines, screen)
