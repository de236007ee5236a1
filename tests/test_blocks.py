"""The engine against the plain formulas of attention.py."""

import numpy as np
import pytest

from attncli import attention as at
from attncli import blocks
from attncli.errors import AttncliError

close = np.testing.assert_allclose


def draw(h, n, n_kv=None, d_k=3, d_v=5):
    rng = np.random.default_rng(4)
    n_kv = n_kv or h
    return [rng.normal(size=(r, n, d)) for r, d in ((h, d_k), (n_kv, d_k), (n_kv, d_v))]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n", [5, 128, 300])
def test_the_engine_computes_equation_1(n, causal):
    Q, K, V = draw(4, n)
    mask = blocks.mask_rows(slice(0, n), n, causal, None, np.float64)
    Z = blocks.attend(Q, K, V, blocks.Scoring(3**-0.5, causal=causal)).Z
    close(Z, at.attention(Q, K, V, mask), atol=1e-12)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("window", [None, 3, 200])
@pytest.mark.parametrize("n", [5, 128, 300])
def test_blocks_of_rows_are_the_whole_matrices(n, window, causal):
    """Longer than two blocks, shared keys, a bias, a cap: the same numbers as all at once."""
    Q, K, V = draw(4, n, n_kv=2)
    bias = np.random.default_rng(5).normal(size=(4, n, n))
    scoring = blocks.Scoring(0.5, 2.0, lambda head, rows: bias[head, rows], causal, window)
    kept = blocks.attend(Q, K, V, scoring, range(4))
    mask = blocks.mask_rows(slice(0, n), n, causal, window, np.float64)
    S = at.scores(at.dot_products(Q, K), 0.5, mask, softcap=2.0, bias=bias)
    A = at.softmax(S)
    close(np.where(np.isneginf(kept.S), 0, kept.S), np.where(np.isneginf(S), 0, S))
    assert (np.isneginf(kept.S) == np.isneginf(S)).all()
    close(kept.A, A, atol=1e-15)
    close(kept.Z, at.weighted_values(A, V.repeat(2, axis=0)), atol=1e-12)
    close(blocks.attend(Q, K, V, scoring).Z, kept.Z)
    close(scoring.whole_bias([3, 1], n, n), bias[[3, 1]])


@pytest.mark.parametrize("n", [5, 300])
def test_s_and_a_are_those_of_the_heads_asked_for_in_their_order(n):
    Q, K, V = draw(3, n)
    every = blocks.attend(Q, K, V, blocks.Scoring(0.5), range(3))
    some = blocks.attend(Q, K, V, blocks.Scoring(0.5), [2, 0, 2, -1])
    close(some.S, every.S[[2, 0, 2, 2]])
    close(some.A, every.A[[2, 0, 2, 2]])
    with pytest.raises(IndexError):
        blocks.attend(Q, K, V, blocks.Scoring(0.5), [3])


def test_matrices_beyond_the_limit_are_refused_before_they_are_made():
    blocks.check_size(1, 30_000, 30_000)
    with pytest.raises(AttncliError, match=r"8 heads for 30000 x 30000 tokens take 57\.6 GB"):
        blocks.check_size(8, 30_000, 30_000)


def test_a_window_slides_to_both_sides_unless_causal():
    def seen(causal):
        return (blocks.mask_rows(slice(2, 3), 6, causal, 2) == 0)[0].tolist()

    assert seen(causal=False) == [False, True, True, True, False, False]
    assert seen(causal=True) == [False, True, True, False, False, False]


@pytest.mark.parametrize("n", [1, 7, 1000])
def test_a_product_on_threads_is_the_product(monkeypatch, n):
    monkeypatch.setattr(blocks, "_LARGE", 0)
    monkeypatch.setattr(blocks, "THREADS", 3)
    rng = np.random.default_rng(0)
    X, W, b = rng.normal(size=(n, 5)), rng.normal(size=(5, 4)), rng.normal(size=4)
    close(blocks.project(X, W, b), at.project(X, W, b))
