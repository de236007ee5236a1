"""What an array shows where no known mistake explains it."""

import numpy as np

from attncli.attention import Array
from attncli.check.compare import Gap, span
from attncli.check.nodes import MASKED
from attncli.check.reading import Values

_AXES = {3: ("head", "row", "column"), 2: ("row", "column")}


def of_scores(S: Array) -> list[str]:
    """Symmetric or not, masked entries."""
    facts = []
    if S.ndim == 3 and S.shape[1] == S.shape[2] and S.shape[1] > 1:
        finite = np.where(np.isfinite(S), S, 0)
        apart = float(np.abs(finite - finite.transpose(0, 2, 1)).max())
        largest = float(np.abs(finite).max())
        facts.append("S is symmetric" if apart <= 1e-5 * largest else "S is not symmetric")
    if masked := int(np.count_nonzero(np.isneginf(S))):
        facts.append(f"{masked} of {S.size} scores are -inf")
    return facts


def of_weights(A: Array) -> list[str]:
    """Sums of rows, columns and heads; zeros; negative weights."""
    facts = [
        f"its {name} sum to {span(A.sum(axis))}" for name, axis in (("rows", -1), ("columns", -2))
    ]
    zeros = int(np.count_nonzero(A == 0))
    facts.append(f"{zeros} of {A.size} weights are 0")
    if bad := int(np.count_nonzero(A < 0)):
        facts.append(f"{bad} weights are negative")
    return facts


def of_difference(user: Array, right: Array, gap: Gap, tolerance: float) -> list[str]:
    """Where the difference is, and whether a factor or a vector explains it."""
    if user.shape != right.shape:
        return [f"your shape is {user.shape}, the right one {right.shape}"]
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(user - right) <= tolerance) & ~((right == -np.inf) & (user <= MASKED))
    wrong &= ~(np.isnan(user) & np.isnan(right))
    facts = [f"{np.count_nonzero(wrong)} of {wrong.size} entries differ"]
    for axis, name in enumerate(_AXES.get(user.ndim, ())):
        others = tuple(a for a in range(user.ndim) if a != axis)
        places = np.flatnonzero(wrong.any(axis=others))
        if 0 < len(places) < user.shape[axis] and len(places) <= 4:
            which = ", ".join(map(str, places))
            facts.append(f"only in {name}{'s' * (len(places) > 1)} {which}")
    facts += _masked_otherwise(user, right)
    return facts + _ratio(user, right) + _same_vector(user, right, gap)


def _masked_otherwise(user: Array, right: Array) -> list[str]:
    """Where the mask of S (very low) or A (0) is not the one that is meant."""
    yours, meant = ((M <= MASKED) | (M == 0) for M in (user, right))
    if not meant.any():
        return []
    ways = (
        (meant & ~yours, "seen and should be masked"),
        (yours & ~meant, "masked and should not"),
    )
    found = [(np.argwhere(places), words) for places, words in ways if places.any()]
    return [
        f"{len(places)} {'is' if len(places) == 1 else 'are'} {words}, the first at "
        f"({', '.join(map(str, places[0]))})"
        for places, words in found
    ]


def _ratio(user: Array, right: Array) -> list[str]:
    usable = np.isfinite(user) & np.isfinite(right) & (right != 0)
    if not usable.any():
        return []
    ratios = user[usable] / right[usable]
    low, middle, high = (float(x) for x in np.quantile(ratios, (0.05, 0.5, 0.95)))
    if abs(high - low) < 1e-3 * abs(middle) and abs(middle - 1) > 1e-3:
        return [f"nine tenths of the entries are {middle:.4f} times the right ones"]
    return []


def _same_vector(user: Array, right: Array, gap: Gap) -> list[str]:
    more = user - right
    if user.ndim != 2 or len(more) < 3 or not np.isfinite(more).all():
        return []
    spread = float(np.abs(more - more.mean(0)).max())
    return ["every row has the same vector more"] if spread < 1e-3 * gap.largest else []


def not_finite(values: Values, masked: bool) -> list[str]:
    """How many numbers are nan or inf, and where the first is; -inf in a masked S is none."""
    with np.errstate(invalid="ignore"):
        total = float(np.abs(values).max(initial=0)) if not masked else np.inf
    if np.isfinite(total):
        return []
    bad = np.isnan(values) | np.isposinf(values) if masked else ~np.isfinite(values)
    if not bad.any():
        return []
    first = tuple(int(i) for i in np.unravel_index(bad.argmax(), bad.shape))
    count = np.count_nonzero(bad)
    are = "is" if count == 1 else "are"
    return [f"{count} of its numbers {are} nan or inf, the first at {first}"]
