"""Who may look at whom, as people hand it over: right programs whose mask is not a triangle."""

import numpy as np
import pytest
from attention_mistakes import softmax

from attncli.check import check_arrays
from attncli.check.report import Verdict

rng = np.random.default_rng(0)
h, m, d_k = 3, 9, 4
K, V = rng.normal(size=(2, h, m, d_k))
BIAS = -np.abs(np.arange(m)[:, None] - np.arange(m)) * 0.5 ** np.arange(1, h + 1)[:, None, None]
WINDOW = (np.tri(m) - np.tri(m, k=-4)).astype(bool)  # each token sees itself and three before it


def attended(n, *, added=0.0, axis=-1):
    """The last n of m tokens look at all of them, `added` on their scores."""
    Q = np.random.default_rng(1).normal(size=(h, n, d_k))
    raw = Q @ K.transpose(0, 2, 1) / 2
    S = raw + added
    A = softmax(S, axis)
    return {"Q": Q, "K": K, "V": V, "S": S, "A": A, "Z": A @ V}, raw


def of_keys(n, last):
    """A causal mask of n queries, of which the last stands at key `last`."""
    ahead = np.arange(m) - np.arange(last - n + 1, last + 1)[:, None]
    return np.where(ahead > 0, -np.inf, 0.0)


def names(report):
    return {stage.name: [f.keys for f in stage.findings] for stage in report.stages}


@pytest.mark.parametrize("mask", [BIAS, BIAS[0], BIAS + of_keys(m, m - 1), BIAS[1] + of_keys(m, 5)])
@pytest.mark.parametrize("saved", ["after", "before", "not at all"])
def test_a_mask_of_many_values_is_a_bias_and_is_added(mask, saved):
    arrays, raw = attended(m, added=mask)
    if saved == "before":
        arrays["S"] = raw
    elif saved == "not at all":
        del arrays["S"]
    report = check_arrays({**arrays, "attn_mask": mask})
    assert {s.verdict for s in report.stages} == {Verdict.agrees, Verdict.unchecked}
    assert "attn_mask is added to the scores: a bias of many values" in report.assumptions


def test_beside_a_bias_a_mistake_is_named_and_a_bias_left_out_too():
    arrays, raw = attended(m, added=BIAS, axis=-2)
    assert names(check_arrays({**arrays, "attn_mask": BIAS}))["A"] == [("softmax_over_queries",)]
    right, _ = attended(m, added=BIAS)
    forgotten = {**right, "S": raw, "A": softmax(raw), "Z": softmax(raw) @ V, "attn_mask": BIAS}
    assert names(check_arrays(forgotten))["A"] == [("position_bias_missing",)]


@pytest.mark.parametrize("weak", [-10.0, -1e-9])
def test_a_mask_of_one_value_is_no_bias_however_weak(weak):
    mask = np.where(np.isneginf(of_keys(m, m - 1)), weak, 0.0)
    found = names(check_arrays({**attended(m, added=mask)[0], "mask": mask}))
    assert ("mask_too_weak",) in found["S"] + found["A"]


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("kept", ["QKVSAZ", "QKVAZ", "QKVZ"])
def test_causal_beside_earlier_keys_is_right_from_either_end(n, kept):
    """The last of n queries is the newest token (a cache), or query i sees the keys up to i."""
    for last, word in ((m - 1, "last"), (n - 1, "first")):
        arrays, _ = attended(n, added=of_keys(n, last))
        report = check_arrays({name: arrays[name] for name in kept}, causal=True)
        assert report.right
        assert any(
            line.startswith(f"a causal mask, as you say: the {word}") for line in report.assumptions
        )


def test_causal_beside_earlier_keys_leaves_a_mistake_its_name():
    arrays, raw = attended(3, added=of_keys(3, m - 1))
    arrays["S"] = 2 * raw + of_keys(3, m - 1)
    assert names(check_arrays(arrays, causal=True))["S"] == [("no_scale",)]


@pytest.mark.parametrize("heads", [slice(None), slice(1)])
def test_a_mask_that_is_in_no_file_is_read_off_A(heads):
    arrays, _ = attended(m, added=np.where(WINDOW, 0, -np.inf))
    arrays = {name: values[heads] for name, values in arrays.items() if name != "S"}
    report = check_arrays(arrays)
    assert report.right
    assert "the mask is taken from the 0 in A" in report.assumptions


@pytest.mark.parametrize("kept", ["QKVSAZ", "QKVAZ"])
@pytest.mark.parametrize(
    ("reach", "fact"),
    [
        (5, "15 are seen and should be masked, the first at (0, 4, 0)"),
        (3, "18 are masked and should not, the first at (0, 3, 0)"),
    ],
)
def test_a_window_of_another_width_is_pointed_at(kept, reach, fact):
    used = (np.tri(m) - np.tri(m, k=-reach)).astype(bool)
    arrays, _ = attended(m, added=np.where(used, 0, -np.inf))
    report = check_arrays({**{name: arrays[name] for name in kept}, "mask": WINDOW})
    assert not report.first_difference.findings
    assert fact in report.first_difference.facts
