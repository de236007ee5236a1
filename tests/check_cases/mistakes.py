"""Every wrong variant of docs/check.md, as the steps that it replaces."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from check_cases.attention import Array, Problem, Step, merge, put, softmax, split

NONE, CAUSAL, PADDING, BOTH = "none", "causal", "padding", "both"


@dataclass(frozen=True)
class Mistake:
    """What is done in place of the right steps, and where it can be seen."""

    key: str
    swaps: Mapping[str, Step]
    masks: tuple[str, ...] = (NONE, CAUSAL, PADDING, BOTH)
    hidden: tuple[float, ...] = (-np.inf, -1e9)  # values of a hidden key with which it shows
    bias: str = ""  # the bias that it needs: Q
    square: bool = False  # needs d_model = h d_k
    divides: bool = False  # needs h to divide d_model
    says: str = ""  # a word or number that the finding has to name
    same: frozenset[str] = frozenset()  # other names of the same numbers
    without: frozenset[str] = frozenset()  # arrays that the author would not save
    saves: frozenset[str] = frozenset()  # arrays without which it is another mistake
    harmless: bool = False
    told: bool = False  # the mask has to be told: without it the numbers are right


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
    hide = p.pad[:, None] | (np.triu(np.ones((p.n, p.m), bool), 1) & (p.mask == BOTH))
    return put(p, a, hide)


def without_padding(p: Problem, a: Mapping[str, Array]) -> Array:
    """What is left of the mask when the padding is forgotten."""
    return put(p, a, np.triu(np.ones((p.n, p.m), bool), 1)) if p.mask == BOTH else a["S"]


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


def _places() -> list[Mistake]:
    """Which operand goes where: M-04 to M-06 and M-15, and the biases."""
    found = [
        Mistake("split_by_reshape", by_reshape(letters), says=letters[0])
        for letters in ("Q", "K", "V", "QK", "QKV")
    ]
    found += [
        Mistake("transposed_W", transposed(letter), square=True, says=f"W_{letter}")
        for letter in "QKVO"
    ]
    found += [
        Mistake(f"b_{letter}_missing", without_bias(letter), bias=letter, harmless=letter == "K")
        for letter in "QKV"
    ]
    same_W = {"K_wide": lambda _, a: a["X"] @ a["W_Q"] + a.get("b_K", 0)}
    same_layer = {"K_wide": lambda _, a: a["X"] @ a["W_Q"] + a.get("b_Q", 0)}
    one_W = {f"{letter}_wide": first_head_for_all(letter) for letter in "QKV"}
    small = {f"{letter}_wide": split_then_project(letter) for letter in "QKV"}
    transposed_S = {"dots": lambda _, a: a["K"] @ a["Q"].swapaxes(-1, -2)}
    return [
        *found,
        Mistake("merge_by_reshape", {"Z_cat": lambda p, a: a["Z"].reshape(p.n, -1)}),
        Mistake("S_transposed", transposed_S),
        Mistake("K_for_V", {"Z": lambda _, a: a["A"] @ a["K"]}),
        Mistake("Q_for_V", {"Z": lambda _, a: a["A"] @ a["Q"]}),
        Mistake("A_transposed", {"Z": lambda _, a: a["A"].swapaxes(-1, -2) @ a["V"]}),
        Mistake("same_W_for_Q_and_K", same_W),
        Mistake("same_W_for_Q_and_K", same_layer),
        Mistake("one_W_for_all_heads", one_W),
        Mistake("project_after_split", small, divides=True, without=frozenset({"b"})),
    ]


def _heads_not_moved() -> Mistake:
    def one(letter: str) -> Step:
        return lambda p, a: a[f"{letter}_wide"].reshape(p.n, p.h, -1)

    swaps = {letter: one(letter) for letter in "QKV"}
    return Mistake(
        "heads_not_moved",
        {**swaps, "Z_cat": lambda p, a: a["Z"].reshape(p.n, -1)},
        masks=(NONE,),
    )


def _scores() -> list[Mistake]:
    """The scale, M-02 and M-03."""
    to_Q = {"Q_wide": lambda p, a: (a["X"] @ a["W_Q"] + a.get("b_Q", 0)) / np.sqrt(p.d_k)}
    unscaled = {"S": lambda _, a: a["dots"]}
    return [
        Mistake("no_scale", ratio(lambda _: 1), same=frozenset({"Q_prescaled"})),
        Mistake("scale_d_model", ratio(lambda p: p.d_model**-0.5)),
        Mistake("scale_sqrt_n", ratio(lambda p: p.m**-0.5)),
        Mistake("scale_d_k", ratio(lambda p: 1 / p.d_k)),
        Mistake("scale_multiplied", ratio(lambda p: p.d_k**0.5)),
        Mistake("Q_prescaled", {**to_Q, **unscaled}, harmless=True, saves=frozenset("QX")),
        Mistake(
            "row_constant",
            {"S": lambda p, a: a["dots"] / np.sqrt(p.d_k) + row_constants(p)},
            harmless=True,
            saves=frozenset({"S"}),
        ),
    ]


def _masks() -> list[Mistake]:
    """M-07 to M-11."""
    with_mask, finite = (CAUSAL, PADDING, BOTH), (-1e9, -1e4)
    hides_kept = {"S_in": lambda p, a: put(p, a, a["keep"])}
    plus = {"S_in": lambda p, a: put(p, a, ~a["keep"], 1e9)}
    found = [
        Mistake(
            "mask_too_weak",
            {"S_in": lambda p, a, c=constant: put(p, a, ~a["keep"], c)},
            masks=with_mask,
            says=f"{constant:g}" if constant <= -1 else "",
            told=True,
            same=frozenset({"no_causal_mask", "padding_attended"} if constant > -1e-3 else ()),
        )
        for constant in (-1e-9, -1.0, -5.0, -10.0)
    ]
    times = {
        "S_in": lambda _, a: a["S"] * a["keep"],
        "A": lambda _, a: softmax(a["S_in"]),
    }
    no_mask = in_place_of_softmax(lambda _, a: softmax(a["S"]))
    after = in_place_of_softmax(lambda _, a: softmax(a["S"]) * a["keep"])
    one_more = {"S_in": lambda p, a: put(p, a, ~a["keep"]) + a["keep"]}
    return [
        *found,
        Mistake("mask_inverted", hides_kept, masks=with_mask, hidden=(-np.inf, -1e9)),
        Mistake("no_causal_mask", no_mask, masks=(CAUSAL,), told=True),
        Mistake("causal_diagonal_0", triangle(0), masks=(CAUSAL,), told=True),
        Mistake("causal_diagonal_2", triangle(2), masks=(CAUSAL,), told=True),
        Mistake("mask_plus_inf", plus, masks=with_mask, told=True),
        Mistake("mask_after_softmax", after, masks=with_mask, told=True),
        Mistake("scores_times_mask", times, masks=with_mask, told=True),
        Mistake("padding_attended", {"S_in": without_padding}, masks=(PADDING, BOTH), told=True),
        Mistake(
            "padding_on_queries", {"S_in": hides_rows}, masks=(PADDING,), hidden=finite, told=True
        ),
        Mistake(
            "mask_after_softmax_renormalised",
            in_place_of_softmax(renormalised),
            masks=with_mask,
            harmless=True,
            told=True,
        ),
        Mistake(
            "mask_plus_one_on_permitted",
            one_more,
            masks=with_mask,
            harmless=True,
            same=frozenset({"row_constant"}),
            saves=frozenset({"S"}),
            told=True,
        ),
    ]


def _weights() -> list[Mistake]:
    """The softmax, the dropout and the mean: M-01, M-12, M-13."""
    found = []
    for used in (False, True):
        found += [
            Mistake("mean_over_heads", averaged(used, lambda _, a: softmax(a["S_in"]).mean(0))),
            Mistake("sum_over_heads", averaged(used, lambda _, a: softmax(a["S_in"]).sum(0))),
            Mistake("mean_of_scores", averaged(used, lambda _, a: softmax(a["S_in"].mean(0)))),
        ]
    found += [Mistake("dropout", dropout(rate), says=f"{rate:g}") for rate in (0.1, 0.2, 0.3, 0.5)]
    return [
        *found,
        Mistake(
            "softmax_over_queries",
            {"A": lambda _, a: softmax(a["S_in"], -2)},
            masks=(NONE, CAUSAL),
        ),
        Mistake("softmax_over_heads", {"A": lambda _, a: softmax(a["S_in"], 0)}, masks=(NONE,)),
        Mistake("softmax_over_everything", {"A": lambda _, a: softmax(a["S_in"], (-2, -1))}),
        Mistake(
            "softmax_of_length_one",
            {"A": lambda _, a: softmax(a["S_in"][..., None])[..., 0]},
            hidden=(-1e9,),
        ),
        Mistake("softmax_twice", {"A": lambda _, a: softmax(softmax(a["S_in"]))}),
    ]


def _output() -> list[Mistake]:
    """M-14."""
    each = {"Y": lambda p, a: a["Z_cat"] @ a["W_O"] + p.h * a["b_O"]}
    return [
        Mistake("no_output_projection", {"Y": lambda _, a: a["Z_cat"]}),
        Mistake("heads_added", {"Y": lambda _, a: a["Z"].sum(0)}),
        Mistake("b_O_each_head", each, bias="O"),
        Mistake("b_O_missing", without_bias("O"), bias="O"),
    ]


def _head_order() -> list[Mistake]:
    def moved(letter: str) -> Step:
        return lambda p, a: split(a[f"{letter}_wide"], p.h)[head_permutation(p)]

    everywhere = {letter: moved(letter) for letter in "QKV"}
    back = {"Z_cat": lambda p, a: reordered_heads(p, a["Z"])}
    return [Mistake("head_order", everywhere | back, harmless=True)]


def _rounding() -> list[Mistake]:
    from check_cases.attention import RIGHT

    halves = {name: in_half(step) for name, step in RIGHT.items()}
    return [Mistake("fp16_rounding", halves, hidden=(-np.inf,), harmless=True)]


MISTAKES: tuple[Mistake, ...] = (
    *_weights(),
    *_scores(),
    *_places(),
    _heads_not_moved(),
    *_masks(),
    *_output(),
    *_head_order(),
    *_rounding(),
)
