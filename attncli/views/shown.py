"""A matrix on its way to the screen: its numbers, and what its rows and columns are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from attncli.attention import Array
from attncli.inspector import Inspection
from attncli.kind import AttentionKind
from attncli.language import Phrase
from attncli.matrices import Matrix
from attncli.narration.origin import origin_of_X
from attncli.text.token import Token

Hidden = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Shown:
    """One matrix of one layer or head.

    In cross-attention target tokens look at source tokens: `rows` and `keys` are then different
    ones.
    """

    matrix: Matrix
    place: str  # L1H0
    values: Array  # (rows, columns)
    rows: Sequence[Token] | None  # the tokens of the rows; None: rows are counted
    keys: Sequence[Token]  # the tokens that are looked at
    mask: Array | None = None  # (n, m) 0 or -inf
    cross: bool = False
    origin: Phrase | None = None  # where X comes from

    @property
    def name(self) -> str:
        """What the matrix is called."""
        return self.matrix.name

    @property
    def hidden(self) -> Hidden:
        """True where the mask hides key j from query i; nowhere in a matrix of components."""
        if self.mask is None or not self.matrix.masked:
            return np.zeros(self.values.shape, dtype=bool)
        return np.isneginf(self.mask)


def shown_matrices(
    inspection: Inspection, heads: Sequence[int], matrices: Sequence[Matrix]
) -> Iterator[Shown]:
    """Each matrix that the model has, head by head: before the heads, of them, and after them."""
    per_head = [place for place, matrix in enumerate(matrices) if matrix.of != "layer"]
    first, last = (per_head[0], per_head[-1] + 1) if per_head else (len(matrices), len(matrices))
    for matrix in matrices[:first]:
        yield from _shown(inspection, matrix, 0)
    for head in heads:
        for matrix in matrices[first:last]:
            if matrix.of != "layer" or head == heads[0]:
                yield from _shown(inspection, matrix, head)
    for matrix in matrices[last:]:
        yield from _shown(inspection, matrix, 0)


def _shown(inspection: Inspection, matrix: Matrix, head: int) -> Iterator[Shown]:
    attention, cross = inspection.attention, inspection.kind is AttentionKind.cross
    values = matrix.values(attention, head)
    if values is None:
        return
    rows = {"queries": inspection.tokens, "keys": inspection.columns}.get(matrix.rows)
    yield Shown(
        matrix=matrix,
        place=_place(inspection, matrix, head),
        values=values,
        rows=rows,
        keys=inspection.columns,
        mask=attention.mask,
        cross=cross,
        origin=origin_of_X(inspection.spec, attention.layer, cross=cross)
        if matrix.name == "X"
        else None,
    )


def _place(inspection: Inspection, matrix: Matrix, head: int) -> str:
    """`L1`, `L1H5`, or of keys and values that several heads share `L1H5 = KV1`."""
    attention = inspection.attention
    if matrix.of == "layer":
        return f"L{attention.layer}"
    place = f"L{attention.layer}H{head}"
    if matrix.of == "kv_head" and len(attention.K) < len(attention.Q):
        place += f" = KV{attention.kv_head(head)}"
    return place
