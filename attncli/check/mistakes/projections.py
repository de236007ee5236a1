"""Mistakes on the way from X to Q, K and V."""

import numpy as np

from attncli.check.chain import Chain
from attncli.check.mistakes.record import Mistake, Variant, one, subsets
from attncli.check.nodes import Missing, Step
from attncli.check.reading import Values


def _input(c: Chain, letter: str) -> Values:
    return c["X"] if letter == "Q" else c["keys_from"]


def _with_bias(c: Chain, product: Values, letter: str) -> Values:
    b = c.get(f"b_{letter}")
    return product if b is None else product + b


def _product(X: Values, W: Values, missing: str) -> Values:
    if X.shape[1] != len(W):
        raise Missing(missing)
    return X @ W


def _transposed(letter: str) -> Step:
    def wrong(c: Chain) -> Values:
        X = c["Z_cat"] if letter == "O" else _input(c, letter)
        return _with_bias(c, _product(X, c[f"W_{letter}"].T, "square W"), letter)

    return wrong


def _heads_of(c: Chain, letter: str) -> int:
    return c.problem.h if letter == "Q" else c.problem.g


def _one_for_all(letter: str, one_bias: bool) -> Step:
    """Every head is projected by the matrix of head 0, and with its bias or one of its own."""

    def wrong(c: Chain) -> Values:
        h, W, X = _heads_of(c, letter), c[f"W_{letter}"], _input(c, letter)
        narrow = W if W.shape[1] == c.problem.d_k else W[:, : W.shape[1] // h]
        flat = np.tile(_product(X, narrow, "W"), h)
        b = c.get(f"b_{letter}")
        if b is None or (not one_bias and len(b) == flat.shape[1]):
            return _with_bias(c, flat, letter)
        return flat + np.tile(b[: narrow.shape[1]], h)

    return wrong


def _after_split(letter: str) -> Step:
    """Each head's slice of X is projected by the same small matrix."""

    def wrong(c: Chain) -> Values:
        h, W, X = _heads_of(c, letter), c[f"W_{letter}"], _input(c, letter)
        width = X.shape[1] // h
        small = W if len(W) == width < X.shape[1] else W[:width, : W.shape[1] // h]
        if h * width != X.shape[1] or len(small) != width:
            raise Missing("heads")
        parts = X.reshape(len(X), h, width) @ small  # (n, h, d_k)
        flat = parts.reshape(len(X), -1)
        b = c.get(f"b_{letter}")
        if b is None:
            return flat
        return flat + (b if len(b) == flat.shape[1] else np.tile(b, h))

    return wrong


def _projected_by(letter: str, other: str, bias: str) -> Step:
    """The input of one letter, the matrix of another, the bias of either."""

    def wrong(c: Chain) -> Values:
        product = _product(_input(c, letter), c[f"W_{other}"], f"W_{other}")
        return _with_bias(c, product, bias)

    return wrong


def _same(letter: str, other: str) -> tuple[Variant, ...]:
    return tuple(
        Variant({f"{letter}_flat": _projected_by(letter, other, bias)}, f"{letter} by W_{other}")
        for bias in (other, letter)
    )


def _without_bias(letter: str) -> Step:
    def wrong(c: Chain) -> Values:
        if c.get(f"b_{letter}") is None:
            raise Missing(f"b_{letter}")
        return _product(_input(c, letter), c[f"W_{letter}"], f"W_{letter}")

    return wrong


def _bias_missing(letter: str, effect: str, harmless: bool = False) -> Mistake:
    return Mistake(
        key=f"b_{letter}_missing",
        number="M-17",
        title=f"the bias b_{letter} was left out",
        explanation=effect,
        right_code=f"{letter} = X @ W_{letter} + b_{letter}",
        variants=one(**{f"{letter}_flat": _without_bias(letter)}),
        harmless=harmless,
    )


def _missing_vector(c: Chain) -> Values | None:
    """The vector that every row of the user's array has more than the right one."""
    node, target = c.target_node, c.target
    letter = {"Y": "O", "Z": "V", "Z_cat": "V"}.get(node, node[0])  # whose bias shows there
    if target is None or letter not in "QKVO" or c.get(f"b_{letter}") is not None:
        return None
    right = c[node]
    if target.shape != right.shape or target.shape[-2] < 3:
        return None
    return (target - right).mean(axis=-2, keepdims=True)  # type: ignore[no-any-return]


def _plus_constant(node: str) -> Variant:
    return Variant({node: lambda c: c.right(node) + c.constant}, node[0] if node != "Y" else "O")


PROJECTIONS = (
    Mistake(
        key="transposed_W",
        number="M-06",
        title="{which} was used in the wrong orientation",
        explanation=(
            "torch's nn.Linear keeps its weight as (out, in) and computes X W^T; the article's W "
            "is (in, out). A square matrix accepts both."
        ),
        right_code="Q = X @ W_Q  # W_Q is (in, out); of nn.Linear: X @ q_proj.weight.T",
        variants=subsets(
            {
                **{f"W_{letter}": (f"{letter}_flat", _transposed(letter)) for letter in "QKV"},
                "W_O": ("Y", _transposed("O")),
            }
        ),
    ),
    Mistake(
        key="same_W_for_Q_and_K",
        number="M-15",
        title="Q and K were made with the same weight ({which})",
        explanation="Q and K have a matrix each; with one for both, Q K^T is symmetric.",
        right_code="Q, K = X @ W_Q + b_Q, X @ W_K + b_K",
        variants=(*_same("K", "Q"), *_same("Q", "K")),
    ),
    Mistake(
        key="swapped_W",
        number="M-15",
        title="W_Q and W_K were swapped",
        explanation="Q was made with W_K and K with W_Q: S comes out transposed.",
        right_code="Q, K = X @ W_Q + b_Q, X @ W_K + b_K",
        variants=one(Q_flat=_projected_by("Q", "K", "K"), K_flat=_projected_by("K", "Q", "Q")),
    ),
    Mistake(
        key="one_W_for_all_heads",
        number="M-15",
        title="all heads of {which} share the matrix of one",
        explanation="Every head has a block of columns of its own; here all heads are the same.",
        right_code="Q = (X @ W_Q).reshape(n, h, d_k).transpose(1, 0, 2)  # W_Q is (d_model, h d_k)",
        variants=tuple(
            variant
            for one_bias in (False, True)
            for variant in subsets(
                {letter: (f"{letter}_flat", _one_for_all(letter, one_bias)) for letter in "QKV"}
            )
        ),
    ),
    Mistake(
        key="project_after_split",
        number="M-15",
        title="X was split into heads before the projection of {which}",
        explanation=(
            "Each head then sees only its slice of X, and all heads share one small matrix: "
            "project first, with (d_model, h d_k), then split."
        ),
        right_code="Q = (X @ W_Q).reshape(n, h, d_k).transpose(1, 0, 2)",
        variants=subsets({letter: (f"{letter}_flat", _after_split(letter)) for letter in "QKV"}),
    ),
    _bias_missing("Q", "Q is X W_Q without b_Q; S and A change with it."),
    _bias_missing(
        "K",
        "K is X W_K without b_K. That adds one number, q b_K, to all scores of a row, which the "
        "softmax takes away again: A is right all the same.",
        harmless=True,
    ),
    _bias_missing("V", "V is X W_V without b_V: every row of Z lacks that vector."),
    Mistake(
        key="bias_not_in_file",
        number="O-05",
        title="every row has the same vector more: a bias b_{which} that is not in the file",
        explanation="The file has no such bias, but the numbers have one; save it too.",
        right_code="np.savez(path, ..., b_Q=b_Q)",
        variants=tuple(
            _plus_constant(node) for node in ("Q", "K", "V", "Q_flat", "K_flat", "V_flat", "Y")
        ),
        harmless=True,
        general=True,
        fit=_missing_vector,
    ),
)
