"""Everything in this package describes a `Row`."""

from collections.abc import Sequence
from dataclasses import dataclass

from attncli.analysis.derive import Derivation, derive
from attncli.families.spec import Spec
from attncli.inspector import Inspection
from attncli.kind import AttentionKind
from attncli.text.token import Token


@dataclass(frozen=True)
class Row:
    """The derivation of one token in one head, and the names of the tokens.

    With the spec of the model's stack, the steps also say what X is, which heads share keys and
    values, and how far a token can look.
    """

    d: Derivation
    tokens: Sequence[Token]
    keys: Sequence[Token] | None = None  # looked at, where these are others than `tokens`
    spec: Spec | None = None

    @property
    def looked_at(self) -> Sequence[Token]:
        """The tokens that the row's weights belong to."""
        return self.tokens if self.keys is None else self.keys


def row_of(inspection: Inspection, head: int, token: int) -> Row:
    """The row of a token in a head whose S and A the inspection kept."""
    return Row(
        d=derive(inspection.attention, head, token),
        tokens=inspection.tokens,
        keys=inspection.columns if inspection.kind is AttentionKind.cross else None,
        spec=inspection.spec,
    )
