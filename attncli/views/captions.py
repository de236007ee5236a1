"""What every matrix is called, what its rows and columns are, and which cells a mask hides.

In self-attention the tokens look at each other. In cross-attention target tokens look at source
tokens: the views take these as `keys`, and None stands for self-attention.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rich.cells import cell_len
from rich.segment import Segment

from attncli.attention import Array
from attncli.language import Language, Phrase, say
from attncli.medium.screen import Screen
from attncli.text.printable import pad
from attncli.text.token import Token
from attncli.views.lines import BOLD, DIM, Line

Hidden = npt.NDArray[np.bool_]

TOKEN_MATRICES = ("S", "A")  # (n, m): a column is a token, not a component
_OF_KEYS = ("K", "V")  # a row is a token looked at


def row_tokens(
    name: str, tokens: Sequence[Token], keys: Sequence[Token] | None = None
) -> Sequence[Token]:
    """The tokens that the rows of the matrix belong to."""
    return keys if keys is not None and name in _OF_KEYS else tokens


def caption(
    name: str, *, cross: bool = False, origin: str = "", language: Language = Language.en
) -> str:
    """What row and column of the matrix are, for the line under it; of X its `origin` as well."""
    if name in TOKEN_MATRICES:
        parts = "look_cross" if cross else "look", f"tokens.{name}"
        return say(language, "semicolon").join(say(language, part) for part in parts)
    vector = Phrase(f"vector.{name}_cross" if cross and name == "X" else f"vector.{name}")
    row = ("row_source" if name in _OF_KEYS else "row_target") if cross else "row"
    says = say(language, row, vector=vector)
    if name != "X" or not origin:
        return says
    return say(language, "with_origin", caption=says, origin=origin)


def title(name: str, place: str, M: Array) -> Line:
    """`Q  L1H0  (11 × 64)`."""
    rows, columns = M.shape
    return [Segment(f"{name}  {place}", BOLD), Segment(f"  ({rows} × {columns})", DIM)]


def corner(labels_width: int, screen: Screen, *, cross: bool = False) -> tuple[list[Line], Segment]:
    """`query ↓ / key →` over the row labels, or on a line of its own where they are narrower.

    Returns the lines before the heads of the columns and what the line of heads starts with.
    """
    text = screen.say("corner_cross" if cross else "corner")
    if cell_len(text) < labels_width:
        return [], Segment(f"{pad(text, labels_width - 1, 'right')} ", DIM)
    return [[Segment(text, DIM)]], Segment(" " * labels_width)


def hidden_cells(name: str, M: Array, mask: Array | None) -> Hidden:
    """True where `mask`, 0 or -inf, (n, m), hides key j from query i; only S and A have such cells.

    M is the matrix `name`.
    """
    if mask is None or name not in TOKEN_MATRICES:
        return np.zeros(M.shape, dtype=bool)
    return np.isneginf(mask)


def fully_masked_note(hidden: Hidden, language: Language = Language.en) -> str:
    """`row 0: every key is masked`; empty if every row has a permitted key."""
    rows = np.flatnonzero(hidden.all(axis=1)).tolist()
    if not rows:
        return ""
    names = say(language, "between_names").join(map(str, rows))
    return say(language, "none_permitted", count=len(rows), rows=names)
