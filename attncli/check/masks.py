"""Who may look at whom: from the masks in the file, from what was said, or from S and A."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attncli.attention import Flags
from attncli.check.nodes import MASKED
from attncli.check.reading import Values

_NUMBERS_OF_A_MASK = 3  # 0, that of one mask, and that of two on top of each other


@dataclass(frozen=True)
class Hiding:
    """Which keys are hidden from which queries, and how that is known."""

    hidden: Flags | None  # (h or 1, n, m)
    causal: bool = False
    padding: Flags | None = None  # (m,)
    may_be_causal: bool = False
    bias: Values | None = None  # (h or 1, n, m): what is added to the scores beside that
    said: tuple[str, ...] = ()


def _causal(n: int, m: int, diagonal: int = 1) -> Flags:
    return np.triu(np.ones((n, m), np.bool_), diagonal)


def _is_binary(values: Values) -> bool:
    return values.dtype.kind in "biu" or bool(((values == 0) | (values == 1)).all())


def bias_of(values: Values) -> Values | None:
    """What an additive mask adds to the scores that it does not hide: a bias of the positions.

    None if it only hides: a mask has one number for that, or two where two masks were added up.
    """
    if _is_binary(values):
        return None
    added = np.where(values > MASKED, values, 0)
    return added if len(np.unique(added)) > _NUMBERS_OF_A_MASK else None


def _hidden_value(flags: Flags) -> bool | None:
    """Of a mask of zeros and ones (..., n, n), which of the two hides: its shape may tell.

    What stands above the diagonal throughout hides, in a causal mask; a token can see itself.
    """
    n, m = flags.shape[-2:]
    if n != m or n < 2 or flags.all() or not flags.any():
        return None
    above = flags[..., _causal(n, m)]
    diagonal = np.diagonal(flags, axis1=-2, axis2=-1)
    if n > 2 and (above.all() or not above.any()):
        return bool(above.flat[0])
    return not diagonal.flat[0] if diagonal.all() or not diagonal.any() else None


def read_mask(
    name: str, values: Values, A: Values | None, S: Values | None
) -> list[tuple[Flags, str]]:
    """(what a mask hides, how it was read), once for each way it may be read.

    `values` is (h or 1, n, m), or (m,) of the keys. Zeros and ones can mean either: the shape of
    the mask tells, then its name, then where A is 0 and S is -inf.
    """
    values = np.asarray(values)
    if bias_of(values) is not None:
        return [(values <= MASKED, f"{name} is added to the scores: a bias of many values")]
    if not _is_binary(values):
        hidden = (values < 0) | (values > 1)
        return [(hidden, f"{name} is added to the scores: a key is hidden where it is not 0")]
    flags = values.astype(np.bool_)
    wide = flags if flags.ndim > 1 else flags[None, None]
    keep = (~flags, f"{name}: 1 (True) is read as 'keep'")
    ignore = (flags, f"{name}: 1 (True) is read as 'ignore'")
    if flags.ndim > 1 and (value := _hidden_value(flags)) is not None:
        found, why = (ignore if value else keep), "from its shape"
    elif "pad" in name and values.dtype.kind == "b":
        found, why = ignore, "as in nn.MultiheadAttention"
    elif name.endswith("attention_mask") and values.dtype.kind in "iuf":
        found, why = keep, "as tokenizers give it"
    elif flags.all():
        found, why = keep, "since it would hide everything else"
    elif (kept := _weight(~wide, A, S)) != (ignored := _weight(wide, A, S)):
        found, why = (keep if kept < ignored else ignore), "since what it hides has no weight"
    else:
        return [keep, ignore] if flags.any() else [ignore]
    return [(found[0], f"{found[1]}, {why}")]


def _weight(hidden: Flags, A: Values | None, S: Values | None) -> int:
    """How many entries of A and S at these places are not 0 and not -inf."""
    return sum(
        _count(hidden, values, least)
        for values, least in ((A, 0.0), (S, MASKED))
        if values is not None
    )


def _count(flags: Flags, values: Values, least: float) -> int:
    """How many entries above `least` there are at these places."""
    shape = values.shape if values.ndim == 3 else (1, *values.shape)
    try:
        places = np.broadcast_to(flags, shape)
    except ValueError:
        return 0
    return int(sum(np.count_nonzero(values[r][places[r]] > least) for r in range(len(values))))


def causal_masks(n: int, m: int) -> list[tuple[Flags, str]]:
    """(a causal mask, what it is), once for each way to lay n queries beside m keys."""
    words = "a causal mask, as you say"
    if n == m:
        return [(_causal(n, m)[None], words)]
    last = f"{words}: the last of {n} queries stands at the last of {m} keys"
    first = f"{words}: the first of {n} queries stands at the first of {m} keys"
    return [(_causal(n, m, 1 + m - n)[None], last), (_causal(n, m)[None], first)]


def combine(n: int, m: int, masks: Sequence[tuple[Flags, str]]) -> Hiding:
    """Several masks as one."""
    hidden = np.zeros((1, n, m), np.bool_)
    for flags, _ in masks:
        hidden = hidden | (flags if flags.ndim == 3 else np.broadcast_to(flags, (1, n, m)))
    return described(hidden, tuple(words for _, words in masks))


def described(hidden: Flags, said: tuple[str, ...]) -> Hiding:
    """A mask with its causal part and its padding made out."""
    _, n, m = hidden.shape
    causal = n == m and n > 1 and bool(hidden[:, _causal(n, m)].all())
    columns: Flags = np.logical_and.reduce(hidden, axis=(0, 1))
    padding = columns if columns.any() and not columns.all() else None
    return Hiding(hidden, causal, padding, said=said)


def _pattern(values: Values, least: float) -> tuple[Flags, bool]:
    """(where all heads have nothing: (n, m); whether all heads agree about that)."""
    everywhere, somewhere = None, None
    for head in values:
        empty = ~(head > least) & ~np.isnan(head)
        everywhere = empty if everywhere is None else everywhere & empty
        somewhere = empty if somewhere is None else somewhere | empty
    assert everywhere is not None
    return everywhere, bool((everywhere == somewhere).all())


def _sum_to_one(A: Values) -> bool:
    """Whether each row of A sums to 1 all the same, as it does not after dropout."""
    return bool((np.abs(A.sum(-1, dtype=np.float64) - 1) < 1e-2).all())


def from_numbers(n: int, m: int, S: Values | None, A: Values | None) -> Hiding:
    """What S (-inf) and A (0) say of a mask that is not in the file.

    A causal mask and padding are recognised, also a causal mask that is made wrongly; any other
    pattern where all heads have it, in A if the rows sum to 1.
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
        if agree and not empty.all() and (name == "S" or _sum_to_one(values)):
            return described(empty[None], (f"the mask is taken from the {sign} in {name}",))
    return Hiding(None, may_be_causal=square, said=(nothing,))
