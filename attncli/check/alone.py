"""What can be said from A alone, in the words "consistent with"."""

from collections.abc import Iterator

import numpy as np

from attncli.attention import Array, Flags
from attncli.check.compare import BASE, span
from attncli.check.reading import Values
from attncli.check.report import Verdict

# How far the sum of a row may be from 1, by the type whose numbers these are.
_SUMS = {**BASE, "float64": 1e-6}


def alone(A: Values, precision: str) -> tuple[Verdict, list[str]]:
    """(consistent or differs, what the matrices show): (h, n, m)."""
    if A.dtype.kind != "f":
        A = A.astype(np.float64)
    with np.errstate(all="ignore"):  # what is nan or infinite is told as such
        return _told(A, _SUMS[precision])


def _told(A: Values, tolerance: float) -> tuple[Verdict, list[str]]:
    rows = A.sum(-1, dtype=np.float64)  # (h, n)
    usable = np.isfinite(rows) & (rows != 0)  # a row of zeros or nan has no permitted key
    right = bool(usable.any()) and bool((np.abs(rows[usable] - 1) <= tolerance).all())
    broken = _broken(A)
    right &= not bool((A < 0).any()) and not broken.any()
    said = [f"its rows sum to {span(rows)}"]
    said += _other_sums(A, rows, tolerance, right)
    if A.shape[1] == A.shape[2] > 1:
        said += _triangle(A, rows, tolerance, right)
    said += _rows(A, usable, broken)
    said += _heads(A)
    return (Verdict.consistent if right else Verdict.differs), said


def _all_one(sums: Array, tolerance: float) -> bool:
    return bool((np.abs(sums - 1) <= tolerance).all())


def _other_sums(A: Values, rows: Array, tolerance: float, right: bool) -> Iterator[str]:
    if right:
        yield "consistent with a softmax along each row"
        return
    if (A < 0).any():
        yield "it has negative numbers: consistent with scores, before any softmax (M-16)"
        return
    if _all_one(A.sum(-2, dtype=np.float64), tolerance):
        yield "its columns sum to 1: consistent with a softmax over the queries (M-01)"
    if len(A) > 1 and _all_one(A.sum(0, dtype=np.float64), tolerance):
        yield "at every place the heads sum to 1: consistent with a softmax over the heads (M-01)"
    if _all_one(A.sum((-1, -2), dtype=np.float64), tolerance):
        yield "each matrix sums to 1: consistent with a softmax over everything (M-01)"
    if (A == 1).all():
        yield "every weight is 1: consistent with a softmax over an axis of length 1 (M-01)"
    count = float(np.round(rows.flat[0]))
    if count > 1 and (np.abs(rows - count) <= count * tolerance).all() and (A != 1).any():
        yield f"every row sums to {count:.0f}: consistent with a sum over {count:.0f} heads (M-13)"
    zeros = float((A == 0).mean())
    scattered = rows.min() < 1 - tolerance and rows.max() > 1 + tolerance
    if scattered and 0 < zeros < 0.6 and not _triangular(A):
        yield f"the sums scatter around 1 and {zeros:.1%} are 0: consistent with dropout (M-12)"


def _triangular(A: Values) -> bool:
    n, m = A.shape[1:]
    return n == m and not A[:, np.triu(np.ones((n, n), np.bool_), 1)].any()


def _triangle(A: Values, rows: Array, tolerance: float, right: bool) -> Iterator[str]:
    """What stands above, on and below the diagonal."""
    n = A.shape[1]
    above = np.triu(np.ones((n, n), np.bool_), 1)
    diagonal = np.eye(n, dtype=np.bool_)
    below = ~above & ~diagonal
    with np.errstate(invalid="ignore"):
        empty = [not np.nan_to_num(A[:, places]).any() for places in (above, diagonal, below)]
    if empty[0] and empty[1]:
        yield (
            "all on and above the diagonal is 0: consistent with a causal mask that hides the "
            "token itself (M-08)"
        )
    elif empty[0]:
        yield "all above the diagonal is 0: consistent with a causal mask"
        if not right and (rows <= 1 + tolerance).all() and _all_one(rows[:, -1], tolerance):
            yield "only the last row sums to 1: consistent with a mask after the softmax (M-09)"
    elif empty[1] and empty[2]:
        yield (
            "all on and below the diagonal is 0: consistent with a causal mask the wrong way "
            "round (M-07)"
        )
    elif n > 2 and not A[:, np.triu(above, 2)].any():
        yield (
            "only the first diagonal above the main one is not 0: consistent with a causal mask "
            "that begins one place too late (M-08)"
        )
    elif right and n > 3 and _one_value(A, above):
        yield (
            "above the diagonal each row has one value: consistent with scores that were "
            "multiplied by a causal mask (M-09)"
        )
    elif right and (largest := float(A[:, above].max())) < 0.01 * float(A[:, below].mean()):
        yield (
            f"above the diagonal the largest is {largest:.1e}: consistent with a causal mask whose "
            "number is too weak (M-10)"
        )


