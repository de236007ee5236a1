"""What is remarkable in one head's A: its strongest links, and a token that all look at."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attncli.attention import Array
from attncli.text.token import Token


@dataclass(frozen=True)
class Link:
    """Token `query` looks at token `key` with the weight a."""

    query: int
    key: int
    a: float


@dataclass(frozen=True)
class LargestKeys:
    """One row's largest values, and what is left of the row."""

    keys: tuple[int, ...]  # largest value first
    values: tuple[float, ...]
    rest: int  # how many permitted keys are left out
    rest_sum: float
    rest_max: float  # nan if none are left out


def strongest_links(
    A: Array, tokens: Sequence[Token], count: int, keys: Sequence[Token] | None = None
) -> list[Link]:
    """The `count` largest a_ij between two tokens of which neither is special.

    A is (n, m): `tokens` look at `keys`, or at each other, i != j, if there are none. Zero weights
    are no links: fewer than `count` may come back. Of equal weights the one higher up in A is
    named first, then the one further left.
    """
    looking, looked_at = (
        np.array([not token.special for token in each]) for each in (tokens, keys or tokens)
    )
    candidates = np.where(looking[:, None] & looked_at, A, 0)
    if keys is None:
        np.fill_diagonal(candidates, 0)
    flat = candidates.ravel()
    least = np.partition(flat, -count)[-count] if count < len(flat) else 0
    strong = np.flatnonzero((flat >= least) & (flat > 0))
    order = strong[np.argsort(-flat[strong], kind="stable")][:count].tolist()
    m = len(looked_at)
    return [Link(at // m, at % m, float(flat[at])) for at in order]


def largest_keys(row: Array, count: int, permitted: Array | None = None) -> LargestKeys:
    """The `count` largest of a row of A or S, (m,), among the permitted keys, a mask of (m,)."""
    keys = np.arange(len(row)) if permitted is None else np.flatnonzero(permitted)
    keys = keys[np.argsort(-row[keys], kind="stable")]
    shown, rest = keys[:count], row[keys[count:]].astype(float)
    return LargestKeys(
        keys=tuple(shown.tolist()),
        values=tuple(row[shown].tolist()),
        rest=len(rest),
        rest_sum=float(rest.sum()),
        rest_max=float(rest.max()) if len(rest) else float("nan"),
    )


def resting_place(A: Array) -> tuple[int, float] | None:
    """The token that receives more than half of the mean attention, with that mean; or None.

    A is (n, m). Rows without a choice do not count: those with one permitted key or none.
    """
    rows = A[(A > 0).sum(axis=1) > 1]
    if not len(rows):
        return None
    received = rows.mean(axis=0)
    token = int(received.argmax())
    return (token, float(received[token])) if received[token] > 0.5 else None
