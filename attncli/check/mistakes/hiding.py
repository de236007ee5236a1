"""Who may look at whom, as the mistakes in the mask have it: flags (h or 1, rows, m)."""

import numpy as np

from attncli.attention import Flags
from attncli.check.chain import Chain
from attncli.check.nodes import Missing


def causal(c: Chain, diagonal: int = 1) -> Flags:
    """True from the given diagonal on, in the rows of this part: (1, rows, m)."""
    ahead = np.arange(c.problem.m) - c.row_numbers()[:, None]
    return (ahead >= diagonal)[None]


def hidden(c: Chain) -> Flags:
    """The mask that was meant: a causal one where nothing is known. Missing if it is empty."""
    if c.problem.hidden is None and c.problem.may_be_causal:
        return causal(c)
    if c.problem.hidden is None or not c.problem.hidden.any():
        raise Missing("mask")
    flags: Flags = c.right("hidden")
    return flags


def padding(c: Chain) -> Flags:
    """The keys that are padding: (m,)."""
    if c.problem.padding is None:
        raise Missing("padding")
    return c.problem.padding


def _nothing(c: Chain) -> Flags:
    return np.zeros((1, len(c.row_numbers()), c.problem.m), np.bool_)


def without_causal(c: Chain) -> Flags:
    """The mask but for its causal part."""
    if not c.problem.causal and not c.problem.may_be_causal:
        raise Missing("causal")
    nothing = _nothing(c)
    return nothing if c.problem.padding is None else nothing | c.problem.padding


def without_padding(c: Chain) -> Flags:
    """The mask but for its padding."""
    padding(c)
    nothing = _nothing(c)
    return causal(c) if c.problem.causal else nothing


def padding_on_rows(c: Chain) -> Flags:
    """The mask with padding hidden as queries instead of keys."""
    if c.problem.n != c.problem.m:
        raise Missing("self-attention")
    rows = padding(c)[c.row_numbers()]
    flags: Flags = without_padding(c) | rows[None, :, None]
    return flags


def masked_rows(c: Chain) -> Flags:
    """The rows of tokens, not of padding, in which every key is masked: (h or 1, rows)."""
    rows: Flags = np.logical_and.reduce(c["hidden"], axis=-1)
    if c.problem.padding is not None and c.problem.n == c.problem.m:
        rows = rows & ~c.problem.padding[c.row_numbers()]
    return rows
