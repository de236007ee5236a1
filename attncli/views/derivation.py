"""One row of one head, step by step, as a reader with a calculator would do it.

Every printed result is computed again from the printed operands (analysis/rounding.py). One
that comes out different is marked `≈`, and a note says by how much at most.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.derive import Derivation
from attncli.attention import Array
from attncli.text.printable import label, pad
from attncli.text.token import Token
from attncli.views.labels import SPECIAL, ascii_only, name_of, subscript
from attncli.views.lines import BOLD, DIM, Line, Lines, on_screen, prose, width_of
from attncli.views.numbers import Notation, notation
from attncli.views.ribbon import ribbon
from attncli.views.screen import Screen
from attncli.views.steps import (
    INDENT,
    MARK,
    Page,
    column_sums,
    columns,
    given,
    heading,
    indented,
    texts,
    total,
    vector,
)

_PRODUCTS = 4  # of the component that is written out; the others are one number
_MANY_KEYS = 40  # with more, the table of scores shows the largest weights only
_LARGEST = 16
_VALUES = 3  # a_ij v_j that are written out; the others are one line
_AGREES = 1e-5  # of the largest number in the row: float32, summed in another order
_BAR_CELLS = 20

_BAR = Style(color="magenta")
_GOOD = Style(color="green")
_BAD = Style(color="red", bold=True)

Keys = npt.NDArray[np.intp]


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
        piece, whole = label(token.piece), label(word)
        if not screen.unicode:
            piece, whole = ascii_only(piece), ascii_only(whole)
        lines += prose(f"token {d.token} «{piece}» of the word «{whole}»", screen)
    return lines


# Step 1: the query


def _component(page: Page) -> list[Line]:
    """The largest number of q_i as a sum: the largest products, the others as one number."""
    c = page.d.component
    order = np.argsort(-np.abs(c.products), kind="stable")
    largest, others = order[:_PRODUCTS], order[_PRODUCTS:]
    terms = []
    if len(others):
        terms.append((f"{len(others)} other products", float(c.products[others].sum(dtype=float))))
    if c.bias is not None:
        terms.append((f"b_Q[{c.index}]", c.bias))

    x, w = page.d.x[largest].tolist(), c.column[largest].tolist()
    products = c.products[largest].tolist()
    factor = notation(np.array(x + w), page.digits)
    style = notation(np.array([*products, *(value for _, value in terms), c.value]), page.digits)
    rows, summands = [], []
    for t, x_t, w_t, product in zip(largest.tolist(), x, w, products, strict=True):
        left, right, result = factor.write(x_t), factor.write(w_t), style.write(product)
        name = f"t = {t:<4} {left:>{factor.width}} × {right:>{factor.width}}"
        rows.append((name, page.checked(result, float(left) * float(right))))
        summands.append(result)
    for name, value in terms:
        rows.append((name, style.write(value) + " "))
        summands.append(style.write(value))
    result = page.checked(style.write(c.value), total(summands))
    rows.append((f"sum = q{page.i}[{c.index}]", result))

    width = max(len(name) for name, _ in rows)
    formula = f"q{page.i}[{c.index}] = Σ x{page.i}[t] W_Q[t,{c.index}]"
    formula += f" + b_Q[{c.index}]" if c.bias is not None else ""
    intro = prose(f"its largest number, {formula}, written out:", page.screen, indent=INDENT)
    return intro + [
        indented(f"{name:<{width}} = {value:>{style.width + 1}}") for name, value in rows
    ]


def _query(page: Page) -> list[Line]:
    d = page.d
    d_model, d_k = len(d.x), len(d.q)
    bias = " + b_Q" if d.component.bias is not None else ""
    shapes = f"(1 × {d_model}) ({d_model} × {d_k}) → (1 × {d_k})"
    return [
        *heading(page, "1  Query", f"q{page.i} = x{page.i} W_Q{bias}", shapes),
        vector(page, f"x{page.i}", d.x),
        vector(page, f"q{page.i}", d.q),
        *_component(page),
    ]


# Steps 2 to 4: scores, scale, softmax


def _scale(d: Derivation, digits: int, screen: Screen) -> tuple[str, float]:
    """`÷ √64` where that is the scale, otherwise `× 0.0884`; and the factor as printed."""
    d_k = len(d.q)
    if math.isclose(d.scale, 1 / math.sqrt(d_k), rel_tol=1e-6):
        return f"÷ √{d_k}" if screen.unicode else f"/ sqrt({d_k})", 1 / math.sqrt(d_k)
    printed = notation(np.array(d.scale), digits).write(d.scale)
    return f"× {printed}", float(printed)


def _shown_keys(d: Derivation) -> tuple[Keys, Keys]:
    """The keys that get a line, in their order, and the others."""
    keys = np.arange(len(d.dots))
    if len(keys) <= _MANY_KEYS:
        return keys, keys[:0]
    shown = np.sort(np.argsort(-d.weights, kind="stable")[:_LARGEST])
    return shown, np.setdiff1d(keys, shown)


def _row_max(page: Page) -> str | None:
    """The largest score as printed; None if every key is masked."""
    row_max = page.d.row_max
    return None if row_max is None else notation(page.d.scores, page.digits).write(row_max)


def _key_cells(page: Page, keys: Keys, factor: float) -> list[list[str]]:
    """For each key q·k, the mask if there is one, S, exp(S - max) and a, as printed."""
    d, row_max = page.d, _row_max(page)
    dot, score = notation(d.dots, page.digits), notation(d.scores, page.digits)
    fixed = Notation(page.digits, "f")
    rows = []
    for j in keys.tolist():
        cells = [dot.write(float(d.dots[j]))]
        mask = 0.0
        if d.mask is not None:
            cells.append(f"{float(d.mask[j]):g}")
            mask = float(cells[1])
        s = score.write(float(d.scores[j]))
        masked = mask == -math.inf  # -inf follows from any number
        cells.append(f"{s} " if masked else page.checked(s, float(cells[0]) * factor + mask))
        if row_max is None:
            cells += ["— ", "— "]
        else:
            e, a = fixed.write(float(d.exponentials[j])), fixed.write(float(d.weights[j]))
            cells.append(page.checked(e, math.exp(float(s) - float(row_max))))
            cells.append(page.checked(a, float(e) / float(fixed.write(d.exp_sum))))
        rows.append(cells)
    return rows


def _foot(page: Page, shown: list[list[str]], others: Keys) -> list[list[str]]:
    """Under the keys: the others as one line, the row's maximum, the sums."""
    d, row_max = page.d, _row_max(page)
    if row_max is None:
        return []
    fixed = Notation(page.digits, "f")
    mask = [""] * (len(shown[0]) - 4)
    exps = [row[-2].rstrip(f" {MARK}") for row in shown]
    weights = [row[-1].rstrip(f" {MARK}") for row in shown]
    foot = []
    if len(others):
        exps.append(fixed.write(float(d.exponentials[others].sum(dtype=float))))
        weights.append(fixed.write(float(d.weights[others].sum(dtype=float))))
        foot.append([f"{len(others)} others", *mask, "", f"{exps[-1]} ", f"{weights[-1]} "])
    exp_sum, weight_sum = fixed.write(d.exp_sum), fixed.write(float(d.weights.sum(dtype=float)))
    sums = [page.checked(exp_sum, total(exps)), page.checked(weight_sum, total(weights))]
    return [*foot, ["max", *mask, f"{row_max} ", "", ""], ["sum", *mask, "", *sums]]


