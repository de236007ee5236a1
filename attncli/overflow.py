"""What became infinite or NaN in a computation, reported by name."""

from collections.abc import Iterable

import numpy as np

from attncli.attention import Array
from attncli.errors import AttncliError
from attncli.language import Phrase
from attncli.trace import AttentionTrace


def check_attention(attention: AttentionTrace) -> None:
    """Raises AttncliError for the first number, in order of the computation, that overflowed."""
    for name in ("X", "Q", "K", "V", "S", "Z", "Y"):
        M = getattr(attention, name)
        if M is None:
            continue
        for index, matrix in enumerate(M if M.ndim == 3 else M[None]):
            bad = ~np.isfinite(matrix)
            if name == "S" and attention.mask is not None:
                bad &= attention.mask == 0
            if bad.any():
                row, column = np.argwhere(bad)[0]
                part = _part(attention, name, index if M.ndim == 3 else None)
                facts = {"part": part, "row": row, "column": column}
                raise _overflow(Phrase("{part}, row {row}, column {column}", facts), name, matrix)


def check_row(head: str, token: int, vectors: Iterable[tuple[str, Array]]) -> None:
    """Raises AttncliError for the first of a row's named vectors in which a number overflowed."""
    for name, vector in vectors:
        if not np.isfinite(vector).all():
            place = Phrase("{part}, row {row}", {"part": head, "row": token})
            raise _overflow(place, name, vector)


def _overflow(place: Phrase, name: str, values: Array) -> AttncliError:
    return AttncliError(
        "{place}: {name} overflows {dtype}; the weights, or what multiplies them, are too large "
        "by orders of magnitude: scale them down",
        place=place,
        name=name,
        dtype=values.dtype,
    )


def _part(attention: AttentionTrace, name: str, index: int | None) -> str:
    """`L1H3`, or `L1` for a matrix of all heads; K and V may have fewer heads than Q: `L1KV0`."""
    if index is None:
        return f"L{attention.layer}"
    shared = name in ("K", "V") and len(attention.K) < len(attention.Q)
    head = attention.heads[index] if name == "S" else index
    return f"L{attention.layer}{'KV' if shared else 'H'}{head}"
