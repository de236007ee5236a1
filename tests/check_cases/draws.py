"""What differs from file to file: sizes, masks, weights, and how the author saves."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from check_cases.attention import Array, Arrays, Problem
from check_cases.mistakes import BOTH, CAUSAL, EMPTY, NONE, PADDING, Mistake
from check_cases.saving import PROFILES, Style

T = TypeVar("T")


def one_of(rng: np.random.Generator, values: Sequence[T], p: Sequence[float] | None = None) -> T:
    return values[int(rng.choice(len(values), p=p))]


def _sizes(rng: np.random.Generator, square: bool, divides: bool) -> tuple[int, int, int, int]:
    """n, d_model, h, d_k, all different."""
    while True:
        n, d_model = int(rng.integers(4, 13)), int(rng.integers(6, 33))
        h, d_k = int(rng.integers(2, 6)), int(rng.integers(2, 10))
        d_model = h * d_k if square else h * int(rng.integers(2, 7)) if divides else d_model
        if len({n, d_model, h, d_k}) == 4 and (square or d_model != h * d_k):
            return n, d_model, h, d_k


def _pad(rng: np.random.Generator, mask: str, m: int) -> Array:
    pad = np.zeros(m, bool)
    count = int(rng.integers(1, m // 2 + 1))
    if mask in (PADDING, BOTH):
        pad[-count:] = True
    return pad


# The numbers that a mask is made of in each type.
HIDDEN = {
    "float32": {-np.inf, -1e9, -1e4},
    "float16": {-np.inf, -1e4},
    "bfloat16": {-np.inf, -1e9, -1e4},
}


def draw_storage(rng: np.random.Generator, mistakes: Sequence[Mistake]) -> str:
    """The type of the file, one in which all of the mistakes can be made."""
    storage = one_of(rng, ["float32", "float16", "bfloat16"], [0.6, 0.25, 0.15])
    possible = HIDDEN[storage].intersection(*(m.hidden for m in mistakes))
    only_single = any(m.in_half or m.not_in_half for m in mistakes)
    return "float32" if only_single or not possible else storage


def draw_problem(rng: np.random.Generator, mistakes: Sequence[Mistake], storage: str) -> Problem:
    """Sizes and mask; at times values of another width, or keys of another text."""
    masks = {NONE, CAUSAL, PADDING, BOTH}.intersection(*(m.masks for m in mistakes)) or {EMPTY}
    mask = one_of(rng, sorted(masks))
    square = any(m.square for m in mistakes)
    n, d_model, h, d_k = _sizes(rng, square, any(m.small for m in mistakes))
    other = [i for i in range(3, 16) if i not in (n, d_model, h, d_k)]
    d_v = one_of(rng, other) if not square and rng.random() < 0.15 else d_k
    cross = mask in (NONE, PADDING) and rng.random() < 0.1
    m = one_of(rng, [i for i in other if i != d_v and i > 5]) if cross else n
    hidden = one_of(rng, sorted(HIDDEN[storage].intersection(*(m.hidden for m in mistakes))))
    pad, seed = _pad(rng, mask, m), int(rng.integers(2**31))
    return Problem(n, m, d_model, h, d_k, d_v, hidden, pad, mask, seed)


def draw_weights(rng: np.random.Generator, p: Problem, mistakes: Sequence[Mistake]) -> Arrays:
    """Weights with which the scores have a spread of about 1, and which keys may be seen."""
    small = any(m.small for m in mistakes)
    biases = any(m.bias for m in mistakes) or (not small and rng.random() < 0.6)
    gain = rng.uniform(0.8, 1.5)
    width = {"Q": p.h * p.d_k, "K": p.h * p.d_k, "V": p.h * p.d_v, "O": p.d_model}
    d_in = p.d_model // p.h if small else p.d_model
    d_out = {w: width[w] // p.h if small else width[w] for w in "QKV"}
    a: Arrays = {f"W_{w}": rng.normal(size=(d_in, d_out[w])) * gain / d_in**0.5 for w in "QKV"}
    a["W_O"] = rng.normal(size=(width["V"], p.d_model)) / width["V"] ** 0.5
    a |= {f"b_{b}": rng.normal(size=width[b]) * 0.4 for b in "QKVO" if biases}
    if p.mask != NONE:
        causal = p.mask != PADDING
        a["keep"] = ~np.triu(np.ones((p.n, p.m), bool), 1) | (not causal)
        a["keep"] &= ~p.pad
    if p.mask == EMPTY:
        a["keep"][int(rng.integers(p.n - 1))] = False
    return a


def _ways_to_tell(mask: str, told: bool) -> list[str]:
    """How `check` may learn of the mask so that there is no doubt what is hidden."""
    if mask == CAUSAL:
        return ["additive", "keep", "hide", "option", *([] if told else ["untold"])]
    return ["additive", "keep", "hide"] if mask in (NONE, PADDING) else ["additive", "keep"]


def draw_style(
    rng: np.random.Generator, p: Problem, mistakes: Sequence[Mistake], storage: str
) -> Style:
    """How this author saves; no size of a batch that could be another one."""
    names = one_of(rng, ["article", "torch", "odd"], [0.5, 0.35, 0.15])
    kind = one_of(rng, ["npz", "safetensors", "json", "folder"], [0.55, 0.2, 0.1, 0.15])
    square = any(m.square for m in mistakes)
    weights = ["(in, out)"] if square else ["(in, out)", "(out, in)", "(h, in, out)"]
    # Of another text, to which W_K and W_V belong, nothing is saved.
    profiles = [name for name, kept in PROFILES.items() if p.n == p.m or "W_K" not in kept]
    sizes = (p.n, p.m, p.h, p.d_k, p.d_v)
    several = next(size for size in (2, 3, 4, 5, 6, 7) if size not in sizes)
    return Style(
        profile=one_of(rng, profiles),
        names=names,
        storage=storage,
        format="safetensors" if storage == "bfloat16" else kind,
        batch=one_of(rng, [0, 1, several], [0.6, 0.3, 0.1]),
        heads=one_of(rng, ["(h, n, d)", "(n, h, d)", "(n, h d)"], [0.5, 0.25, 0.25]),
        weights="(out, in)" if names == "torch" else one_of(rng, weights),
        scores=one_of(rng, ["S", "S_in"], [0.3, 0.7]),
        mask=one_of(rng, _ways_to_tell(p.mask, any(m.told for m in mistakes))),
    )
