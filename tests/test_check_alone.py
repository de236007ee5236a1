"""What one matrix of weights shows by itself, in the words "consistent with"."""

import numpy as np
import pytest
from attention_mistakes import Toy, attention, softmax

from attncli.check import check_arrays
from attncli.check.alone import alone
from attncli.check.report import Verdict

TOY = Toy(n=8)
CAUSAL = TOY.causal


def of(**changes):
    return attention(TOY, **changes)["A"]


SHOWN = {
    "right": (of(), "consistent", "consistent with a softmax along each row"),
    "causal": (of(hidden=CAUSAL), "consistent", "consistent with a causal mask"),
    "queries": (of(weights=lambda S: softmax(S, -2)), "differs", "softmax over the queries (M-01)"),
    "heads": (of(weights=lambda S: softmax(S, 0)), "differs", "softmax over the heads (M-01)"),
    "everything": (
        of(weights=lambda S: softmax(S.reshape(3, -1)).reshape(S.shape)),
        "differs",
        "a softmax over everything (M-01)",
    ),
    "length one": (of(weights=np.ones_like), "differs", "an axis of length 1 (M-01)"),
    "scores": (of(weights=lambda S: S), "differs", "consistent with scores, before any softmax"),
    "sum": (of().sum(0), "differs", "consistent with a sum over 3 heads (M-13)"),
    "mean": (of().mean(0), "consistent", "one head, or a mean over heads (M-13)"),
    "twice": (of(weights=lambda S: softmax(softmax(S))), "consistent", "two softmaxes (M-16)"),
    "inverted": (of(hidden=~CAUSAL), "consistent", "the wrong way round (M-07)"),
    "diagonal": (of(hidden=CAUSAL | np.eye(8, dtype=bool)), "consistent", "hides the token itself"),
    "after": (of(after=lambda A: A * ~CAUSAL), "differs", "a mask after the softmax (M-09)"),
    "times": (of(mask=lambda S: S * ~CAUSAL), "consistent", "multiplied by a causal mask (M-09)"),
    "padding": (of(hidden=TOY.padding), "consistent", "columns 0, 1 are 0"),
    "dropout": (
        of(after=lambda A: A * (np.random.default_rng(0).random(A.shape) > 0.2) / 0.8),
        "differs",
        "consistent with dropout (M-12)",
    ),
    "equal": (np.full((3, 8, 8), 1 / 8), "consistent", "scores that are all equal"),
}


@pytest.mark.parametrize("key", SHOWN)
def test_what_a_matrix_shows(key):
    A, verdict, words = SHOWN[key]
    stage = check_arrays({"A": A}).stages[4]
    assert stage.verdict.value == verdict
    assert words in "; ".join(stage.facts)
    assert stage.findings == ()


def test_the_entropy_is_that_of_the_rows():
    A = of()
    entropy = -(A * np.log(A)).sum(-1).mean()
    facts = check_arrays({"A": A}).stages[4].facts
    assert f"its rows have a mean entropy of {entropy:.3f}; ln 8 = 2.079 is the most" in facts


@pytest.mark.parametrize(("dtype", "error"), [(np.float32, 3e-4), (np.float16, 2e-2)])
def test_sums_are_held_against_1_as_exactly_as_the_type_allows(dtype, error):
    assert check_arrays({"A": of().astype(dtype)}).right
    assert not check_arrays({"A": (of() * (1 + error)).astype(dtype)}).right


def test_a_row_with_a_nan_among_numbers_is_not_one_that_a_mask_has_emptied():
    A = np.full((1, 4, 4), 0.25)
    A[0, 2, 1] = np.nan
    verdict, said = alone(A, "float64")
    assert verdict is Verdict.differs
    assert any("row 2 of head 0 is nan or inf in places" in fact for fact in said)
