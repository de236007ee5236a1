"""The rows that can be walked through: any token, head and layer, the weights still open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from attncli.analysis.derive import Derivation, derive
from attncli.families.spec import Spec
from attncli.inspector import Inspection, find_number
from attncli.stack import Stack
from attncli.text.token import Token

_KEPT = 16  # rows; one is as large as the values that it adds up


@dataclass(frozen=True)
class Place:
    """Which row: all count from 0."""

    layer: int
    head: int
    token: int


@dataclass(frozen=True)
class Row:
    """One row's derivation and what its steps speak of."""

    d: Derivation
    tokens: Sequence[Token]
    keys: Sequence[Token] | None  # looked at, where these are others than `tokens`
    spec: Spec

    @property
    def looked_at(self) -> Sequence[Token]:
        """The tokens that the row's weights belong to."""
        return self.tokens if self.keys is None else self.keys


def first_token(tokens: Sequence[Token]) -> int:
    """Where a walk begins that was given no token: at the first that is none of the template's."""
    return next((token.index for token in tokens if not token.special), 0)


def row_of(inspection: Inspection, head: int, token: int) -> Row:
    """The row of a token in a head whose S and A the inspection kept."""
    return Row(
        d=derive(inspection.attention, head, token),
        tokens=inspection.tokens,
        keys=inspection.columns if inspection.stack is Stack.cross else None,
        spec=inspection.spec,
    )


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
