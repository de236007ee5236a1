"""The generator of files for `check` makes what it says: against loops, and against the toy."""

import numpy as np
import pytest
from check_cases.attention import RIGHT, Arrays, Problem, compute
from check_cases.cases import pairs, right, singles, unknown
from check_cases.mistakes import MISTAKES, Mistake
from oracle import block, head_attention, times

SCALES = {
    "no_scale": 0.5893,
    "scale_d_model": 1.0192,
    "scale_sqrt_n": 0.9050,
    "scale_d_k": 1.1843,
    "scale_multiplied": 0.3594,
}


def toy() -> tuple[Problem, Arrays]:
    """Five tokens, two heads of 4, d_model = 8."""
    rng = np.random.default_rng(0)
    a = {"X": rng.normal(size=(5, 8))}
    a |= {f"W_{w}": rng.normal(size=(8, 8)) * 0.7 for w in "QKVO"}
    a |= {f"b_{b}": rng.normal(size=8) * 0.3 for b in "QKVO"}
    a["X_kv"] = a["X"]
    return Problem(5, 5, 8, 2, 4, 4, -np.inf, np.zeros(5, bool), "none", 0), a


def causal() -> Arrays:
    return toy()[1] | {"keep": np.tri(5, dtype=bool)}


def made(key: str, inputs: Arrays, number: int = 0) -> Arrays:
    """The arrays with one mistake, in double precision."""
    mistake: Mistake = [m for m in MISTAKES if m.key == key][number]
    return compute(toy()[0], inputs, mistake.swaps, "float64")


def mean_entropy(A: np.ndarray) -> float:
    return float(-(A * np.log(np.where(A > 0, A, 1))).sum(-1).mean())


@pytest.mark.parametrize("masked", [False, True])
def test_the_right_arrays_are_those_of_explicit_loops(masked):
    p, a = toy()
    a = causal() if masked else a
    found = compute(p, a, {}, "float64")
    wide = {w: times(a["X"], a[f"W_{w}"], a[f"b_{w}"]) for w in "QKV"}
    Z_cat = [[] for _ in range(p.n)]
    for r in range(p.h):
        S, A, Z = head_attention(*(block(wide[w], r, p.d_k) for w in "QKV"), causal=masked)
        S = [[-np.inf if s is None else s for s in row] for row in S]
        for name, expected in (("S_in", S), ("A", A), ("Z", Z)):
            np.testing.assert_allclose(found[name][r], expected, rtol=1e-12)
        Z_cat = [row + z for row, z in zip(Z_cat, Z, strict=True)]
    np.testing.assert_allclose(found["Z_cat"], Z_cat, rtol=1e-12)
    np.testing.assert_allclose(found["Y"], times(Z_cat, a["W_O"], a["b_O"]), rtol=1e-12)


@pytest.mark.parametrize("key", SCALES)
def test_the_entropies_of_the_wrong_scales_are_those_of_the_list(key):
    assert round(mean_entropy(made(key, toy()[1])["A"]), 4) == SCALES[key]


def test_signatures_of_the_list():
    p, a = toy()
    A = compute(p, a, {}, "float64")["A"]
    assert round(mean_entropy(A), 4) == 0.8537
    wrong = made("softmax_over_queries", a)["A"]
    np.testing.assert_allclose(wrong.sum(-2), 1)
    np.testing.assert_allclose(wrong[0].sum(-1), [0.323, 1.085, 1.777, 1.408, 0.406], atol=5e-4)
    after = made("mask_after_softmax", causal())["A"]
    np.testing.assert_allclose(after[0].sum(-1), [0.012, 0.016, 0.719, 0.730, 1], atol=5e-4)
    times_mask = made("scores_times_mask", causal())["A"]
    np.testing.assert_allclose(np.triu(times_mask[0], 1).sum(), 2.062, atol=5e-4)
    np.testing.assert_allclose(np.triu(A[0], 1).sum(), 2.523, atol=5e-4)
    weak = [m for m in MISTAKES if m.key == "mask_too_weak" and m.says == "-10"]
    assert len(weak) == 1
    weak_A = compute(p, causal(), weak[0].swaps, "float64")["A"]
    np.testing.assert_allclose(np.triu(weak_A[0], 1).sum(), 0.0066, atol=5e-5)
    assert round(mean_entropy(made("mean_over_heads", a)["A"]), 4) == 1.2611
    twice = made("softmax_twice", causal())["A"]
    np.testing.assert_allclose(twice[0].max() / twice[0].min(), np.e)
    swapped = made("S_transposed", a)["S"]
    np.testing.assert_allclose(swapped, compute(p, a, {}, "float64")["S"].swapaxes(1, 2))


def test_every_mistake_changes_a_step_of_the_computation():
    for mistake in MISTAKES:
        assert mistake.swaps.keys() <= RIGHT.keys(), mistake.key


def test_the_same_seed_makes_the_same_files():
    for draw in (right, singles, pairs, unknown):
        for first, second in zip(draw(5, 3), draw(5, 3), strict=True):
            assert first.file.style == second.file.style
            for name, array in first.file.arrays.items():
                np.testing.assert_array_equal(array, second.file.arrays[name])
