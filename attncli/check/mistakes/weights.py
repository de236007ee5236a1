"""Mistakes in the softmax, and in what becomes of A afterwards."""

import math
from typing import Any

import numpy as np

from attncli.attention import softmax
from attncli.check.chain import Chain
from attncli.check.compare import span
from attncli.check.mistakes.record import Mistake, Variant, one
from attncli.check.mistakes.scale import centred
from attncli.check.nodes import MASKED, Missing, without_weak
from attncli.check.reading import Values


def _softmax_along(axis: int) -> Any:
    def wrong(c: Chain) -> Values:
        S = without_weak(c["S"])
        A = np.moveaxis(softmax(np.moveaxis(S, axis, -1)), -1, axis)
        return np.where(np.isneginf(S).all(axis, keepdims=True), np.nan, A)

    return wrong


def _softmax_of_all(c: Chain) -> Values:
    S = without_weak(c["S"])
    return softmax(S.reshape(len(S), -1)).reshape(S.shape)


def _softmax_of_all_heads(c: Chain) -> Values:
    S = without_weak(c["S"])
    return softmax(S.reshape(1, -1)).reshape(S.shape)


def _twice_masked(c: Chain) -> Values:
    return softmax(np.where(c["hidden"], -np.inf, c.right("weights")))


def _exponentials(c: Chain) -> Values:
    S = without_weak(c["S"])
    return np.exp(S)


def _sums(axis: int, name: str) -> Any:
    def words(_c: Chain, user: Values, _constant: Any) -> str:
        return f"{name} sum to {span(user.sum(axis))}, the rows to {span(user.sum(-1))}"

    return words


def _largest_words(_c: Chain, user: Values, _constant: Any) -> str:
    return f"the weights are {span(user)}"


def _matrix_words(c: Chain, user: Values, _constant: Any) -> str:
    return f"one matrix for {c.problem.h} heads; its rows sum to {span(user.sum(-1))}"


def _dropped(c: Chain) -> float | None:
    """The factor 1/(1-p) of the weights that are left, if others are 0 as often as p says."""
    if c.target is None or c.target_node != "A":
        return None
    right, user = c["A"], c.target
    if user.shape != right.shape:
        return None
    alive = right > 1e-6 * right.max()
    kept = alive & (user > 0)
    zeros, total = int(np.count_nonzero(alive & (user == 0))), int(np.count_nonzero(alive))
    if not zeros or np.count_nonzero(kept) < 4:
        return None
    factor = float(np.median(user[kept] / right[kept]))
    p = 1 - 1 / factor if factor > 1.001 else 0.0
    likely = abs(zeros - p * total) <= 5 * math.sqrt(max(p * (1 - p) * total, 1))
    return factor if p and likely else None


def _dropout(c: Chain) -> Values:
    assert c.target is not None
    weights = c.right("A")
    if c.target.shape != weights.shape:
        raise Missing("A")
    return np.where(c.target == 0, 0, weights * c.constant)


def _dropout_words(c: Chain, user: Values, factor: float) -> str:
    zeros = float(((user == 0) & (c["A"] > 1e-6)).sum() / max((c["A"] > 1e-6).sum(), 1))
    return (
        f"{zeros:.1%} of the weights are 0 and all others are the right ones times {factor:.4f}: "
        f"p = {1 - 1 / factor:.4f}"
    )


def _factor_of_A(c: Chain) -> float | None:
    """The c of A = softmax(c S), read off the logarithms of A."""
    if c.target is None or c.target_node != "A" or "S" not in c.given:
        return None
    S, A = without_weak(c["S"]), c.target
    if S.shape != A.shape:
        return None
    usable = np.isfinite(S) & (A > 1e-6)
    if np.count_nonzero(usable) < 8 + A.shape[1]:
        return None
    x, y = centred(S, usable)[usable], centred(np.log(A), usable)[usable]
    return float(x @ y) / float(x @ x) if x.any() else None


def _rescaled(checked: bool) -> Any:
    """A = softmax(c S), where S was checked against Q K^T, or could not be."""

    def wrong(c: Chain) -> Values:
        if checked != ("Q" in c.given or "Q_flat" in c.given):
            raise Missing("nothing: the other record speaks of it")
        return softmax(without_weak(c["S"]) * c.constant)

    return wrong


