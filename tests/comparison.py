"""Comparing a trace with the reference implementation's tensors."""

from collections.abc import Mapping

import numpy as np

from attncli.trace import Trace

# Bounds for models of toy size, where float32 rounding is far below an error of substance.
BOUNDS = {"A": 2e-6, "S": 1e-5}
BOUND = 1e-5


def first_difference(trace: Trace, reference: Mapping[str, np.ndarray]) -> str | None:
    """The first tensor in model order that differs from the reference, or None.

    `reference` has `hidden.0`, then of every layer i `X.i`, `Q.i`, ... `Y.i` and `hidden.i+1`.
    A masked score is the reference's large negative number and our -inf.
    """
    for name, ours in in_model_order(trace):
        bound = BOUNDS.get(name.partition(".")[0], BOUND)
        gap = difference(name, ours, reference[name])
        if gap > bound:
            return f"{name} differs by {gap:.2e}, allowed {bound:.0e}"
    return None


def in_model_order(trace: Trace) -> list[tuple[str, np.ndarray]]:
    """Every tensor of the trace with its name, in the order of the computation."""
    named = [("hidden.0", trace.hidden[0])]
    for i, attention in trace.layers.items():
        named += [(f"{name}.{i}", getattr(attention, name)) for name in "XQKVSAZY"]
        named.append((f"hidden.{i + 1}", trace.hidden[i + 1]))
    return named


def difference(name: str, ours: np.ndarray, reference: np.ndarray) -> float:
    """The largest difference; of S relative to max(1, |S|), masked scores left out."""
    if ours.shape != reference.shape:
        return float("inf")
    if not name.startswith("S"):
        return float(np.abs(ours - reference).max())
    masked = reference < -1e30
    if (np.isneginf(ours) != masked).any():
        return float("inf")
    ours, reference = ours[~masked], reference[~masked]
    return float((np.abs(ours - reference) / np.maximum(1, np.abs(reference))).max())
