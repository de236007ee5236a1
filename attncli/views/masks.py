"""Which cells of S and A a mask hides, and what is said about it."""

import numpy as np
import numpy.typing as npt

from attncli.attention import Array

Hidden = npt.NDArray[np.bool_]


def hidden_cells(name: str, M: Array, mask: Array | None = None) -> Hidden:
    """True where key j is masked for query i; nowhere in matrices other than S and A.

    M is the matrix `name`; `mask` is 0 or -inf, (n, n). Without it, the scores that are -inf
    and the rows of A that are all zeros tell what is masked.
    """
    if name == "S":
        hidden: Hidden = np.isneginf(M)
    elif name == "A":
        hidden = np.broadcast_to(~M.any(axis=1, keepdims=True), M.shape)
    else:
        return np.zeros(M.shape, dtype=bool)
    return hidden if mask is None else hidden | np.isneginf(mask)


def fully_masked_note(hidden: Hidden) -> str:
    """`row 0: every key is masked`; empty if every row has a permitted key."""
    rows = np.flatnonzero(hidden.all(axis=1)).tolist()
    if not rows:
        return ""
    return f"row{'s' * (len(rows) > 1)} {', '.join(map(str, rows))}: every key is masked"