WEIGHTS = (
    Mistake(
        key="softmax_over_queries",
        number="M-01",
        title="the softmax runs over the queries instead of the keys",
        explanation="The columns of A sum to 1; it is the rows that have to.",
        right_code="A = softmax(S, axis=-1)",
        variants=one(weights=_softmax_along(-2)),
        evidence=_sums(-2, "the columns"),
        mixes_rows=True,
    ),
    Mistake(
        key="softmax_over_heads",
        number="M-01",
        title="the softmax runs over the heads",
        explanation="At every place the weights of all heads sum to 1; each row of a head has to.",
        right_code="A = softmax(S, axis=-1)",
        variants=one(weights=_softmax_along(0)),
        evidence=_sums(0, "the heads, at every place,"),
        mixes_heads=True,
    ),
    Mistake(
        key="softmax_over_everything",
        number="M-01",
        title="the softmax runs over the whole matrix at once",
        explanation="All weights of a matrix together sum to 1, instead of each row.",
        right_code="A = softmax(S, axis=-1)",
        variants=(
            Variant({"weights": _softmax_of_all}),
            Variant({"weights": _softmax_of_all_heads}),
        ),
        evidence=lambda _c, user, _k: (
            f"each head sums to {span(user.sum((-1, -2)))}, all together to {user.sum():.4f}"
        ),
        mixes_rows=True,
        mixes_heads=True,
    ),
    Mistake(
        key="softmax_of_length_one",
        number="M-01",
        title="the softmax runs over an axis of length 1",
        explanation="The only number along that axis becomes 1, whatever it was.",
        right_code="A = softmax(S, axis=-1)",
        variants=one(weights=lambda c: np.ones_like(c["S"])),
        evidence=_largest_words,
    ),
    Mistake(
        key="softmax_twice",
        number="M-16",
        title="the softmax was taken twice",
        explanation="The second one sees numbers between 0 and 1 and makes them almost equal.",
        right_code="A = softmax(S)",
        variants=(
            Variant({"weights": lambda c: softmax(c.right("weights"))}),
            Variant({"weights": _twice_masked}),
        ),
        evidence=_largest_words,
    ),
    Mistake(
        key="scale_after_S",
        number="M-03",
        title="between S and A the scores were multiplied once more",
        explanation="A is the softmax of S times a factor, which S already holds.",
        right_code="A = softmax(S)",
        variants=one(weights=_rescaled(checked=True)),
        general=True,
        fit=_factor_of_A,
        evidence=lambda _c, _user, factor: f"A = softmax({factor:.4f} S)",
    ),
    Mistake(
        key="S_before_scale",
        number="O-07",
        title="S was saved before it was scaled",
        explanation="A is the softmax of S times one factor: right, if that is 1/sqrt(d_k).",
        right_code="A = softmax(S)",
        variants=one(weights=_rescaled(checked=False)),
        harmless=True,
        general=True,
        fit=_factor_of_A,
        evidence=lambda _c, _user, factor: (
            f"A = softmax({factor:.4f} S), which is 1/sqrt(d_k) for d_k = {factor**-2:.2f}"
        ),
    ),
    Mistake(
        key="no_softmax",
        number="M-16",
        title="the softmax is missing",
        explanation="These are the scores themselves.",
        right_code="A = softmax(S)",
        variants=(
            Variant({"weights": lambda c: c["S"]}),
            Variant({"weights": lambda c: np.where(c["S"] <= MASKED, 0, c["S"])}),
        ),
        evidence=_largest_words,
    ),
    Mistake(
        key="not_normalised",
        number="M-16",
        title="the exponentials were not divided by their sum",
        explanation="exp(S) alone is no softmax: each row has to be divided by its sum.",
        right_code="A = E / E.sum(axis=-1, keepdims=True)",
        variants=one(weights=_exponentials),
        evidence=_sums(-2, "the columns"),
    ),
    Mistake(
        key="dropout",
        number="M-12",
        title="dropout was on",
        explanation=(
            "In training mode some weights become 0 and the others are multiplied by 1/(1-p): "
            "call model.eval() first."
        ),
        right_code="model.eval()",
        variants=one(A=_dropout),
        fit=_dropped,
        evidence=_dropout_words,
    ),
    Mistake(
        key="mean_over_heads",
        number="M-13",
        title="this is the mean of A over the heads",
        explanation=(
            "nn.MultiheadAttention returns the average by default; a mean is flatter than any head."
        ),
        right_code="mha(x, x, x, average_attn_weights=False)",
        variants=one(A=lambda c: c.right("A").mean(0, keepdims=True)),
        evidence=_matrix_words,
        mixes_heads=True,
    ),
    Mistake(
        key="sum_over_heads",
        number="M-13",
        title="this is the sum of A over the heads",
        explanation="Each head has a matrix of its own, whose rows sum to 1.",
        right_code="A = softmax(S)  # (h, n, n), not summed",
        variants=one(A=lambda c: c.right("A").sum(0, keepdims=True)),
        evidence=_matrix_words,
        mixes_heads=True,
    ),
    Mistake(
        key="mean_of_scores",
        number="M-13",
        title="the scores were averaged over the heads before the softmax",
        explanation="Each head has a softmax of its own.",
        right_code="A = softmax(S)  # (h, n, n)",
        variants=one(weights=lambda c: softmax(without_weak(c["S"].mean(0, keepdims=True)))),
        evidence=_matrix_words,
        mixes_heads=True,
    ),
)
