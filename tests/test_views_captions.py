"""Masked is not the same as zero."""

import numpy as np
from numpy.testing import assert_array_equal

from attncli.attention import causal_mask
from attncli.views.captions import fully_masked_note, hidden_cells

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
