"""Every wrong variant of docs/check.md, as the steps that it replaces."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from check_cases.attention import RIGHT, Step, put, softmax, split
from check_cases.wrong_steps import (
    averaged,
    by_reshape,
    dropout,
    first_head_for_all,
    head_permutation,
    hides_rows,
    in_half,
    in_place_of_softmax,
    ratio,
    renormalised,
    reordered_heads,
    row_constants,
    split_then_project,
    transposed,
    triangle,
    without_bias,
    without_padding,
)

EMPTY = "an empty row"  # of a causal mask: this query may look at nothing
NONE, CAUSAL, PADDING, BOTH = "none", "causal", "padding", "both"


@dataclass(frozen=True)
class Mistake:
    """What is done in place of the right steps, and where it can be seen."""

    key: str
    swaps: Mapping[str, Step]
    masks: tuple[str, ...] = (NONE, CAUSAL, PADDING, BOTH)
    hidden: tuple[float, ...] = (-np.inf, -1e9, -1e4)  # values of a hidden key with which it shows
    bias: str = ""  # the bias that it needs: Q
    square: bool = False  # needs d_model = h d_k
    small: bool = False  # one matrix for all heads, (d_model / h, d_k), and no bias
    says: str = ""  # a word or number that the finding has to name
    same: frozenset[str] = frozenset()  # other names of the same numbers
    saves: frozenset[str] = frozenset()  # arrays without which it is another mistake
    harmless: bool = False
    silent: bool = False  # S before a mask: the numbers are those of a right program
    in_half: bool = False  # computed in float16, stored in float32
    not_in_half: bool = False  # needs numbers that float16 does not have
    told: bool = False  # the mask has to be told: without it the numbers are right


def _places() -> list[Mistake]:
    """Which operand goes where: M-04 to M-06 and M-15, and the biases."""
    found = [
        Mistake("split_by_reshape", by_reshape(letters), says=letters if len(letters) == 1 else "")
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
        Mistake("project_after_split", small, small=True),
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
        Mistake("scale_d_model", ratio(lambda p: p.d_model**-0.5), saves=frozenset({"X"})),
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
            silent=True,
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
    found += [
        Mistake("dropout", dropout(rate), says=f"{rate:g}", saves=frozenset({"A"}))
        for rate in (0.1, 0.2, 0.3, 0.5)
    ]
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
            hidden=(-1e9, -1e4),
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
    swaps = everywhere | back
    return [Mistake("head_order", swaps, harmless=True, saves=frozenset({"X"}))]


def _rounding() -> list[Mistake]:
    halves = {name: in_half(step) for name, step in RIGHT.items()}
    return [Mistake("fp16_rounding", halves, hidden=(-np.inf,), harmless=True, in_half=True)]


MISTAKES: tuple[Mistake, ...] = (
    *_weights(),
    *_scores(),
    *_places(),
    _heads_not_moved(),
    *_masks(),
    Mistake(
        "masked_row_uniform",
        {"A": lambda _, a: softmax(a["S_in"])},
        masks=(EMPTY,),
        hidden=(-1e9,),
        not_in_half=True,
        told=True,
    ),
    *_output(),
    *_head_order(),
    *_rounding(),
)
