"""The cases: for every mistake, pair of mistakes and unknown error seeded files that show it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, islice

import numpy as np

from check_cases.attention import Problem, Step, compute
from check_cases.draws import draw_problem, draw_storage, draw_style, draw_weights
from check_cases.mistakes import MISTAKES, Mistake
from check_cases.saving import File, as_file, chosen
from check_cases.shown import differing, fits_nothing, mask_shows, shows
from check_cases.unknown import UNKNOWN


@dataclass(frozen=True)
class Case:
    """A file, and what `check` has to say of it."""

    name: str
    kind: str  # right, harmless, single, pair or unknown
    mistakes: tuple[Mistake, ...]
    problem: Problem
    file: File
    shows: bool  # whether a saved array is another than the right one


def _draw(
    rng: np.random.Generator,
    kind: str,
    name: str,
    mistakes: tuple[Mistake, ...],
    swaps: Mapping[str, Step],
) -> Case | None:
    """One case; None if what is wrong does not show in what is saved."""
    storage = draw_storage(rng, mistakes)
    dtype = "float16" if storage == "float16" and rng.random() < 0.5 else "float32"
    p = draw_problem(rng, mistakes, storage)
    style = draw_style(rng, p, mistakes, storage)
    weights = draw_weights(rng, p, mistakes)
    texts = []
    for _ in range(style.batch or 1):
        X = rng.normal(size=(p.n, p.d_model))
        X_kv = X if p.m == p.n else rng.normal(size=(p.m, p.d_model))
        try:
            texts.append(compute(p, {**weights, "X": X, "X_kv": X_kv}, swaps, dtype))
        except ValueError:  # shapes with which this mistake cannot be made
            return None
    saved = chosen(style, texts[0])
    wanted = frozenset[str]().union(*(m.saves for m in mistakes))
    if not all({w, f"{w}_wide", f"{w}_in"} & saved.keys() for w in wanted):
        return None
    if style.mask == "untold" and not mask_shows(saved):
        return None
    if kind in ("single", "pair") and not shows(p, saved, mistakes, storage):
        return None
    if kind == "unknown" and not fits_nothing(p, saved, storage):
        return None
    odd = bool(differing(p, saved, {}, storage))
    return Case(name, kind, mistakes, p, as_file(p, texts, style), odd)


def _first(draw: Callable[[], Case | None], times: int = 200) -> Case | None:
    """The first draw in which it shows."""
    return next((case for _ in range(times) if (case := draw()) is not None), None)


def _surely(draw: Callable[[], Case | None]) -> Case:
    case = _first(draw)
    assert case is not None, f"it never showed: {draw}"
    return case


def right(seed: int, count: int) -> Iterator[Case]:
    """Files in which all is right."""
    for i in range(count):
        yield _surely(partial(_draw, np.random.default_rng([seed, 1, i]), "right", "right", (), {}))


def singles(seed: int, count: int) -> Iterator[Case]:
    """Every key in turn, and of each key every way to make it."""
    by_key: dict[str, list[Mistake]] = {}
    for m in MISTAKES:
        by_key.setdefault(m.key, []).append(m)
    for i in range(count):
        turn, place = divmod(i, len(by_key))
        ways = list(by_key.values())[place]
        m = ways[turn % len(ways)]
        rng, kind = np.random.default_rng([seed, 2, i]), "harmless" if m.harmless else "single"
        yield _surely(partial(_draw, rng, kind, m.key, (m,), m.swaps))


# With one matrix for Q and K, they are one array: it cannot be told which of them stands for V.
SAME_NUMBERS = [{"same_W_for_Q_and_K", key} for key in ("K_for_V", "Q_for_V")]


def _compatible(a: Mistake, b: Mistake) -> bool:
    """Whether two mistakes are of different steps and can be made together."""
    return (
        a.key != b.key
        and not (a.harmless or b.harmless)
        and not a.swaps.keys() & b.swaps.keys()
        and {a.key, b.key} not in SAME_NUMBERS
        and not (a.small and (b.square or b.bias))
        and not (b.small and (a.square or a.bias))
        and bool(set(a.masks) & set(b.masks) and set(a.hidden) & set(b.hidden))
    )


def pairs(seed: int, count: int) -> Iterator[Case]:
    """Two mistakes in one file, in a seeded order of all pairs."""
    every = [(a, b) for a, b in combinations(MISTAKES, 2) if _compatible(a, b)]
    np.random.default_rng([seed, 3]).shuffle(every)

    def cases() -> Iterator[Case]:
        for i, (a, b) in enumerate(every):
            rng, name = np.random.default_rng([seed, 4, i]), f"{a.key} + {b.key}"
            case = _first(partial(_draw, rng, "pair", name, (a, b), {**a.swaps, **b.swaps}), 20)
            if case is not None:
                yield case

    return islice(cases(), count)


def unknown(seed: int, count: int) -> Iterator[Case]:
    """Errors that are no known mistake, in turn."""
    for i in range(count):
        name, swaps = UNKNOWN[i % len(UNKNOWN)]
        rng = np.random.default_rng([seed, 5, i])
        yield _surely(partial(_draw, rng, "unknown", name, (), swaps))
