"""Mistakes in Q K^T, and scores that are others than ours and equally right."""

from typing import Any

import numpy as np

from attncli.attention import dot_products
from attncli.check.chain import Chain
from attncli.check.compare import span
from attncli.check.mistakes.record import Mistake, Variant, one
from attncli.check.nodes import MASKED, Missing
from attncli.check.reading import Values


def _transposed_dots(c: Chain) -> Values:
    Q, K = c["Q"], c["K"]
    if Q.shape != K.shape:
        raise Missing("Q and K of one shape")
    return dot_products(K, Q)


def _row_constant(c: Chain) -> Values | None:
    """What each row of the user's S has more than the right one: (h, n, 1)."""
    if c.target is None or c.target_node not in ("S", "scaled"):
        return None
    user, right = c.target, c[c.target_node]
    if user.shape != right.shape or user.shape[-1] < 4:
        return None
    with np.errstate(invalid="ignore"):
        usable = np.isfinite(user) & np.isfinite(right) & (user > MASKED)
        more = np.where(usable, user - right, 0).sum(-1, keepdims=True)
    shift: Values = more / np.maximum(usable.sum(-1, keepdims=True), 1)
    return shift


def _by_distance(c: Chain) -> Values | None:
    """What the user's S has more than the right one: at each distance j - i, and in each row.

    (h, n, m). A constant of the row, which means nothing, is what stands on the diagonal.
    """
    if c.problem.beside_model:
        return None
    if c.target is None or c.target_node not in ("S", "scaled"):
        return None
    user, right = c.target, c[c.target_node]
    if user.shape != right.shape or c.problem.n != c.problem.m or c.problem.n < 6:
        return None
    with np.errstate(invalid="ignore"):
        more = user - right
    rows = c.row_numbers()
    own = more[:, np.arange(len(rows)), rows][..., None]  # (h, n, 1)
    more, distance = more - own, np.arange(c.problem.m) - rows[:, None]
    usable = np.isfinite(more) & (user > MASKED)
    bias = np.broadcast_to(own, more.shape).copy()
    steps = distance - distance.min()
    for r, (head, there) in enumerate(zip(more, usable, strict=True)):
        total = np.bincount(steps[there], head[there], steps.max() + 1)
        count = np.bincount(steps[there], minlength=steps.max() + 1)
        bias[r] += (total / np.maximum(count, 1))[steps]
    return bias


def _plus_constant(node: str) -> Any:
    return lambda c: c.right(node) + c.constant


SCORES = (
    Mistake(
        key="S_transposed",
        number="M-15",
        title="Q and K are swapped: S is transposed",
        explanation="K Q^T has keys in its rows; the rows of S are the tokens that look, Q K^T.",
        right_code="S = Q @ K.transpose(0, 2, 1) / math.sqrt(d_k)",
        variants=one(dots=_transposed_dots),
        mixes_rows=True,
    ),
    Mistake(
        key="row_constant",
        number="O-01",
        title="each row of S has a constant more",
        explanation="The softmax takes it away again: A is the same. (Often the row's maximum.)",
        right_code="A = softmax(S)",
        variants=(
            Variant({"S": _plus_constant("S")}),
            Variant({"scaled": _plus_constant("scaled")}),
        ),
        harmless=True,
        general=True,
        fit=_row_constant,
        evidence=lambda _c, _user, more: f"{span(more)}, one number for each row",
    ),
    Mistake(
        key="position_bias",
        number="O-08",
        title="S holds a bias that depends on the distance of two tokens alone",
        explanation="Models with ALiBi or relative positions add one; it is not in the file.",
        right_code="S = Q @ K.transpose(0, 2, 1) * scale + bias",
        variants=(
            Variant({"S": _plus_constant("S")}),
            Variant({"scaled": _plus_constant("scaled")}),
        ),
        harmless=True,
        general=True,
        fit=_by_distance,
    ),
)
