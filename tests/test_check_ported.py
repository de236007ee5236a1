"""What models have and the article has not: rotary positions, fewer heads of K and V than of Q."""

import numpy as np
import pytest
from attention_mistakes import Toy, attention, grouped, softmax, turned, twice

from attncli.check import check_arrays

TOY = Toy()
n, d_k, d_model = TOY.n, TOY.d_k, TOY.d_model


def named(report):
    return {
        stage.name: [f.keys for f in stage.findings] for stage in report.stages if stage.findings
    }


@pytest.mark.parametrize("way", [{"interleaved": True}, {"width": 2}])
@pytest.mark.parametrize("flat", [False, True])
def test_rotary_positions_of_every_kind_are_odd_but_right(way, flat):
    arrays = attention(TOY, heads=lambda Q, K, V: (turned(Q, **way), turned(K, **way), V))
    if flat:
        arrays |= {letter: TOY.merge(arrays[letter]) for letter in "QK"}
    report = check_arrays(arrays)
    assert report.right
    assert named(report) == {"Q": [("rotary",)], "K": [("rotary",)]}


@pytest.mark.parametrize("spoil", [lambda M: -M, lambda M: M[::-1], lambda M: 1.01 * M])
def test_turned_and_wrong_is_not_rotary(spoil):
    arrays = attention(TOY, heads=lambda Q, K, V: (spoil(turned(Q)), K, V))
    assert named(check_arrays(arrays)).get("Q") in (None, [("head_order", "rotary")])


def test_heads_of_K_and_V_that_were_repeated_for_those_of_Q_are_read_as_they_were():
    X = np.random.default_rng(4).normal(size=(n, d_model))
    arrays = {"X": X}
    for letter, heads in (("Q", 4), ("K", 2), ("V", 2)):
        W = np.random.default_rng(heads + ord(letter)).normal(size=(d_model, heads * d_k))
        M = (X @ W).reshape(n, heads, d_k).transpose(1, 0, 2)
        arrays |= {f"W_{letter}": W, letter: M if heads == 4 else twice(M)}
    arrays["S"] = arrays["Q"] @ arrays["K"].transpose(0, 2, 1) / np.sqrt(d_k)
    arrays["Z"] = softmax(arrays["S"]) @ arrays["V"]
    report = check_arrays(arrays)
    assert report.right
    assert not named(report)
    assert "K is read as 2 heads, each repeated" in report.assumptions
    K = arrays["K"].copy()
    K[1, 2] = K[3, 2]  # one copy is another than its original
    spoilt = arrays["Q"] @ K.transpose(0, 2, 1) / np.sqrt(d_k)
    assert check_arrays({**arrays, "K": K, "S": spoilt}).first_difference.name == "S"
    in_turn = arrays["K"][[0, 2, 0, 2]]
    S = arrays["Q"] @ in_turn.transpose(0, 2, 1) / np.sqrt(d_k)
    wrong = check_arrays({**arrays, "K": in_turn, "S": S})
    assert named(wrong)["S"] == [("kv_heads_in_turn",)]


def test_heads_of_V_that_were_shared_out_in_turn_are_named_at_Z():
    arrays = grouped(twice, lambda V: np.tile(V, (2, 1, 1)))
    assert named(check_arrays(arrays)) == {"Z": [("kv_heads_in_turn",)]}
