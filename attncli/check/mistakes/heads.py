"""Mistakes in splitting into heads and joining them again."""

import numpy as np

from attncli.attention import concat_heads, dot_products, kv_head, weighted_values
from attncli.check.chain import Chain
from attncli.check.mistakes.record import Mistake, Variant, one, subsets
from attncli.check.nodes import Missing, Step
from attncli.check.reading import Values


def _reshaped(letter: str) -> Step:
    def wrong(c: Chain) -> Values:
        flat, h = c[f"{letter}_flat"], c.problem.h if letter == "Q" else c.problem.g
        if flat.shape[1] % h:
            raise Missing("heads")
        return flat.reshape(h, len(flat), flat.shape[1] // h)

    return wrong


def _token_first(c: Chain, letter: str) -> Values:
    """Q, K or V as (n, h, d), K and V with as many heads as Q."""
    M, h = c[letter], len(c["Q"])
    return np.stack([M[kv_head(r, h, len(M))] for r in range(h)], axis=1)


def _dots_of_heads(c: Chain) -> Values:
    Q, K = _token_first(c, "Q"), _token_first(c, "K")
    if len(Q) != len(K):
        raise Missing("self-attention")
    return Q @ K.transpose(0, 2, 1)  # (n, h, h)


def _values_of_heads(c: Chain) -> Values:
    A, V = c["A"], c["V"].transpose(1, 0, 2)  # (n, g, d_v)
    if A.shape[0] != len(V) or A.shape[2] != V.shape[1]:
        raise Missing("A of heads")
    return (A @ V).transpose(1, 0, 2)


def _in_turn(M: Values, h: int) -> Values:
    """The g heads of K or V as a b a b instead of a a b b."""
    if len(M) in (1, h) or h % len(M):
        raise Missing("fewer heads of K and V")
    return np.tile(M, (h // len(M), 1, 1))


def _joined_by_reshape(c: Chain) -> Values:
    Z = c["Z"]
    return Z.reshape(Z.shape[1], Z.shape[0] * Z.shape[2])


def _distances(user: Values, right: Values) -> Values:
    """How far each head of the user's is from each right one, where both are finite: (h, h)."""
    apart = np.zeros((len(user), len(right)))
    for i, mine in enumerate(user):
        for j, theirs in enumerate(right):
            both = np.isfinite(mine) & np.isfinite(theirs)
            apart[i, j] = np.abs(mine - theirs)[both].max(initial=0)
    return apart


def _permutation(c: Chain) -> tuple[int, ...] | None:
    """Which right head each of the user's is, read off the array itself or known from earlier."""
    target, node = c.target, c.target_node
    if target is None or c.problem.h == 1:
        return None
    if node in ("Z_cat", "Y"):
        return c.problem.head_order
    right = c[node]
    if right.shape != target.shape or right.ndim != 3:
        return None
    order = tuple(int(j) for j in _distances(target, right).argmin(axis=1))
    moved = sorted(order) == list(range(len(right))) and order != tuple(range(len(right)))
    return order if moved else None


def _permuted(node: str) -> Step:
    def wrong(c: Chain) -> Values:
        heads = c.right(node)
        if len(heads) != len(c.constant):
            raise Missing("a key head for every head")
        return heads[list(c.constant)]

    return wrong


def _joined_in_order(c: Chain) -> Values:
    return concat_heads(c["Z"][np.argsort(c.constant)])


def _order_words(_c: Chain, _user: Values, order: tuple[int, ...]) -> str:
    return "your heads 0, 1, ... are the heads " + ", ".join(map(str, order))


HEADS = (
    Mistake(
        key="split_by_reshape",
        number="M-04",
        title="the heads of {which} were split by reshape without a transpose",
        explanation=(
            "reshape(h, n, d_k) cuts the rows one after the other: a head then holds pieces of a "
            "few tokens instead of one slice of each token."
        ),
        right_code="Q = Q.reshape(n, h, d_k).transpose(1, 0, 2)",
        variants=subsets({letter: (letter, _reshaped(letter)) for letter in "QKV"}),
    ),
    Mistake(
        key="heads_not_moved",
        number="M-04",
        title="the head axis was not moved to the front: attention between the heads of one token",
        explanation=(
            "Q and K were left as (n, h, d_k), so the product gives (n, h, h): which head looks at "
            "which, instead of which token looks at which."
        ),
        right_code="Q = Q.reshape(n, h, d_k).transpose(1, 0, 2)  # before Q @ K.transpose(0, 2, 1)",
        variants=one(dots=_dots_of_heads, S=lambda c: c["scaled"], Z=_values_of_heads),
        lasting=True,
        mixes_rows=True,
        mixes_heads=True,
    ),
    Mistake(
        key="kv_heads_in_turn",
        number="M-18",
        title="the heads of {which} were shared out in turn instead of to neighbours",
        explanation=(
            "With fewer heads of K and V than of Q, neighbours share one: a a b b, not a b a b "
            "(np.tile, torch's repeat)."
        ),
        right_code="K = np.repeat(K, h // n_kv_heads, axis=0)",
        variants=subsets(
            {
                "K": ("dots", lambda c: dot_products(c["Q"], _in_turn(c["K"], len(c["Q"])))),
                "V": ("Z", lambda c: weighted_values(c["A"], _in_turn(c["V"], len(c["A"])))),
            }
        ),
        lasting=True,
    ),
    Mistake(
        key="merge_by_reshape",
        number="M-05",
        title="the heads were joined by reshape without a transpose",
        explanation=(
            "Z is right, but reshape on (h, n, d_v) puts several tokens of one head into a row "
            "instead of all heads of one token."
        ),
        right_code="Z_cat = Z.transpose(1, 0, 2).reshape(n, h * d_v)",
        variants=one(Z_cat=_joined_by_reshape),
        mixes_rows=True,
        mixes_heads=True,
    ),
    Mistake(
        key="head_order",
        number="O-02",
        title="the heads stand in another order",
        explanation="The order of the heads means nothing as long as W_O has the same.",
        right_code="Q = Q.reshape(n, h, d_k).transpose(1, 0, 2)  # head r is Q[r]",
        variants=(
            *(Variant({node: _permuted(node)}) for node in (*"QKV", "scaled", *"SAZ")),
            Variant({"Z_cat": _joined_in_order}),
        ),
        harmless=True,
        fit=_permutation,
        evidence=_order_words,
        mixes_heads=True,
    ),
)