def _key_table(page: Page, shown: Keys, rows: list[str]) -> list[Line]:
    """The printed rows: a head, then one for each shown key with its name and bar, then a foot."""
    d, screen = page.d, page.screen
    names = [name_of(page.tokens[j], screen) for j in shown.tolist()]
    digits = len(str(len(d.dots) - 1))
    room = screen.width - INDENT - digits - 2 - cell_len(rows[0])
    name_cells = max(min(max(map(cell_len, names)), room), len("token"))
    bar_cells = max(min(room - name_cells - 1, _BAR_CELLS), 0)
    head, foot = rows[0], rows[1 + len(shown) :]
    lines = [indented(f"{'j':>{digits}} {pad('token', name_cells)} {head}", DIM)]
    for j, name, row in zip(shown.tolist(), names, rows[1:], strict=False):
        special, masked = page.tokens[j].special, np.isneginf(d.scores[j])
        lines.append(
            [
                *indented(f"{j:>{digits}} ", DIM),
                Segment(pad(name, name_cells), SPECIAL if special else None),
                Segment(f" {row} ", DIM if masked else None),
                Segment("█" * round(float(d.weights[j]) * bar_cells), _BAR),
            ]
        )
    before = " " * (digits + name_cells + 2)
    return lines + [indented(before + row, DIM) for row in foot]


