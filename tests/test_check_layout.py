"""Axes of heads, batch and tokens in every order; ambiguous ones are decided by numbers or said."""

import numpy as np
import pytest
from attention_mistakes import Toy, attention, softmax

from attncli.check import check_arrays
from attncli.check.report import Verdict
from attncli.errors import AttncliError

TOY = Toy()
n, h = TOY.n, TOY.h
RIGHT = attention(TOY)
HEADS, TOKENS = "QKVZ", ("X", "Z_cat", "Y")


def changed(arrays, names, change):
    return {name: change(v) if name in names else v for name, v in arrays.items()}


def flat(M):
    return M.transpose(1, 0, 2).reshape(M.shape[1], -1)


def token_first(M):
    return M.transpose(1, 0, 2)


def batched(arrays):
    return changed(arrays, (*HEADS, *TOKENS, "S", "A"), lambda v: v[None])


def by_head(W):
    return W.reshape(len(W), h, -1).transpose(1, 0, 2)


LAYOUTS = {
    "(h, n, d_k)": RIGHT,
    "(n, h, d_k)": changed(RIGHT, HEADS, token_first),
    "(n, h d_k)": changed(RIGHT, HEADS, flat),
    "(1, h, n, d_k)": batched(RIGHT),
    "(1, n, h, d_k)": batched(changed(RIGHT, HEADS, token_first)),
    "(1, n, h d_k)": batched(changed(RIGHT, HEADS, flat)),
    "(n, 1, h d_k)": changed(changed(RIGHT, HEADS, flat), (*HEADS, *TOKENS), lambda v: v[:, None]),
    "(n, 1, h, d_k)": batched(RIGHT) | {name: token_first(RIGHT[name])[:, None] for name in HEADS},
    "W of each head": {
        **changed(RIGHT, ("W_Q", "W_K", "W_V"), by_head),
        "W_O": RIGHT["W_O"].reshape(h, -1, TOY.d_model),
        "b_Q": RIGHT["b_Q"].reshape(h, -1),
    },
}


@pytest.mark.parametrize("way", LAYOUTS)
def test_every_layout_is_read(way):
    report = check_arrays(LAYOUTS[way])
    assert {stage.verdict.value for stage in report.stages} == {"agrees"}
    assert (report.n, report.n_heads, report.d_model, report.d_k) == (7, 3, 12, 4)


@pytest.mark.parametrize("way", LAYOUTS)
def test_a_mistake_is_found_in_every_layout(way):
    arrays = LAYOUTS[way]
    wrong = {**arrays, "A": softmax(arrays["S"], -2)}
    finding = check_arrays(wrong).first_difference.findings[0]
    assert finding.keys == ("softmax_over_queries",)


def test_shapes_decide_the_orientation_of_all_weights_together():
    toy = Toy(h=2, d_k=4, d_model=10)
    arrays = attention(toy)
    report = check_arrays(changed(arrays, ("W_Q", "W_K", "W_V", "W_O"), np.transpose))
    assert report.right
    assert "W_Q is read as (out, in): the shapes fit no other way" in report.assumptions
    # W_V is square by accident, since V is wider: it is read as its sisters are
    W_V = np.random.default_rng(0).normal(size=(10, 10))
    V = toy.split(arrays["X"] @ W_V)
    turned = {"X": arrays["X"], "W_Q": arrays["W_Q"].T, "Q": arrays["Q"], "b_Q": arrays["b_Q"]}
    assert check_arrays({**turned, "W_V": W_V.T, "V": V}).right


SQUARE = Toy(n=4, h=4, d_k=3)


@pytest.mark.parametrize("order", [lambda M: M, token_first], ids=["(h, n, d_k)", "(n, h, d_k)"])
def test_where_n_equals_h_the_numbers_decide_and_that_is_said(order):
    arrays = changed(attention(SQUARE), HEADS, order)
    report = check_arrays(arrays)
    assert {stage.verdict.value for stage in report.stages} == {"agrees"}
    way = "(h, n, d_k)" if order is not token_first else "(n, h, d_k)"
    assert any(line.startswith(f"Q (4, 4, 3) is read as {way}, not") for line in report.assumptions)


def test_where_the_numbers_do_not_decide_only_what_holds_in_every_reading_is_said():
    arrays = attention(SQUARE)
    noise = np.random.default_rng(0).normal(size=(4, 4, 4))
    report = check_arrays({"Q": arrays["Q"], "K": arrays["K"], "S": noise})
    assert report.stages[3].verdict is Verdict.differs
    assert report.stages[3].findings == ()
    said = "Q (4, 4, 3) can be (h, n, d_k) or (n, h, d_k): the numbers do not tell"
    assert said in report.assumptions


