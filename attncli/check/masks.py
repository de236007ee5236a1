"""Who may look at whom: from the masks in the file, from what was said, or from S and A."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from attncli.attention import Flags
from attncli.check.arrays import Values
from attncli.check.chain import MASKED


@dataclass(frozen=True)
class Hiding:
    """Which keys are hidden from which queries, and how that is known."""

    hidden: Flags | None  # (h or 1, n, m)
    causal: bool = False
    padding: Flags | None = None  # (m,)
    may_be_causal: bool = False
    said: tuple[str, ...] = ()


def _causal(n: int, m: int, diagonal: int = 1) -> Flags:
    return np.triu(np.ones((n, m), np.bool_), diagonal)


def _is_binary(values: Values) -> bool:
    return values.dtype.kind in "biu" or bool(((values == 0) | (values == 1)).all())


def hidden_by_structure(keep: Flags) -> Flags | None:
    """Of a mask of zeros and ones (..., n, n), what it hides: a token can always see itself."""
    if keep.shape[-1] != keep.shape[-2] or keep.shape[-1] < 2:
        return None
    diagonal = np.diagonal(keep, axis1=-2, axis2=-1)
    if diagonal.all() and not keep.all():
        return ~keep
    return keep if not diagonal.any() and keep.any() else None


def read_mask(name: str, values: Values, A: Values | None, S: Values | None) -> tuple[Flags, str]:
    """(what a mask hides, how it was read). `values` is (h or 1, n, m) or (m,).

    Zeros and ones can mean either: the diagonal tells, then the name, then where A is 0 and S
    is -inf.
    """
    values = np.asarray(values)
    if not _is_binary(values):
        hidden = (values < 0) | (values > 1)
        return hidden, f"{name} is added to the scores: hidden where it is not 0"
    keep = values.astype(np.bool_)
    if keep.ndim > 1 and (found := hidden_by_structure(keep)) is not None:
        meaning = "ignore" if found is keep else "keep"
        return found, f"{name}: 1 (True) is read as '{meaning}', since a token sees itself"
    if "pad" in name and values.dtype.kind == "b":
        return keep, f"{name}: True is read as 'ignore', as in nn.MultiheadAttention"
    if name == "attention_mask" and values.dtype.kind in "iuf":
        return ~keep, f"{name}: 1 is read as 'keep', as tokenizers give it"
    wide = keep if keep.ndim > 1 else keep[None, None]
    weights = [A] if A is not None else []
    lost, left = (
        sum(_at(flags, a, 0.0) for a in weights) + (_at(flags, S, MASKED) if S is not None else 0)
        for flags in (~wide, wide)
    )
    if lost == left or keep.all() or not keep.any():
        return ~keep, f"{name}: 1 (True) is read as 'keep'; the numbers do not tell"
    if lost < left:
        return ~keep, f"{name}: 1 (True) is read as 'keep', since the rest has no weight"
    return keep, f"{name}: 1 (True) is read as 'ignore', since it has no weight there"


def _at(flags: Flags, values: Values, least: float) -> int:
    """How many entries above `least` there are at these places."""
    shape = values.shape if values.ndim == 3 else (1, *values.shape)
    try:
        places = np.broadcast_to(flags, shape)
    except ValueError:
        return 0
    return int(sum(np.count_nonzero(values[r][places[r]] > least) for r in range(len(values))))


def combine(
    n: int, m: int, masks: Iterable[tuple[Flags, str]], causal: bool | None
) -> Hiding | None:
    """The masks of the file and a causal one if said; None if there is neither."""
    hidden: Flags | None = None
    said = []
    for flags, words in masks:
        wide = flags if flags.ndim == 3 else np.broadcast_to(flags, (1, n, m))
        hidden = wide if hidden is None else hidden | wide
        said.append(words)
    if causal:
        triangle = _causal(n, m)[None]
        hidden = triangle if hidden is None else hidden | triangle
    return None if hidden is None else described(hidden, tuple(said))


def described(hidden: Flags, said: tuple[str, ...]) -> Hiding:
    """A mask with its causal part and its padding made out."""
    _, n, m = hidden.shape
    causal = n == m and n > 1 and bool(hidden[:, _causal(n, m)].all())
    columns = hidden.all(axis=(0, 1))
    padding = columns if columns.any() and not columns.all() else None
    return Hiding(hidden, causal, padding, False, said)


def _pattern(values: Values, least: float) -> tuple[Flags, bool]:
    """(where all heads have nothing: (n, m); whether all heads agree about that)."""
    everywhere, somewhere = None, None
    for head in values:
        empty = ~(head > least) & ~np.isnan(head)
        everywhere = empty if everywhere is None else everywhere & empty
        somewhere = empty if somewhere is None else somewhere | empty
    assert everywhere is not None
    return everywhere, bool((everywhere == somewhere).all())


def from_numbers(n: int, m: int, S: Values | None, A: Values | None) -> Hiding:
    """What S (-inf) and A (0) say of a mask that is not in the file.

    A causal mask and padding are recognised, also a causal mask that is made wrongly; any other
    pattern only in S, since zeros in A may come from dropout.
    """
    nothing = "no mask: none is in the file"
    square = n == m and n > 1
    for name, values, least in (("S", S, MASKED), ("A", A, 0.0)):
        if values is None or values.shape[1:] != (n, m):
            continue
        empty, agree = _pattern(values, least)
        if not empty.any():
            continue
        columns = empty.all(axis=0)
        rest = empty | columns
        sign = "-inf" if name == "S" else "0"
        if square and (empty == (_causal(n, m) | columns)).all() and not columns.all():
            words = f"a causal mask: {name} is {sign} above the diagonal; no mask is in the file"
            return described(empty[None], (words,))
        wrong = (_causal(n, m, 0), _causal(n, m, 2), ~_causal(n, m), ~_causal(n, m, 0))
        if square and any((empty == pattern).all() for pattern in wrong if pattern.any()):
            words = f"a causal mask was meant: {name} is {sign} in a triangle"
            return described(_causal(n, m)[None], (words,))
        if n > 2 and not columns.all() and columns.any() and (rest == columns).all():
            words = f"padding: {name} is {sign} in whole columns; no mask is in the file"
            return described(empty[None], (words,))
        if name == "S" and agree and not empty.all():
            return described(empty[None], ("the mask is taken from the -inf in S",))
    return Hiding(None, may_be_causal=square, said=(nothing,))
