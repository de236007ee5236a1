"""Attention as a list of steps, each of which a mistake may replace."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Arrays = dict[str, Array]


@dataclass(frozen=True)
class Problem:
    """The sizes, and what else a step has to know."""

    n: int
    m: int  # n but in attention to another text
    d_model: int
    h: int
    d_k: int
    d_v: int
    hidden: float  # what a hidden key gets: -inf, -1e9, ...
    pad: npt.NDArray[np.bool_]  # (m,): True for a token that is padding
    mask: str  # none, causal, padding or both: which keys are hidden
    seed: int  # of what is random in a mistake


Step = Callable[[Problem, Mapping[str, Array]], Array]


def project(X: str, letter: str) -> Step:
    """X W + b: (n, d_model) -> (n, h d)."""

    def step(_: Problem, a: Mapping[str, Array]) -> Array:
        return a[X] @ a[f"W_{letter}"] + a.get(f"b_{letter}", 0)

    return step


def split(M: Array, h: int) -> Array:
    """(n, h d) -> (h, n, d)."""
    return M.reshape(len(M), h, -1).transpose(1, 0, 2)


def split_step(letter: str) -> Step:
    return lambda p, a: split(a[f"{letter}_wide"], p.h)


def scaled(p: Problem, a: Mapping[str, Array]) -> Array:
    return a["dots"] / np.sqrt(p.d_k).astype(a["dots"].dtype)


def masked(p: Problem, a: Mapping[str, Array]) -> Array:
    return put(p, a, ~a["keep"]) if "keep" in a else a["S"]


def put(p: Problem, a: Mapping[str, Array], hide: Array, value: float | None = None) -> Array:
    """S plus the value of a hidden key, in the type that S has."""
    large = a["S"].dtype.type(p.hidden if value is None else value)
    return a["S"] + np.where(hide, large, a["S"].dtype.type(0))


def softmax(S: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """The usual one: a row of nothing but -inf becomes nan."""
    E = np.exp(S - S.max(axis, keepdims=True))
    return E / E.sum(axis, keepdims=True)


def weights(_: Problem, a: Mapping[str, Array]) -> Array:
    """A: where no key may be looked at, nothing is."""
    A = softmax(a["S_in"])
    return np.where(a["keep"].any(-1, keepdims=True), A, 0) if "keep" in a else A


def merge(Z: Array) -> Array:
    """(h, n, d) -> (n, h d)."""
    return np.concatenate(list(Z), axis=-1)


RIGHT: dict[str, Step] = {
    "Q_wide": project("X", "Q"),
    "K_wide": project("X_kv", "K"),
    "V_wide": project("X_kv", "V"),
    "Q": split_step("Q"),
    "K": split_step("K"),
    "V": split_step("V"),
    "dots": lambda _, a: a["Q"] @ a["K"].swapaxes(-1, -2),
    "S": scaled,
    "S_in": masked,
    "A": weights,
    "Z": lambda _, a: a["A"] @ a["V"],
    "Z_cat": lambda _, a: merge(a["Z"]),
    "Y": project("Z_cat", "O"),
}


def compute(p: Problem, inputs: Arrays, swaps: Mapping[str, Step], dtype: str) -> Arrays:
    """All arrays, every step rounded to `dtype`, with some steps replaced."""
    a = {k: v if v.dtype == bool else v.astype(dtype) for k, v in inputs.items()}
    with np.errstate(all="ignore"):  # nan and inf are part of some mistakes
        for name, step in (RIGHT | dict(swaps)).items():
            a[name] = step(p, a).astype(dtype)
    return a


class _Lazy(dict[str, Array]):
    """Saved arrays; a step that was not saved is computed when it is asked for, in their type."""

    def __init__(self, p: Problem, saved: Mapping[str, Array], steps: Mapping[str, Step]) -> None:
        super().__init__(saved)
        self._p, self._steps = p, steps
        self._dtype = np.result_type(np.float16, *(M for M in saved.values() if M.dtype != bool))

    def __missing__(self, name: str) -> Array:
        step = self._steps[name]  # KeyError: an input that was not saved
        self[name] = step(self._p, self).astype(self._dtype)
        return self[name]


def again(
    name: str, p: Problem, saved: Mapping[str, Array], swaps: Mapping[str, Step]
) -> Array | None:
    """One step from the nearest arrays that were saved; None if they are not there."""
    others = {k: v for k, v in saved.items() if k != name}
    with np.errstate(all="ignore"):
        try:
            return _Lazy(p, others, RIGHT | dict(swaps))[name]
        except KeyError:
            return None
        except ValueError:  # the shapes do not fit: that is seen, too
            return np.zeros(0)
