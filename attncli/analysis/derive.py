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
from attncli.analysis.bias import BiasRow, bias_row
from attncli.analysis.path import Indices, Path, follow, length
from attncli.analysis.written_out import WrittenOut, q_component
from attncli.attention import Array
from attncli.language import Phrase
from attncli.trace import AttentionTrace

_ROUNDING = 100  # units in the last place of the row's largest number: another order of summing


@dataclass(frozen=True)
class Derivation:
    """Row i of head r, n keys. Vectors over the keys have the shape (n,)."""

    layer: int
    head: int
    kv_head: int  # whose keys and values the head reads: fewer heads may be shared
    token: int
    x: Array  # (d_model,) x_i
    x_norm: float  # |x_i|
    W_Q: Array  # (d_model, d_k) the columns of this head
    b_Q: Array | None  # (d_k,)
    component: WrittenOut  # the number of x_i W_Q + b_Q that is largest in absolute value
    query: Path  # step 1: x_i W_Q + b_Q, and what the model does with it
    q: Array  # (d_k,) q_i, its end
    q_norm: float  # |q_i|
    k: Array  # (n, d_k) k_j
    key: int  # of the largest weight
    strongest: Path  # the way of this key from x_key W_K + b_K to k_key
    dots: Array  # (n,) step 2: q_i . k_j
    scale: float  # 1/sqrt(d_k), or what the model has in its place
    scale_reason: Phrase
    scaled: Array  # (n,) step 3: q_i . k_j * scale
    softcap: float | None
    capped: Array | None  # (n,) softcap * tanh(scaled / softcap)
    bias_terms: BiasRow | None  # of what the position bias is made
    bias: Array | None  # (n,) what the positions add
    biased: Array | None  # (n,) scaled, or capped, plus bias
    mask: Array | None  # (n,) 0 or -inf
    scores: Array  # (n,) S_ij: scaled, capped or biased, plus mask
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
    W_O: Array | None  # (h d_v, d_model)
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
    """The row of `token` in `head`, step by step from the trace's X, K, V, position and params.

    `largest_difference` is taken over the stages of q and of one key, q . k, S, a, z and y of
    this row. X, V, the other keys and the other heads' Z come from the trace: an error in these is
    not seen.
    """
    h = len(trace.Q)
    d_v = trace.V.shape[2]
    kv = trace.kv_head(head)
    params, stages = trace.params, trace.stages
    x = trace.X[token]

    projected = _heads(x, params.W_Q, params.b_Q, h)
    query = follow(projected, head, token, len(trace.X), stages, stages.q_norm)
    q, k = query.end, trace.K[kv]
    columns = slice(head * len(q), (head + 1) * len(q))
    W_Q, b_Q = params.W_Q[:, columns], None if params.b_Q is None else params.b_Q[columns]

    dots = k @ q
    scaled = dots * dots.dtype.type(trace.scale)
    capped = None if trace.softcap is None else at.capped(scaled, trace.softcap)
    terms = None
    if trace.position is not None:
        terms = bias_row(trace.position, head, token, q, k, h, trace.scale)
    bias = None if terms is None else terms.total
    biased = None if bias is None else (scaled if capped is None else capped) + bias
    mask = None if trace.mask is None else trace.mask[token]
    scores = at.scores(dots, trace.scale, mask, softcap=trace.softcap, bias=bias)

    allowed = np.isfinite(scores)
    row_max = scores[allowed].max() if allowed.any() else None
    exponentials = np.zeros_like(scores)
    exponentials[allowed] = np.exp(scores[allowed] - row_max) if row_max is not None else 0
    exp_sum = exponentials.sum()
    a = exponentials if row_max is None else exponentials / exp_sum

    key = int(a.argmax())
    projected = _heads(trace.source[key], params.W_K, params.b_K, len(trace.K))
    strongest = follow(projected, kv, key, len(trace.source), stages, stages.k_norm)

    v = trace.V[kv]
    a_v = a[:, None] * v
    z = a_v.sum(axis=0)

    z_cat = trace.Z_cat[token].copy()
    z_cat[head * d_v : (head + 1) * d_v] = z
    shares, y = _output(z_cat, h, params.W_O, params.b_O)

    pairs = [
        (query.projected, trace.Q_projected[head, token]),
        (query.limited, trace.Q_unrotated[head, token]),
        (q, trace.Q[head, token]),
        (strongest.projected, trace.K_projected[kv, key]),
        (strongest.limited, trace.K_unrotated[kv, key]),
        (strongest.end, trace.K[kv, key]),
        (dots, at.dot_products(trace.Q[head, token : token + 1], trace.K[kv])[0]),
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
        W_Q=W_Q,
        b_Q=b_Q,
        component=q_component(x, W_Q, b_Q, query.projected, int(np.abs(query.projected).argmax())),
        query=query,
        q=q,
        q_norm=length(q),
        k=k,
        key=key,
        strongest=strongest,
        dots=dots,
        scale=trace.scale,
        scale_reason=trace.scale_reason,
        scaled=scaled,
        softcap=trace.softcap,
        capped=capped,
        bias_terms=terms,
        bias=bias,
        biased=biased,
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
        W_O=params.W_O,
        b_O=params.b_O,
        b_O_norm=None if params.b_O is None else length(params.b_O),
        y=y,
        y_norm=None if y is None else length(y),
        largest_difference=largest_difference,
        tolerance=tolerance,
        agrees=largest_difference <= tolerance,
    )


def sum_over(values: Array, which: Indices) -> npt.NDArray[Any]:
    """The numbers or rows that one line stands for, added up in float64."""
    total: npt.NDArray[Any] = values[which].sum(axis=0, dtype=float)
    return total


def _heads(x: Array, W: Array, b: Array | None, h: int) -> Array:
    """x W + b, a row for each head: (d_model,) -> (h, d_k)."""
    projected = x @ W if b is None else x @ W + b
    return projected.reshape(h, -1)


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
