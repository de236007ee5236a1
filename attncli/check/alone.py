"""What can be said from A alone, in the words "consistent with"."""

import numpy as np

from attncli.attention import Array
from attncli.check.report import Verdict

# N-24: how far a sum of a row may be from 1, by the type whose numbers these are.
_SUMS = {"float64": 1e-6, "float32": 1e-5, "json": 1e-4, "float16": 2e-3, "bfloat16": 1e-2}


def _ones(sums: Array, tolerance: float) -> bool:
    return bool((np.abs(sums - 1) <= tolerance).all())


def alone(values: Array, precision: str) -> tuple[Verdict, list[str]]:
    """(consistent or differs, what the matrix shows): (h, n, m)."""
    A = values.astype(np.float64)
    tolerance = _SUMS[precision]
    said = []
    rows = A.sum(-1)
    zero_rows = rows == 0
    right = bool((np.abs(rows - 1) <= tolerance)[~zero_rows].all()) and bool((A >= 0).all())
    said.append(f"the rows sum to {rows.min():.4f} up to {rows.max():.4f}")
    said += _sums(A, tolerance, right)
    return (Verdict.consistent if right else Verdict.differs), said


def _sums(A: Array, tolerance: float, right: bool) -> list[str]:
    said = []
    if not right and _ones(A.sum(-2), tolerance):
        said.append("the columns sum to 1: consistent with a softmax over the queries (M-01)")
    return said
