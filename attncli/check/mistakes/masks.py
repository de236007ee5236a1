"""Mistakes in the mask: who may look at whom."""

from dataclasses import replace
from typing import Any

import numpy as np

from attncli.attention import softmax
from attncli.check.chain import Chain
from attncli.check.compare import span
from attncli.check.mistakes.hiding import (
    causal,
    hidden,
    masked_rows,
    padding,
    padding_on_rows,
    without_causal,
    without_padding,
)
from attncli.check.mistakes.record import Mistake, Variant, one
from attncli.check.nodes import MASKED, Missing, Step
from attncli.check.reading import Values


def _plus_infinity(c: Chain) -> Values:
    if c.target is not None and c.target_node == "S" and not np.isposinf(c.target).any():
        raise Missing("an inf in S")
    return np.where(hidden(c), np.inf, c["biased"])


def _plus_a_billion(c: Chain) -> Values:
    """In float64, which loses some of the digits of the score; in S itself they do not count."""
    if c.target_node == "S":
        return np.where(hidden(c), np.inf, c["biased"])
    return c["biased"] + np.where(hidden(c), 1e9, 0.0)


def _nan_rows(c: Chain) -> Values:
    S = c["S"]
    return np.where(np.isposinf(S).any(-1, keepdims=True), np.nan, softmax(np.minimum(S, 1e300)))


def _only_hidden(c: Chain) -> Values:
    """The softmax of scores to which a number as large as 1e9 was added where they are masked."""
    flags, S = np.broadcast_to(hidden(c), c["biased"].shape), c["biased"]
    return softmax(np.where(flags | ~flags.any(-1, keepdims=True), S, -np.inf))


def _only_hidden_uniform(c: Chain) -> Values:
    flags, S = np.broadcast_to(hidden(c), c["biased"].shape), c["biased"]
    count = np.maximum(flags.sum(-1, keepdims=True), 1)
    return np.where(flags.any(-1, keepdims=True), flags / count, softmax(S))


def _weak_constant(c: Chain) -> float | None:
    """What was added to the masked scores, read off S or A: the same number everywhere."""
    if c.target is None or c.target_node not in ("S", "A"):
        return None
    try:
        flags = np.broadcast_to(hidden(c), c["biased"].shape)
    except Missing:
        return None
    user, S = c.target, c["biased"]
    if user.shape != S.shape:
        return None
    with np.errstate(all="ignore"):
        added = np.log(user) - S if c.target_node == "A" else user - S
    usable = np.isfinite(added)
    if c.target_node == "A":
        seen = usable & ~flags
        count = seen.sum(-1, keepdims=True)
        offset = np.where(seen, added, 0).sum(-1, keepdims=True) / np.maximum(count, 1)
        usable &= (count > 0) & (user > 1e-30)
        added = added - offset
    found = added[usable & flags]
    if len(found) < 3 or np.count_nonzero(usable) < np.count_nonzero(flags) // 2:
        return None
    constant = float(np.median(found))
    return constant if MASKED < constant < 1 else None


def _weak(c: Chain) -> Values:
    return c["biased"] + np.where(hidden(c), c.constant, 0.0)


def _weak_words(c: Chain, user: Values, constant: Any) -> str:
    flags = np.broadcast_to(hidden(c), user.shape)
    text = f"the masked scores have {constant:z.4f} more than without a mask"
    if c.target_node == "A":
        text += f"; the largest weight at a masked place is {np.nanmax(user[flags]):.3g}"
    return text


def _above_words(c: Chain, user: Values, _constant: Any) -> str:
    if c.target_node != "A" or user.shape[-2:] != (len(c.row_numbers()), c.problem.m):
        return ""
    above = np.broadcast_to(causal(c), user.shape)
    on = np.broadcast_to(causal(c, 0) & ~causal(c), user.shape)
    heads = max(len(user), 1)
    return (
        f"per head, the weights above the diagonal sum to {np.nansum(user[above]) / heads:.3f}, "
        f"those on it to {np.nansum(user[on]) / heads:.3f}"
    )


def _masked_words(c: Chain, user: Values, _constant: Any) -> str:
    if c.target_node != "A":
        return ""
    flags = np.broadcast_to(hidden(c), user.shape)
    return f"of all weight {np.nansum(user[flags]) / np.nansum(user):.1%} is at masked places"


def _pad_words(c: Chain, user: Values, _constant: Any) -> str:
    if c.target_node != "A":
        return ""
    real = ~padding(c)[c.row_numbers()] if c.problem.n == c.problem.m else slice(None)
    weight = user[:, real][..., padding(c)].sum(-1)
    return f"of the weight of real tokens, padding has {span(weight)}"


def _row_words(_c: Chain, user: Values, _constant: Any) -> str:
    return f"the rows of A sum to {span(user.sum(-1))}"


def _uniform_in_masked_rows(c: Chain) -> Values:
    A = c.right("A")
    if A.shape[1:] != c["hidden"].shape[1:]:
        raise Missing("A of tokens")
    return np.where(masked_rows(c)[..., None], 1 / A.shape[-1], A)


def _uniform_words(c: Chain, _user: Values, _constant: Any) -> str:
    rows = np.flatnonzero(masked_rows(c).any(0))
    first = f"{len(rows)} of {c.problem.n} rows, the first is row {rows[0]}"
    return f"{first}: each weight is 1/{c.problem.m}"


_CAUSAL = "mask = np.triu(np.full((n, n), -np.inf), k=1)  # added to S before the softmax"

