"""One array of the user's that is to be reproduced, and how near a chain comes to it.

What is too large to be held is worked through in parts, several at a time.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from attncli.attention import Array, Flags
from attncli.blocks import THREADS
from attncli.check.chain import WHOLE, Chain, Part, Problem, Wrong
from attncli.check.compare import BASE, Gap, gap, joined
from attncli.check.nodes import MASKED, Missing, letter_of, made_by_matrices
from attncli.check.report import Difference

_LARGE = 2_000_000  # entries of S from which a problem is worked through in parts
_BLOCK = 500_000  # entries of S that are worked on at a time
_FEW = 8  # rows that a candidate has to get right before all are computed


@dataclass(frozen=True)
class Target:
    """An array of the user's that is to be explained, as a node of the chain."""

    node: str
    values: Array  # as stored; cast part by part
    problem: Problem
    given: Mapping[str, Array]
    carried: Wrong  # what an earlier stage has shown to be different for good
    precision: str  # the type whose numbers these are
    unit: float  # the relative rounding error of what it is computed from
    fixed: float | None = None  # a tolerance that the user has set


def chain_of(target: Target, wrong: Wrong, part: Part = WHOLE, base: Chain | None = None) -> Chain:
    """The chain that leads to a target, with some nodes replaced."""
    wrong = {**target.carried, **wrong}
    chain = Chain(target.problem, target.given, wrong, part, base, target.node)
    chain.target = chain.cut(target.node, target.values).astype(np.float64, copy=False)
    return chain


def free_rows(chain: Chain, node: str) -> Flags | None:
    """Rows whose numbers mean nothing: padding that looks, and queries without a permitted key."""
    if node not in ("S", "scaled", "A", "Z", "Z_cat", "Y"):
        return None
    free: Flags = np.logical_and.reduce(chain["hidden"], axis=-1)  # (h or 1, rows)
    padding = chain.problem.padding
    if padding is not None and chain.problem.n == chain.problem.m:
        free = free | padding[chain.row_numbers()]
    if "S" in chain.given and node != "S":
        masked = chain["S"].max(-1) <= MASKED
        free = free | masked if masked.shape[-1] == free.shape[-1] else free
    if node in ("Z_cat", "Y"):
        return np.logical_or.reduce(free)[:, None]  # type: ignore[no-any-return]
    return free[..., None]


def compare(chain: Chain, node: str, undefined: bool = False) -> Gap:
    """The gap between the user's array and what a chain makes of the node. Raises Missing.

    `undefined`: what is nan in the chain, the softmax of nothing but -inf, may be anything.
    """
    assert chain.target is not None
    ours = chain[node]
    free = free_rows(chain, node)
    if free is not None and (ours.ndim != free.ndim or ours.shape[-2] != free.shape[-2]):
        free = None
    if chain.target.ndim == 3 and free is not None and len(chain.target) < len(free):
        free = np.logical_or.reduce(free, keepdims=True)
    return gap(chain.target, ours, free, undefined=undefined)


def is_large(problem: Problem) -> bool:
    """Whether the matrices of all heads are too large to be held."""
    return problem.h * problem.n * problem.m > _LARGE


def blocks(problem: Problem, by_head: bool) -> Iterator[tuple[Part, int, int]]:
    """(part, its first head, its first row) for all parts of a large problem."""
    if by_head:
        for head in range(problem.h):
            yield Part(heads=(head,)), head, 0
    else:
        step = max(1, _BLOCK // (problem.h * problem.m))
        for start in range(0, problem.n, step):
            yield Part(rows=tuple(range(start, min(start + step, problem.n)))), 0, start


def screen(target: Target) -> Part:
    """A few rows of a large problem, or all."""
    problem = target.problem
    if not is_large(problem) or letter_of(target.node) in "QKV":
        return WHOLE
    rows = np.unique(np.linspace(0, problem.n - 1, _FEW).astype(int))
    chain = chain_of(target, {}, part := Part(rows=tuple(int(i) for i in rows)))
    try:
        chain[target.node]
    except Missing:
        return part
    return part if any(map(made_by_matrices, chain.computed(target.node))) else WHOLE


def whole_gap(
    target: Target, wrong_of: Callable[[Part], Wrong], by_head: bool, undefined: bool = False
) -> Gap:
    """The gap over all parts of a large problem, several at a time."""

    def one(block: tuple[Part, int, int]) -> tuple[Gap, tuple[int, ...]]:
        part, head, row = block
        chain = chain_of(target, wrong_of(part), part)
        three = chain.target is not None and chain.target.ndim == 3
        return compare(chain, target.node, undefined), (head, row, 0) if three else (row, 0)

    with ThreadPoolExecutor(THREADS) as pool:
        return joined(pool.map(one, blocks(target.problem, by_head)))


def fixed_tolerance(fixed: float, found: Gap) -> float:
    """The tolerance where the user has set one: relative for large numbers, else absolute."""
    return fixed * max(1.0, found.scale)


def difference_of(target: Target, found: Gap) -> Difference:
    """A gap as it is reported."""
    fixed = math.inf if target.fixed is None else fixed_tolerance(target.fixed, found)
    return found.difference(target.precision, fixed)


def tolerance_of(target: Target, chain: Chain, found: Gap) -> float:
    """How far rounding can move a result: that of its own type, and what its operands' moves.

    The second is measured: every operand and every intermediate result of `chain` is moved by a
    random rounding error of its type.
    """
    if target.fixed is not None:
        return fixed_tolerance(target.fixed, found)
    moved = chain.jittered(target.unit)[target.node]
    with np.errstate(invalid="ignore"):
        distance = np.abs(moved - chain[target.node])
    return BASE[target.precision] * found.scale + 4 * float(
        distance[np.isfinite(distance)].max(initial=0)
    )
