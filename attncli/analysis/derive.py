"""One token's row of one head, from x_i to y_i, as data: the six steps of the article.

The row is computed again, vector by vector, from x_i, the keys, the values and the
parameters. It does not copy the rows of Q, S, A, Z and Y that the matrix path computed:
`largest_difference` compares the two.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from attncli import attention as at
from attncli.analysis.bias import BiasRow, bias_row
from attncli.analysis.path import Indices, Path, follow, length
from attncli.analysis.written_out import WrittenOut, q_component
from attncli.attention import Array
from attncli.language import Phrase
from attncli.overflow import check_row
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
    W_Q: Array  # (d_model, d_k) the columns of this head
    b_Q: Array | None  # (d_k,)
    query: Path  # step 1: x_i W_Q + b_Q, and what the model does with it
    k: Array  # (n, d_k) k_j
    key: int  # of the largest weight
    strongest: Path  # how this key was made, from x_key W_K + b_K to k_key
    dots: Array  # (n,) step 2: q_i . k_j
    scale: float  # 1/sqrt(d_k), or what the model has in its place
    scale_reason: Phrase
    scaled: Array  # (n,) step 3: q_i . k_j * scale
    softcap: float | None
    capped: Array | None  # (n,) softcap * tanh(scaled / softcap)
    bias_terms: BiasRow | None  # what the position bias is made of
    bias: Array | None  # (n,) what the positions add
    mask: Array | None  # (n,) 0 or -inf
    scores: Array  # (n,) S_ij: scaled, capped or biased, plus mask
    row_max: float | None  # the largest score that is not masked; None if all are
    exponentials: Array  # (n,) step 4: exp(S_ij - row_max)
    a: Array  # (n,) a_ij = exponential / sum
    v: Array  # (n, d_v) v_j
    a_v: Array  # (n, d_v) step 5: a_ij v_j
    z: Array  # (d_v,) step 6: z_i = sum_j a_ij v_j
    z_cat: Array  # (h d_v,) the heads side by side
    shares: Array | None  # (h, d_model) each head's part of y_i: z_i^(r) W_O[r d_v : (r + 1) d_v]
    W_O: Array | None  # (h d_v, d_model)
    b_O: Array | None  # (d_model,)
    y: Array | None  # (d_model,) y_i = z_cat W_O + b_O; None without W_O
    largest_difference: float = math.nan  # between this row and the matrix path: see `derive`
    tolerance: float = 0.0  # what rounding explains: 100 eps of the row's largest number, or of 1

    @property
    def q(self) -> Array:
        """(d_k,) q_i as it enters the dot product."""
        return self.query.end

    @property
    def component(self) -> WrittenOut:
        """The number of x_i W_Q + b_Q that is largest in absolute value."""
        projected = self.query.projected
        return q_component(self.x, self.W_Q, self.b_Q, projected, int(np.abs(projected).argmax()))

    @property
    def biased(self) -> Array | None:
        """(n,) scaled, or capped, plus bias."""
        if self.bias is None:
            return None
        return (self.scaled if self.capped is None else self.capped) + self.bias

    @property
    def hidden(self) -> npt.NDArray[np.bool_]:
        """(n,) True where the mask hides key j."""
        return np.zeros(len(self.a), bool) if self.mask is None else np.isneginf(self.mask)

    @property
    def exp_sum(self) -> float:
        """What the exponentials are divided by."""
        return float(self.exponentials.sum())

    @property
    def share_norms(self) -> Array | None:
        """(h,) the length of each head's part of y_i."""
        if self.shares is None:
            return None
        return np.array(list(map(length, self.shares)), self.shares.dtype)

    @property
    def agrees(self) -> bool:
        """Whether the row is that of the matrix path, but for rounding."""
        return self.largest_difference <= self.tolerance