_TOO_WEAK = Mistake(
    key="mask_too_weak",
    number="M-10",
    title="the number that masks a score is too weak",
    explanation=(
        "What is added to a masked score has to be -inf, or as low as -1e9 (-1e4 in float16): "
        "a slip such as -1e-9 or 0 masks nothing."
    ),
    right_code=_CAUSAL,
    variants=one(S=_weak),
    fit=_weak_constant,
    evidence=_weak_words,
)


def _with_constant(constant: float) -> Step:
    """A constant that people use, where neither S nor A is there to read it off."""

    def wrong(c: Chain) -> Values:
        if c.target_node in ("S", "scaled", "A"):
            raise Missing("nothing: the constant is read off")
        return c["biased"] + np.where(hidden(c), constant, 0.0)

    return wrong


MASKS = (
    Mistake(
        key="no_causal_mask",
        number="M-08",
        title="the causal mask is missing",
        explanation="A token also looks at those that come after it.",
        right_code=_CAUSAL,
        variants=one(hidden=without_causal),
        evidence=_above_words,
    ),
    Mistake(
        key="causal_diagonal_0",
        number="M-08",
        title="the causal mask hides the diagonal too",
        explanation="A token cannot see itself, and the first one sees nothing.",
        right_code=_CAUSAL,
        variants=one(hidden=lambda c: without_causal(c) | causal(c, 0)),
        evidence=_above_words,
    ),
    Mistake(
        key="causal_diagonal_2",
        number="M-08",
        title="the causal mask begins one place too far to the right",
        explanation="Every token sees one token ahead.",
        right_code=_CAUSAL,
        variants=one(hidden=lambda c: without_causal(c) | causal(c, 2)),
        evidence=_above_words,
    ),
    Mistake(
        key="mask_inverted",
        number="M-07",
        title="the mask is the wrong way round",
        explanation=(
            "True means 'keep' in torch's scaled_dot_product_attention and 'ignore' in "
            "nn.MultiheadAttention: what should be hidden is seen, and the other way round."
        ),
        right_code="S = np.where(keep, S, -np.inf)",
        variants=one(hidden=lambda c: ~hidden(c)),
        evidence=_masked_words,
    ),
    Mistake(
        key="mask_plus_inf",
        number="M-08",
        title="the mask has the wrong sign: +inf, or a large positive number",
        explanation="A masked score has to be the smallest; here it is the largest of its row.",
        right_code=_CAUSAL,
        variants=(
            Variant({"S": _plus_infinity, "weights": _nan_rows}),
            Variant({"S": _plus_a_billion, "weights": lambda c: softmax(c["S"])}),
            Variant({"weights": _only_hidden}),
            Variant({"weights": _only_hidden_uniform}),
        ),
        evidence=_masked_words,
        lasting=True,
    ),
    Mistake(
        key="mask_after_softmax",
        number="M-09",
        title="the mask was applied after the softmax",
        explanation=(
            "Masked weights are 0, but they took their share before: the rows no longer sum to 1."
        ),
        right_code="A = softmax(np.where(keep, S, -np.inf))",
        variants=one(S=lambda c: c["biased"], A=lambda c: np.where(hidden(c), 0, c["weights"])),
        evidence=_row_words,
    ),
    Mistake(
        key="scores_times_mask",
        number="M-09",
        title="the scores were multiplied by a mask of zeros and ones",
        explanation="A masked score becomes 0, and exp(0) = 1 still counts in the softmax.",
        right_code="S = np.where(keep, S, -np.inf)  # instead of S * keep",
        variants=one(S=lambda c: np.where(hidden(c), 0, c["biased"])),
        evidence=_masked_words,
    ),
    Mistake(
        key="padding_attended",
        number="M-11",
        title="padding is looked at",
        explanation="The mask of the padding is missing: pads take weight from the real tokens.",
        right_code="S = np.where(is_pad[None, None, :], -np.inf, S)  # (1, 1, m): the keys",
        variants=one(hidden=without_padding),
        evidence=_pad_words,
    ),
    Mistake(
        key="padding_on_queries",
        number="M-11",
        title="the padding was masked along the rows instead of the columns",
        explanation=(
            "Pads have to be hidden as keys (columns). Hidden as queries (rows), real tokens still "
            "look at them."
        ),
        right_code="S = np.where(is_pad[None, None, :], -np.inf, S)  # not is_pad[None, :, None]",
        variants=one(hidden=padding_on_rows),
        evidence=_pad_words,
    ),
    _TOO_WEAK,
    replace(
        _TOO_WEAK,
        variants=tuple(
            Variant({"S": _with_constant(c)}, f"{c:g}") for c in (-1e-9, -1, -2, -3, -5, -10, -20)
        ),
        fit=None,
        evidence=None,
    ),
    Mistake(
        key="masked_row_uniform",
        number="M-10",
        title="a token without a permitted key looks at all of them alike",
        explanation=(
            "Where every score of a row has the same large negative number, the softmax takes it "
            "away again: set the row to 0 afterwards, or permit the token itself."
        ),
        right_code="A = np.where(keep.any(-1, keepdims=True), A, 0)",
        variants=one(A=_uniform_in_masked_rows),
        evidence=_uniform_words,
    ),
    Mistake(
        key="mask_plus_one_on_permitted",
        number="O-06",
        title="the mask adds 1 to the scores that are permitted",
        explanation="The same number for all permitted scores of a row changes nothing in A.",
        right_code=_CAUSAL,
        variants=one(S=lambda c: np.where(hidden(c), -np.inf, c["biased"] + 1)),
        harmless=True,
    ),
)
