"""Attention with explicit loops over plain numbers: slow, and independent of all else here.

It imports neither numpy nor anything of attncli, so that a fault of theirs is not in it.
"""

import math
from collections.abc import Sequence

Vector = list[float]
Matrix = list[Vector]
Scores = list[list[float | None]]  # None: masked


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


def softmax(row: Sequence[float | None]) -> Vector:
    """exp(s_j) / sum over the keys that are not masked (None)."""
    peak = max((s for s in row if s is not None), default=0.0)
    e = [0.0 if s is None else math.exp(s - peak) for s in row]
    total = math.fsum(e)
    return [value / total if total else 0.0 for value in e]


def head_attention(Q: Matrix, K: Matrix, V: Matrix, causal: bool) -> tuple[Scores, Matrix, Matrix]:
    """S, A and Z of one head; a masked score is None."""
    S: Scores = []
    A: Matrix = []
    Z: Matrix = []
    for i, q in enumerate(Q):
        scores: list[float | None] = []
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
