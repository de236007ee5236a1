"""Q and K that are rotated by their positions, which the article does not do."""

from collections.abc import Callable

import numpy as np

from attncli.attention import concat_heads, split_heads
from attncli.check.chain import Chain
from attncli.check.mistakes.record import Mistake, Variant
from attncli.check.nodes import Step
from attncli.check.reading import Values

_FEW = 3  # tokens, fewer than which show no regular turning
_STILL = 1e-3  # a turn for each token that is none
_NEAR = 0.02  # how exactly the turns are known in bfloat16
_Pairs = tuple[slice, slice]


def _paired(width: int, interleaved: bool, part: int) -> _Pairs:
    """Where the first and the second numbers of the pairs stand in 1/part of a head's vector."""
    if interleaved:
        return slice(0, width, 2), slice(1, width, 2)
    half = width // (2 * part)
    return slice(0, half), slice(half, 2 * half)


def _by_head(M: Values, node: str, c: Chain) -> Values:
    """(h, n, d_k), also of heads that lie side by side."""
    if node in ("Q", "K"):
        return M
    return split_heads(M, c.problem.h if node == "Q_flat" else c.problem.g)


def _complex(heads: Values, pairs: _Pairs) -> Values:
    first, second = pairs
    return heads[..., first] + 1j * heads[..., second]


def _are_rotary(rates: Values) -> bool:
    """Whether these are like theta^(-2j/d): the first is 1, each less than the one before."""
    sizes = np.abs(rates)
    falling = bool((np.diff(sizes) < _NEAR).all()) and bool((sizes[1:2] > _STILL).all())
    return falling and bool(np.abs(sizes[0] - 1) < _NEAR)


def _rates(node: str, interleaved: bool, part: int) -> Callable[[Chain], Values | None]:
    """By how much each pair of the user's vectors turns from one token to the next: (pairs,).

    It is estimated over the distances 1, 2, 4, ..., each finer than the one before.
    """

    def fit(c: Chain) -> Values | None:
        width = c.problem.d_k
        if c.problem.beside_model or c.target is None:
            return None
        if c.target_node != node or width % (2 * part):
            return None
        pairs = _paired(width, interleaved, part)
        user, right = (_complex(_by_head(M, node, c), pairs) for M in (c.target, c[node]))
        turned = user * right.conj()  # (h, n, pairs)
        if turned.shape[1] < _FEW:
            return None
        rates = np.zeros(turned.shape[-1])
        step = 1
        while step < turned.shape[1]:
            turns = (turned[:, step:] * turned[:, :-step].conj()).sum((0, 1))
            rates += np.angle(turns * np.exp(-1j * step * rates)) / step
            step *= 2
        return rates if _are_rotary(rates) else None

    return fit


def _turned(node: str, interleaved: bool, part: int) -> Step:
    def wrong(c: Chain) -> Values:
        heads = _by_head(c.right(node), node, c).copy()
        pairs = first, second = _paired(heads.shape[-1], interleaved, part)
        turns = np.exp(1j * np.arange(heads.shape[1])[:, None] * c.constant)
        turned = _complex(heads, pairs) * turns
        heads[..., first], heads[..., second] = turned.real, turned.imag
        return heads if node in ("Q", "K") else concat_heads(heads)

    return wrong


def _rotary(node: str, interleaved: bool, part: int) -> Mistake:
    letter = node[0]
    pairs = "(2j, 2j+1)" if interleaved else f"(j, j + d_k/{2 * part})"
    return Mistake(
        key="rotary",
        number="O-09",
        title=f"{letter} is rotated by its positions, as RoPE does",
        explanation="Many models do so; whether these are your model's angles, "
        "attncli check -w tells.",
        right_code=f"{letter} = rotate({letter}, positions)",
        variants=(Variant({node: _turned(node, interleaved, part)}),),
        harmless=True,
        general=True,
        fit=_rates(node, interleaved, part),
        evidence=lambda _c, _user, rates: (
            f"the pairs {pairs} turn by {np.abs(rates).max():.4g} to {np.abs(rates).min():.4g} a "
            "token, in all heads"
        ),
    )


ROTARY = tuple(
    _rotary(node, interleaved, part)
    for node in ("Q", "K", "Q_flat", "K_flat")
    for interleaved, part in ((False, 1), (True, 1), (False, 2), (False, 4))
)