def _one_value(A: Values, above: Flags) -> bool:
    """Whether the entries above the diagonal of each row are equal, and not the whole row."""
    high = np.where(above, A, -np.inf).max(-1)[:, :-2]
    low = np.where(above, A, np.inf).min(-1)[:, :-2]
    equal = high - low <= 1e-5 * high
    return bool(equal.all()) and bool((np.ptp(A, axis=-1) > 1e-3).any())


def _broken(A: Values) -> Flags:
    """(h, n): rows that are not finite in some places only, which no mask makes."""
    finite = np.isfinite(A)
    return np.asarray(finite.any(-1) & ~finite.all(-1))


def _these(rows: Flags, what: str) -> str:
    """`2 rows are uniform, the first is row 3 of head 0`."""
    head, row = (int(i) for i in np.argwhere(rows)[0])
    count = np.count_nonzero(rows)
    if count == 1:
        return f"row {row} of head {head} is {what}"
    return f"{count} rows are {what}, the first is row {row} of head {head}"


def _rows(A: Values, usable: Flags, broken: Flags) -> Iterator[str]:
    """Rows that are nan, zero or uniform, columns that are zero, and how sharp the rows are."""
    m = A.shape[2]
    if broken.any():
        yield f"{_these(broken, 'nan or inf in places')}: no softmax makes that of numbers"
    if (empty_rows := ~usable & ~broken).any():
        says = _these(empty_rows, "0 or nan")
        yield f"{says}: consistent with a row in which every key is masked (M-10)"
    high, low = A.max(-1), A.min(-1)
    uniform = usable & (high - low <= 1e-6) & (m > 1)
    if uniform.all():
        yield "all rows are uniform: consistent with scores that are all equal"
    elif uniform.any():
        yield (
            f"{_these(uniform, 'uniform')}: consistent with a row in which every key is masked by "
            "a large number (M-10)"
        )
    elif m > 2 and usable.all() and (low > 0).all() and 1.3 < (high / low).max() <= 1.001 * np.e:
        yield "in each row no weight is over e times another: consistent with two softmaxes (M-16)"
    empty = ~A.any(axis=(0, 1))
    if empty.any() and not empty.all() and not _triangular(A):
        columns = np.flatnonzero(empty)
        yield (
            f"column{'s' * (len(columns) > 1)} {', '.join(map(str, columns[:8]))} are 0: "
            "consistent with padding that is masked"
        )
    entropy = _entropy(A, usable)
    yield f"its rows have a mean entropy of {entropy:.3f}; ln {m} = {np.log(m):.3f} is the most"


def _entropy(A: Values, usable: Flags) -> float:
    """Mean of -sum a ln a over the rows that have weights, in nats."""
    total, count = 0.0, 0
    for head, rows in zip(A, usable, strict=True):
        chosen = np.asarray(head[rows], np.float64)
        logs = np.log(np.where(chosen > 0, chosen, 1))
        total -= float((chosen * logs).sum())
        count += len(chosen)
    return total / max(count, 1)


def _heads(A: Values) -> Iterator[str]:
    if len(A) == 1:
        yield "one matrix: one head, or a mean over heads (M-13)"
    elif all(np.array_equal(A[0], head, equal_nan=True) for head in A[1:]):
        yield "all heads are the same: consistent with one projection for all (M-15)"
    n, m = A.shape[1:]
    if n == m > 1 and all(np.allclose(head, head.T, atol=1e-6, equal_nan=True) for head in A):
        yield "it is symmetric: consistent with Q and K made by one weight (M-15)"