def test_the_number_of_heads_is_found_where_the_numbers_tell():
    arrays = changed(RIGHT, HEADS, flat)
    wide = {name: arrays[name] for name in (*TOY.params, "Q", "K", "V", "Y")}
    report = check_arrays(wide)
    assert (report.right, report.n_heads) == (True, 3)
    assert any("the number of heads is read as 3, not 1 or" in line for line in report.assumptions)


def test_one_head_without_an_axis_is_said():
    toy = Toy(h=1, d_k=5)
    arrays = changed(attention(toy), (*HEADS, "S", "A"), lambda v: v[0])
    report = check_arrays(arrays)
    assert {stage.verdict.value for stage in report.stages} == {"agrees"}
    line = "one head: no array has an axis of heads; --n-heads says if there are more"
    assert line in report.assumptions


def test_keys_of_fewer_heads_are_shared():
    toy = Toy(h=4, d_k=3)
    arrays = attention(toy)
    K, V = arrays["K"][::2], arrays["V"][::2]
    S = arrays["Q"] @ np.repeat(K, 2, 0).transpose(0, 2, 1) / np.sqrt(3)
    A = np.exp(S) / np.exp(S).sum(-1, keepdims=True)
    report = check_arrays(
        {"Q": arrays["Q"], "K": K, "V": V, "S": S, "A": A, "Z": A @ np.repeat(V, 2, 0)}
    )
    assert [s.name for s in report.stages if s.verdict.value == "agrees"] == ["S", "A", "Z"]


def test_cross_attention_has_keys_of_another_text():
    rng = np.random.default_rng(0)
    source = rng.normal(size=(5, TOY.d_model))
    K, V = (
        (source @ RIGHT[f"W_{c}"] + RIGHT[f"b_{c}"]).reshape(5, h, -1).transpose(1, 0, 2)
        for c in "KV"
    )
    S = RIGHT["Q"] @ K.transpose(0, 2, 1) / 2
    arrays = {**TOY.params, "Q": RIGHT["Q"], "K": K, "V": V, "S": S}
    assert check_arrays({**arrays, "encoder_hidden_states": source}).right
    report = check_arrays(arrays)
    assert (report.stages[1].verdict, report.stages[1].needs) == (Verdict.unchecked, ("source",))


@pytest.mark.parametrize(
    ("arrays", "heads", "line"),
    [
        ({"X": RIGHT["X"], "W_Q": np.ones((5, 6))}, None, r"W_Q .*\(5, 6\).*tried \(d, h\*k\)"),
        ({"Q": RIGHT["Q"], "S": np.ones((2, 7, 7))}, None, r"Q has the shape \(3, 7, 4\)"),
        ({"Q": RIGHT["Q"], "S": RIGHT["S"]}, 5, "`n_heads` 5"),
        ({"Q": np.ones((2, 2, 2, 2, 2))}, None, "which fits no reading of Q"),
    ],
)  # fmt: skip
def test_shapes_that_do_not_fit_are_refused_with_what_was_tried(arrays, heads, line):
    with pytest.raises(AttncliError, match=line):
        check_arrays(arrays, heads=heads)


def test_an_element_of_a_batch_that_alone_is_wrong_is_found():
    """As with padding: the longest sentence shows nothing of a mask that is missing."""
    names = (*HEADS, "S", "A")
    wrong = attention(Toy(seed=1), hidden=TOY.padding[:, None])
    pair = {name: np.stack([RIGHT[name], wrong[name]]) for name in names}
    mask = np.stack([np.zeros(n, np.bool_), TOY.padding])
    report = check_arrays({**pair, "key_padding_mask": mask})
    assert report.first_difference.findings[0].keys == ("padding_on_queries",)
    assert "a batch of 2: number 1 is shown (the first is 0)" in report.assumptions
    right = {name: np.stack([RIGHT[name], RIGHT[name]]) for name in names}
    report = check_arrays(right)
    assert report.right
    assert "a batch of 2: number 0 is shown (the first is 0)" in report.assumptions


def test_a_pair_of_mistakes_decides_no_reading():
    """Two texts of eleven tokens, one wrong: as eleven texts of two tokens a pair may fit."""
    Q, K, V = np.random.default_rng(1).normal(size=(3, 2, 11, 3, 9)) * 2
    S = np.einsum("bnhd,bmhd->bhnm", Q, K) / 3
    A = softmax(np.where(np.triu(np.ones((11, 11), np.bool_), 1), -np.inf, S))
    arrays = {"Q": Q, "K": K.copy(), "V": V, "Z": np.einsum("bhnm,bmhd->bnhd", A, V)}
    arrays["K"][:, 1] *= 1.5
    arrays = {name: M.reshape(2, 11, 27).astype(np.float16) for name, M in arrays.items()}
    report = check_arrays(arrays, heads=3, causal=True)
    assert not report.right
    assert not any(stage.findings for stage in report.stages)
