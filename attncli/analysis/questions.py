"""Questions about one row, made from its numbers: what to ask before a step is shown.

Each kind aims at something that people get wrong or never asked themselves: the size of a vector,
the scale, the direction of the mask, what a row of A sums to, what the heads add. Which kind is
asked at a step, and about which keys, the seed decides.
"""

import math
from collections.abc import Callable
from random import Random

import numpy as np

from attncli import attention as at
from attncli.analysis.derive import Derivation
from attncli.analysis.path import Indices, length
from attncli.analysis.question import Number, OneOf, Question, YesNo
from attncli.attention import Array

_CLOSE = 1e-6  # of the largest: so near to it that rounding may decide which is larger
_CLEAR = 0.05  # of the largest: apart far enough to be asked about
_FACTORS = (0.2, 4.0)  # S_ij - S_ik: factors from 1.2 to 55, which can be estimated
_LOOKED_AT = 12  # keys of which pairs are made
_MOVED = 0.01  # a score that moves by less stays where it is


def _question(
    step: str,
    kind: str,
    answer: Number | YesNo | OneOf,
    *,
    why: str = "",
    **facts: float,
) -> Question:
    return Question(step, kind, answer, facts, why or kind)


def _largest(step: str, kind: str, what: str, values: Array, **facts: float) -> Question | None:
    """Which of all has the largest value: `best` with `value`, the next `second` with `other`.

    None where there is but one to choose.
    """
    if len(values) < 2:
        return None
    first, second = np.argsort(-values, kind="stable")[:2].tolist()
    value, other = values[[first, second]].tolist()
    right = np.flatnonzero(values >= value - _CLOSE * abs(value)).tolist()
    answer = OneOf(what, tuple(right), tuple(range(len(values))))
    facts |= {"best": first, "value": value, "second": second, "other": other}
    return Question(step, kind, answer, facts, why=kind)


def _largest_weight(d: Derivation, _: Random) -> Question | None:
    return None if d.row_max is None else _largest("x", "largest_weight", "key", d.a)


def _size_of_q(d: Derivation, _: Random) -> Question:
    d_k, h = len(d.q), len(d.z_cat) // len(d.z)
    return _question("query", "size_of_q", Number(d_k), d_model=len(d.x), count=h, d_k=d_k)


def _turned(d: Derivation, _: Random) -> Question | None:
    if d.query.turning is None:
        return None
    answer, why = YesNo(d.query.stretched), "stretched" if d.query.stretched else "turned"
    before, after = length(d.query.unrotated), length(d.q)
    return _question("rotary", "turned", answer, why=why, before=before, after=after)


def _some(keys: Indices, rng: Random) -> list[int]:
    """At most _LOOKED_AT of the keys, in order: as many as pairs are made of."""
    numbers = keys.tolist()
    return sorted(rng.sample(numbers, min(len(numbers), _LOOKED_AT)))


def _better_match(d: Derivation, rng: Random) -> Question | None:
    others = np.flatnonzero(np.arange(len(d.dots)) != d.key)  # what of the largest weight is known
    keys, dots = _some(others, rng), d.dots.tolist()
    apart = _CLEAR * float(np.abs(d.dots).max())
    pairs = [(j, k) for j in keys for k in keys if abs(dots[j] - dots[k]) > apart]
    if not pairs:
        return None
    j, k = rng.choice(pairs)
    answer = OneOf("key", (j if dots[j] > dots[k] else k,), (j, k))
    return _question("dots", "better_match", answer, j=j, k=k, at_j=dots[j], at_k=dots[k])


def _number_of_dots(d: Derivation, _: Random) -> Question:
    n = len(d.dots)
    return _question("dots", "number_of_dots", Number(n), d_k=len(d.q), keys=n)


def _scale(d: Derivation, _: Random) -> Question:
    d_k, usual = len(d.q), _usual_scale(d)
    why = "scale" if _has_usual_scale(d) else "other_scale"
    answer = Number(d.scale, 0.01 * abs(d.scale))
    return _question("scale", "scale", answer, why=why, d_k=d_k, scale=d.scale, usual=usual)


def _usual_scale(d: Derivation) -> float:
    return float(len(d.q) ** -0.5)


def _has_usual_scale(d: Derivation) -> bool:
    return math.isclose(d.scale, _usual_scale(d), rel_tol=1e-4)


def _scaled(d: Derivation, rng: Random) -> Question | None:
    if not _has_usual_scale(d):
        return None
    j = rng.randrange(len(d.dots))
    dot, scaled = float(d.dots[j]), float(d.scaled[j])
    answer = Number(scaled, 0.03 * abs(scaled) + 1e-3)
    scale, d_k = d.scale, len(d.q)
    return _question("scale", "scaled", answer, j=j, dot=dot, d_k=d_k, scale=scale, scaled=scaled)


def _positive(d: Derivation, rng: Random) -> Question | None:
    """Asked before the last step that can change the sign of a score, or should not."""
    seen = np.flatnonzero(~d.hidden).tolist()
    if not seen or (d.bias is None and d.softcap is not None):
        return None
    j = rng.choice(seen)
    score = float(d.scores[j])
    if d.bias is None:
        before, changed, why = float(d.dots[j]), d.scale, "positive_scaled"
    else:
        before = float((d.scaled if d.capped is None else d.capped)[j])
        changed, why = float(d.bias[j]), "positive_biased"
    step = "scale" if d.bias is None else "bias"
    facts = {"j": j, "before": before, "by": changed, "score": score}
    return Question(step, "positive", YesNo(score > 0), facts, why)


