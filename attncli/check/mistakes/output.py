"""Mistakes in Z = A V and in Y = Z_cat W_O + b_O."""

from attncli.attention import weighted_values
from attncli.check.chain import Chain
from attncli.check.mistakes.record import Mistake, Variant, one
from attncli.check.nodes import Missing, Step
from attncli.check.reading import Values


def _instead_of_V(name: str) -> Step:
    def wrong(c: Chain) -> Values:
        A, M = c["A"], c[name]
        if (
            len(A) != len(M)
            or A.shape[2] != M.shape[1]
            or (c.part.rows is not None and name == "Q")
        ):
            raise Missing(name)
        return weighted_values(A, M)

    return wrong


def _for_V(name: str, title: str) -> Mistake:
    return Mistake(
        key=f"{name}_for_V",
        number="M-15",
        title=title,
        explanation=f"A was applied to {name}: what a token passes on is its row of V.",
        right_code="Z = A @ V",
        variants=(
            Variant({"Z": _instead_of_V(name)}),
            Variant({"V": lambda c: c[name]}),
        ),
        mixes_rows=name == "Q",
    )


def _transposed_A(c: Chain) -> Values:
    A, V = c["A"], c["V"]
    if A.shape[1] != A.shape[2] or len(A) != len(V):
        raise Missing("square A")
    return weighted_values(A.transpose(0, 2, 1), V)


def _b_O(c: Chain) -> Values:
    b = c.get("b_O")
    if b is None:
        raise Missing("b_O")
    return b


def _same_row_words(c: Chain, user: Values, _constant: object) -> str:
    if user.shape != c["Y"].shape:
        return ""
    return "Y - right Y is the same vector in every row"


OUTPUT = (
    _for_V("K", "K was used in place of V"),
    _for_V("Q", "Q was used in place of V"),
    Mistake(
        key="A_transposed",
        number="M-15",
        title="A was transposed before it met V",
        explanation="z_i is the sum of a_ij v_j over the keys j, the columns of A.",
        right_code="Z = A @ V",
        variants=one(Z=_transposed_A),
        mixes_rows=True,
    ),
    Mistake(
        key="no_output_projection",
        number="M-14",
        title="the output projection W_O was left out",
        explanation="The heads side by side were returned as Y.",
        right_code="Y = Z_cat @ W_O + b_O",
        variants=(
            Variant({"Y": lambda c: c["Z_cat"]}),
            Variant({"Y": lambda c: c["Z_cat"] + _b_O(c)}),
        ),
    ),
    Mistake(
        key="heads_added",
        number="M-14",
        title="the heads were added up instead of joined",
        explanation="Z_cat holds the heads side by side; W_O then mixes them.",
        right_code="Y = Z.transpose(1, 0, 2).reshape(n, h * d_v) @ W_O + b_O",
        variants=(
            Variant({"Y": lambda c: c["Z"].sum(0)}),
            Variant({"Y": lambda c: c["Z"].mean(0)}),
            Variant({"Y": lambda c: c["Z"].sum(0) @ c["W_O"][: c["Z"].shape[2]]}),
            Variant({"Y": lambda c: c["Z"].sum(0) @ c["W_O"][: c["Z"].shape[2]] + _b_O(c)}),
        ),
        mixes_heads=True,
    ),
    Mistake(
        key="b_O_each_head",
        number="M-14",
        title="the bias b_O was added once per head",
        explanation="It belongs to the sum over the heads: once.",
        right_code="Y = sum(Z[r] @ W_O[r * d_v : (r + 1) * d_v] for r in range(h)) + b_O",
        variants=one(Y=lambda c: c.right("Y") + (c.problem.h - 1) * _b_O(c)),
        evidence=_same_row_words,
    ),
    Mistake(
        key="b_O_missing",
        number="M-14",
        title="the bias b_O was left out",
        explanation="Every row of Y lacks that vector.",
        right_code="Y = Z_cat @ W_O + b_O",
        variants=one(Y=lambda c: c.right("Y") - _b_O(c)),
        evidence=_same_row_words,
    ),
)
