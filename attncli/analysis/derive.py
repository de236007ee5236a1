"""One token's row of one head, from x_i to y_i, as data: the six steps of the article.

The row is computed again, vector by vector, from x_i, the keys, the values and the
parameters. It does not copy the rows of Q, S, A, Z and Y that the matrix path computed:
`largest_difference` compares the two.
"""

from dataclasses import dataclass

import numpy as np

from attncli import attention as at
from attncli.attention import Array
from attncli.trace import AttentionTrace


@dataclass(frozen=True)
class Component:
    """One number of q_i written out: q_i[index] = sum_t x_i[t] W_Q[t, column] + bias."""

    index: int
    column: Array  # (d_model,) the column of W_Q that makes it
    products: Array  # (d_model,)
    bias: float | None
    value: float


@dataclass(frozen=True)
class Derivation:
    """Row i of head r, n keys. Vectors over the keys have the shape (n,)."""

    layer: int
    head: int
    token: int
    x: Array  # (d_model,) x_i
    q: Array  # (d_k,) step 1: q_i = x_i W_Q + b_Q
    component: Component
    dots: Array  # (n,) step 2: q_i . k_j
    scale: float  # 1/sqrt(d_k)
    mask: Array | None  # (n,) 0 or -inf
    scores: Array  # (n,) step 3: S_ij = q_i . k_j * scale + mask
    row_max: float | None  # the largest score that is not masked; None if all are
    exponentials: Array  # (n,) step 4: exp(S_ij - row_max)
    exp_sum: float
    weights: Array  # (n,) a_ij = exponential / sum
    values: Array  # (n, d_v) v_j
    weighted: Array  # (n, d_v) step 5: a_ij v_j
    z: Array  # (d_v,) step 6: z_i = sum_j a_ij v_j
    z_cat: Array  # (h d_v,) the heads side by side
    shares: Array | None  # (h, d_model) each head's part of y_i: z_i^(r) W_O[r d_v : (r + 1) d_v]
    b_O: Array | None  # (d_model,)
    y: Array | None  # (d_model,) y_i = z_cat W_O + b_O; None without W_O
    largest_difference: float  # between this row and the matrix path, over q, S, A, z and y


def derive(trace: AttentionTrace, head: int, token: int) -> Derivation:
    """The row of `token` in `head`, computed step by step from the trace's X, K, V and params."""
    h, _, d_k = trace.Q.shape
    d_v = trace.V.shape[2]
    kv = trace.kv_head(head)
    columns = slice(head * d_k, (head + 1) * d_k)
    params = trace.params
    x = trace.X[token]

    W_Q = params.W_Q[:, columns]
    b_Q = None if params.b_Q is None else params.b_Q[columns]
    projected = x @ W_Q if b_Q is None else x @ W_Q + b_Q
    plain = trace.K is trace.K_projected  # neither normed nor turned
    q = projected if plain else trace.Q[head, token]

    dots = trace.K[kv] @ q
    mask = None if trace.mask is None else trace.mask[token]
    bias = None if trace.bias is None else trace.bias[head, token]
    scores = at.scores(dots, trace.scale, mask, softcap=trace.softcap, bias=bias)

    allowed = np.isfinite(scores)
    row_max = scores[allowed].max() if allowed.any() else None
    exponentials = np.zeros_like(scores)
    exponentials[allowed] = np.exp(scores[allowed] - row_max) if row_max is not None else 0
    exp_sum = exponentials.sum()
    weights = exponentials if row_max is None else exponentials / exp_sum

    values = trace.V[kv]
    weighted = weights[:, None] * values
    z = weighted.sum(axis=0)

    z_cat = trace.Z_cat[token].copy()
    z_cat[head * d_v : (head + 1) * d_v] = z
    shares, y = _output(z_cat, h, params.W_O, params.b_O)

    return Derivation(
        layer=trace.layer,
        head=head,
        token=token,
        x=x,
        q=q,
        component=_component(x, W_Q, b_Q, projected),
        dots=dots,
        scale=trace.scale,
        mask=mask,
        scores=scores,
        row_max=None if row_max is None else float(row_max),
        exponentials=exponentials,
        exp_sum=float(exp_sum),
        weights=weights,
        values=values,
        weighted=weighted,
        z=z,
        z_cat=z_cat,
        shares=shares,
        b_O=params.b_O,
        y=y,
        largest_difference=max(
            _difference(q, trace.Q[head, token]),
            _difference(scores[allowed], trace.S[head, token][allowed]),
            _difference(weights, trace.A[head, token]),
            _difference(z, trace.Z[head, token]),
            0.0 if y is None or trace.Y is None else _difference(y, trace.Y[token]),
        ),
    )


def _component(x: Array, W_Q: Array, b_Q: Array | None, q: Array) -> Component:
    """The component of q_i that is largest in absolute value, written out."""
    index = int(np.abs(q).argmax())
    return Component(
        index=index,
        column=W_Q[:, index],
        products=x * W_Q[:, index],
        bias=None if b_Q is None else float(b_Q[index]),
        value=float(q[index]),
    )


def _output(
    z_cat: Array, h: int, W_O: Array | None, b_O: Array | None
) -> tuple[Array | None, Array | None]:
    """Each head's share of y_i, and their sum with b_O: y_i = z_cat W_O + b_O."""
    if W_O is None:
        return None, None
    d_v = len(z_cat) // h
    shares = np.stack(
        [z_cat[r * d_v : (r + 1) * d_v] @ W_O[r * d_v : (r + 1) * d_v] for r in range(h)]
    )
    y = shares.sum(axis=0)
    return shares, y if b_O is None else y + b_O


def _difference(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max(initial=0.0))
