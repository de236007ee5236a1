"""Who may look at whom, as the mistakes in the mask have it: flags (h or 1, rows, m)."""

import numpy as np

from attncli.attention import Flags
from attncli.check.chain import Chain
from attncli.check.nodes import Missing


def causal(c: Chain, diagonal: int = 1) -> Flags:
    """True from the given diagonal on, in the rows of this part: (1, rows, m)."""
    ahead = np.arange(c.setting.m) - c.row_numbers()[:, None]
    return (ahead >= diagonal)[None]


def hidden(c: Chain) -> Flags:
    """The mask that was meant: a causal one where nothing is known. Missing if it is empty."""
    if c.setting.hidden is None and c.setting.may_be_causal:
        return causal(c)
    if c.setting.hidden is None or not c.setting.hidden.any():
        raise Missing("mask")
    flags: Flags = c.right("hidden")
    return flags


def padding(c: Chain) -> Flags:
    """The keys that are padding: (m,)."""
    if c.setting.padding is None:
        raise Missing("padding")
    return c.setting.padding


def _nothing(c: Chain) -> Flags:
    return np.zeros((1, len(c.row_numbers()), c.setting.m), np.bool_)


def without_causal(c: Chain) -> Flags:
    """The mask but for its causal part."""
    if not c.setting.causal and not c.setting.may_be_causal:
        raise Missing("causal")
    nothing = _nothing(c)
    return nothing if c.setting.padding is None else nothing | c.setting.padding


def without_padding(c: Chain) -> Flags:
    """The mask but for its padding."""
    padding(c)
    nothing = _nothing(c)
    return causal(c) if c.setting.causal else nothing


def padding_on_rows(c: Chain) -> Flags:
    """The mask with padding hidden as queries instead of keys."""
    if c.setting.n != c.setting.m:
        raise Missing("self-attention")
    rows = padding(c)[c.row_numbers()]
    flags: Flags = without_padding(c) | rows[None, :, None]
    return flags


def masked_rows(c: Chain) -> Flags:
    """The rows of tokens, not of padding, in which every key is masked: (h or 1, rows)."""
    rows: Flags = np.logical_and.reduce(c["hidden"], axis=-1)
    if c.setting.padding is not None and c.setting.n == c.setting.m:
        rows = rows & ~c.setting.padding[c.row_numbers()]
    return rows
