"""What every matrix is called, what its rows and columns are, and which cells a mask hides.

In self-attention the tokens look at each other. In cross-attention target tokens look at source
tokens: the views take these as `keys`, and None stands for self-attention.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rich.segment import Segment

from attncli.attention import Array
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.text.token import Token
from attncli.views.lines import BOLD, DIM, Line

Hidden = npt.NDArray[np.bool_]

TOKEN_MATRICES = ("S", "A")  # (n, m): a column is a token, not a component
_OF_KEYS = ("K", "V")  # a row is a token looked at

_COMPONENTS = {
    "Q": "its query q",
    "K": "its key k",
    "V": "its value v",
    "Z": "z, the values weighted by A and summed",
    "Z_cat": "the heads' z side by side",
    "Y": "y, what the layer's attention returns",
}
_SCORES = {
    "S": "the scores as they enter the softmax",
    "A": "each row sums to 1, columns need not",
}
_NORMS = {"layer": "LayerNorm", "rms": "RMSNorm"}


def row_tokens(
    name: str, tokens: Sequence[Token], keys: Sequence[Token] | None = None
) -> Sequence[Token]:
    """The tokens that the rows of the matrix belong to."""
    return keys if keys is not None and name in _OF_KEYS else tokens


def caption(name: str, *, cross: bool = False, origin: str = "") -> str:
    """What row and column of the matrix are, for the line under it; of X its `origin` as well."""
    target, source = ("target ", "source ") if cross else ("", "")
    if name in TOKEN_MATRICES:
        return (
            f"row = the {target}token that looks (query), "
            f"column = the {source}token looked at (key); {_SCORES[name]}"
        )
    row = f"row = {source if name in _OF_KEYS else target}token, column = component of "
    if name != "X":
        return row + _COMPONENTS[name]
    row += f"x, what the {'Q projection receives' if cross else 'Q, K, V projections receive'}"
    return f"{row}: {origin}" if origin else row


def norm_name(spec: Spec) -> str:
    """`LayerNorm` or `RMSNorm`."""
    return _NORMS[spec.norm]


def origin_of_X(spec: Spec, layer: int, *, cross: bool = False) -> Phrase:
    """What X is in this layer: the output of the norm before the attention, or what comes in."""
    norm = f"pre_{'cross' if cross else 'attention'}_norm.weight"
    if norm in spec.names and (norm, layer) not in spec.absent:
        return Phrase("origin.norm", {"norm": norm_name(spec)})
    if cross:
        return Phrase("origin.cross", {"layer": layer})
    if layer:
        return Phrase("origin.layer", {"layer": layer - 1})
    return Phrase("origin.embeddings")


def title(name: str, place: str, M: Array) -> Line:
    """`Q  L1H0  (11 × 64)`."""
    rows, columns = M.shape
    return [Segment(f"{name}  {place}", BOLD), Segment(f"  ({rows} × {columns})", DIM)]


def corner(labels_width: int, *, cross: bool = False) -> tuple[list[Line], Segment]:
    """`query ↓ / key →` over the row labels, or on a line of its own where they are narrower.

    Returns the lines before the heads of the columns and what the line of heads starts with.
    """
    text = "target ↓ / source →" if cross else "query ↓ / key →"
    if len(text) < labels_width:
        return [], Segment(f"{text:>{labels_width - 1}} ", DIM)
    return [[Segment(text, DIM)]], Segment(" " * labels_width)


def hidden_cells(name: str, M: Array, mask: Array | None) -> Hidden:
    """True where `mask`, 0 or -inf, (n, m), hides key j from query i; only S and A have such cells.

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
