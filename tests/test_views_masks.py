"""Masked is not the same as zero."""

import numpy as np
from numpy.testing import assert_array_equal

from attncli.attention import causal_mask
from attncli.views.masks import fully_masked_note, hidden_cells

S = np.array([[0, 0], [1, -np.inf]])


def test_masked_scores_are_minus_infinity_and_zeros_are_scores():
    assert_array_equal(hidden_cells("S", S), [[False, False], [False, True]])


def test_zero_weights_are_masked_where_the_mask_or_a_row_of_zeros_says_so():
    A = np.array([[1, 0], [0, 0]])
    assert_array_equal(hidden_cells("A", A), [[False, False], [True, True]])
    assert_array_equal(hidden_cells("A", A, causal_mask(2)), [[False, True], [True, True]])


def test_components_are_never_masked():
    assert not hidden_cells("Q", np.zeros((2, 3)), causal_mask(2)).any()


def test_the_note_names_the_rows():
    assert fully_masked_note(np.array([[True, True], [True, False]])) == (
        "row 0: every key is masked"
    )
    assert fully_masked_note(np.ones((2, 2), dtype=bool)) == "rows 0, 1: every key is masked"
    assert fully_masked_note(np.eye(2, dtype=bool)) == ""
