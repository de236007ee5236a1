"""The rows that can be walked through: any token, head and layer, the weights still open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from attncli.inspector import Inspection
from attncli.narration.row import Row, row_of
from attncli.selectors import find_number
from attncli.text.token import Token

_KEPT = 16  # rows; one is as large as the values that it adds up


@dataclass(frozen=True)
class Place:
    """Which row: all count from 0."""

    layer: int
    head: int
    token: int


def first_token(tokens: Sequence[Token]) -> int:
    """Where a walk begins that was given no token: at the first that is none of the template's."""
    return next((token.index for token in tokens if not token.special), 0)


def open_rows(
    first: Inspection, inspect_again: Callable[[int, int], Inspection]
) -> Callable[[Place], Row]:
    """A function that finds rows. `inspect_again` runs the model for a layer and a head.

    It is called for a layer and head that the inspection at hand did not keep. The last rows are
    remembered, of the inspections only the last. The function raises AttncliError as `inspect` and
    `find_number` do.
    """
    at_hand = first

    @lru_cache(maxsize=_KEPT)
    def find_row(place: Place) -> Row:
        nonlocal at_hand
        spec = first.spec
        layer = find_number("layer", place.layer, spec.n_layers)
        head = find_number("head", place.head, spec.n_heads)
        attention = at_hand.attention
        if attention.layer != layer or head not in attention.heads:
            at_hand = inspect_again(layer, head)
        return row_of(at_hand, head, place.token)

    return find_row
