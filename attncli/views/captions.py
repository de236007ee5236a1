"""What is said over and under a matrix: its title, what its rows and columns are."""

import numpy as np
from rich.cells import cell_len
from rich.segment import Segment

from attncli.language import Language, Phrase, say
from attncli.medium.screen import Screen
from attncli.text.printable import pad
from attncli.views.lines import BOLD, DIM, Line
from attncli.views.shown import Hidden, Shown

_ROWS = {  # the message in self-attention, and in cross-attention
    "queries": ("row", "row_target"),
    "keys": ("row", "row_source"),
    "inputs": ("row_inputs", "row_inputs"),
    "all": ("row_all", "row_all"),
}


def caption(shown: Shown, language: Language) -> str:
    """What row and column of the matrix are, for the line under it; of X its origin as well."""
    name = shown.name
    if shown.matrix.columns == "keys":
        parts = "look_cross" if shown.cross else "look", f"tokens.{name}"
        return say(language, "semicolon").join(say(language, part) for part in parts)
    facts = {
        "vector": Phrase("vector.X_cross" if shown.cross and name == "X" else f"vector.{name}")
    }
    if shown.matrix.rows == "inputs":
        facts["input"] = Phrase(f"input.{name}")
    says = say(language, _ROWS[shown.matrix.rows][shown.cross], **facts)
    if shown.origin is None:
        return says
    return say(language, "with_origin", caption=says, origin=shown.origin)


def title(shown: Shown) -> Line:
    """`Q  L1H0  (11 × 64)`."""
    rows, columns = shown.values.shape
    return [
        Segment(f"{shown.name}  {shown.place}", BOLD),
        Segment(f"  ({rows} × {columns})", DIM),
    ]


def corner(labels_width: int, screen: Screen, *, cross: bool = False) -> tuple[list[Line], Segment]:
    """`query ↓ / key →` over the row labels, or on a line of its own where they are narrower.

    Returns the lines before the heads of the columns and what the line of heads starts with.
    """
    text = screen.say("corner_cross" if cross else "corner")
    if cell_len(text) < labels_width:
        return [], Segment(f"{pad(text, labels_width - 1, 'right')} ", DIM)
    return [[Segment(text, DIM)]], Segment(" " * labels_width)


def fully_masked_note(hidden: Hidden, language: Language = Language.en) -> str:
    """`row 0: every key is masked`; empty if every row has a permitted key."""
    rows = np.flatnonzero(hidden.all(axis=1)).tolist()
    if not rows:
        return ""
    names = say(language, "between_names").join(map(str, rows))
    return say(language, "none_permitted", count=len(rows), rows=names)
