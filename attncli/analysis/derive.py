"""One token's row of one head, from x_i to y_i, as data: the six steps of the article.

The row is computed again, vector by vector, from x_i, the keys, the values and the
parameters. It does not copy the rows of Q, S, A, Z and Y that the matrix path computed:
`largest_difference` compares the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attncli import attention as at
from attncli.attention import Array
from attncli.trace import AttentionTrace

Indices = npt.NDArray[np.intp]

_ROUNDING = 100  # units in the last place of the row's largest number: another order of summing


@dataclass(frozen=True)
class Component:
    """One number of x_i W_Q + b_Q written out: q_i[index] = sum_t x_i[t] W_Q[t, column] + bias."""

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
    kv_head: int  # whose keys and values the head reads: fewer heads may be shared
    token: int
    x: Array  # (d_model,) x_i
    x_norm: float  # |x_i|
    # The stages of step 1; where the model does nothing between two, they are the same array.
    q_projected: Array  # (d_k,) x_i W_Q + b_Q
    q_unrotated: Array  # (d_k,) the same, normed or clipped where the model does that
    q: Array  # (d_k,) q_i: turned by its position where the model has rotary positions
    q_norm: float  # |q_i|
    component: Component
    key: int  # of the largest weight, whose stages are kept as the query's are
    k_projected: Array  # (d_k,)
    k_unrotated: Array  # (d_k,)
    k: Array  # (d_k,) k_key
    dots: Array  # (n,) step 2: q_i . k_j
    scale: float  # 1/sqrt(d_k), or what the model has in its place
    scale_reason: str  # why, in words
    scaled: Array  # (n,) step 3: q_i . k_j * scale
    softcap: float | None
    capped: Array | None  # (n,) softcap * tanh(scaled / softcap)
    bias: Array | None  # (n,) what the positions add
    mask: Array | None  # (n,) 0 or -inf
    scores: Array  # (n,) S_ij: scaled, or capped, plus bias and mask
    row_max: float | None  # the largest score that is not masked; None if all are
    exponentials: Array  # (n,) step 4: exp(S_ij - row_max)
    exp_sum: float
    a: Array  # (n,) a_ij = exponential / sum
    v: Array  # (n, d_v) v_j
    a_v: Array  # (n, d_v) step 5: a_ij v_j
    z: Array  # (d_v,) step 6: z_i = sum_j a_ij v_j
    z_cat: Array  # (h d_v,) the heads side by side
    shares: Array | None  # (h, d_model) each head's part of y_i: z_i^(r) W_O[r d_v : (r + 1) d_v]
    share_norms: Array | None  # (h,) the length of each
    b_O: Array | None  # (d_model,)
    b_O_norm: float | None  # |b_O|
    y: Array | None  # (d_model,) y_i = z_cat W_O + b_O; None without W_O
    y_norm: float | None  # |y_i|
    largest_difference: float  # between this row and the matrix path: see `derive`
    tolerance: float  # what rounding makes of it: 100 eps of the row's largest number, at least 1
    agrees: bool  # largest_difference <= tolerance

    @property
    def hidden(self) -> npt.NDArray[np.bool_]:
        """(n,) True where the mask hides key j."""
        return np.zeros(len(self.a), bool) if self.mask is None else np.isneginf(self.mask)


def derive(trace: AttentionTrace, head: int, token: int) -> Derivation:
    """The row of `token` in `head`, computed step by step from the trace's X, K, V and params.

    `largest_difference` is taken over q, q . k, S, a, z and y of this row. X, K, V and the other
    heads' Z come from the trace: an error in these is not seen. So does q after the projection
    where the model norms it or turns it by its position.
    """
    h, _, d_k = trace.Q.shape
    d_v = trace.V.shape[2]
    kv = trace.kv_head(head)
    columns = slice(head * d_k, (head + 1) * d_k)
    params = trace.params
    x = trace.X[token]

    W_Q = params.W_Q[:, columns]
    b_Q = None if params.b_Q is None else params.b_Q[columns]
    projected = x @ W_Q if b_Q is None else x @ W_Q + b_Q
    limited = trace.K_unrotated is not trace.K_projected  # normed or clipped, and q is too
    turned = trace.K is not trace.K_unrotated
    unrotated = trace.Q_unrotated[head, token] if limited else projected
    q = trace.Q[head, token] if turned else unrotated

    dots = trace.K[kv] @ q
    scaled = dots * dots.dtype.type(trace.scale)
    capped = None if trace.softcap is None else at.capped(scaled, trace.softcap)
    bias = None if trace.bias is None else trace.of_head("bias", head)[token]
    mask = None if trace.mask is None else trace.mask[token]
    scores = at.scores(dots, trace.scale, mask, softcap=trace.softcap, bias=bias)

    allowed = np.isfinite(scores)
    row_max = scores[allowed].max() if allowed.any() else None
    exponentials = np.zeros_like(scores)
    exponentials[allowed] = np.exp(scores[allowed] - row_max) if row_max is not None else 0
    exp_sum = exponentials.sum()
    a = exponentials if row_max is None else exponentials / exp_sum

    key = int(a.argmax())
    k_projected = trace.K_projected[kv, key]
    k_unrotated = trace.K_unrotated[kv, key] if limited else k_projected
    k = trace.K[kv, key] if turned else k_unrotated

    v = trace.V[kv]
    a_v = a[:, None] * v
    z = a_v.sum(axis=0)

    z_cat = trace.Z_cat[token].copy()
    z_cat[head * d_v : (head + 1) * d_v] = z
    shares, y = _output(z_cat, h, params.W_O, params.b_O)

    pairs = [
        (projected, trace.Q_projected[head, token]),
        (q, trace.Q[head, token]),
        (dots, at.dot_products(trace.Q[head], trace.K[kv])[token]),
        (scores[allowed], trace.of_head("S", head)[token][allowed]),
        (a, trace.of_head("A", head)[token]),
        (z, trace.Z[head, token]),
    ]
    if y is not None and trace.Y is not None:
        pairs.append((y, trace.Y[token]))
    largest_difference = _largest([ours - theirs for ours, theirs in pairs])
    largest_number = max(_largest([ours for ours, _ in pairs]), 1)
    tolerance = _ROUNDING * float(np.finfo(x.dtype).eps) * largest_number

    return Derivation(
        layer=trace.layer,
        head=head,
        kv_head=kv,
        token=token,
        x=x,
        x_norm=length(x),
        q=q,
        q_norm=length(q),
        q_projected=projected,
        q_unrotated=unrotated,
        component=_component(x, W_Q, b_Q, projected),
        key=key,
        k_projected=k_projected,
        k_unrotated=k_unrotated,
        k=k,
        dots=dots,
        scale=trace.scale,
        scale_reason=trace.scale_reason,
        scaled=scaled,
        softcap=trace.softcap,
        capped=capped,
        bias=bias,
        mask=mask,
        scores=scores,
        row_max=None if row_max is None else float(row_max),
        exponentials=exponentials,
        exp_sum=float(exp_sum),
        a=a,
        v=v,
        a_v=a_v,
        z=z,
        z_cat=z_cat,
        shares=shares,
        share_norms=None if shares is None else np.array(list(map(length, shares)), shares.dtype),
        b_O=params.b_O,
        b_O_norm=None if params.b_O is None else length(params.b_O),
        y=y,
        y_norm=None if y is None else length(y),
        largest_difference=largest_difference,
        tolerance=tolerance,
        agrees=largest_difference <= tolerance,
    )


def largest(values: Array, count: int) -> tuple[Indices, Indices]:
    """Where the `count` numbers of largest absolute value stand, largest first, and the others."""
    order = np.argsort(-np.abs(values), kind="stable")
    return order[:count], order[count:]


def sum_over(values: Array, which: Indices) -> npt.NDArray[Any]:
    """The numbers or rows that one line stands for, added up in float64."""
    total: npt.NDArray[Any] = values[which].sum(axis=0, dtype=float)
    return total


def length(vector: Array) -> float:
    """|vector|, added up in float64."""
    return float(np.linalg.norm(vector.astype(float)))


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


def _largest(parts: Sequence[Array]) -> float:
    """The largest absolute value; nan if there is one."""
    return float(np.max([np.abs(part).max(initial=0) for part in parts]))
