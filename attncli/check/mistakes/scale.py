"""Mistakes in the factor 1/sqrt(d_k)."""

import math
from collections.abc import Callable

import numpy as np

from attncli.attention import Array, scores
from attncli.check.chain import Chain
from attncli.check.compare import span
from attncli.check.mistakes.record import Mistake, Variant, one
from attncli.check.nodes import MASKED, Step
from attncli.check.reading import Values


def ratio_words(c: Chain, user: Values, _constant: object) -> str:
    """The user's S over the right one, where both are finite and not near 0."""
    if c.target_node not in ("S", "scaled"):
        return ""
    right = c[c.target_node]
    usable = np.isfinite(user) & np.isfinite(right) & (np.abs(right) > 0.05 * _largest(right))
    ratios = (user[usable] / right[usable]).ravel()
    if not ratios.size:
        return ""
    where = f"in all {ratios.size} entries" if ratios.size > 1 else "in one entry"
    return f"S / right S is {span(ratios)} {where}"


def _largest(values: Values) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0))


def _fitted_factor(c: Chain) -> float | None:
    """The factor between the user's S and the right one, or between the logarithms of A."""
    if c.target is None or c.target_node not in ("S", "scaled", "A"):
        return None
    right = c["scaled"]
    user, hidden = c.target, np.broadcast_to(c["hidden"], right.shape)
    if user.shape != right.shape:
        return None
    with np.errstate(all="ignore"):
        values = np.log(user) if c.target_node == "A" else user
    usable = (
        ~hidden
        & np.isfinite(values)
        & (values > MASKED)
        & ((user > 1e-6 * _largest(user)) if c.target_node == "A" else True)
    )
    if c.target_node == "A":  # each row's logarithms are its scores but for a constant
        values, right = centred(values, usable), centred(right, usable)
    if np.count_nonzero(usable) < 8 + c.target.shape[1]:
        return None
    x, y = right[usable], values[usable]
    square = float(x @ x)
    return float(x @ y) / square if square > 0 else None


def centred(values: Values, usable: Values) -> Values:
    """Each row less its mean over the usable entries, 0 elsewhere."""
    count = np.maximum(usable.sum(-1, keepdims=True), 1)
    mean = np.where(usable, values, 0).sum(-1, keepdims=True) / count
    return np.where(usable, values - mean, 0)


def _wrong_scale(key: str, title: str, why: str, factor: Callable[[Chain], float]) -> Mistake:
    return Mistake(
        key=key,
        number="M-02" if key == "no_scale" else "M-03",
        title=title,
        explanation=why,
        right_code="S = Q @ K.transpose(0, 2, 1) / math.sqrt(d_k)  # d_k: the width of one head",
        variants=one(scaled=lambda c: c["dots"] * factor(c)),
        evidence=ratio_words,
    )


def _unscaled(c: Chain) -> Array:
    return scores(c["dots"], 1.0, softcap=c.problem.softcap)


def _prescaled(*nodes: str, which: str) -> Variant:
    """The scale, or its root in each of two, is in these nodes instead of in the scores."""

    def scaled(node: str) -> Step:
        return lambda c: c.right(node) * c.problem.scale ** (1 / len(nodes))

    return Variant({**{node: scaled(node) for node in nodes}, "scaled": _unscaled}, which)


SCALE = (
    _wrong_scale(
        "no_scale",
        "the scale 1/sqrt(d_k) was left out",
        "Without it the scores are sqrt(d_k) times too large and the softmax is too sharp. "
        "(If Q had its scale before you saved it, S is right: save X and W_Q too.)",
        lambda _: 1.0,
    ),
    _wrong_scale(
        "scale_d_model",
        "the scores were divided by sqrt(d_model) instead of sqrt(d_k)",
        "The width of one head counts, d_k = d_model / h: the scores are too small by sqrt(h).",
        lambda c: 1 / math.sqrt(c.problem.d_model),
    ),
    _wrong_scale(
        "scale_sqrt_n",
        "the scores were divided by sqrt(n), the number of tokens",
        "The last axis of K^T is the number of tokens, not the width of a head.",
        lambda c: 1 / math.sqrt(c.problem.m),
    ),
    _wrong_scale(
        "scale_d_k",
        "the scores were divided by d_k, or twice by sqrt(d_k)",
        "Dividing by d_k and dividing twice by its root give the same numbers: too small by "
        "sqrt(d_k). (Models with muP do so on purpose.)",
        lambda c: 1 / c.problem.d_k,
    ),
    _wrong_scale(
        "scale_multiplied",
        "the scores were multiplied by sqrt(d_k) instead of divided",
        "They are d_k times too large: the softmax is far too sharp.",
        lambda c: math.sqrt(c.problem.d_k),
    ),
    Mistake(
        key="scale_other",
        number="M-03",
        title="the scores have another scale",
        explanation="All are the right ones times one factor, none of the usual wrong ones.",
        right_code="S = Q @ K.transpose(0, 2, 1) / math.sqrt(d_k)",
        variants=one(scaled=lambda c: c.right("scaled") * c.constant),
        general=True,
        fit=_fitted_factor,
        evidence=lambda _c, _user, factor: f"the factor is {factor:.5f}",
    ),
    Mistake(
        key="Q_prescaled",
        number="O-03",
        title="the scale is already in {which}",
        explanation="(Q / sqrt(d_k)) K^T is Q K^T / sqrt(d_k): the scores come out the same.",
        right_code="S = Q @ K.transpose(0, 2, 1)  # Q holds the scale",
        variants=(
            *(_prescaled(node, which=node[0]) for node in ("Q", "K")),
            _prescaled("Q", "K", which="Q and K, its root in each"),
            *(_prescaled(node, which=node[0]) for node in ("Q_flat", "K_flat")),
        ),
        harmless=True,
        lasting=True,
    ),
)
