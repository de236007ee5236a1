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
from attncli.analysis.rounding import Reading, read, total
from attncli.analysis.written_out import largest
from attncli.attention import Array
from attncli.medium.numbers import Notation, notation
from attncli.narration.page import Page, given, texts

_MANY_KEYS = 40  # with more, the table shows the largest weights only
_LARGEST = 16

Foot = tuple[str, str, str]  # under the keys: the others, the maximum, the sums
NOTHING: Foot = ("", "", "")


@dataclass(frozen=True)
class Column:
    """Printed numbers of the keys, and of the lines under them."""

    step: str  # that makes it: `dots`, `scale`, `softcap`, `bias`, `mask`, `softmax`, `weights`
    head: str  # TeX
    short: str  # the head where the width is short
    cells: list[str]
    foot: Foot = NOTHING
    marked: bool = True  # the cells end with a mark or the room for one


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
    page: Page, printed: list[str], recomputed: Sequence[Reading], *, made_here: bool
) -> list[str]:
    """Results with their marks; what an earlier step made was checked there: it is an operand."""
    if not made_here:
        return given(printed)
    return [page.checked(*each) for each in zip(printed, recomputed, strict=True)]


def _word(page: Page, message: str) -> str:
    """A word in a formula."""
    return rf"\text{{{page.say(message)}}}"


def _bias_columns(
    page: Page, terms: BiasRow, keys: Indices, bias: list[str], *, made_here: bool
) -> list[Column]:
    """Of what the position bias is made, key by key, and the bias, checked where that can be."""
    head = f"+ {_word(page, 'bias')}"
    if terms.place_is != "vector":
        places = list(map(str, terms.place[keys].tolist()))
        made = [Column("bias", _word(page, terms.place_is), "", places, marked=False)]
        if terms.slope is None:
            return [*made, Column("bias", head, "", bias, marked=False)]
        slope = read(page.write(terms.slope))
        recomputed = [slope * Reading(float(place)) for place in places]
        checked = _checked(page, bias, recomputed, made_here=made_here)
        return [*made, Column("bias", head, "", checked)]
    parts = [
        (dot, texts(notation(part, page.digits), part[keys]))
        for dot, part in ((r"q \cdot r", terms.q_r), (r"k \cdot r", terms.k_r))
        if part is not None
    ]
    recomputed = [total(row) for row in zip(*(cells for _, cells in parts), strict=True)]
    return [
        *(Column("bias", dot, "", cells, marked=False) for dot, cells in parts),
        Column("bias", head, "", _checked(page, bias, recomputed, made_here=made_here)),
    ]


def term_columns(page: Page, keys: Indices, *, only: str | None = None) -> list[Column]:
    """q·k and what S_ij is made of besides: the scale, the cap, the position bias, the mask; S.

    For `only` one step, what each step makes has a column of its own, also where a mask is all that
    follows, and only that step's results are checked.
    """
    d, scale, apart = page.d, scale_of(page), only is not None

    def checked(made_by: str, printed: list[str], recomputed: Sequence[Reading]) -> list[str]:
        return _checked(page, printed, recomputed, made_here=only in (None, made_by))

    def printed(values: Array) -> list[str]:
        return texts(notation(values, page.digits), values[keys])

    dots = printed(d.dots)
    made = [Column("dots", rf"q_{{{d.token}}} \cdot k_j", "q·k", dots, marked=False)]
    so_far = [read(dot) * scale.factor for dot in dots]
    last, step = scale.tex or _word(page, "no_scale"), "scale"
    if scale.tex and (d.capped is not None or d.bias is not None or (apart and d.mask is not None)):
        scaled = printed(d.scaled)
        made.append(Column("scale", scale.tex, "", checked("scale", scaled, so_far)))
        so_far = list(map(read, scaled))
    if d.capped is not None and d.softcap is not None:
        cap, last, step = Reading(d.softcap), _word(page, "capped"), "softcap"
        so_far = [(score / cap).tanh() * cap for score in so_far]
        if not (d.bias is None and d.mask is None):
            capped = printed(d.capped)
            made.append(Column("softcap", last, "", checked("softcap", capped, so_far)))
            so_far = list(map(read, capped))
    if d.bias is not None:
        bias = printed(d.bias)
        if apart and d.bias_terms is not None:
            made += _bias_columns(page, d.bias_terms, keys, bias, made_here=only == "bias")
        else:
            made.append(Column("bias", f"+ {_word(page, 'bias')}", "", bias, marked=False))
        so_far = [score + read(term) for score, term in zip(so_far, bias, strict=True)]
        step = "bias"
        if apart and d.mask is not None and d.biased is not None:
            biased = printed(d.biased)
            made.append(Column("bias", _word(page, "biased"), "", checked("bias", biased, so_far)))
            so_far = list(map(read, biased))
    if d.mask is not None:
        mask = [f"{term:g}" for term in d.mask[keys].tolist()]
        made.append(Column("mask", _word(page, "mask"), "", mask, marked=False))
        step = "mask"
    scores = texts(notation(d.scores, page.digits), d.scores[keys])
    cells = [
        f"{score} " if hidden or only not in (None, step) else page.checked(score, recomputed)
        for score, recomputed, hidden in zip(scores, so_far, d.hidden[keys], strict=True)
    ]
    alone = d.bias is None and d.mask is None
    head = f"{last} = S" if alone else "S"
    return [*made, Column(step, head, "S", cells, ("", f"{row_max(page) or ''} ", ""))]


