"""Errors that are no known mistake: `check` must say that nothing fits."""

from collections.abc import Callable, Mapping

import numpy as np

from check_cases.attention import RIGHT, Array, Problem, Step

Change = Callable[[np.random.Generator, Array], Array]


def noise(rng: np.random.Generator, M: Array) -> Array:
    size = float(np.exp(rng.uniform(np.log(0.05), 0)))
    return M + rng.normal(size=M.shape) * size * finite(M).std()


def finite(M: Array) -> Array:
    return M[np.isfinite(M)]


def swapped_tokens(rng: np.random.Generator, M: Array) -> Array:
    i, j = rng.choice(M.shape[-2], 2, replace=False)
    order = np.arange(M.shape[-2])
    order[[i, j]] = j, i
    return M[..., order, :]


def wrong_row(rng: np.random.Generator, M: Array) -> Array:
    out = M.copy()
    row = out[..., rng.integers(M.shape[-2]), :]
    row[...] = rng.permutation(finite(M).ravel())[: row.shape[-1]]
    return out


def scaled_row(rng: np.random.Generator, M: Array) -> Array:
    out = M.copy()
    out[..., rng.integers(M.shape[-2]), :] *= rng.uniform(1.2, 2)
    return out


def zero_row(rng: np.random.Generator, M: Array) -> Array:
    out = M.copy()
    out[..., rng.integers(M.shape[-2]), :] = 0
    return out


def permuted_components(rng: np.random.Generator, M: Array) -> Array:
    return M[..., np.roll(rng.permutation(M.shape[-1]), 1)]


def another_matrix(rng: np.random.Generator, M: Array) -> Array:
    return rng.permutation(finite(M).ravel())[rng.integers(finite(M).size, size=M.shape)]


def odd_factor(rng: np.random.Generator, M: Array) -> Array:
    return M * rng.choice([0.61, 0.83, 1.37, -1.0])


def one_entry(rng: np.random.Generator, M: Array) -> Array:
    out = M.copy()
    out[tuple(rng.integers(size) for size in M.shape)] += rng.uniform(0.5, 3)
    return out


def shifted_tokens(_: np.random.Generator, M: Array) -> Array:
    return np.roll(M, 1, axis=-2)


def one_vector_more(rng: np.random.Generator, M: Array) -> Array:
    return M + rng.normal(size=M.shape[-1])


def holes(rng: np.random.Generator, M: Array) -> Array:
    """Zeros as dropout makes them, but nothing enlarged."""
    return M * (rng.random(M.shape) > 0.3)


def turned(rng: np.random.Generator, M: Array) -> Array:
    """Pairs of components rotated by the position, as rotary does with other frequencies."""
    angle = np.arange(M.shape[-2])[:, None] * rng.uniform(0.3, 1)
    out = M.copy()
    a, b = M[..., 0], M[..., 1]
    out[..., 0] = a * np.cos(angle[:, 0]) - b * np.sin(angle[:, 0])
    out[..., 1] = a * np.sin(angle[:, 0]) + b * np.cos(angle[:, 0])
    return out


def _after(name: str, change: Change) -> Mapping[str, Step]:
    def step(p: Problem, a: Mapping[str, Array]) -> Array:
        return change(np.random.default_rng(p.seed), RIGHT[name](p, a))

    return {name: step}


def _relu(_: Problem, a: Mapping[str, Array]) -> Array:
    E = np.maximum(a["S_in"], 0) + 1e-3
    return E / E.sum(-1, keepdims=True)


def _sigmoid(_: Problem, a: Mapping[str, Array]) -> Array:
    return 1 / (1 + np.exp(-a["S_in"]))


_ROWS = (noise, swapped_tokens, wrong_row, scaled_row, zero_row, one_entry)
_VECTORS = (permuted_components, another_matrix, odd_factor, shifted_tokens, one_vector_more)

UNKNOWN: tuple[tuple[str, Mapping[str, Step]], ...] = (
    *(
        (f"{change.__name__} in {name}", _after(name, change))
        for name in ("Q", "K", "V", "Z", "Y")
        for change in (*_ROWS, *_VECTORS)
        if not (change is odd_factor and name in "QK")  # then it is another scale
    ),
    *((f"{change.__name__} in S", _after("S", change)) for change in (*_ROWS, another_matrix)),
    *((f"{change.__name__} in A", _after("A", change)) for change in (*_ROWS, another_matrix)),
    ("holes in A", _after("A", holes)),
    ("turned in Q", _after("Q", turned)),
    ("turned in K", _after("K", turned)),
    ("relu for exp", {"A": _relu}),
    ("sigmoid for softmax", {"A": _sigmoid}),
)
