"""What every matrix is called, what its rows and columns are, and which cells a mask hides."""

import numpy as np
import numpy.typing as npt
from rich.segment import Segment

from attncli.attention import Array
from attncli.views.lines import BOLD, DIM, Line

Hidden = npt.NDArray[np.bool_]

TOKEN_MATRICES = ("S", "A")  # (n, n): a column is a token, not a component

_COMPONENTS = "row = token, column = component of {}"
_CAPTIONS = {
    "X": _COMPONENTS.format("x, what the Q, K, V projections receive"),
    "Q": _COMPONENTS.format("its query q"),
    "K": _COMPONENTS.format("its key k"),
    "V": _COMPONENTS.format("its value v"),
    "S": "row = the token that looks (query), column = the token looked at (key); "
    "the scores as they enter the softmax",
    "A": "row = the token that looks (query), column = the token looked at (key); "
    "each row sums to 1, columns need not",
    "Z": _COMPONENTS.format("z, the values weighted by A and summed"),
    "Z_cat": _COMPONENTS.format("the heads' z side by side"),
    "Y": _COMPONENTS.format("y, what the layer's attention returns"),
}


def caption(name: str) -> str:
    """What row and column of the matrix are, for the line under it."""
    return _CAPTIONS[name]


def title(name: str, place: str, M: Array) -> Line:
    """`Q  L1H0  (11 × 64)`."""
    rows, columns = M.shape
    return [Segment(f"{name}  {place}", BOLD), Segment(f"  ({rows} × {columns})", DIM)]


def corner(labels_width: int) -> tuple[list[Line], Segment]:
    """`query ↓ / key →` over the row labels, or on a line of its own where they are narrower.

    Returns the lines before the heads of the columns and what the line of heads starts with.
    """
    text = "query ↓ / key →"
    if len(text) < labels_width:
        return [], Segment(f"{text:>{labels_width - 1}} ", DIM)
    return [[Segment(text, DIM)]], Segment(" " * labels_width)


def hidden_cells(name: str, M: Array, mask: Array | None) -> Hidden:
    """True where `mask`, 0 or -inf, (n, n), hides key j from query i; only S and A have such cells.

    M is the matrix `name`.
    """
    if mask is None or name not in TOKEN_MATRICES:
        return np.zeros(M.shape, dtype=bool)
    return np.isneginf(mask)


def fully_masked_note(hidden: Hidden) -> str:
    """`row 0: every key is masked`; empty if every row has a permitted key."""
    rows = np.flatnonzero(hidden.all(axis=1)).tolist()
    if not rows:
        return ""
    return f"row{'s' * (len(rows) > 1)} {', '.join(map(str, rows))}: every key is masked"
