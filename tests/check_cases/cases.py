"""The cases: a seeded draw of sizes, masks, types, layouts and names for every mistake."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from check_cases.attention import RIGHT, Array, Arrays, Problem, Step, again, compute
from check_cases.mistakes import BOTH, CAUSAL, MISTAKES, NONE, PADDING, Mistake
from check_cases.saving import PROFILES, File, Style, as_file, chosen
from check_cases.unknown import UNKNOWN

HALF = ("float16", "bfloat16")
LEFT = "left padding"  # with a causal mask: its first rows have no permitted key
MASKED_ROW = Mistake("masked_row_uniform", {}, masks=(LEFT,), hidden=(-1e9,), told=True)


@dataclass(frozen=True)
class Case:
    """A file, and what `check` has to say of it."""

    name: str
    kind: str  # right, harmless, single, pair or unknown
    mistakes: tuple[Mistake, ...]
    problem: Problem
    file: File
    shows: bool  # whether a saved array is another than the right one


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
    if mask == LEFT:
        pad[:count] = True
    return pad


def _problem(rng: np.random.Generator, mistakes: Sequence[Mistake], mask: str) -> Problem:
    """Sizes and mask; at times values of another width, or keys of another text."""
    square = any(m.square for m in mistakes)
    n, d_model, h, d_k = _sizes(rng, square, any(m.divides for m in mistakes))
    other = [i for i in range(3, 16) if i not in (n, d_model, h, d_k)]
    d_v = int(rng.choice(other)) if not square and rng.random() < 0.15 else d_k
    cross = mask in (NONE, PADDING) and rng.random() < 0.1
    m = int(rng.choice([i for i in other if i != d_v])) if cross else n
    hidden = set.intersection({-np.inf, -1e9, -1e4}, *(set(m.hidden) for m in mistakes))
    pad, seed = _pad(rng, mask, m), int(rng.integers(2**31))
    return Problem(n, m, d_model, h, d_k, d_v, float(rng.choice(sorted(hidden))), pad, mask, seed)


def _inputs(rng: np.random.Generator, p: Problem, biases: Sequence[str], small: bool) -> Arrays:
    """X, the weights so that the scores have a spread of about 1, and which keys may be seen."""
    gain = rng.uniform(0.8, 1.5)
    width = {"Q": p.h * p.d_k, "K": p.h * p.d_k, "V": p.h * p.d_v, "O": p.d_model}
    d_in = p.d_model // p.h if small else p.d_model
    d_out = {w: width[w] // p.h if small else width[w] for w in "QKV"}
    a: Arrays = {f"W_{w}": rng.normal(size=(d_in, d_out[w])) * gain / d_in**0.5 for w in "QKV"}
    a["W_O"] = rng.normal(size=(width["V"], p.d_model)) / width["V"] ** 0.5
    a |= {f"b_{b}": rng.normal(size=width[b]) * 0.4 for b in biases}
    if p.mask != NONE:
        causal = p.mask != PADDING
        a["keep"] = ~np.triu(np.ones((p.n, p.m), bool), 1) | (not causal)
        a["keep"] &= ~p.pad
    return a


def _style(rng: np.random.Generator, mask: str, told: bool, square: bool) -> Style:
    def one(*values: str, p: Sequence[float] | None = None) -> str:
        return str(rng.choice(values, p=p))

    ways = ["additive", "keep", "hide"]
    if mask == CAUSAL:
        ways += ["option"] if told else ["option", "untold"]
    if mask == LEFT:
        ways = ["additive", "keep"]
    if mask == BOTH:
        ways = ["additive", "keep"]
    storage = one("float32", "float16", "bfloat16", p=(0.6, 0.25, 0.15))
    names = one("article", "torch", "odd", p=(0.5, 0.35, 0.15))
    format = one("npz", "safetensors", "json", "folder", p=(0.55, 0.2, 0.1, 0.15))
    weights = one("(in, out)", "(out, in)", "(h, in, out)")
    if names == "torch":
        weights = "(out, in)"
    elif square:
        weights = "(in, out)"
    return Style(
        one(*PROFILES),
        names,
        storage,
        "safetensors" if storage == "bfloat16" else format,
        int(rng.choice([0, 1, 2], p=(0.6, 0.3, 0.1))),
        one("(h, n, d)", "(n, h, d)", "(n, h d)", p=(0.5, 0.25, 0.25)),
        weights,
        one("S", "S_in", p=(0.3, 0.7)),
        one(*ways),
    )


def _far(mine: Array, right: Array, storage: str) -> bool:
    """Whether two arrays differ by more than rounding can explain."""
    if mine.shape != right.shape:
        return True
    with np.errstate(all="ignore"):
        seen = np.isfinite(mine) & (mine > -1e3) & np.isfinite(right) & (right > -1e3)
        hidden = ~np.isfinite(mine) | (mine < -1e3), ~np.isfinite(right) | (right < -1e3)
        if (hidden[0] != hidden[1]).any():
            return True
        gap = abs(np.where(seen, mine - right, 0)).max(initial=0)
        size = abs(np.where(seen, right, 0)).max(initial=0)
    return bool(gap > (0.05 if storage in HALF else 2e-3) * max(size, 0.2))


def differing(p: Problem, saved: Arrays, swaps: Mapping[str, Step], storage: str) -> list[str]:
    """Which saved arrays are not what `swaps` make of the nearest saved ones before them."""
    found = []
    for name in RIGHT:
        if name in saved:
            expected = again(name, p, saved, swaps)
            if expected is not None and _far(saved[name], expected, storage):
                found.append(name)
    return found


def _shows(p: Problem, saved: Arrays, mistakes: Sequence[Mistake], storage: str) -> bool:
    """Whether the saved arrays are wrong, and wrong without each one of the mistakes."""
    for left_out in mistakes:
        others = {k: v for m in mistakes if m is not left_out for k, v in m.swaps.items()}
        if not differing(p, saved, others, storage):
            return False
    return True


def _fits_nothing(p: Problem, saved: Arrays, storage: str) -> bool:
    """Whether something differs and no known mistake makes these numbers."""
    wrong = differing(p, saved, {}, storage)
    if not wrong:
        return False
    for mistake in MISTAKES:
        if not (mistake.bias and "b_O" not in saved):
            expected = again(wrong[0], p, saved, mistake.swaps)
            if expected is not None and not _far(saved[wrong[0]], expected, storage):
                return False
    return True


def _draw(
    rng: np.random.Generator,
    kind: str,
    mistakes: Sequence[Mistake],
    swaps: Mapping[str, Step],
    name: str,
) -> Case | None:
    """One case; None if what is wrong does not show in what is saved."""
    masks = set.intersection({NONE, CAUSAL, PADDING, BOTH, LEFT}, *(set(m.masks) for m in mistakes))
    if not mistakes:
        masks -= {LEFT}
    mask = str(rng.choice(sorted(masks)))
    p = _problem(rng, mistakes, mask)
    needed = {m.bias for m in mistakes} - {""}
    small = any(m.without for m in mistakes)
    biases = "" if small else "QKVO" if needed or rng.random() < 0.6 else ""
    told = any(m.told for m in mistakes)
    style = _style(rng, mask, told, any(m.square for m in mistakes))
    halves = any(m.key == "fp16_rounding" for m in mistakes)
    computed = style.storage if style.storage == "float16" and rng.random() < 0.5 else "float32"
    if halves:
        style, computed = replace(style, storage="float32"), "float32"
    elif style.storage in HALF and p.hidden == -1e4:
        p = replace(p, hidden=-np.inf)
    while style.batch > 1 and style.batch in (p.n, p.m, p.h, p.d_k, p.d_v):
        style = replace(style, batch=style.batch + 1)
    if p.m != p.n:  # W_K and W_V belong to a text that is not saved
        style = replace(style, profile=str(rng.choice([k for k in PROFILES if "W" not in k])))
    weights = _inputs(rng, p, biases, small)
    texts = []
    for _ in range(style.batch or 1):
        X = rng.normal(size=(p.n, p.d_model))
        X_kv = X if p.m == p.n else rng.normal(size=(p.m, p.d_model))
        try:
            texts.append(compute(p, {**weights, "X": X, "X_kv": X_kv}, swaps, computed))
        except ValueError:  # shapes with which this mistake cannot be made
            return None
    left_out = frozenset({"b_Q", "b_K", "b_V"}) if small else frozenset()
    saved = chosen(style, texts[0], left_out)
    wanted = frozenset().union(*(m.saves for m in mistakes))
    if not all({w, f"{w}_wide", f"{w}_in"} & saved.keys() for w in wanted):
        return None
    if kind in ("single", "pair") and not _shows(p, saved, mistakes, style.storage):
        return None
    if kind == "unknown" and not _fits_nothing(p, saved, style.storage):
        return None
    shows = bool(differing(p, saved, {}, style.storage))
    return Case(name, kind, tuple(mistakes), p, as_file(p, texts, style, left_out), shows)


def _until(draw: Callable[[], Case | None]) -> Case:
    """The first draw in which the mistake shows."""
    for _ in range(200):
        if (case := draw()) is not None:
            return case
    raise AssertionError("drawn 200 times, and it never showed")


def _merged(mistakes: Sequence[Mistake]) -> dict[str, Step]:
    return {k: v for m in mistakes for k, v in m.swaps.items()}


def right(seed: int, count: int) -> Iterator[Case]:
    for i in range(count):
        rng = np.random.default_rng([seed, 1, i])
        yield _until(lambda rng=rng: _draw(rng, "right", (), {}, "right"))


def singles(seed: int, count: int) -> Iterator[Case]:
    """Every key in turn, and of each key every way to make it."""
    by_key: dict[str, list[Mistake]] = {}
    for m in (*MISTAKES, MASKED_ROW):
        by_key.setdefault(m.key, []).append(m)
    keys = list(by_key)
    for i in range(count):
        ways = by_key[keys[i % len(keys)]]
        m = ways[i // len(keys) % len(ways)]
        rng = np.random.default_rng([seed, 2, i])
        kind = "harmless" if m.harmless else "single"
        yield _until(lambda rng=rng, m=m, kind=kind: _draw(rng, kind, (m,), m.swaps, m.key))


def compatible(a: Mistake, b: Mistake) -> bool:
    """Whether two mistakes are of different steps and can be made together."""
    return (
        a.key != b.key
        and not (a.harmless or b.harmless)
        and not a.swaps.keys() & b.swaps.keys()
        and not (a.square and b.divides)
        and not (b.square and a.divides)
        and not (a.without and b.bias)
        and not (b.without and a.bias)
        and bool(set(a.masks) & set(b.masks) and set(a.hidden) & set(b.hidden))
    )


def pairs(seed: int, count: int) -> Iterator[Case]:
    every = [(a, b) for a, b in combinations(MISTAKES, 2) if compatible(a, b)]
    order = np.random.default_rng([seed, 3]).permutation(len(every))
    made = 0
    for i in order:
        pair, rng = every[i], np.random.default_rng([seed, 3, int(i)])
        name = " + ".join(m.key for m in pair)
        for _ in range(20):
            case = _draw(rng, "pair", pair, _merged(pair), name)
            if case is not None:
                yield case
                made += 1
                break
        if made == count:
            return


def unknown(seed: int, count: int) -> Iterator[Case]:
    for i in range(count):
        name, swaps = UNKNOWN[i % len(UNKNOWN)]
        rng = np.random.default_rng([seed, 4, i])
        yield _until(lambda rng=rng, swaps=swaps, name=name: _draw(rng, "unknown", (), swaps, name))
