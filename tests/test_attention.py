"""The article's formulas: by hand, by property, and against loops over plain numbers."""

import math

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncli import attention as at
from attncli.errors import AttncliError

close = np.testing.assert_allclose


def test_three_tokens_on_paper():
    # d_model = 2, one head, d_k = 1: everything can be done in the head.
    X = np.array([[1, 0], [0, 1], [1, 1]], np.float32)
    Q = at.project(X, np.array([[1], [0]], np.float32))  # 1, 0, 1
    K = at.project(X, np.array([[0], [1]], np.float32))  # 0, 1, 1
    V = at.project(X, np.array([[2], [4]], np.float32))  # 2, 4, 6
    S = at.scores(at.dot_products(Q[None], K[None]), scale=1 / math.sqrt(1))
    close(S[0], [[0, 1, 1], [0, 0, 0], [0, 1, 1]])
    A = at.softmax(S)
    e = math.e
    close(A[0], [[1 / (1 + 2 * e), e / (1 + 2 * e), e / (1 + 2 * e)], [1 / 3] * 3, A[0, 0]])
    Z = at.weighted_values(A, V[None])
    close(Z[0], [[(2 + 10 * e) / (1 + 2 * e)], [4], [(2 + 10 * e) / (1 + 2 * e)]], rtol=1e-6)
    close(at.attention(Q, K, V), Z[0])


def test_equation_1_divides_by_the_root_of_d_k_and_hides_what_is_masked():
    # q.k = 384 and 320; over sqrt(64) they differ by 8. The third key would win by far.
    Q = np.full((1, 64), 2, np.float64)
    K = np.full((3, 64), 3, np.float64) - np.array([[0], [0.5], [-9]])
    V = np.array([[1, 0], [0, 1], [5, 5]], np.float64)
    small = math.exp(-8) / (1 + math.exp(-8))
    close(at.attention(Q, K, V, np.array([[0, 0, -np.inf]])), [[1 - small, small]])


def test_multi_head_attention_agrees_with_loops():
    h, d_k, d_v = 3, 4, 2
    X, W, _ = _random_heads(5)
    W_O = np.random.default_rng(6).normal(size=(h * d_v, 7))
    slow = [oracle.times(X.tolist(), w.tolist(), [0.0] * w.shape[1]) for w in W]
    joined = [[] for _ in X]
    for r in range(h):
        q, k, v = (oracle.block(m, r, d) for m, d in zip(slow, (d_k, d_k, d_v), strict=True))
        joined = [
            a + b for a, b in zip(joined, oracle.head_attention(q, k, v, False)[2], strict=True)
        ]
    close(at.multi_head_attention(X, *W, W_O, h), np.array(joined) @ W_O)


def test_score_is_divided_by_the_root_of_d_k():
    q, k = np.full((1, 1, 64), 2, np.float32), np.full((1, 1, 64), 3, np.float32)
    close(at.scores(at.dot_products(q, k), 1 / math.sqrt(64)), [[[384 / 8]]])


def test_head_r_is_the_r_th_block_of_columns():
    M = np.arange(12, dtype=np.float32).reshape(2, 6)  # 2 tokens, 3 heads of width 2
    close(at.split_heads(M, 3)[1], [[2, 3], [8, 9]])
    close(at.concat_heads(at.split_heads(M, 3)), M)


def test_columns_that_no_number_of_heads_divides_are_refused():
    with pytest.raises(AttncliError, match="10 columns cannot be split into 4 heads"):
        at.split_heads(np.zeros((3, 10), np.float32), 4)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([10000, 0, -10000], [1, 0, 0]),
        ([100, 100], [0.5, 0.5]),
        ([88.7, 88.7, 88.7], [1 / 3] * 3),  # exp(88.7) fits float32, the sum of three does not
        ([-np.inf, 2, 2], [0, 0.5, 0.5]),
        ([-np.inf, -np.inf], [0, 0]),  # nothing may be looked at
    ],
)
def test_softmax_stays_finite(row, expected):
    close(at.softmax(np.array(row, np.float32)), expected, rtol=1e-6)


@pytest.mark.parametrize("row", [[np.nan, 0, 1], [np.inf, 0, 1], [np.nan, -np.inf]])
def test_a_row_that_is_not_a_number_does_not_look_masked(row):
    with np.errstate(invalid="ignore"):
        assert np.isnan(at.softmax(np.array(row, np.float32))).all()


