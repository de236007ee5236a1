"""Steps 2 to 4 of a derivation: from the dot products of a row to its weights, key by key.

Every term that a model adds before the softmax has a column of its own; one that it lacks has
none. What a column shows is computed again from the columns to its left.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.derive import Derivation, Indices, largest, sum_over
from attncli.analysis.rounding import Reading, read, total
from attncli.attention import Array
from attncli.families.spec import Spec
from attncli.positions import Alibi, Buckets, Disentangled
from attncli.text.printable import pad
from attncli.views.labels import SPECIAL, name_of
from attncli.views.lines import DIM, Line, prose
from attncli.views.numbers import Notation, counted, notation
from attncli.views.signs import spell
from attncli.views.steps import INDENT, Page, columns, given, heading, indented, texts

_MANY_KEYS = 40  # with more, the table shows the largest weights only
_LARGEST = 16
_BAR_CELLS = 20
_SHORTEST = 3  # cells of a token's name where the width is short
_LEGIBLE = 8  # a name gets so many before the columns get long heads, or all stand side by side

Foot = tuple[str, str, str]

_BAR = Style(color="magenta")


@dataclass(frozen=True)
class _Column:
    """Printed numbers of the keys, and of the lines under them: others, the maximum, the sums."""

    head: str
    short: str  # the head where the width is short
    cells: list[str]
    foot: Foot = ("", "", "")


@dataclass(frozen=True)
class _Scale:
    """`÷ √64` where that is the scale, `× 0.0884` where it is another, nothing where it is 1."""

    text: str
    factor: Reading  # as a reader has it
    note: str  # why it is this one, if it is not the article's


def _scale(page: Page) -> _Scale:
    scale, d_k = page.d.scale, len(page.d.q)
    if math.isclose(scale, 1 / math.sqrt(d_k), rel_tol=1e-6):
        return _Scale(spell(f"÷ √{d_k}", page.screen), Reading(1 / math.sqrt(d_k)), "")
    reason = page.d.scale_reason
    if scale == 1:
        return _Scale("", Reading(1), f"no scale (1): {reason.removeprefix('none: ')}")
    printed = notation(np.array(scale), page.digits).write(scale)
    return _Scale(f"× {printed}", read(printed), f"scale {printed}: {reason}")


def _shown_keys(d: Derivation) -> tuple[Indices, Indices]:
    """The keys that get a line, in their order, and the others."""
    count = len(d.a) if len(d.a) <= _MANY_KEYS else _LARGEST
    shown, others = largest(d.a, count)
    return np.sort(shown), others


# The columns


def _checked(page: Page, printed: list[str], recomputed: Sequence[Reading]) -> list[str]:
    return [page.checked(*each) for each in zip(printed, recomputed, strict=True)]


def _terms(page: Page, keys: Indices, scale: _Scale, foot: Foot) -> list[_Column]:
    """q·k and what S_ij is made of besides: the scale, the cap, the position bias, the mask; S."""
    d = page.d

    def printed(values: Array) -> list[str]:
        return texts(notation(values, page.digits), values[keys])

    dots = printed(d.dots)
    made = [_Column(f"q{page.i}·kⱼ", "q·k", dots, foot)]
    so_far = [read(dot) * scale.factor for dot in dots]
    last = scale.text or "no scale"
    if scale.text and not (d.capped is None and d.bias is None):
        scaled, head = printed(d.scaled), f"{scale.text} "
        made.append(_Column(head, head, _checked(page, scaled, so_far)))
        so_far = list(map(read, scaled))
    if d.capped is not None and d.softcap is not None:
        cap, last = Reading(d.softcap), "capped"
        so_far = [(score / cap).tanh() * cap for score in so_far]
        if not (d.bias is None and d.mask is None):
            capped = printed(d.capped)
            made.append(_Column("capped ", "capped ", _checked(page, capped, so_far)))
            so_far = list(map(read, capped))
    if d.bias is not None:
        bias = printed(d.bias)
        made.append(_Column("+ bias", "+ bias", bias))
        so_far = [score + read(term) for score, term in zip(so_far, bias, strict=True)]
    if d.mask is not None:
        made.append(_Column("mask", "mask", [f"{term:g}" for term in d.mask[keys].tolist()]))
    together = d.bias is None and d.mask is None  # S is the last column but one
    cells = [
        f"{score} " if hidden else page.checked(score, terms)  # hidden: -inf, whatever q·k
        for score, terms, hidden in zip(
            printed(d.scores), so_far, d.hidden[keys].tolist(), strict=True
        )
    ]
    row_max = _row_max(page) or ""
    return [
        *made,
        _Column(f"{last} = S " if together else "S ", "S ", cells, ("", f"{row_max} ", "")),
    ]


def _row_max(page: Page) -> str | None:
    """The largest score as printed; None if every key is masked."""
    row_max = page.d.row_max
    return None if row_max is None else notation(page.d.scores, page.digits).write(row_max)


def _softmax(page: Page, keys: Indices, others: Indices) -> list[_Column]:
    """exp(S - max), and its share of the sum: a."""
    d, row_max = page.d, _row_max(page)
    heads = ("exp(S−max) ", "exp "), ("÷ sum = a ", "a ")
    if row_max is None:
        return [_Column(*head, ["— "] * len(keys)) for head in heads]
    fixed = Notation(page.digits, "f")
    scores = texts(notation(d.scores, page.digits), d.scores[keys])
    exps, a = texts(fixed, d.exponentials[keys]), texts(fixed, d.a[keys])
    sums = fixed.write(d.exp_sum), fixed.write(float(sum_over(d.a, np.arange(len(d.a)))))
    exp_cells = _checked(page, exps, [(read(s) - read(row_max)).exp() for s in scores])
    a_cells = _checked(page, a, [read(e) / read(sums[0]) for e in exps])
    made = []
    for head, cells, addends, values, result in zip(
        heads, (exp_cells, a_cells), (exps, a), (d.exponentials, d.a), sums, strict=True
    ):
        rest = [fixed.write(float(sum_over(values, others)))] if len(others) else []
        foot = "".join(given(rest)), "", page.checked(result, total([*addends, *rest]))
        made.append(_Column(*head, cells, foot))
    return made


# The table


def _tables(page: Page, shown: Indices, others: Indices, scale: _Scale) -> list[list[Line]]:
    """One table, or two where more columns than q·k and S leave a name no room.

    Then the terms of S stand in the first, and what the softmax makes of S in the second.
    """
    d = page.d
    foot = (counted(len(others), "other"), "max", "sum")
    terms, softmax = _terms(page, shown, scale, foot), _softmax(page, shown, others)
    lines = [] if d.row_max is None else [0, 1, 2] if len(others) else [1, 2]
    longest = max(cell_len(name_of(page.keys[j], page.screen)) for j in shown.tolist())
    together = _rows(page, [*terms, *softmax], lines)
    if len(terms) == 2 or _room(page, together) >= min(longest, _LEGIBLE):
        return [_drawn(page, shown, together)]
    names = _Column("", "", [""] * len(shown), foot)
    scores = replace(terms[-1], head="S ", cells=[f"{cell[:-1]} " for cell in terms[-1].cells])
    return [
        _drawn(page, shown, _rows(page, terms, []), least=0),
        _drawn(page, shown, _rows(page, [names, scores, *softmax], lines)),
    ]


def _rows(page: Page, made: Sequence[_Column], foot: Sequence[int]) -> list[str]:
    """The printed rows: a head, one for each key, the lines of the foot."""

    def rows(heads: Sequence[str]) -> list[str]:
        table = [
            [head, *column.cells, *(column.foot[line] for line in foot)]
            for head, column in zip(heads, made, strict=True)
        ]
        return columns(list(zip(*table, strict=True)))

    long = rows([column.head for column in made])
    return long if _room(page, long) >= _LEGIBLE else rows([column.short for column in made])


def _room(page: Page, rows: Sequence[str]) -> int:
    """Cells that are left for a token's name."""
    return page.screen.width - INDENT - len(str(len(page.d.a) - 1)) - 2 - cell_len(rows[0])


