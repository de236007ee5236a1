"""What the stages so far have shown, and one array beside what it should be.

Where S was saved, after the mask, before it or before the scale, is told by what agrees.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attncli.attention import Array
from attncli.check.chain import WHOLE, Problem
from attncli.check.compare import BASE, UNIT, Gap
from attncli.check.interpretation import Interpretation, Kept
from attncli.check.nodes import MASKED, SAVED_AS_S, Missing, letter_of
from attncli.check.target import Target, chain_of, compare, screen, tolerance_of, whole_gap

_SMALL = 5_000_000  # numbers of an array that is converted once, not part by part


@dataclass
class CheckState:
    """What the stages so far have shown."""

    user: Interpretation
    problem: Problem
    nodes: dict[str, Array]  # the user's arrays as operands
    carried: dict[str, tuple[Any, Any]] = field(default_factory=dict)  # nodes that stay changed
    said: list[str] = field(default_factory=list)
    fixed: float | None = None  # a tolerance that the user has set
    explain: bool = True


def _unit(user: Interpretation, names: Sequence[str]) -> float:
    return max((UNIT[user.kept[name].precision] for name in names if name in user.kept), default=0)


def target_of(state: CheckState, kept: Kept, node: str) -> Target:
    """The user's array as a node."""
    given = {k: v for k, v in state.nodes.items() if k != kept.node}
    if kept.node in SAVED_AS_S:
        given = {k: v for k, v in given.items() if k not in SAVED_AS_S}
    return Target(
        node=node,
        values=kept.values,
        problem=state.problem,
        given=given,
        carried=state.carried,
        precision=kept.precision,
        unit=0.0,
        fixed=state.fixed,
    )


@dataclass(frozen=True)
class Compared:
    """The user's array beside the right one."""

    target: Target
    operands: tuple[str, ...]  # the user's arrays that the right one was computed from
    gap: Gap
    tolerance: float
    strict: float  # the tolerance if the stored types said how exact the numbers are
    spoilt: tuple[str, ...] = ()  # operands with nan or inf: what they make of it says nothing

    @property
    def agrees(self) -> bool:
        return self.gap.within(self.tolerance)


def _is_spoilt(kept: Kept | None) -> bool:
    """Whether an array has nan or inf in it; -inf is a masked score."""
    if kept is None or not kept.values.size:
        return False
    with np.errstate(invalid="ignore"):
        return not kept.values.max() < np.inf  # nan is the maximum of what holds one


def compared(state: CheckState, kept: Kept, node: str, roughly: bool = False) -> Compared:
    """The user's array beside the right one; `roughly`: only a few rows of it. Raises Missing."""
    target = target_of(state, kept, node)
    part = screen(target)
    chain = chain_of(target, {}, part)
    chain[node]
    operands = tuple(dict.fromkeys(letter_of(name) for name in chain.used()))
    target = replace(target, unit=_unit(state.user, operands))
    spoilt = tuple(name for name in operands if _is_spoilt(state.user.kept.get(name)))
    if part == WHOLE or roughly:
        gap = compare(chain, node, undefined=bool(spoilt))
    else:
        gap = whole_gap(target, lambda _: {}, by_head=False, undefined=bool(spoilt))
    tolerance = tolerance_of(target, chain, gap)
    strict = tolerance
    if target.fixed is None and kept.precision != kept.dtype and kept.dtype in BASE:
        strict = tolerance - (BASE[kept.precision] - BASE[kept.dtype]) * gap.scale
    return Compared(target, operands, gap, tolerance, strict, spoilt)


def is_square(state: CheckState, kept: Kept) -> bool:
    """Whether a matrix is of tokens and tokens, not of heads and heads."""
    return kept.values.shape[1:] == (state.problem.n, state.problem.m)


def _follows(state: CheckState, kept: Kept, node: str) -> bool:
    """Whether the user's A follows from S if S is taken for this node."""
    A = state.user.kept.get("A")
    if A is None:
        return False
    trial = replace(state, nodes={**state.nodes, node: kept.values}, said=[])
    if node != "S":
        trial.nodes.pop("S", None)
    try:
        return compared(trial, A, "A", roughly=True).agrees
    except Missing:
        return False


def places(state: CheckState, kept: Kept) -> list[str]:
    """The nodes that an array may be: S is saved after the mask, before it, or before the scale."""
    if kept.name != "S":
        return [kept.node]
    if not is_square(state, kept):
        return ["S"]
    masked = ["S", "scaled"] if state.problem.hidden is not None else ["S"]
    return [*masked, "dots"] if _follows(state, kept, "dots") else masked


def place_of_S(state: CheckState, kept: Kept, likely: str | None) -> str:
    """As which node S serves what follows: as A says, or as it looks."""
    others = [place for place in places(state, kept) if place != "dots"]
    if likely is None:
        masked = any(bool((head <= MASKED).any()) for head in kept.values)
        likely = "S" if masked else others[-1]
    every = dict.fromkeys((likely, *others))
    return next((node for node in every if _follows(state, kept, node)), likely)


def use(state: CheckState, kept: Kept, node: str) -> None:
    """Let S be an operand of what follows, as the node it was saved at."""
    state.nodes.pop("S", None)
    state.nodes[node] = kept.values
    if node == "scaled":
        state.said.append("S was saved before the mask")
    if node == "dots":
        state.said.append("S was saved before the scale and the mask: A shows both")


def usable(user: Interpretation) -> dict[str, Array]:
    """The arrays that can be operands: not a mean over the heads."""
    h = user.problem.h
    return {
        node: values if values.size > _SMALL else values.astype(np.float64)
        for node, values in user.nodes.items()
        if not (node in ("S", "A") and len(values) == 1 < h)
    }