@given(st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=8), st.floats(-50, 50, width=32))
def test_softmax_sums_to_one_and_ignores_a_constant(row, constant):
    S = np.array(row, np.float64)
    A = at.softmax(S)
    close(A.sum(), 1)
    close(at.softmax(S + constant), A, atol=1e-12)


def test_softmax_runs_along_rows():
    A = at.softmax(np.array([[0, 3], [0, -1]], np.float64))
    close(A.sum(axis=-1), [1, 1])
    assert abs(A.sum(axis=0)[0] - 1) > 0.1


def _random_heads(seed, n=5, h=3, d_model=7, d_k=4, d_v=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d_model))
    W = [rng.normal(size=(d_model, h * d)) for d in (d_k, d_k, d_v)]
    b = [rng.normal(size=h * d) for d in (d_k, d_k, d_v)]
    return X, W, b


@pytest.mark.parametrize("causal", [False, True])
def test_every_matrix_agrees_with_loops(causal):
    h, d_k, d_v = 3, 4, 2
    X, W, b = _random_heads(0)
    Q, K, V = (at.split_heads(at.project(X, w, c), h) for w, c in zip(W, b, strict=True))
    mask = oracle.causal_mask(len(X), np.float64) if causal else None
    S = at.scores(at.dot_products(Q, K), 1 / math.sqrt(d_k), mask)
    A = at.softmax(S)
    Z = at.weighted_values(A, V)
    slow = [oracle.times(X.tolist(), w.tolist(), c.tolist()) for w, c in zip(W, b, strict=True)]
    for r in range(h):
        q, k, v = (oracle.block(m, r, d) for m, d in zip(slow, (d_k, d_k, d_v), strict=True))
        slow_S, slow_A, slow_Z = oracle.head_attention(q, k, v, causal)
        close(np.where(np.isneginf(S[r]), 0, S[r]), [[s or 0 for s in row] for row in slow_S])
        close(A[r], slow_A)
        close(Z[r], slow_Z)
        close(at.concat_heads(Z)[:, r * d_v : (r + 1) * d_v], slow_Z)


def test_causal_weights_right_of_a_token_are_exactly_zero():
    X, W, b = _random_heads(1)
    Q, K = (at.split_heads(at.project(X, w, c), 3) for w, c in zip(W[:2], b[:2], strict=True))
    A = at.softmax(at.scores(at.dot_products(Q, K), 0.5, oracle.causal_mask(len(X), np.float64)))
    assert (A[:, *np.triu_indices(len(X), 1)] == 0).all()
    close(A.sum(axis=-1), np.ones((3, len(X))))


def test_permuting_the_keys_permutes_the_columns_only():
    X, W, b = _random_heads(2)
    Q, K, V = (at.split_heads(at.project(X, w, c), 3) for w, c in zip(W, b, strict=True))
    order = [3, 0, 4, 1, 2]
    A = at.softmax(at.scores(at.dot_products(Q, K), 0.5))
    moved = at.softmax(at.scores(at.dot_products(Q, K[:, order]), 0.5))
    close(moved, A[:, :, order])
    close(at.weighted_values(moved, V[:, order]), at.weighted_values(A, V))


def test_float32_stays_float32():
    X, W, b = ([np.float32(m) for m in group] for group in _random_heads(3))
    Q, K, V = (at.split_heads(at.project(np.stack(X), w, c), 3) for w, c in zip(W, b, strict=True))
    S = at.scores(at.dot_products(Q, K), 1 / math.sqrt(4), oracle.causal_mask(5))
    A = at.softmax(S)
    dtypes = {m.dtype for m in (Q, K, V, S, A, at.concat_heads(at.weighted_values(A, V)))}
    assert dtypes == {np.dtype(np.float32)}


def test_neighbouring_heads_share_a_key_head():
    assert [at.kv_head(r, 8, 2) for r in range(8)] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert [at.kv_head(r, 3, 3) for r in range(3)] == [0, 1, 2]
    assert [at.kv_head(r, 3, 1) for r in range(3)] == [0, 0, 0]


def test_a_capped_score_by_hand():
    S = at.scores(np.float32([[8, -4]]), 0.5, softcap=2.0)
    close(S, [[2 * math.tanh(2), -2 * math.tanh(1)]], rtol=1e-6)
