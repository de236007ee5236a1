"""The rows of a walk: found in what was computed already, or by running the model once more."""

import numpy as np
import pytest

from attncli.errors import AttncliError
from attncli.inspector import inspect
from attncli.text.token import Token
from attncli.walk.rows import Place, first_token, open_rows
from attncli.weights import load_weights


@pytest.fixture
def walk():
    """Rows of a sentence, and the layers and heads that the model was run for."""
    runs = []
    with load_weights("random", d_model=12, n_heads=3, n_layers=3) as weights:

        def inspect_at(layer, head):
            runs.append((layer, head))
            return inspect("The cat sat", weights, layer=layer, heads=[head])

        yield open_rows(inspect_at(1, 0), inspect_at), runs


def test_the_model_runs_for_another_layer_or_head_only(walk):
    rows, runs = walk
    for token in range(3):
        assert rows(Place(1, 0, token)).d.token == token
    assert runs == [(1, 0)]
    row = rows(Place(2, 0, 1))
    assert (row.d.layer, row.d.head, row.d.token) == (2, 0, 1)
    rows(Place(2, 2, 1))
    assert runs == [(1, 0), (2, 0), (2, 2)]
    rows(Place(1, 0, 0))  # remembered
    assert len(runs) == 3


def test_a_row_is_what_the_model_computes_there(walk):
    rows, _ = walk
    with load_weights("random", d_model=12, n_heads=3, n_layers=3) as weights:
        attention = inspect("The cat sat", weights, layer=0).attention
    np.testing.assert_allclose(rows(Place(0, 2, 1)).d.a, attention.A[2, 1], rtol=1e-5)


@pytest.mark.parametrize("place", [Place(3, 0, 0), Place(-4, 0, 0), Place(0, 3, 0)])
def test_what_does_not_exist(walk, place):
    with pytest.raises(AttncliError, match="does not exist: the model has 3"):
        walk[0](place)


def test_a_walk_begins_at_the_first_token_of_the_text():
    def tokens(*special):
        return [Token(i, i, "x", "x", None, None, each) for i, each in enumerate(special)]

    assert first_token(tokens(True, False, False)) == 1
    assert first_token(tokens(True, True)) == 0
