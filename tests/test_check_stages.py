"""What is right is not called wrong: types, masks, what is missing, and large problems."""

import numpy as np
import pytest
from attention_mistakes import Toy, attention, softmax

from attncli.check import check_arrays, diagnose, target
from attncli.check.report import Verdict

TOY = Toy()
CAUSAL = TOY.causal
RIGHT = attention(TOY)


def bfloat16(values):
    """The numbers cut to bfloat16, as float32."""
    return (values.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)


def cast(arrays, convert):
    return {k: v if v.dtype == bool else convert(v) for k, v in arrays.items()}


def verdicts(report):
    return {stage.name: stage.verdict.value for stage in report.stages}


@pytest.mark.parametrize(
    "convert",
    [
        lambda v: v,
        lambda v: v.astype(np.float32),
        lambda v: v.astype(np.float16),
        lambda v: v.astype(np.float16).astype(np.float32),
        bfloat16,
    ],
    ids=["float64", "float32", "float16", "float16 in float32", "bfloat16 in float32"],
)
@pytest.mark.parametrize("hidden", [None, CAUSAL, TOY.padding], ids=["none", "causal", "padding"])
@pytest.mark.parametrize("bias", [True, False])
def test_right_arrays_agree_in_every_type_with_every_mask(convert, hidden, bias):
    arrays = attention(Toy(bias=bias), hidden=hidden)
    report = check_arrays(cast(arrays, convert))
    assert set(verdicts(report).values()) == {"agrees"}


def test_the_tolerance_follows_the_type():
    tolerances = [
        check_arrays(cast(RIGHT, lambda v, t=t: v.astype(t))).stages[4].tolerance
        for t in (np.float64, np.float32, np.float16)
    ]
    assert tolerances[0] < 1e-7 < tolerances[1] < 1e-4 < tolerances[2] < 2e-2


def test_a_tolerance_that_is_given_decides():
    arrays = {**RIGHT, "A": RIGHT["A"] + 1e-3}
    assert not check_arrays(arrays).right
    assert check_arrays(arrays, tol=2e-3).stages[4].verdict is Verdict.agrees


def test_one_array_that_was_rounded_is_odd_but_right():
    arrays = cast(RIGHT, lambda v: v.astype(np.float32))
    arrays["A"] = arrays["A"].astype(np.float16).astype(np.float32)
    report = check_arrays(arrays)
    assert report.right
    assert [f.keys for f in report.stages[4].findings] == [("fp16_rounding",)]


MASKS = {
    "True keeps": ("mask", ~CAUSAL),
    "True hides": ("mask", CAUSAL),
    "0 and -inf": ("mask", np.where(CAUSAL, -np.inf, 0.0)),
    "0 and -1e9": ("mask", np.where(CAUSAL, -1e9, 0.0)),
    "0 and 1": ("mask", (~CAUSAL).astype(np.int64)),
    "of a batch and heads": ("attn_mask", ~CAUSAL[None, None]),
    "padding, True hides": ("key_padding_mask", TOY.padding),
    "padding, 1 keeps": ("attention_mask", (~TOY.padding)[None].astype(np.int64)),
    "padding, the numbers tell": ("mask", TOY.padding[None]),
}


@pytest.mark.parametrize("way", MASKS)
@pytest.mark.parametrize("number", [-np.inf, -1e9])
def test_a_mask_is_understood_in_every_form(way, number):
    name, mask = MASKS[way]
    hidden = TOY.padding if "padding" in way else CAUSAL
    right = attention(TOY, mask=lambda S: S + np.where(hidden, number, 0))
    report = check_arrays({**right, name: mask})
    assert set(verdicts(report).values()) == {"agrees"}
    assert any(line.startswith(name) for line in report.assumptions)


@pytest.mark.parametrize("filler", [0.0, np.nan, 0.4])
def test_rows_of_padding_that_looks_may_hold_anything(filler):
    right = attention(TOY, hidden=TOY.padding)
    for name in ("S", "A", "Z"):
        right[name] = right[name].copy()
        right[name][:, TOY.padding] = filler
    report = check_arrays({**right, "key_padding_mask": TOY.padding})
    assert report.first_difference is None or report.first_difference.name in ("Z_cat", "Y")
    assert verdicts(report)["A"] == verdicts(report)["Z"] == "agrees"


def test_a_causal_mask_that_is_not_in_the_file_is_recognised_and_said():
    report = check_arrays(attention(TOY, hidden=CAUSAL))
    assert report.right
    assert (
        "a causal mask: S is -inf above the diagonal; no mask is in the file" in report.assumptions
    )


def test_causal_said_and_not_done_is_a_mistake():
    finding = check_arrays(RIGHT, causal=True).first_difference.findings[0]
    assert finding.keys == ("no_causal_mask",)


def test_a_scale_that_is_said_is_the_right_one():
    assert check_arrays(attention(TOY, scale=1), scale=1.0).right


def test_scores_may_be_saved_before_the_mask_or_before_the_scale():
    raw = attention(TOY)["S"]
    masked = {**attention(TOY, hidden=CAUSAL), "mask": ~CAUSAL}
    for S, line in ((raw, "before the mask"), (raw * 2, "before the scale and the mask")):
        report = check_arrays({**masked, "S": S})
        assert report.right
        assert any(line in assumption for assumption in report.assumptions)