def _drawn(
    page: Page, shown: Indices, rows: Sequence[str], *, least: int = _SHORTEST
) -> list[Line]:
    """The printed rows, those of the keys with number, name and bar; no bars without a foot.

    A name gets as many cells as there are, at least `least`; none rather than a few.
    """
    d, screen = page.d, page.screen
    names = [name_of(page.keys[j], screen) for j in shown.tolist()]
    digits = len(str(len(d.a) - 1))
    room = _room(page, rows)
    what = "source" if page.cross else "token"
    longest = max(len(what), *map(cell_len, names))
    name_cells = max(min(longest, room if room >= _SHORTEST else 0), least)
    head, foot = rows[0], rows[1 + len(shown) :]
    bar_cells = max(min(room - name_cells - 1, _BAR_CELLS), 0) if foot else 0
    lines = [indented(f"{'j':>{digits}} {pad(what, name_cells)} {head}", DIM)]
    for j, name, row in zip(shown.tolist(), names, rows[1:], strict=False):
        bar = "█" * round(float(d.a[j]) * bar_cells)
        lines.append(
            [
                Segment(" " * INDENT),
                Segment(f"{j:>{digits}} ", DIM),
                Segment(pad(name, name_cells), SPECIAL if page.keys[j].special else None),
                Segment(f" {row} " if bar else f" {row}".rstrip(), DIM if d.hidden[j] else None),
                Segment(bar, _BAR),
            ]
        )
    before = " " * (digits + name_cells + 2)
    return lines + [indented(before + row, DIM) for row in foot]


