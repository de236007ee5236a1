"""The quantities of attention, one record each: what each is made of, and how."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from attncli.check.chain import Chain

Step = Callable[["Chain"], Values]

MASKED = -500.0  # exp of a score as low as this is 0 beside any other: the key is masked


class Missing(Exception):
    """What would be needed for a quantity and is not in the file."""


@dataclass(frozen=True)
class Node:
    """One quantity of the right computation."""

    name: str
    compute: Step
    operands: tuple[str, ...]  # other nodes, W_Q or X; a bias may be missing
    formula: str = ""  # as the report shows it, if it has a line there
    axes: str = ""  # those of which a part may be taken (letters of axes.py)
    letter: str = ""  # of the array that it is saved as, if that is not its name
    from_whole: bool = False  # its operands have all heads and rows, whatever part is computed


def _source(c: "Chain") -> Array:
    """What K and V are made of: X itself in self-attention."""
    if "source" in c.given:
        return c["source"]
    if c.problem.n != c.problem.m and "X" in c.given:
        raise Missing("source")
    return c["X"]


def _project(X: Array, c: "Chain", letter: str) -> Array:
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


def _hidden(c: "Chain") -> Flags:
    hidden = c.problem.hidden
    if hidden is None:
        hidden = np.zeros((1, c.problem.n, c.problem.m), np.bool_)
    flags: Flags = c.cut_mask(hidden)
    return flags


def _scaled(c: "Chain") -> Array:
    return scores(c["dots"], c.problem.scale, softcap=c.problem.softcap)


def _biased(c: "Chain") -> Array:
    if c.problem.bias is None:
        return c["scaled"]
    return scores(c["scaled"], 1.0, bias=c.cut_mask(c.problem.bias))


def _masked(c: "Chain") -> Array:
    if c.problem.hidden is None and "hidden" not in c.wrong:
        return c["biased"]
    return scores(c["biased"], 1.0, np.where(c["hidden"], -np.inf, 0.0))


def _values(c: "Chain") -> Array:
    A, V = c["A"], c["V"]
    if A.shape[2] != V.shape[1] or (len(A) > 1 and len(A) % len(V)):
        raise Missing("A")
    if len(V) < len(A):
        V = V[[kv_head(r, len(A), len(V)) for r in range(len(A))]]
    return weighted_values(A, V)


def _output(c: "Chain") -> Array:
    return _project(c["Z_cat"], c, "O")


def without_weak(S: Array) -> Array:
    """S with -inf at the keys that are masked by a large number, such as -1e9."""
    return np.where(S <= MASKED, -np.inf, S)


def _weights(c: "Chain") -> Array:
    """The softmax; of a row with a nan or inf in it there is none."""
    S = without_weak(c["S"])
    with np.errstate(invalid="ignore"):
        defined = S.max(-1, keepdims=True) < np.inf
    return np.where(defined, softmax(S), np.nan)


_TABLE = (
    Node("keys_from", _source, ()),
    Node("Q_flat", lambda c: _project(c["X"], c, "Q"), ("X", "W_Q"), letter="Q"),
    Node("K_flat", lambda c: _project(c["keys_from"], c, "K"), ("keys_from", "W_K"), letter="K"),
    Node("V_flat", lambda c: _project(c["keys_from"], c, "V"), ("keys_from", "W_V"), letter="V"),
    Node(
        "Q",
        lambda c: _split(c["Q_flat"], c.problem.h),
        ("Q_flat",),
        "Q = X W_Q + b_Q",
        axes="h n k",
        from_whole=True,
    ),
    Node(
        "K",
        lambda c: _split(c["K_flat"], c.problem.g),
        ("K_flat",),
        "K = X W_K + b_K",
        axes="g m k",
        from_whole=True,
    ),
    Node(
        "V",
        lambda c: _split(c["V_flat"], c.problem.g),
        ("V_flat",),
        "V = X W_V + b_V",
        axes="g m v",
        from_whole=True,
    ),
    Node("dots", lambda c: dot_products(c["Q"], c["K"]), ("Q", "K"), axes="h n m", letter="S"),
    Node("scaled", _scaled, ("dots",), axes="h n m", letter="S"),
    Node("biased", _biased, ("scaled",)),
    Node("hidden", _hidden, ()),
    Node("S", _masked, ("biased", "hidden"), "S = Q K^T / sqrt(d_k) + mask", axes="h n m"),
    Node("weights", _weights, ("S",)),
    Node("A", lambda c: c["weights"], ("weights",), "A = softmax(S)", axes="h n m"),
    Node("Z", _values, ("A", "V"), "Z = A V", axes="h n v"),
    Node(
        "Z_cat",
        lambda c: concat_heads(c["Z"]),
        ("Z",),
        "Z_cat = Concat(Z_1, ..., Z_h)",
        axes="n h*v",
    ),
    Node("Y", _output, ("Z_cat", "W_O"), "Y = Z_cat W_O + b_O", axes="n o"),
)
NODES: Mapping[str, Node] = {node.name: node for node in _TABLE}  # in the order of the computation
FORMULAS = {node.name: node.formula for node in _TABLE if node.formula}
SAVED_AS_S = tuple(name for name, node in NODES.items() if "S" in (name, node.letter))


def letter_of(name: str) -> str:
    """The article's letter of a node: S of `scaled`, Q of `Q_flat`."""
    return NODES[name].letter or name if name in NODES else name


def needed_for(name: str) -> list[str]:
    """The arrays that have to be saved so that a stage can be checked, and `keys_from`."""
    found = []
    for operand in NODES[name].operands:
        between = operand in NODES and operand not in FORMULAS and NODES[operand].operands
        found += needed_for(operand) if between else [operand]
    return found


def made_by_matrices(name: str) -> bool:
    """Whether a node takes n x m numbers, or as much work."""
    return any(
        NODES[each].axes == "h n m" for each in (name, *NODES[name].operands) if each in NODES
    )


def _rank(name: str) -> int:
    operands = NODES[name].operands if name in NODES else ()
    return 1 + max(map(_rank, operands)) if operands else 0


_RANKS = {name: _rank(name) for name in NODES}


def after(name: str, other: str) -> bool:
    """Whether a node comes later in the computation than another."""
    return _RANKS[name] > _RANKS[other]
