"""Attention with explicit loops, which ships with attncli, and a mask made another way."""

from typing import Any

import numpy as np
import numpy.typing as npt

from attncli.proof.loops import block, head_attention, softmax, times

__all__ = ["block", "causal_mask", "head_attention", "softmax", "times"]


def causal_mask(n: int, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """0 on and below the diagonal, -inf above: (n, n)."""
    return np.triu(np.full((n, n), -np.inf, dtype), k=1)