# The step


def _formula(page: Page, scale: _Scale) -> str:
    d, i = page.d, page.i
    S = f"q{i}·kⱼ {scale.text}".rstrip()
    if d.softcap is not None:
        S = f"{d.softcap:g} tanh(({S}) / {d.softcap:g})"
    S += " + bias" * (d.bias is not None) + " + mask" * (d.mask is not None)
    return f"S{i}ⱼ = {S}"


def _bias_reason(spec: Spec | None) -> str:
    match spec and spec.position_bias:
        case Buckets():
            return "a learnt number of this head for the distance from i to j, in ranges"
        case Alibi():
            return "a number of this head times the position of key j (ALiBi)"
        case Disentangled():
            return "query and key times learnt vectors of their distance, scaled like q·k"
    return "what the positions add"


def _reasons(page: Page, scale: _Scale) -> list[Line]:
    """Under the table, for each term that the article does not have: why it is there."""
    d, spec = page.d, page.spec
    reasons = [scale.note] if scale.note else []
    if d.softcap is not None:
        cap = f"{d.softcap:g}"
        reasons.append(f"soft-cap {cap}: no score gets beyond -{cap} or {cap}")
    if d.bias is not None:
        reasons.append(f"bias: {_bias_reason(spec)}")
    if d.mask is not None and spec and spec.reach and (reach := spec.reach[d.layer]) is not None:
        reasons.append(f"mask: this layer looks no farther than {counted(reach, 'token')}")
    return [line for reason in reasons for line in prose(reason, page.screen, indent=INDENT)]


def _permitted_note(page: Page) -> list[Line]:
    permitted = np.count_nonzero(~page.d.hidden)
    if permitted > 1:
        return []
    only = "only one permitted key, weight 1.00"
    return [indented(only if permitted else f"row {page.d.token}: every key is masked")]


def scores(page: Page) -> list[Line]:
    """Scores, scale, softmax: the formulas, the table, and why the terms are there."""
    scale = _scale(page)
    shown, others = _shown_keys(page.d)
    formulas = _formula(page, scale), f"a{page.i}ⱼ = exp(S{page.i}ⱼ − max) / sum"
    return [
        *heading(page, "2–4  Scores, scale, softmax", *formulas),
        *(line for table in _tables(page, shown, others, scale) for line in table),
        *_reasons(page, scale),
        *_permitted_note(page),
    ]
