"""The right computation as a graph: every quantity from the nearest arrays that the user has.

A mistake (attncli/check/mistakes) replaces the function of one or several nodes; all else stays.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from attncli.attention import (
    Array,
    Flags,
    concat_heads,
    dot_products,
    kv_head,
    scores,
    softmax,
    split_heads,
    weighted_values,
)
from attncli.blocks import project
from attncli.check.reading import Values
from attncli.errors import AttncliError

Step = Callable[["Chain"], Values]
Wrong = Mapping[str, tuple[Step, Any]]  # node -> (its wrong function, the constant it was fitted)

_NO_SCORE = 1e6  # a number that large is a mask's: its rounding moves no score
MASKED = -500.0  # exp of a score as low as this is 0 beside any other: the key is masked


class Missing(Exception):
    """What would be needed for a quantity and is not in the file."""


@dataclass(frozen=True)
class Setting:
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


class Chain:
    """The quantities of one layer's attention, by name, each computed when it is asked for.

    `given` are the user's arrays that may be used, by node; `wrong` replaces nodes. `target` is
    the array that is to be reproduced, for mistakes with an element of chance.
    """

    def __init__(
        self,
        setting: Setting,
        given: Mapping[str, Array],
        *,
        wrong: Wrong | None = None,
        part: Part = WHOLE,
        base: "Chain | None" = None,
        target: Array | None = None,
        target_node: str = "",
    ) -> None:
        self.setting = setting
        self.given = given
        self.wrong = dict(wrong or {})
        self.part = part
        self.target = target
        self.target_node = target_node
        self.constant: Any = None
        self._steps = {**RIGHT, **setting.steps}
        self._base = base
        self._changed = {
            node
            for node, step in self.wrong.items()
            if not base or base.wrong.get(node) is not step
        }
        self._unit = 0.0
        self._chance = np.random.default_rng(0)
        self._values: dict[str, Values] = {}
        self._behind: dict[str, frozenset[str]] = {}  # the nodes that a value was computed from
        self._open: list[set[str]] = []

    def __getitem__(self, name: str) -> Values:
        """A node's value in `part`. Raises Missing."""
        if name not in self._values:
            self._compute(name)
        if self._open:
            self._open[-1] |= self._behind[name]
        return self._values[name]

    def jittered(self, unit: float) -> "Chain":
        """The same chain with every number moved by a relative rounding error up to `unit`."""
        moved = Chain(
            self.setting,
            self.given,
            wrong=self.wrong,
            part=self.part,
            target=self.target,
            target_node=self.target_node,
        )
        moved._unit = unit
        return moved

    def right(self, name: str) -> Values:
        """What a node is without its own mistake; for the function that wraps it."""
        return self._steps[name](self)

    def get(self, name: str) -> Array | None:
        """One of the user's arrays, or None."""
        return self[name] if name in self.given else None

    def computed(self, name: str) -> frozenset[str]:
        """The nodes that were computed on the way to this one, itself included."""
        return self._behind.get(name, frozenset())

    def used(self) -> list[str]:
        """The user's arrays that were looked at."""
        return [name for name in self._values if name in self.given]

    def _compute(self, name: str) -> None:
        base = self._base
        if base and name in base._values and not base._behind[name] & self._changed:
            self._values[name], self._behind[name] = base._values[name], base._behind[name]
        elif name in self.given:
            self._values[name] = self._moved(
                self.cut(name, self.given[name]).astype(np.float64, copy=False)
            )
            self._behind[name] = frozenset()
        elif name in self.wrong or name in self._steps:
            step, constant = self.wrong.get(name, (self._steps.get(name), None))
            assert step is not None
            self._open.append({name})
            outer, self.constant = self.constant, constant
            try:
                with np.errstate(all="ignore"):  # whoever compares looks at what is not finite
                    value = self._moved(step(self))
            except (ValueError, IndexError):  # shapes that only a mistake gives do not fit together
                raise Missing(name) from None
            finally:
                behind = self._open.pop()
                self.constant = outer
            self._behind[name] = frozenset(behind)
            self._values[name] = self.cut(name, value) if name in ("Q", "K", "V") else value
        else:
            raise Missing(name)

    def _moved(self, value: Array) -> Array:
        if not self._unit or value.dtype == np.bool_:
            return value
        error = self._unit * self._chance.uniform(-1, 1, value.shape)
        return value * np.where(np.abs(value) < _NO_SCORE, 1 + error, 1)

    def cut(self, name: str, value: Array) -> Array:
        """The part of an array of the user's, or of a Q, K or V that was computed whole."""
        heads, rows = self.part.heads, self.part.rows
        if heads is not None and name in ("Q", "K", "V", "S", "A", "Z", "scaled", "dots"):
            kept = [kv_head(r, self.setting.h, len(value)) for r in heads]
            value = value[kept]
        if rows is not None and name in ("Q", "S", "A", "Z", "scaled", "dots"):
            value = value[:, list(rows)]
        if rows is not None and name in ("Z_cat", "Y"):
            value = value[list(rows)]
        return value

    def cut_mask(self, mask: Values) -> Values:
        """The part of a mask, or of a bias: (h or 1, n, m)."""
        if self.part.heads is not None and len(mask) > 1:
            mask = mask[list(self.part.heads)]
        return mask if self.part.rows is None else mask[:, list(self.part.rows)]

    def row_numbers(self) -> np.ndarray[Any, np.dtype[np.intp]]:
        """Which query row of the whole each row of this part is: (rows,)."""
        rows = range(self.setting.n) if self.part.rows is None else self.part.rows
        return np.array(rows, np.intp)


