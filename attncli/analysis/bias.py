"""The position bias of one row, term by term."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from attncli.analysis.path import Indices
from attncli.attention import Array
from attncli.position_bias import alibi_bias, slopes
from attncli.trace import AlibiBias, BucketBias, DisentangledBias, PositionBias


@dataclass(frozen=True)
class BiasRow:
    """What the positions add to the scores of a row of n keys, and of what that is made."""

    place_is: Literal["bucket", "position", "from_last", "vector"]
    place: Indices  # (n,) the bucket, the position or that from the last (ALiBi), which vector
    slope: float | None  # ALiBi: total = slope place; None where it is rounded in between
    q_r: Array | None  # (n,) DeBERTa: scale q_i . r, r the vector of the distance as a key
    k_r: Array | None  # (n,) scale k_j . r, r the vector of the distance as a query
    total: Array  # (n,)


def bias_row(
    position: PositionBias, head: int, token: int, q: Array, k: Array, h: int, scale: float
) -> BiasRow:
    """The bias of `token`'s row in `head` of h; q (d_k,) and k (n, d_k) enter the dot products."""
    n, d_k = k.shape
    distance = np.arange(n) - token  # j - i
    match position:
        case BucketBias(buckets, B):
            bucket = buckets.of(distance)
            return BiasRow("bucket", bucket, None, None, None, B[bucket, head])
        case AlibiBias(alibi):
            total = alibi_bias(alibi, h, n, d_k, q.dtype)(head, slice(token, token + 1))[0]
            exact = alibi.kind != "bfloat16"
            slope = float(slopes(alibi, h)[head]) if exact else None
            if alibi.kind == "to_last":
                return BiasRow("from_last", np.arange(n) - (n - 1), slope, None, None, total)
            return BiasRow("position", np.arange(n), slope, None, None, total)
        case DisentangledBias(disentangled, Q_position, K_position):
            row = disentangled.index(-distance)
            factor = q.dtype.type(scale)
            q_r = k_r = None
            total = np.zeros(n, q.dtype)
            if K_position is not None:
                q_r = K_position[head][row] @ q * factor
                total = total + q_r
            if Q_position is not None:
                k_r = (k * Q_position[head][row]).sum(axis=1) * factor
                total = total + k_r
            return BiasRow("vector", row, None, q_r, k_r, total)
