"""Masked is not the same as zero."""

import numpy as np
from numpy.testing import assert_array_equal
from oracle import causal_mask
from views_fixtures import make_shown, make_spec, make_tokens

from attncli.language import Language, Phrase
from attncli.matrices import NAMES
from attncli.narration.origin import origin_of_X
from attncli.views.captions import caption, fully_masked_note

A = np.array([[1, 0], [0, 1]])


TOKENS = make_tokens("a", "b")


def shown(name, mask=None, cross=False, origin=None):
    return make_shown(
        name, "L0H0", A, TOKENS, mask=mask, keys=TOKENS if cross else None, origin=origin
    )


def says(name, **facts):
    return caption(shown(name, **facts), Language.en)


def test_the_mask_says_what_is_hidden_and_zeros_do_not():
    for name in ("S", "A", "position_bias"):
        hidden = shown(name, mask=causal_mask(2)).hidden
        assert_array_equal(hidden, [[False, True], [False, False]])
        assert not shown(name).hidden.any()


def test_components_are_never_masked():
    assert not shown("Q", mask=causal_mask(2)).hidden.any()


def test_every_matrix_has_a_caption_in_both_languages():
    for name in NAMES:
        for cross in (False, True):
            texts = {caption(shown(name, cross=cross), language) for language in Language}
            assert len(texts) == len(Language)
            assert not any("{" in text for text in texts)


def test_the_note_names_the_rows():
    assert fully_masked_note(np.array([[True, True], [True, False]])) == (
        "row 0: every key is masked"
    )
    assert fully_masked_note(np.ones((2, 2), dtype=bool)) == "rows 0, 1: every key is masked"
    assert fully_masked_note(np.eye(2, dtype=bool)) == ""


def test_in_cross_attention_target_tokens_look_at_source_tokens():
    assert says("A", cross=True).startswith(
        "row = the target token that looks (query), column = the source token looked at (key);"
    )
    rows = {name: says(name, cross=True).split()[2] for name in "QKVZY"}
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
    assert says("X", origin=Phrase("origin.layer", {"layer": 2})) == (
        "row = token, column = component of x, what the Q, K, V projections receive: "
        "the output of layer 2"
    )
