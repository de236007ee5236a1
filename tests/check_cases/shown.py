"""What the saved arrays show, worked out from them alone."""

from collections.abc import Mapping, Sequence

import numpy as np

from check_cases.attention import RIGHT, Array, Arrays, Problem, Step, again
from check_cases.mistakes import MISTAKES, Mistake
from check_cases.saving import HALF


def _far(mine: Array, right: Array, storage: str) -> bool:
    """Whether two arrays differ by more than rounding can explain."""
    if mine.shape != right.shape:
        return True
    with np.errstate(all="ignore"):
        seen = np.isfinite(mine) & (mine > -1e3) & np.isfinite(right) & (right > -1e3)
        hidden = ~np.isfinite(mine) | (mine < -1e3), ~np.isfinite(right) | (right < -1e3)
        if (hidden[0] != hidden[1]).any():
            return True
        gap = abs(np.where(seen, mine - right, 0)).max(initial=0)
        size = abs(np.where(seen, right, 0)).max(initial=0)
    return bool(gap > (0.05 if storage in HALF else 2e-3) * max(size, 0.2))


def _rows(p: Problem, M: Array) -> Array:
    """Without the rows of padding, which may hold anything."""
    return M[..., ~p.pad, :] if p.n == p.m and M.ndim > 1 and M.shape[-2] == p.n else M


def differing(p: Problem, saved: Arrays, swaps: Mapping[str, Step], storage: str) -> list[str]:
    """Which saved arrays are not what `swaps` make of the nearest saved ones before them."""
    found = []
    for name in RIGHT:
        if name in saved:
            expected = again(name, p, saved, swaps)
            if expected is not None and _far(_rows(p, saved[name]), _rows(p, expected), storage):
                found.append(name)
    return found


def shows(p: Problem, saved: Arrays, mistakes: Sequence[Mistake], storage: str) -> bool:
    """Whether the saved arrays are wrong, and wrong without each one of the mistakes."""
    for left_out in mistakes:
        others = {k: v for m in mistakes if m is not left_out for k, v in m.swaps.items()}
        if not differing(p, saved, others, storage):
            return False
    return True


def _is_constant(name: str, saved: Array, expected: Array, biases: bool, storage: str) -> bool:
    """Whether only a bias that was not saved, or a constant in each row of S, was added."""
    if saved.shape != expected.shape or (name != "S_in" and name != "S" and biases):
        return False
    with np.errstate(invalid="ignore"):
        gap = saved.astype(np.float64) - expected
    gap = np.ma.masked_invalid(np.where(expected < -1e3, np.nan, gap))
    spread = np.ma.ptp(gap, axis=-1 if name.startswith("S") else -2).max()
    return bool(spread < (0.1 if storage in HALF else 1e-2))


def fits_nothing(p: Problem, saved: Arrays, storage: str) -> bool:
    """Whether something differs, and no known mistake and nothing harmless makes these numbers."""
    wrong = differing(p, saved, {}, storage)
    if not wrong:
        return False
    mine, biases = _rows(p, saved[wrong[0]]), "b_O" in saved
    plain = again(wrong[0], p, saved, {})
    if plain is not None and _is_constant(wrong[0], mine, _rows(p, plain), biases, storage):
        return False
    for mistake in MISTAKES:
        if biases or not mistake.bias:
            expected = again(wrong[0], p, saved, mistake.swaps)
            if expected is not None and not _far(mine, _rows(p, expected), storage):
                return False
    return True


def mask_shows(saved: Arrays) -> bool:
    """Whether A or S has its zeros, or its large numbers, where a key is hidden."""
    keep = saved["keep"]
    with np.errstate(invalid="ignore"):
        in_A = "A" in saved and ((saved["A"] != 0) == keep).all()
        in_S = "S_in" in saved and ((saved["S_in"] > -1e3) == keep).all()
    return bool(in_A or in_S)
