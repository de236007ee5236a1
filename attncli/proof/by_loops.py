"""attncli's matrices beside those of explicit loops (loops.py)."""

from collections.abc import Iterator

import numpy as np

from attncli import attention as at
from attncli.attention import Array
from attncli.blocks import BLOCK, Scoring, attend, mask_rows
from attncli.inspector import inspect
from attncli.proof import loops
from attncli.weights import load_weights

SENTENCE = "The cat sat because it was tired"
N, H, D_MODEL, D_K = 7, 3, 10, 4
LONG = 2 * BLOCK + 9  # rows, so that they are worked through in blocks and on threads

Pairs = Iterator[tuple[Array, Array]]


def drawn() -> Pairs:
    """Random vectors and parameters: Q, S, A, Z and Y of all heads, without a mask and causal."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D_MODEL)).astype(np.float32)
    W = [(rng.normal(size=(D_MODEL, H * D_K)) / 3).astype(np.float32) for _ in range(3)]
    b = [rng.normal(size=H * D_K).astype(np.float32) for _ in range(3)]
    W_O = rng.normal(size=(H * D_K, D_MODEL)).astype(np.float32)
    b_O = rng.normal(size=D_MODEL).astype(np.float32)
    slow = [loops.times(X.tolist(), w.tolist(), v.tolist()) for w, v in zip(W, b, strict=True)]
    Q, K, V = (at.split_heads(at.project(X, w, v), H) for w, v in zip(W, b, strict=True))
    for causal in (False, True):
        S, A, Z = attend(Q, K, V, Scoring(D_K**-0.5, causal=causal), range(H))
        plain = at.attention(Q, K, V, mask_rows(slice(0, N), N, causal, None))
        joined: loops.Matrix = [[] for _ in range(N)]
        for head in range(H):
            q, k, v = (loops.block(M, head, D_K) for M in slow)
            s, a, z = loops.head_attention(q, k, v, causal)
            yield Q[head], np.array(q)
            yield S[head], _scores(s)
            yield A[head], np.array(a)
            yield Z[head], np.array(z)
            yield plain[head], np.array(z)
            joined = [left + right for left, right in zip(joined, z, strict=True)]
        Y = at.project(at.concat_heads(Z), W_O, b_O)
        yield Y, np.array(loops.times(joined, W_O.tolist(), b_O.tolist()))


def in_blocks() -> Pairs:
    """A sentence of several blocks of rows: A and Z of two rows of each block, causal."""
    rng = np.random.default_rng(1)
    Q, K, V = (rng.normal(size=(2, LONG, D_K)).astype(np.float32) for _ in range(3))
    _, A, Z = attend(Q, K, V, Scoring(D_K**-0.5, causal=True), range(2))
    edges = [row for start in range(0, LONG, BLOCK) for row in (start, start + 8)]
    for head in range(2):
        k, v = K[head].tolist(), V[head].tolist()
        for row in edges:
            seen = slice(0, row + 1)
            _, a, z = loops.head_attention([Q[head, row].tolist()], k[seen], v[seen], False)
            yield A[head, row], np.array(a[0] + [0.0] * (LONG - row - 1))
            yield Z[head, row], np.array(z[0])


def of_the_sample() -> Pairs:
    """One head of the sample that ships with attncli, from X on, over a sentence."""
    with load_weights("sample") as weights:
        attention = inspect(SENTENCE, weights, layer=0).attention
    width = attention.Q.shape[2]
    p = attention.params
    q, k, v = (
        loops.times(attention.X.tolist(), W[:, :width].tolist(), [0.0] * width)
        for W in (p.W_Q, p.W_K, p.W_V)
    )
    s, a, z = loops.head_attention(q, k, v, causal=False)
    yield attention.S[0], _scores(s)
    yield attention.A[0], np.array(a)
    yield attention.Z[0], np.array(z)


def _scores(S: loops.Scores) -> Array:
    return np.array([[-np.inf if s is None else s for s in row] for row in S])
