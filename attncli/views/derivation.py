"""One row of one head, step by step, as a reader with a calculator would do it.

Every printed result is computed again from the printed operands (analysis/rounding.py). One
that comes out different is marked `≈`, and a note says by how much at most.
"""

import math
from collections.abc import Sequence

import numpy as np
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.derive import Derivation, Indices, largest, sum_over
from attncli.analysis.rounding import Reading, Recheck, read, total
from attncli.attention import Array
from attncli.text.printable import label, pad
from attncli.text.token import Token
from attncli.views.labels import SPECIAL, name_of, subscript
from attncli.views.lines import BOLD, DIM, Line, Lines, fold, on_screen, prose, width_of
from attncli.views.numbers import Notation, counted, notation
from attncli.views.ribbon import ribbon
from attncli.views.screen import Screen
from attncli.views.signs import foreign, spell
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
_MANY_KEYS = 40  # with more, the table of scores shows the largest weights only
_LARGEST = 16
_VALUES = 3  # a_ij v_j that are written out; the others are one line
_BAR_CELLS = 20
_SHORTEST = 3  # cells of a token's name where the width is short
_LEGIBLE = 8  # a name gets so many before the columns of the table of scores get long heads
_FLOAT32_DIGITS = 6  # decimals that float32 holds, np.finfo(np.float32).precision

_BAR = Style(color="magenta")
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
    lines = prose(
        f"Row {d.token}, {name}, of head L{d.layer}H{d.head}, step by step", screen, style=BOLD
    )
    if word := _word_of(token, page.tokens):
        piece, whole = foreign(label(token.piece), screen), foreign(label(word), screen)
        lines += prose(f"token {d.token} «{piece}» of the word «{whole}»", screen)
    return lines


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
        *vector(page, f"q{page.i}", d.q, d.q_norm),
        *_component(page),
    ]


# Steps 2 to 4: scores, scale, softmax


def _scale(page: Page) -> tuple[str, Reading]:
    """`÷ √64` where that is the scale, otherwise `× 0.0884`; and the factor as a reader has it."""
    scale, d_k = page.d.scale, len(page.d.q)
    if math.isclose(scale, 1 / math.sqrt(d_k), rel_tol=1e-6):
        return spell(f"÷ √{d_k}", page.screen), Reading(1 / math.sqrt(d_k))
    printed = notation(np.array(scale), page.digits).write(scale)
    return f"× {printed}", read(printed)


def _shown_keys(d: Derivation) -> tuple[Indices, Indices]:
    """The keys that get a line, in their order, and the others."""
    count = len(d.a) if len(d.a) <= _MANY_KEYS else _LARGEST
    shown, others = largest(d.a, count)
    return np.sort(shown), others


def _row_max(page: Page) -> str | None:
    """The largest score as printed; None if every key is masked."""
    row_max = page.d.row_max
    return None if row_max is None else notation(page.d.scores, page.digits).write(row_max)


def _key_cells(page: Page, keys: Indices, factor: Reading) -> list[list[str]]:
    """For each key q·k, the mask if there is one, S, exp(S - max) and a, as printed."""
    d, row_max = page.d, _row_max(page)
    dot, score = notation(d.dots, page.digits), notation(d.scores, page.digits)
    fixed = Notation(page.digits, "f")
    rows = []
    for j in keys.tolist():
        cells = [dot.write(float(d.dots[j]))]
        if d.mask is not None:
            cells.append(f"{float(d.mask[j]):g}")
        s = score.write(float(d.scores[j]))
        hidden = d.hidden[j]  # then S = -inf, whatever q·k
        cells.append(f"{s} " if hidden else page.checked(s, read(cells[0]) * factor))
        if row_max is None:
            cells += ["— ", "— "]
        else:
            e, a = fixed.write(float(d.exponentials[j])), fixed.write(float(d.a[j]))
            cells.append(page.checked(e, (read(s) - read(row_max)).exp()))
            cells.append(page.checked(a, read(e) / read(fixed.write(d.exp_sum))))
        rows.append(cells)
    return rows


