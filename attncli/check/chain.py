"""The right computation as a graph: every quantity from the nearest arrays that the user has.

A mistake (attncli/check/mistakes) replaces the function of one or several nodes; all else stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from attncli.attention import Array, Flags, kv_head
from attncli.check.nodes import NODES, Missing, Step
from attncli.check.reading import Values

Wrong = Mapping[str, tuple[Step, Any]]  # node -> (its wrong function, the constant it was fitted)

_NO_SCORE = 1e6  # a number that large is a mask's: its rounding moves no score


@dataclass(frozen=True)
class Problem:
    """What is not in the arrays: the sizes, the scale, who may look at whom."""

    n: int
    m: int
    h: int
    g: int  # heads of K and V
    d_model: int
    d_k: int
    d_v: int
    scale: float
    hidden: Flags | None  # (h or 1, n, m): True where query i may not look at key j
    causal: bool = False  # part of `hidden`
    padding: Flags | None = None  # (m,): part of `hidden`
    may_be_causal: bool = False  # nothing is said of a mask: mistakes of a causal mask are tried
    softcap: float | None = None
    bias: Values | None = None  # (h or 1, n, m), of the positions: added to the scores
    head_order: tuple[int, ...] | None = None  # in which an earlier stage has the heads
    beside_model: bool = False  # which says what is right, also of a position bias
    steps: Mapping[str, Step] = field(default_factory=dict)  # a model's own, in place of RIGHT's
    without: Mapping[str, Step] = field(default_factory=dict)  # the same less one thing: models.py


@dataclass(frozen=True)
class Part:
    """Some heads and some query rows of a problem that is too large to hold; None: all."""

    heads: tuple[int, ...] | None = None
    rows: tuple[int, ...] | None = None


WHOLE = Part()


@dataclass
class Chain:
    """The quantities of one layer's attention, by name, each computed when it is asked for."""

    problem: Problem
    given: Mapping[str, Array]  # the user's arrays that may be used, by node
    wrong: Wrong = field(default_factory=dict)  # replaces nodes
    part: Part = WHOLE
    base: "Chain | None" = None  # the same with fewer nodes replaced: its values are used again
    target_node: str = ""
    target: Array | None = None  # to be reproduced, for mistakes whose constant is read off it
    unit: float = 0.0  # every number is moved by a relative rounding error up to this
    constant: Any = field(default=None, init=False)
    _chance: np.random.Generator = field(
        default_factory=lambda: np.random.default_rng(0), init=False
    )
    _values: dict[str, Values] = field(default_factory=dict, init=False)

    def __getitem__(self, name: str) -> Values:
        """A node's value in `part`. Raises Missing."""
        if name not in self._values:
            self._values[name] = self._value(name)
        return self._values[name]

    def jittered(self, unit: float) -> "Chain":
        """The same chain with every number moved by a relative rounding error up to `unit`."""
        return replace(self, base=None, unit=unit)

    def right(self, name: str) -> Values:
        """What a node is without its own mistake; for the function that wraps it."""
        return self.right_step(name)(self)

    def right_step(self, name: str) -> Step:
        """How a node is computed: the model's way, if it has its own."""
        return self.problem.steps.get(name, NODES[name].compute)

    def get(self, name: str) -> Array | None:
        """One of the user's arrays, or None."""
        return self[name] if name in self.given else None

    def computed(self, name: str) -> frozenset[str]:
        """The nodes that have to be computed for this one, itself included."""
        if name in self.given or name not in NODES:
            return frozenset()
        return frozenset({name}).union(*map(self.computed, NODES[name].operands))

    def evaluated(self) -> set[str]:
        """The nodes that have been computed so far."""
        return self._values.keys() - self.given.keys()

    def used(self) -> list[str]:
        """The user's arrays that were looked at."""
        return [name for name in self._values if name in self.given]

    def _value(self, name: str) -> Values:
        base = self.base
        if base and name in base._values and not self.computed(name) & self.wrong.keys():
            return base._values[name]
        if name in self.given:
            value = self.cut(name, self.given[name])
            return self._moved(value.astype(np.float64, copy=False))
        if name not in NODES:
            raise Missing(name)
        step, constant = self.wrong.get(name, (self.right_step(name), None))
        outer, self.constant = self.constant, constant
        try:
            with np.errstate(all="ignore"):  # whoever compares looks at what is not finite
                value = self._moved(step(self))
        except (ValueError, IndexError):  # shapes that only a mistake gives do not fit together
            raise Missing(name) from None
        finally:
            self.constant = outer
        return self.cut(name, value) if NODES[name].from_whole else value

    def _moved(self, value: Array) -> Array:
        if not self.unit or value.dtype == np.bool_:
            return value
        error = self.unit * self._chance.uniform(-1, 1, value.shape)
        return value * np.where(np.abs(value) < _NO_SCORE, 1 + error, 1)

    def cut(self, name: str, value: Array) -> Array:
        """The part of an array of the user's, or of a Q, K or V that was computed whole."""
        heads, rows = self.part.heads, self.part.rows
        axes = NODES[name].axes.split() if name in NODES else []
        if heads is not None and axes and axes[0] in "hg":
            value = value[[kv_head(r, self.problem.h, len(value)) for r in heads]]
        if rows is not None and "n" in axes:
            value = value.take(rows, axes.index("n"))
        return value

    def cut_mask(self, mask: Values) -> Values:
        """The part of a mask, or of a bias: (h or 1, n, m)."""
        if self.part.heads is not None and len(mask) > 1:
            mask = mask[list(self.part.heads)]
        return mask if self.part.rows is None else mask[:, list(self.part.rows)]

    def row_numbers(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Which query row of the whole each row of this part is: (rows,)."""
        rows = range(self.problem.n) if self.part.rows is None else self.part.rows
        return np.array(rows, np.intp)