@np.errstate(all="ignore")  # reported by name
def derive(trace: AttentionTrace, head: int, token: int) -> Derivation:
    """The row of `token` in `head`, step by step from the trace's X, K, V, position and params.

    `largest_difference` is taken over the stages of q and of one key, q . k, S, a, z and y of
    this row. X, V, the other keys and the other heads' Z come from the trace: an error in these is
    not seen. Raises AttncliError for a q_i . k_j that overflows when it is scaled.
    """
    params, kv = trace.params, trace.kv_head(head)

    # step 1: q_i = x_i W_Q + b_Q, then what the model does with it; k_j, v_j are the trace's
    query = _query_path(trace, head, token)
    q, k, v = query.end, trace.K[kv], trace.V[kv]
    columns = slice(head * len(q), (head + 1) * len(q))

    # step 2: q_i . k_j
    dots = k @ q

    # step 3: times the scale; then what the model adds: soft-cap, position bias, mask
    scaled = dots * dots.dtype.type(trace.scale)
    check_row(f"L{trace.layer}H{head}", token, [("q · k", dots), ("q · k · scale", scaled)])
    capped = None if trace.softcap is None else at.capped(scaled, trace.softcap)
    terms = None
    if trace.position is not None:
        terms = bias_row(trace.position, head, token, q, k, len(trace.Q), trace.scale)
    bias = None if terms is None else terms.total
    mask = None if trace.mask is None else trace.mask[token]
    scores = at.scores(dots, trace.scale, mask, softcap=trace.softcap, bias=bias)

    # step 4: a_ij = exp(S_ij - max) / sum
    allowed = np.isfinite(scores)
    row_max = scores[allowed].max() if allowed.any() else None
    a = exponentials = np.zeros_like(scores)
    if row_max is not None:
        exponentials[allowed] = np.exp(scores[allowed] - row_max)
        a = exponentials / exponentials.sum()
    key = int(a.argmax())

    # step 5: a_ij v_j; step 6: z_i = sum_j a_ij v_j
    a_v = a[:, None] * v
    z = a_v.sum(axis=0)

    # the heads side by side, times W_O
    z_cat, shares, y = _output(trace, token, head, z)

    row = Derivation(
        layer=trace.layer,
        head=head,
        kv_head=kv,
        token=token,
        x=trace.X[token],
        W_Q=params.W_Q[:, columns],
        b_Q=None if params.b_Q is None else params.b_Q[columns],
        query=query,
        k=k,
        key=key,
        strongest=_key_path(trace, kv, key),
        dots=dots,
        scale=trace.scale,
        scale_reason=trace.scale_reason,
        scaled=scaled,
        softcap=trace.softcap,
        capped=capped,
        bias_terms=terms,
        bias=bias,
        mask=mask,
        scores=scores,
        row_max=None if row_max is None else float(row_max),
        exponentials=exponentials,
        a=a,
        v=v,
        a_v=a_v,
        z=z,
        z_cat=z_cat,
        shares=shares,
        W_O=params.W_O,
        b_O=params.b_O,
        y=y,
    )
    return _compared(row, trace)


def _query_path(trace: AttentionTrace, head: int, token: int) -> Path:
    """How q_token of `head` was made."""
    params, stages, X = trace.params, trace.stages, trace.X
    projected = _heads(X[token], params.W_Q, params.b_Q, len(trace.Q))
    return follow(projected, head, token, len(X), stages, stages.q_norm)


def _key_path(trace: AttentionTrace, kv: int, key: int) -> Path:
    """How k_key of key/value head `kv` was made."""
    params, stages, source = trace.params, trace.stages, trace.source
    projected = _heads(source[key], params.W_K, params.b_K, len(trace.K))
    return follow(projected, kv, key, len(source), stages, stages.k_norm)


def _compared(row: Derivation, trace: AttentionTrace) -> Derivation:
    """The row with its largest difference from the matrix path."""
    kv, head, key, token = row.kv_head, row.head, row.key, row.token
    query, strongest, allowed = row.query, row.strongest, np.isfinite(row.scores)
    pairs = [
        (query.projected, trace.Q_projected[head, token]),
        (query.unrotated, trace.Q_unrotated[head, token]),
        (query.end, trace.Q[head, token]),
        (strongest.projected, trace.K_projected[kv, key]),
        (strongest.unrotated, trace.K_unrotated[kv, key]),
        (strongest.end, trace.K[kv, key]),
        (row.dots, at.dot_products(trace.Q[head, token : token + 1], trace.K[kv])[0]),
        (row.scores[allowed], trace.of_head("S", head)[token][allowed]),
        (row.a, trace.of_head("A", head)[token]),
        (row.z, trace.Z[head, token]),
    ]
    if row.y is not None and trace.Y is not None:
        pairs.append((row.y, trace.Y[token]))
    largest_number = max(_largest([ours for ours, _ in pairs]), 1)
    return replace(
        row,
        largest_difference=_largest([ours - theirs for ours, theirs in pairs]),
        tolerance=_ROUNDING * float(np.finfo(row.x.dtype).eps) * largest_number,
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
    trace: AttentionTrace, token: int, head: int, z: Array
) -> tuple[Array, Array | None, Array | None]:
    """z_cat with this z in it, each head's share of y_i, and their sum: y_i = z_cat W_O + b_O."""
    h, d_v, W_O, b_O = len(trace.Z), len(z), trace.params.W_O, trace.params.b_O
    z_cat = trace.Z_cat[token].copy()
    z_cat[head * d_v : (head + 1) * d_v] = z
    if W_O is None:
        return z_cat, None, None
    parts = [slice(r * d_v, (r + 1) * d_v) for r in range(h)]
    shares = np.stack([z_cat[part] @ W_O[part] for part in parts])
    y = shares.sum(axis=0)
    return z_cat, shares, y if b_O is None else y + b_O


def _largest(parts: Sequence[Array]) -> float:
    """The largest absolute value; nan if there is one."""
    return float(np.max([np.abs(part).max(initial=0) for part in parts]))