def _foot(page: Page, shown: list[list[str]], others: Indices) -> list[list[str]]:
    """Under the keys: the others as one line, the row's maximum, the sums."""
    d, row_max = page.d, _row_max(page)
    if row_max is None:
        return []
    fixed = Notation(page.digits, "f")
    mask = [""] * (len(shown[0]) - 4)
    exps, a = ([row[at].rstrip(f" {MARK}") for row in shown] for at in (-2, -1))
    foot = []
    if len(others):
        exps.append(fixed.write(float(sum_over(d.exponentials, others))))
        a.append(fixed.write(float(sum_over(d.a, others))))
        foot.append([counted(len(others), "other"), *mask, "", *given([exps[-1], a[-1]])])
    everything = np.arange(len(d.a))
    results = [fixed.write(d.exp_sum), fixed.write(float(sum_over(d.a, everything)))]
    sums = [page.checked(*each) for each in zip(results, map(total, (exps, a)), strict=True)]
    return [*foot, ["max", *mask, f"{row_max} ", "", ""], ["sum", *mask, "", *sums]]


def _key_table(page: Page, shown: Indices, rows: list[str]) -> list[Line]:
    """The printed rows: a head, then one for each shown key with its name and bar, then a foot."""
    d, screen = page.d, page.screen
    names = [name_of(page.tokens[j], screen) for j in shown.tolist()]
    digits = len(str(len(d.a) - 1))
    room = screen.width - INDENT - digits - 2 - cell_len(rows[0])
    longest = max(len("token"), *map(cell_len, names))
    name_cells = max(min(longest, room), _SHORTEST)
    bar_cells = max(min(room - name_cells - 1, _BAR_CELLS), 0)
    head, foot = rows[0], rows[1 + len(shown) :]
    lines = [indented(f"{'j':>{digits}} {pad('token', name_cells)} {head}", DIM)]
    for j, name, row in zip(shown.tolist(), names, rows[1:], strict=False):
        bar = "█" * round(float(d.a[j]) * bar_cells)
        lines.append(
            [
                Segment(" " * INDENT),
                Segment(f"{j:>{digits}} ", DIM),
                Segment(pad(name, name_cells), SPECIAL if page.tokens[j].special else None),
                Segment(f" {row} " if bar else f" {row}".rstrip(), DIM if d.hidden[j] else None),
                Segment(bar, _BAR),
            ]
        )
    before = " " * (digits + name_cells + 2)
    return lines + [indented(before + row, DIM) for row in foot]


def _scores(page: Page) -> list[Line]:
    d, i = page.d, page.i
    scale, factor = _scale(page)
    shown, others = _shown_keys(d)
    cells = _key_cells(page, shown, factor)
    cells += _foot(page, cells, others)
    if d.mask is None:
        heads, step = [f"q{i}·kⱼ", f"{scale} = S "], scale
    else:
        heads, step = [f"q{i}·kⱼ", "mask", "S "], f"{scale} + mask"
    rows = columns([[*heads, "exp(S−max) ", "÷ sum = a "], *cells])
    if INDENT + len(str(len(d.a))) + _LEGIBLE + cell_len(rows[0]) + 2 > page.screen.width:
        mask = ["mask"] * (d.mask is not None)
        rows = columns([["q·k", *mask, "S ", "exp ", "a "], *cells])
    formulas = f"S{i}ⱼ = q{i}·kⱼ {step}", f"a{i}ⱼ = exp(S{i}ⱼ − max) / sum"
    return [
        *heading(page, "2–4  Scores, scale, softmax", *formulas),
        *_key_table(page, shown, rows),
        *_permitted_note(page),
    ]


def _permitted_note(page: Page) -> list[Line]:
    permitted = np.count_nonzero(~page.d.hidden)
    if permitted > 1:
        return []
    only = "only one permitted key, weight 1.00"
    return [indented(only if permitted else f"row {page.d.token}: every key is masked")]


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
        names += [f"{v_j} {name_of(page.tokens[j], screen)}", f"  {a_j} × {v_j}"]
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
        if digits > _FLOAT32_DIGITS:
            says += "; float32 holds about 7 digits"
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
        *ribbon(page.tokens, d.a, d.hidden, d.token, page.screen).lines,
        *_query(page),
        *_scores(page),
        *_weighted_sum(page),
        *_heads(page),
        *_rounding_note(page, asked),
        *_check(page),
    ]


def derivation_view(
    d: Derivation, tokens: Sequence[Token], screen: Screen, *, digits: int | None = None
) -> Lines:
    """The six steps of the article for one row, `digits` after the point: 4 if not given.

    Fewer digits where the width does not hold that many: then a line says so.
    """
    asked = 4 if digits is None else digits
    for places in range(asked, 0, -1):
        lines = _lines(Page(d, tokens, screen, places, Recheck(d.tolerance)), asked)
        if max(map(width_of, lines)) <= screen.width:
            break
    return on_screen(lines, screen)
