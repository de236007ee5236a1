"""Strongest links, largest keys and resting places, on matrices small enough to read."""

import numpy as np
from numpy.testing import assert_allclose
from views_fixtures import make_tokens

from attncli.analysis.heads import (
    Link,
    largest_keys,
    resting_place,
    strongest_links,
)

TOKENS = make_tokens("[CLS]", "the", "cat", "sat", special=("[CLS]",))
A = np.array([[0.0, 0.9, 0.1, 0.0], [0.7, 0.0, 0.1, 0.2], [0.0, 0.2, 0.5, 0.3], [0.5, 0.2, 0, 0.3]])


def test_the_strongest_link_is_off_the_diagonal_and_between_ordinary_tokens():
    assert strongest_links(A, TOKENS, 1) == [Link(query=2, key=3, a=0.3)]


def test_equal_links_are_named_from_the_top_left():
    assert [(link.query, link.key) for link in strongest_links(A, TOKENS, 4)] == [
        (2, 3),
        (1, 3),
        (2, 1),
        (3, 1),
    ]


def test_zero_weights_are_no_links():
    assert strongest_links(np.eye(4), TOKENS, 1) == []
    assert len(strongest_links(A, TOKENS, 99)) == 5


def test_links_to_other_tokens_may_stand_on_the_diagonal():
    source = make_tokens("<s>", "le", special=("<s>",))
    A = np.array([[0.2, 0.8], [0.3, 0.7], [0.4, 0.6], [1.0, 0.0]])
    assert strongest_links(A, TOKENS, 3, source) == [Link(1, 1, 0.7), Link(2, 1, 0.6)]


def test_looking_for_links_leaves_A_alone():
    before = A.copy()
    strongest_links(A, TOKENS, 2)
    assert_allclose(A, before)


def test_largest_keys_and_the_rest_make_the_whole_row():
    largest = largest_keys(A[1], 2)
    assert largest.keys == (0, 3)
    assert_allclose([*largest.values, largest.rest_sum], [0.7, 0.2, 0.1])
    assert (largest.rest, largest.rest_max) == (2, 0.1)


def test_largest_keys_are_permitted_ones():
    scores = np.array([-1.0, -np.inf, -3.0, -np.inf])
    largest = largest_keys(scores, 8, np.isfinite(scores))
    assert (largest.keys, largest.rest) == ((0, 2), 0)


def test_a_resting_place_receives_more_than_half_of_the_mean_attention():
    A = np.array([[0.1, 0.9, 0.0], [0.2, 0.8, 0.0], [0.5, 0.4, 0.1]])
    token, received = resting_place(A)
    assert token == 1
    assert_allclose(received, 0.7)
    assert resting_place(np.full((3, 3), 1 / 3)) is None


def test_rows_without_a_choice_are_no_evidence_of_a_resting_place():
    causal = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.4, 0.3, 0.3]])
    assert resting_place(causal) is None
    assert resting_place(np.zeros((2, 2))) is None
