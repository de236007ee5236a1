"""Attention with explicit loops over plain numbers, and a mask made another way.

Slow, and independent of attncli.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = list[float]
Matrix = list[Vector]


def times(X: Sequence[Sequence[float]], W: Sequence[Sequence[float]], b: Sequence[float]) -> Matrix:
    """X W + b, one number at a time."""
    out = []
    for x in X:
        row = []
        for j in range(len(b)):
            total = float(b[j])
            for t in range(len(x)):
                total += float(x[t]) * float(W[t][j])
            row.append(total)
        out.append(row)
    return out


def softmax(row: Sequence[float]) -> Vector:
    """exp(s_j) / sum over the keys that are not masked (None)."""
    peak = max((s for s in row if s is not None), default=0.0)
    e = [0.0 if s is None else math.exp(s - peak) for s in row]
    total = math.fsum(e)
    return [value / total if total else 0.0 for value in e]


def head_attention(Q: Matrix, K: Matrix, V: Matrix, causal: bool) -> tuple[Matrix, Matrix, Matrix]:
    """S, A and Z of one head; a masked score is None."""
    S, A, Z = [], [], []
    for i, q in enumerate(Q):
        scores = []
        for j, k in enumerate(K):
            dot = math.fsum(q[c] * k[c] for c in range(len(q)))
            scores.append(None if causal and j > i else dot / math.sqrt(len(q)))
        weights = softmax(scores)
        S.append(scores)
        A.append(weights)
        Z.append([math.fsum(weights[j] * V[j][c] for j in range(len(V))) for c in range(len(V[0]))])
    return S, A, Z


def block(M: Matrix, r: int, width: int) -> Matrix:
    """Columns r width ... (r + 1) width - 1: head r's part."""
    return [row[r * width : (r + 1) * width] for row in M]


def causal_mask(n: int, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """0 on and below the diagonal, -inf above: (n, n)."""
    return np.triu(np.full((n, n), -np.inf, dtype), k=1)