def _source(c: Chain) -> Array:
    """What K and V are made of: X itself in self-attention."""
    if "source" in c.given:
        return c["source"]
    if c.setting.n != c.setting.m and "X" in c.given:
        raise Missing("source")
    return c["X"]


def _project(X: Array, c: Chain, letter: str) -> Array:
    W, b = c[f"W_{letter}"], c.get(f"b_{letter}")
    if X.shape[1] != len(W):
        raise Missing(f"W_{letter}")
    if b is not None and len(b) != W.shape[1]:
        raise Missing(f"b_{letter}")
    return project(X, W, b)


def _split(flat: Array, heads: int) -> Array:
    try:
        return split_heads(flat, heads)
    except AttncliError:
        raise Missing("heads") from None


def _hidden(c: Chain) -> Flags:
    hidden = c.setting.hidden
    if hidden is None:
        hidden = np.zeros((1, c.setting.n, c.setting.m), np.bool_)
    flags: Flags = c.cut_mask(hidden)
    return flags


def _scaled(c: Chain) -> Array:
    return scores(c["dots"], c.setting.scale, softcap=c.setting.softcap)


def _biased(c: Chain) -> Array:
    if c.setting.bias is None:
        return c["scaled"]
    return scores(c["scaled"], 1.0, bias=c.cut_mask(c.setting.bias))


def _masked(c: Chain) -> Array:
    if c.setting.hidden is None and "hidden" not in c.wrong:
        return c["biased"]
    return scores(c["biased"], 1.0, np.where(c["hidden"], -np.inf, 0.0))


def _values(c: Chain) -> Array:
    A, V = c["A"], c["V"]
    if A.shape[2] != V.shape[1] or (len(A) > 1 and len(A) % len(V)):
        raise Missing("A")
    if len(V) < len(A):
        V = V[[kv_head(r, len(A), len(V)) for r in range(len(A))]]
    return weighted_values(A, V)


def _output(c: Chain) -> Array:
    return _project(c["Z_cat"], c, "O")


def without_weak(S: Array) -> Array:
    """S with -inf at the keys that are masked by a large number, such as -1e9."""
    return np.where(S <= MASKED, -np.inf, S)


def _weights(c: Chain) -> Array:
    """The softmax; of a row with a nan or inf in it there is none."""
    S = without_weak(c["S"])
    with np.errstate(invalid="ignore"):
        defined = S.max(-1, keepdims=True) < np.inf
    return np.where(defined, softmax(S), np.nan)


RIGHT: Mapping[str, Step] = {  # in the order of the computation
    "keys_from": _source,
    "Q_flat": lambda c: _project(c["X"], c, "Q"),
    "K_flat": lambda c: _project(c["keys_from"], c, "K"),
    "V_flat": lambda c: _project(c["keys_from"], c, "V"),
    "Q": lambda c: _split(c["Q_flat"], c.setting.h),
    "K": lambda c: _split(c["K_flat"], c.setting.g),
    "V": lambda c: _split(c["V_flat"], c.setting.g),
    "dots": lambda c: dot_products(c["Q"], c["K"]),
    "scaled": _scaled,
    "biased": _biased,
    "hidden": _hidden,
    "S": _masked,
    "weights": _weights,
    "A": lambda c: c["weights"],
    "Z": _values,
    "Z_cat": lambda c: concat_heads(c["Z"]),
    "Y": _output,
}
_RANK = {
    "keys_from": 0,
    "Q_flat": 1,
    "K_flat": 1,
    "V_flat": 1,
    "Q": 2,
    "K": 2,
    "V": 2,
    "dots": 3,
    "scaled": 4,
    "biased": 5,
    "hidden": 5,
    "S": 6,
    "weights": 7,
    "A": 8,
    "Z": 9,
    "Z_cat": 10,
    "Y": 11,
}


def after(node: str, other: str) -> bool:
    """Whether a node comes later in the computation than another."""
    return _RANK[node] > _RANK[other]