def _scores(page: Page) -> list[Line]:
    d, i = page.d, page.i
    scale, factor = _scale(d, page.digits, page.screen)
    shown, others = _shown_keys(d)
    if d.mask is None:
        heads, step = [f"q{i}·kⱼ", f"{scale} = S "], scale
    else:
        heads, step = [f"q{i}·kⱼ", "mask", "S "], f"{scale} + mask"
    heads += ["exp(S−max) ", "÷ sum = a "]
    cells = _key_cells(page, shown, factor)
    formulas = f"S{i}ⱼ = q{i}·kⱼ {step}", f"a{i}ⱼ = exp(S{i}ⱼ − max) / sum"
    return [
        *heading(page, "2–4  Scores, scale, softmax", *formulas),
        *_key_table(page, shown, columns([heads, *cells, *_foot(page, cells, others)])),
        *_permitted_note(page),
    ]


def _permitted_note(page: Page) -> list[Line]:
    permitted = int(np.isfinite(page.d.scores).sum())
    if permitted > 1:
        return []
    only = "only one permitted key, weight 1.00"
    return [indented(only if permitted else f"row {page.d.token}: every key is masked")]


# Steps 5 and 6: the weighted sum


def _weighted_sum(page: Page) -> list[Line]:
    d, i, screen = page.d, page.i, page.screen
    lines = heading(page, "5–6  Weighted sum of the values", f"z{i} = Σ a{i}ⱼ vⱼ")
    order = np.argsort(-d.weights, kind="stable")[: np.count_nonzero(d.weights)]
    if not len(order):
        return [*lines, indented(f"no weights, nothing to add: z{i} = 0")]
    largest, others = order[:_VALUES], order[_VALUES:]
    style = notation(np.vstack([d.values[largest], d.weighted[largest], d.z]), page.digits)
    fixed = Notation(page.digits, "f")
    name_cells = max(screen.width // 5, 18)
    count = d.values.shape[1]
    more = f" … {count} more"
    room = screen.width - INDENT - name_cells - len(more)
    shown = min(max(room // (style.width + 3), 1), count)
    times = "×" if screen.unicode else "x"

    table, addends = [], []
    for j in largest.tolist():
        a, v_j = fixed.write(float(d.weights[j])), f"v{subscript(j)}"
        v = texts(style, d.values[j, :shown])
        products = texts(style, d.weighted[j, :shown])
        table.append((f"{v_j} {name_of(page.tokens[j], screen)}", given(v)))
        checked = [
            page.checked(product, float(a) * float(value))
            for product, value in zip(products, v, strict=True)
        ]
        table.append((f"  {a} {times} {v_j}", checked))
        addends.append(products)
    if len(others):
        rest = texts(style, d.weighted[others, :shown].sum(axis=0, dtype=float))
        table.append((f"  {len(others)} other tokens", given(rest)))
        addends.append(rest)
    table.append((f"z{i} = sum", column_sums(page, texts(style, d.z[:shown]), addends)))

    heads = given(f"[{column}]" for column in range(shown))
    numbers = columns([heads, *(row for _, row in table)], gap=2)
    start = " " * name_cells + numbers[0]
    lines.append(indented(start + (f" … {count - shown} more" if shown < count else ""), DIM))
    lines += [
        indented(f"{pad(name, name_cells)}{text}")
        for (name, _), text in zip(table, numbers[1:], strict=True)
    ]
    return lines


# The heads side by side, and y_i


def _head_names(page: Page, count: int) -> list[str]:
    return [f"{'▸' if head == page.d.head else ' '}H{head}" for head in range(count)]


def _heads_without_output(page: Page, z: Array) -> list[Line]:
    """One line per head: its z. Without W_O that is where the steps end."""
    style = notation(z, page.digits)
    count = z.shape[1]
    shown = min((page.screen.width - INDENT - 8) // (style.width + 2), count)
    heads = ["head", *(f"z[{column}]" for column in range(shown))]
    rows = [
        [name, *texts(style, row[:shown])]
        for name, row in zip(_head_names(page, len(z)), z, strict=True)
    ]
    head, *lines = columns([heads, *rows], gap=2)
    return [
        *heading(page, "Heads side by side", "z_cat", f"{len(z)} × {count} = {z.size} numbers"),
        indented(head, DIM),
        *map(indented, lines),
        *prose(
            f"The steps end with z{page.i}: these weights have no W_O, so there is no y{page.i}.",
            page.screen,
            indent=INDENT,
        ),
    ]


def _heads_and_output(page: Page, z: Array, shares: Array, y: Array) -> list[Line]:
    """One line per head: its z, its share of y, how long that is; then y, their sum."""
    d, i = page.d, page.i
    h, d_v, d_model = *z.shape, len(y)
    parts = shares if d.b_O is None else np.vstack([shares, d.b_O])
    lengths = np.linalg.norm(np.vstack([parts, y]).astype(float), axis=1)
    z_style, length_style = notation(z, page.digits), notation(lengths, page.digits)
    y_style = notation(np.vstack([parts, y]), page.digits)

    fixed_cells = len("▸H12") + 2 * len("  …") + 2 + max(length_style.width, len("length"))
    cells = max(z_style.width, y_style.width, len("z[0]")) + 3
    fitting = (page.screen.width - INDENT - fixed_cells) // cells
    of_z = min(max(fitting // 3, 1), d_v)
    of_y = min(max(fitting - of_z, 1), d_model)
    z_more, y_more = ["…"] * (of_z < d_v), ["…"] * (of_y < d_model)
    no_z = [""] * (of_z + len(z_more))

    addends = [texts(y_style, part[:of_y]) for part in parts]
    y_texts = [*map(given, addends), column_sums(page, texts(y_style, y[:of_y]), addends)]
    z_texts = [[*texts(z_style, row[:of_z]), *z_more] for row in z]
    z_texts += [no_z] * (len(y_texts) - h)
    names = [*_head_names(page, h), *["b_O"] * (len(parts) - h), f"y{i}"]
    heads = [f"z[{c}]" for c in range(of_z)], given(f"y[{c}]" for c in range(of_y))
    table = [["", *heads[0], *[""] * len(z_more), *heads[1], *[""] * len(y_more), "length"]]
    table += [
        [name, *of_head, *share, *y_more, length]
        for name, of_head, share, length in zip(
            names, z_texts, y_texts, texts(length_style, lengths), strict=True
        )
    ]
    head, *lines = columns(table, gap=2)
    bias = " + b_O" if d.b_O is not None else ""
    return [
        *heading(
            page,
            "Heads side by side",
            f"y{i} = z_cat W_O{bias}",
            f"(1 × {h * d_v}) ({h * d_v} × {d_model}) → (1 × {d_model})",
        ),
        *prose(
            f"z_cat: the {h} heads' z{i}, {d_v} numbers each; y: what each adds to y{i} through "
            f"its {d_v} rows of W_O, and the sum",
            page.screen,
            indent=INDENT,
        ),
        indented(head, DIM),
        *[indented(line, BOLD if at == d.head else None) for at, line in enumerate(lines)],
    ]


def _heads(page: Page) -> list[Line]:
    d = page.d
    z = d.z_cat.reshape(-1, len(d.z))  # (h, d_v)
    if d.shares is None or d.y is None:
        return _heads_without_output(page, z)
    return _heads_and_output(page, z, d.shares, d.y)


# The end: rounding, and the comparison with the matrix path


def _rounding_note(page: Page) -> list[Line]:
    worst = page.recheck.worst
    if not worst:
        return []
    says = (
        f"{MARK} shown to {page.digits} digits, computed in full: recomputing from the printed "
        f"numbers can differ by up to {worst} in the last digit"
    )
    return [[], *prose(says, page.screen)]


def _check(page: Page) -> list[Line]:
    d = page.d
    permitted = d.scores[np.isfinite(d.scores)]
    largest = max(float(np.abs(part).max(initial=1)) for part in (d.q, permitted, d.z))
    good = d.largest_difference <= _AGREES * largest
    says = f"row {d.token} {'agrees with' if good else 'DIFFERS from'} the matrix path: "
    says += f"largest difference {d.largest_difference:.1e}"
    return [[], *prose(says, page.screen, style=_GOOD if good else _BAD)]


def _lines(page: Page) -> list[Line]:
    d = page.d
    hidden = np.isneginf(d.scores)
    return [
        *_title(page),
        [],
        *ribbon(page.tokens, d.weights, hidden, d.token, page.screen).lines,
        *_query(page),
        *_scores(page),
        *_weighted_sum(page),
        *_heads(page),
        *_rounding_note(page),
        *_check(page),
    ]


def derivation_view(
    d: Derivation, tokens: Sequence[Token], screen: Screen, *, digits: int | None = None
) -> Lines:
    """The six steps of the article for one row, `digits` after the point: 4 if not given.

    Fewer digits where the width does not hold that many.
    """
    digits = 4 if digits is None else digits
    for places in range(digits, min(digits, 1) - 1, -1):
        lines = _lines(Page(d, tokens, screen, places))
        if max(map(width_of, lines)) <= screen.width:
            break
    return on_screen(lines, screen)
