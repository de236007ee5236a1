"""From the dot products of a row to its weights, key by key, in printed numbers.

Every term that a model adds before the softmax has a column of its own; one that it lacks has
none. What a column shows is computed again from the columns to its left.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attncli.analysis.bias import BiasRow
from attncli.analysis.derive import Derivation, sum_over
from attncli.analysis.path import Indices
from attncli.analysis.rounding import Number, Reading, read, total
from attncli.analysis.written_out import largest
from attncli.attention import Array
from attncli.medium.numbers import Notation, notation
from attncli.narration.blocks import Cell, Column, Math, Table
from attncli.narration.page import Page, texts

_MANY_KEYS = 40  # with more, the table shows the largest weights only
_LARGEST = 16

Foot = tuple[Cell, Cell, Cell]  # below the keys: the other keys, the maximum, the sums
NOTHING: Foot = ("", "", "")


@dataclass(frozen=True)
class KeyColumn:
    """Printed numbers of the keys, and of the lines below them."""

    step: str  # that makes it: `dots`, `scale`, `softcap`, `bias`, `mask`, `softmax`, `weights`
    head: str  # TeX
    cells: Sequence[Cell]
    short: str = ""  # the head where there is little room
    foot: Foot = NOTHING


@dataclass(frozen=True)
class Scale:
    """`÷ √64` where that is the scale, `× 0.0884` where it is another, nothing where it is 1."""

    tex: str
    factor: Reading  # as a reader has it
    printed: str  # the factor; of the article's its formula is enough


def scale_of(page: Page) -> Scale:
    """The factor of the dot products as it is printed."""
    scale, d_k = page.d.scale, len(page.d.q)
    if math.isclose(scale, 1 / math.sqrt(d_k), rel_tol=1e-6):
        return Scale(rf"\div \sqrt{{{d_k}}}", Reading(1 / math.sqrt(d_k)), "")
    if scale == 1:
        return Scale("", Reading(1), "1")
    printed = page.write(scale)
    return Scale(rf"\times {printed}", read(printed), printed)


def shown_keys(d: Derivation) -> tuple[Indices, Indices]:
    """The keys that get a line, in their order, and the others."""
    count = len(d.a) if len(d.a) <= _MANY_KEYS else _LARGEST
    shown, others = largest(d.a, count)
    return np.sort(shown), others


def _checked(
    page: Page, printed: Sequence[str], recomputed: Sequence[Reading], *, made_here: bool
) -> list[Number]:
    """Results; what an earlier step made was checked there: here it is an operand."""
    if not made_here:
        return list(map(Number, printed))
    return [page.checked(*each) for each in zip(printed, recomputed, strict=True)]


def _word(page: Page, message: str) -> str:
    """A word in a formula."""
    return rf"\text{{{page.say(message)}}}"


def _bias_columns(
    page: Page, terms: BiasRow, keys: Indices, bias: list[str], *, made_here: bool
) -> list[KeyColumn]:
    """What the position bias is made of, key by key, and the bias, checked where that can be."""
    if terms.place_is == "vector":
        parts = [
            (dot, texts(notation(part, page.digits), part[keys]))
            for dot, part in ((r"q \cdot r", terms.q_r), (r"k \cdot r", terms.k_r))
            if part is not None
        ]
        recomputed = [total(row) for row in zip(*(cells for _, cells in parts), strict=True)]
    else:
        places = list(map(str, terms.place[keys].tolist()))
        parts = [(_word(page, terms.place_is), places)]
        slope = read(page.write(terms.slope or 0))
        recomputed = [slope * Reading(float(place)) for place in places]
        made_here = made_here and terms.slope is not None
    return [
        *(KeyColumn("bias", head, list(map(Number, cells))) for head, cells in parts),
        KeyColumn(
            "bias",
            f"+ {_word(page, 'bias')}",
            _checked(page, bias, recomputed, made_here=made_here),
        ),
    ]


def term_columns(page: Page, keys: Indices, *, only: str | None = None) -> list[KeyColumn]:
    """q·k and what else S_ij is made of: the scale, the cap, the position bias, the mask; S.

    For `only` one step, what each step makes has a column of its own, also where a mask is all that
    follows, and only that step's results are checked.
    """
    d, scale, apart = page.d, scale_of(page), only is not None

    def printed(values: Array) -> list[str]:
        return texts(notation(values, page.digits), values[keys])

    dots = printed(d.dots)
    made = [KeyColumn("dots", rf"q_{{{d.token}}} \cdot k_j", list(map(Number, dots)), "q·k")]
    so_far = [read(dot) * scale.factor for dot in dots]

    def add(step: str, head: str, values: Array) -> None:
        nonlocal so_far
        cells = printed(values)
        checked = _checked(page, cells, so_far, made_here=only in (None, step))
        made.append(KeyColumn(step, head, checked))
        so_far = list(map(read, cells))

    last, step = scale.tex or _word(page, "no_scale"), "scale"
    if scale.tex and (d.capped is not None or d.bias is not None or (apart and d.mask is not None)):
        add("scale", scale.tex, d.scaled)
    if d.capped is not None and d.softcap is not None:
        cap, last, step = Reading(d.softcap), _word(page, "capped"), "softcap"
        so_far = [(score / cap).tanh() * cap for score in so_far]
        if not (d.bias is None and d.mask is None):
            add("softcap", last, d.capped)
    if d.bias is not None:
        bias, step = printed(d.bias), "bias"
        if apart and d.bias_terms is not None:
            made += _bias_columns(page, d.bias_terms, keys, bias, made_here=only == "bias")
        else:
            made.append(KeyColumn("bias", f"+ {_word(page, 'bias')}", list(map(Number, bias))))
        so_far = [score + read(term) for score, term in zip(so_far, bias, strict=True)]
        if apart and d.mask is not None and d.biased is not None:
            add("bias", _word(page, "biased"), d.biased)
    if d.mask is not None:
        mask, step = [Number(f"{term:g}") for term in d.mask[keys].tolist()], "mask"
        made.append(KeyColumn("mask", _word(page, "mask"), mask))
    cells = [
        Number(score) if hidden or only not in (None, step) else page.checked(score, recomputed)
        for score, recomputed, hidden in zip(printed(d.scores), so_far, d.hidden[keys], strict=True)
    ]
    head = f"{last} = S" if d.bias is None and d.mask is None else "S"
    peak = row_max(page)
    foot: Foot = ("", "" if peak is None else Number(peak), "")
    return [*made, KeyColumn(step, head, cells, "S", foot)]


def row_max(page: Page) -> str | None:
    """The largest score as printed; None if every key is masked."""
    row_max = page.d.row_max
    return None if row_max is None else notation(page.d.scores, page.digits).write(row_max)


def softmax_columns(
    page: Page, keys: Indices, others: Indices, *, only: str | None = None
) -> list[KeyColumn]:
    """exp(S - max), and its share of the sum: a. `only` as in `term_columns`."""
    d, peak = page.d, row_max(page)
    heads = (
        ("softmax", rf"\exp(S{{-}}{_word(page, 'max')})", "exp"),
        ("weights", rf"\div {_word(page, 'sum')} = a", "a"),
    )
    if peak is None:
        return [KeyColumn(step, head, ["—"] * len(keys), short) for step, head, short in heads]
    fixed = Notation(page.digits, "f")
    scores = texts(notation(d.scores, page.digits), d.scores[keys])
    exps, a = texts(fixed, d.exponentials[keys]), texts(fixed, d.a[keys])
    sums = fixed.write(d.exp_sum), fixed.write(float(sum_over(d.a, np.arange(len(d.a)))))
    recomputed = (
        [(read(s) - read(peak)).exp() for s in scores],
        [read(e) / read(sums[0]) for e in exps],
    )
    made = []
    for (step, head, short), addends, ends, values, result in zip(
        heads, (exps, a), recomputed, (d.exponentials, d.a), sums, strict=True
    ):
        here = only in (None, step)
        cells = _checked(page, addends, ends, made_here=here)
        rest = [fixed.write(float(sum_over(values, others)))] if len(others) else []
        (summed,) = _checked(page, [result], [total([*addends, *rest])], made_here=here)
        foot: Foot = (Number(rest[0]) if rest else "", "", summed)
        made.append(KeyColumn(step, head, cells, short, foot))
    return made


def _table(page: Page, made: Sequence[KeyColumn], narrow: Sequence[Table] = ()) -> Table:
    """The columns beside the number and the name of each key that is shown."""
    d = page.d
    shown, others = shown_keys(d)
    foot_names = page.counted(len(others), "others"), page.say("max"), page.say("sum")
    foot = [line for line in range(3) if any(column.foot[line] for column in made)]
    numbers, names = map(str, shown.tolist()), map(page.key_name, shown.tolist())
    labels = [
        Column("j", [*numbers, *[""] * len(foot)]),
        Column(
            page.say("source_token" if page.cross else "token"),
            [*names, *(foot_names[line] for line in foot)],
        ),
    ]
    return Table(
        labels,
        [Column(Math(c.head), [*c.cells, *(c.foot[line] for line in foot)], c.short) for c in made],
        note=page.left_out(len(shown)) if len(others) and 0 not in foot else "",
        foot=len(foot),
        faint=frozenset(np.flatnonzero(d.hidden[shown]).tolist()),
        bars=d.a[shown].tolist() if made[-1].step == "weights" else (),
        narrow=narrow,
    )


def step_table(page: Page, key: str) -> Table:
    """What goes into a step over the keys and what comes out of it."""
    shown, others = shown_keys(page.d)
    terms = term_columns(page, shown, only=key)
    if key in ("softmax", "weights"):
        S = replace(terms[-1], head="S")
        made = [S, *softmax_columns(page, shown, others, only=key)]
        return _table(page, made if key == "weights" else made[:2])
    own = [at for at, column in enumerate(terms) if column.step == key]
    if not own or key == "dots":
        return _table(page, terms[:1])
    return _table(page, terms[own[0] - 1 : own[-1] + 1])


def whole_table(page: Page) -> Table:
    """All columns from q·k to a; in two tables, with S in both, where these are too many."""
    shown, others = shown_keys(page.d)
    terms, softmax = term_columns(page, shown), softmax_columns(page, shown, others)
    *before, S = terms
    parts = []
    if len(before) > 1:
        given = [Number(cell.text) for cell in S.cells if isinstance(cell, Number)]
        parts = [
            _table(page, [*before, replace(S, foot=NOTHING)]),
            _table(page, [replace(S, head="S", cells=given), *softmax]),
        ]
    return _table(page, [*terms, *softmax], parts)