def row_max(page: Page) -> str | None:
    """The largest score as printed; None if every key is masked."""
    row_max = page.d.row_max
    return None if row_max is None else notation(page.d.scores, page.digits).write(row_max)


def softmax_columns(
    page: Page, keys: Indices, others: Indices, *, only: str | None = None
) -> list[Column]:
    """exp(S - max), and its share of the sum: a. `only` as in `term_columns`."""
    d, peak = page.d, row_max(page)
    heads = (
        ("softmax", rf"\exp(S{{-}}{_word(page, 'max')})", "exp"),
        ("weights", rf"\div {_word(page, 'sum')} = a", "a"),
    )
    if peak is None:
        return [Column(*head, ["— "] * len(keys)) for head in heads]
    fixed = Notation(page.digits, "f")
    scores = texts(notation(d.scores, page.digits), d.scores[keys])
    exps, a = texts(fixed, d.exponentials[keys]), texts(fixed, d.a[keys])
    sums = fixed.write(d.exp_sum), fixed.write(float(sum_over(d.a, np.arange(len(d.a)))))
    recomputed = (
        [(read(s) - read(peak)).exp() for s in scores],
        [read(e) / read(sums[0]) for e in exps],
    )
    made = []
    for head, addends, ends, values, result in zip(
        heads, (exps, a), recomputed, (d.exponentials, d.a), sums, strict=True
    ):
        here = only in (None, head[0])
        cells = _checked(page, addends, ends, made_here=here)
        rest = [fixed.write(float(sum_over(values, others)))] if len(others) else []
        (summed,) = _checked(page, [result], [total([*addends, *rest])], made_here=here)
        made.append(Column(*head, cells, ("".join(given(rest)), "", summed)))
    return made


def step_columns(page: Page, key: str) -> list[Column]:
    """What goes into the step and what comes out of it, of the columns over the keys."""
    shown, others = shown_keys(page.d)
    terms = term_columns(page, shown, only=key)
    if key in ("softmax", "weights"):
        S = replace(terms[-1], head="S")
        made = [S, *softmax_columns(page, shown, others, only=key)]
        return made if key == "weights" else made[:2]
    own = [at for at, column in enumerate(terms) if column.step == key]
    if not own or key == "dots":
        return terms[:1]
    return terms[own[0] - 1 : own[-1] + 1]


def keys_note(page: Page, key: str) -> str:
    """Which keys a step shows, if not all and no line of the others says so."""
    shown, others = shown_keys(page.d)
    told = key in ("softmax", "weights")
    return page.left_out(len(shown)) if len(others) and not told else ""


def foot_names(page: Page, others: Indices) -> Foot:
    """What the lines under the keys are called."""
    return page.counted(len(others), "others"), page.say("max"), page.say("sum")