def _cap_moves(d: Derivation, _: Random) -> Question | None:
    if d.softcap is None or d.capped is None:
        return None
    moves = np.abs(d.capped - d.scaled)
    j = int(moves.argmax())
    return _question(
        "softcap",
        "cap_moves",
        YesNo(bool(moves[j] > _MOVED)),
        softcap=d.softcap,
        least=_MOVED,
        j=j,
        scaled=float(d.scaled[j]),
        capped=float(d.capped[j]),
    )


def _bias_raises(d: Derivation, rng: Random) -> Question | None:
    keys = [] if d.bias is None else np.flatnonzero(d.bias).tolist()
    if d.bias is None or not keys:
        return None
    j = rng.choice(keys)
    bias = float(d.bias[j])
    return _question("bias", "bias_raises", YesNo(bias > 0), j=j, bias=bias)


def _masked(d: Derivation, rng: Random) -> Question | None:
    if d.mask is None:
        return None
    sides = [np.flatnonzero(side).tolist() for side in (d.hidden, ~d.hidden)]
    j = rng.choice(rng.choice([side for side in sides if side]))
    masked = bool(d.hidden[j])
    return _question("mask", "masked", YesNo(masked), why="masked" if masked else "visible", j=j)


def _number_visible(d: Derivation, _: Random) -> Question | None:
    if d.mask is None:
        return None
    visible = int((~d.hidden).sum())
    why = "number_visible" if visible else "none_visible"
    answer = Number(visible)
    return _question("mask", "number_visible", answer, why=why, keys=len(d.a), visible=visible)


def _factor(d: Derivation, rng: Random) -> Question | None:
    keys, S = _some(np.flatnonzero(~d.hidden), rng), d.scores.tolist()
    low, high = _FACTORS
    pairs = [(j, k) for j in keys for k in keys if low <= S[j] - S[k] <= high]
    if not pairs:
        return None
    j, k = rng.choice(pairs)
    apart = S[j] - S[k]
    factor = math.exp(apart)
    facts = {"j": j, "k": k, "at_j": S[j], "at_k": S[k], "apart": apart, "factor": factor}
    return _question("softmax", "factor", Number(factor, 0.15 * factor), **facts)


def _row_sum(d: Derivation, _: Random) -> Question:
    why = "row_sum" if d.row_max is not None else "row_sum_masked"
    total = float(d.a.sum(dtype=float))
    return _question("weights", "row_sum", Number(total, 1e-3), why=why, sum=total, keys=len(d.a))


def without_scale(d: Derivation) -> Array:
    """(n,) What the row's weights were if the dot products entered the softmax unscaled."""
    return at.softmax(at.scores(d.dots, 1.0, d.mask, softcap=d.softcap, bias=d.bias))


def _unscaled(d: Derivation, rng: Random) -> Question | None:
    a = without_scale(d)
    keys = np.flatnonzero(np.abs(a - d.a) > _CLEAR * d.a.max()).tolist()
    if not keys:
        return None
    j = rng.choice(keys)
    why = "unscaled" if d.scale < 1 else "unscaled_above_1"
    facts = {"j": j, "a": float(d.a[j]), "unscaled": float(a[j]), "scale": d.scale}
    return _question("weights", "unscaled", YesNo(bool(a[j] > d.a[j])), why=why, **facts)


def _adds_most(d: Derivation, _: Random) -> Question | None:
    if d.row_max is None:
        return None
    lengths = np.array([length(part) for part in d.a_v])
    j = int(lengths.argmax())
    return _largest("weigh", "adds_most", "key", lengths, a=float(d.a[j]), v=length(d.v[j]))


def _size_of_z(d: Derivation, _: Random) -> Question:
    d_v = len(d.z)
    return _question("sum", "size_of_z", Number(d_v), keys=len(d.a), d_v=d_v)


def _nearest_value(d: Derivation, _: Random) -> Question | None:
    if d.row_max is None:
        return None
    distances = np.array([length(v - d.z) for v in d.v])
    j = int(distances.argmin())
    weighs = {"a": float(d.a[j]), "distance": float(distances[j])}
    return _largest("sum", "nearest_value", "key", -distances, **weighs)


def _size_of_z_cat(d: Derivation, _: Random) -> Question:
    d_v, total = len(d.z), len(d.z_cat)
    h = total // d_v
    return _question("heads", "size_of_z_cat", Number(total), count=h, d_v=d_v, total=total)


def _top_head(d: Derivation, _: Random) -> Question | None:
    norms = d.share_norms
    return None if norms is None else _largest("output", "top_head", "head", norms)


def _size_of_y(d: Derivation, _: Random) -> Question | None:
    if d.y is None:
        return None
    d_model = len(d.y)
    return _question("output", "size_of_y", Number(d_model), rows=len(d.z_cat), d_model=d_model)


_MAKERS: tuple[Callable[[Derivation, Random], Question | None], ...] = (
    _largest_weight,
    _size_of_q,
    _turned,
    _better_match,
    _number_of_dots,
    _scale,
    _scaled,
    _positive,
    _cap_moves,
    _bias_raises,
    _masked,
    _number_visible,
    _factor,
    _row_sum,
    _unscaled,
    _adds_most,
    _size_of_z,
    _nearest_value,
    _size_of_z_cat,
    _top_head,
    _size_of_y,
)


def questions(d: Derivation, seed: int) -> dict[str, Question]:
    """At most one question for each step, by the step's key; a step may have none.

    The same row and the same seed give the same questions.
    """
    rng = Random(f"{seed} L{d.layer}H{d.head} {d.token}")
    made: dict[str, list[Question]] = {}
    for make in _MAKERS:
        if question := make(d, rng):
            made.setdefault(question.step, []).append(question)
    return {step: rng.choice(choices) for step, choices in made.items()}