def test_what_cannot_be_checked_says_what_it_needs():
    report = check_arrays({name: RIGHT[name] for name in ("Q", "S", "A", "Z")})
    by_name = {stage.name: stage for stage in report.stages}
    assert verdicts(report)["A"] == "agrees"
    assert by_name["S"].verdict is Verdict.unchecked
    assert by_name["S"].needs == ("K",)
    assert by_name["Q"].needs == ("X", "W_Q")
    assert by_name["Z"].needs == ("V",)
    assert by_name["Y"].shape is None


def test_numbers_that_are_not_finite_are_pointed_at():
    arrays = {**RIGHT, "X": RIGHT["X"].copy(), "Z": RIGHT["Z"].copy()}
    arrays["X"][2, 3] = np.nan
    arrays["Z"][1, 4, 2] = np.inf
    report = check_arrays(arrays)
    assert "X: 1 of its numbers is nan or inf, the first at (2, 3)" in report.assumptions
    facts = {stage.name: stage.facts for stage in report.stages}
    assert "1 of its numbers is nan or inf, the first at (1, 4, 2)" in facts["Z"]
    assert not [f for stage in report.stages for f in stage.findings]


MADE = {
    "right": (RIGHT, None),
    "no_scale": (attention(TOY, scale=1), "S"),
    "softmax_over_queries": (attention(TOY, weights=lambda S: softmax(S, -2)), "A"),
    "softmax_over_heads": (attention(TOY, weights=lambda S: softmax(S, 0)), "A"),
    "row_constant": (attention(TOY, mask=lambda S: S - S.max(-1, keepdims=True)), "S"),
    "K_for_V": (attention(TOY, values=lambda M: M["A"] @ M["K"]), "Z"),
    "merge_by_reshape": (attention(TOY, merge=lambda Z: Z.reshape(TOY.n, -1)), "Z_cat"),
}


@pytest.mark.parametrize("key", MADE)
def test_a_large_problem_is_checked_in_parts_with_the_same_result(key, monkeypatch):
    arrays, stage = MADE[key]
    whole = check_arrays(arrays)
    monkeypatch.setattr(target, "_LARGE", 10)
    monkeypatch.setattr(target, "_BLOCK", 60)  # two rows of three heads at a time
    monkeypatch.setattr(target, "_FEW", 3)
    parts = check_arrays(arrays)
    assert verdicts(parts) == verdicts(whole)
    for one, other in zip(whole.stages, parts.stages, strict=True):
        assert [f.keys for f in one.findings] == [f.keys for f in other.findings]
        np.testing.assert_allclose(
            [one.difference.largest, one.difference.mean],
            [other.difference.largest, other.difference.mean],
            atol=1e-12,
        )
        if one.difference.largest > 1e-6:
            assert one.difference.where == other.difference.where
    if stage is not None:
        assert {s.name: s.findings[0].keys for s in parts.stages if s.findings} == {stage: (key,)}


def test_at_a_size_where_something_is_not_tried_that_is_said(monkeypatch):
    arrays = {**RIGHT, "A": RIGHT["A"] + np.random.default_rng(0).normal(size=RIGHT["A"].shape)}
    monkeypatch.setattr(target, "_LARGE", 10)
    monkeypatch.setattr(diagnose, "_LARGEST", 10)
    facts = check_arrays(arrays).first_difference.facts
    assert any("softmax_over_everything" in fact for fact in facts)


def stage_of(report, name):
    return next(stage for stage in report.stages if stage.name == name)


def test_of_numbers_that_are_nan_nothing_is_said():
    """No mistake is named for what an operand spoils; where rows are whole, they are compared."""
    S = np.random.default_rng(0).normal(size=(2, 5, 5))
    A = np.exp(S) / np.exp(S).sum(-1, keepdims=True)
    everywhere = np.where(np.eye(5) > 0, np.nan, S)
    report = check_arrays({"S": everywhere, "A": np.full_like(A, 0.2)})
    stage = stage_of(report, "A")
    assert stage.verdict is Verdict.unchecked
    assert not stage.findings
    assert "S has nan or inf" in stage.facts[0]
    S[1, 2, 3] = np.nan
    assert stage_of(check_arrays({"S": S, "A": A}), "A").verdict is Verdict.agrees
    assert stage_of(check_arrays({"S": S, "A": A + 0.01}), "A").verdict is Verdict.differs


@pytest.mark.parametrize("name", ["Z", "Z_cat"])
def test_a_vector_more_is_no_missing_bias_where_the_bias_is_there(name):
    arrays = attention(TOY)
    more = arrays[name] + np.linspace(0.3, 0.6, arrays[name].shape[-1])
    arrays = {k: v for k, v in arrays.items() if k not in ("Q", "K", "V", "Z", "Z_cat", "Y")}
    report = check_arrays({**arrays, name: more})
    assert verdicts(report)[name] == "differs"
    assert not stage_of(report, name).findings
    del arrays["b_V"]
    report = check_arrays({**arrays, name: more})
    assert stage_of(report, name).findings[0].keys == ("bias_not_in_file",)
