"""The wrong steps: what people write in place of the right ones of attention.py."""

from collections.abc import Callable, Mapping

import numpy as np

from check_cases.attention import Array, Problem, Step, merge, put, softmax


def ratio(factor: Callable[[Problem], float]) -> Mapping[str, Step]:
    """S = Q K^T times something else than 1 / sqrt(d_k)."""
    return {"S": lambda p, a: a["dots"] * a["dots"].dtype.type(factor(p))}


def by_reshape(letters: str) -> Mapping[str, Step]:
    """(n, h d) taken for (h, n, d)."""

    def one(letter: str) -> Step:
        def step(p: Problem, a: Mapping[str, Array]) -> Array:
            wide = a[f"{letter}_wide"]
            return wide.reshape(p.h, len(wide), -1)

        return step

    return {letter: one(letter) for letter in letters}


def transposed(letter: str) -> Mapping[str, Step]:
    X = {"Q": "X", "O": "Z_cat"}.get(letter, "X_kv")
    name = {"O": "Y"}.get(letter, f"{letter}_wide")
    return {name: lambda _, a: a[X] @ a[f"W_{letter}"].T + a.get(f"b_{letter}", 0)}


def without_bias(letter: str) -> Mapping[str, Step]:
    X, name = {"Q": ("X", "Q_wide"), "O": ("Z_cat", "Y")}.get(letter, ("X_kv", f"{letter}_wide"))
    return {name: lambda _, a: a[X] @ a[f"W_{letter}"]}


def in_place_of_softmax(change: Step) -> Mapping[str, Step]:
    """The mask was not added to the scores; A is made of S and keep."""
    return {"S_in": lambda _, a: a["S"], "A": change}


def triangle(diagonal: int) -> Mapping[str, Step]:
    """np.triu(..., k=diagonal) hides, in place of k=1."""
    return {"S_in": lambda p, a: put(p, a, np.triu(np.ones((p.n, p.m), bool), diagonal))}


def dropout(rate: float) -> Mapping[str, Step]:
    def step(p: Problem, a: Mapping[str, Array]) -> Array:
        A = softmax(a["S_in"])
        kept = np.random.default_rng(p.seed).random(A.shape) >= rate
        kept[0, -1, 0], kept[-1, -1, 1] = False, True
        return np.where(kept, A / A.dtype.type(1 - rate), 0)

    return {"A": step}


def split_then_project(letter: str) -> Step:
    """x cut into h pieces, each through one small matrix: d_model / h -> d_k."""

    def step(p: Problem, a: Mapping[str, Array]) -> Array:
        pieces = np.split(a["X"], p.h, axis=1)
        return np.concatenate([piece @ a[f"W_{letter}"] for piece in pieces], axis=1)

    return step


def first_head_for_all(letter: str) -> Step:
    def step(p: Problem, a: Mapping[str, Array]) -> Array:
        W, b = a[f"W_{letter}"], a.get(f"b_{letter}")
        width = W.shape[1] // p.h
        one = a["X"] @ W[:, :width] + (0 if b is None else b[:width])
        return np.tile(one, p.h)

    return step


def averaged(used: bool, change: Step) -> Mapping[str, Step]:
    """One matrix of weights in place of h; `used`: Z is computed with it."""
    if used:
        return {"A": change, "Z": lambda _, a: a["A"] @ a["V"]}
    return {"A": change, "Z": lambda _, a: softmax(a["S_in"]) @ a["V"]}


def hides_rows(p: Problem, a: Mapping[str, Array]) -> Array:
    """Padding broadcast over the rows: (n, 1) in place of (1, n)."""
    hide = p.pad[:, None] | (np.triu(np.ones((p.n, p.m), bool), 1) & (p.mask == "both"))
    return put(p, a, hide)


def without_padding(p: Problem, a: Mapping[str, Array]) -> Array:
    """What is left of the mask when the padding is forgotten."""
    return put(p, a, np.triu(np.ones((p.n, p.m), bool), 1)) if p.mask == "both" else a["S"]


def renormalised(_: Problem, a: Mapping[str, Array]) -> Array:
    A = softmax(a["S"]) * a["keep"]
    return A / A.sum(-1, keepdims=True)


def row_constants(p: Problem) -> Array:
    return np.random.default_rng(p.seed).normal(size=(p.h, p.n, 1)) * 2


def head_permutation(p: Problem) -> list[int]:
    """Another order than 0, 1, 2, ...: the first is never in its place."""
    return np.roll(np.arange(p.h), 1 + p.seed % (p.h - 1)).tolist()


def reordered_heads(p: Problem, Z: Array) -> Array:
    """Put back where W_O expects them."""
    back = np.argsort(head_permutation(p))
    return merge(Z[back])


def in_half(step: Step) -> Step:
    """A step computed in float16 where the rest is not."""

    def rounded(p: Problem, a: Mapping[str, Array]) -> Array:
        half = {k: v if v.dtype == bool else v.astype(np.float16) for k, v in a.items()}
        return step(p, half).astype(np.float32)

    return rounded
