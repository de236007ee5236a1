"""Masked is not the same as zero."""

import numpy as np
from numpy.testing import assert_array_equal
from oracle import causal_mask
from views_fixtures import make_spec

from attncli.narration.origin import origin_of_X
from attncli.views.captions import caption, fully_masked_note, hidden_cells

A = np.array([[1, 0], [0, 1]])


def test_the_mask_says_what_is_hidden_and_zeros_do_not():
    for name in "SA":
        assert_array_equal(hidden_cells(name, A, causal_mask(2)), [[False, True], [False, False]])
        assert not hidden_cells(name, np.zeros((2, 2)), None).any()


def test_components_are_never_masked():
    assert not hidden_cells("Q", np.zeros((2, 2)), causal_mask(2)).any()


def test_the_note_names_the_rows():
    assert fully_masked_note(np.array([[True, True], [True, False]])) == (
        "row 0: every key is masked"
    )
    assert fully_masked_note(np.ones((2, 2), dtype=bool)) == "rows 0, 1: every key is masked"
    assert fully_masked_note(np.eye(2, dtype=bool)) == ""


def test_in_cross_attention_target_tokens_look_at_source_tokens():
    assert caption("A", cross=True).startswith(
        "row = the target token that looks (query), column = the source token looked at (key);"
    )
    rows = {name: caption(name, cross=True).split()[2] for name in "QKVZY"}
    assert rows == {"Q": "target", "K": "source", "V": "source", "Z": "target", "Y": "target"}


def test_X_is_what_the_norm_returns_or_what_comes_in():
    plain = make_spec()
    assert str(origin_of_X(plain, 0)) == "the vectors that enter layer 0"
    assert str(origin_of_X(plain, 3)) == "the output of layer 2"
    assert str(origin_of_X(plain, 3, cross=True)) == "what the self-attention of layer 3 passes on"
    role = "pre_attention_norm.weight"
    normed = make_spec(names={role: "n", "pre_cross_norm.weight": "n"}, norm="rms")
    for cross in (False, True):
        assert str(origin_of_X(normed, 1, cross=cross)) == (
            "the output of the RMSNorm before the attention"
        )
    but_in_layer_0 = make_spec(names={role: "n"}, absent=frozenset({(role, 0)}))
    assert str(origin_of_X(but_in_layer_0, 0)) == "the vectors that enter layer 0"
    assert str(origin_of_X(but_in_layer_0, 1)).startswith("the output of the LayerNorm")
    assert caption("X", origin="the output of layer 2") == (
        "row = token, column = component of x, what the Q, K, V projections receive: "
        "the output of layer 2"
    )
    assert caption("V", origin="the output of layer 2") == caption("V")
