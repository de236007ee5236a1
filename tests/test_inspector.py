"""The one call behind every command: what it passes on, and what it refuses."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from attncli.analysis.derive import derive
from attncli.errors import AttncliError
from attncli.inspector import inspect
from attncli.selectors import find_number
from attncli.weights import load_weights

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def decoder(tmp_path):
    """The tiny causal BERT with a tokenizer of 50 words."""
    folder = tmp_path / "decoder"
    shutil.copytree(GOLDEN / "bert-decoder", folder)
    words = {f"w{i}": i for i in range(50)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def test_a_model_that_is_causal_by_itself_stays_so(decoder):
    with load_weights(str(decoder)) as weights:
        inspection = inspect("w1 w2 w3", weights, layer=0)
    assert inspection.causal
    assert (inspection.attention.A[:, *np.triu_indices(3, 1)] == 0).all()


def test_the_name_of_a_checkpoint_is_its_folders(decoder):
    with load_weights(str(decoder)) as weights:
        assert weights.name == "decoder"
        assert str(decoder) in str(weights.source)


def test_a_tokenizer_that_knows_more_words_than_the_table_has_rows(decoder):
    words = {f"w{i}": i for i in range(51)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(decoder / "tokenizer.json"))
    with (
        load_weights(str(decoder)) as weights,
        pytest.raises(AttncliError, match=r"id 50, the embedding table has 50 rows \(0 to 49\)"),
    ):
        inspect("w1 w50", weights)


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_folder_that_lacks_a_file_is_refused(decoder, missing):
    (decoder / missing).unlink()
    with pytest.raises(AttncliError, match=missing), load_weights(str(decoder)) as weights:
        inspect("a", weights)


def test_vectors_that_stand_in_for_E_have_variance_1(tmp_path):
    W = np.eye(512, dtype=np.float32)
    np.savez(tmp_path / "three.npz", W_Q=W, W_K=W, W_V=W)
    with load_weights(str(tmp_path / "three.npz"), n_heads=8) as weights:
        X = inspect("one two three four five", weights).attention.X
    assert abs(X.var() - 1) < 0.1
    assert not np.array_equal(X[0], X[1])


def test_E_is_used_as_it_is(tmp_path):
    rng = np.random.default_rng(0)
    W = {f"W_{name}": rng.normal(size=(4, 4)) for name in "QKV"}
    E = rng.normal(size=(5000, 4))
    np.savez(tmp_path / "four.npz", E=E, **W)
    with load_weights(str(tmp_path / "four.npz")) as weights:
        inspection = inspect("one two one", weights)
    ids = [token.id for token in inspection.tokens]
    np.testing.assert_allclose(inspection.attention.X, E[ids], rtol=1e-6)


def test_X_needs_a_row_for_each_token(tmp_path):
    W = np.eye(4)
    np.savez(tmp_path / "X.npz", W_Q=W, W_K=W, W_V=W, X=np.ones((2, 4)))
    with (
        load_weights(str(tmp_path / "X.npz")) as weights,
        pytest.raises(AttncliError, match=r"X .* shape \(2, 4\); this sentence has 3 tokens"),
    ):
        inspect("one two three", weights)


@pytest.mark.parametrize(
    ("arrays", "heads", "message"),
    [
        ({"W_Q": (4, 4), "W_K": (4, 4)}, None, "has no W_V"),
        ({"W_Q": (4, 4), "W_K": (4, 4), "W_V": (4, 4), "W_q": (1, 1)}, None, "W_q, which"),
        ({"W_Q": (4, 6), "W_K": (4, 6), "W_V": (4, 6)}, 4, r"\(4, 6\).* 4 heads"),
        ({"W_Q": (2, 4, 3), "W_K": (2, 4, 3), "W_V": (2, 4, 3)}, 3, r"\(2, 4, 3\).* 3 heads"),
        ({"W_Q": (4,), "W_K": (4, 4), "W_V": (4, 4)}, None, r"\(4,\)"),
    ],
)
def test_matrices_that_do_not_fit_together(tmp_path, arrays, heads, message):
    path = tmp_path / "bad.npz"
    np.savez(path, **{name: np.ones(shape) for name, shape in arrays.items()})
    with pytest.raises(AttncliError, match=message):
        load_weights(str(path), n_heads=heads)


def test_a_key_matrix_of_another_shape_is_refused(tmp_path):
    np.savez(tmp_path / "K.npz", W_Q=np.ones((4, 4)), W_K=np.ones((4, 6)), W_V=np.ones((4, 4)))
    with (
        load_weights(str(tmp_path / "K.npz")) as weights,
        pytest.raises(AttncliError, match=r"W_K has the shape \(4, 6\); .* needs \(4, 4\)"),
    ):
        inspect("one", weights)


@pytest.mark.parametrize(("wanted", "number"), [(0, 0), (2, 2), (-1, 2), (-3, 0)])
def test_numbers_count_from_0_and_from_the_end(wanted, number):
    assert find_number("head", wanted, 3) == number


@pytest.mark.parametrize("wanted", [3, -4])
def test_a_number_out_of_range_says_which_there_are(wanted):
    with pytest.raises(AttncliError, match=rf"head {wanted} .* 3 heads \(0 to 2\)"):
        find_number("head", wanted, 3)


def test_heads_are_found_like_the_layer(decoder):
    with load_weights(str(decoder)) as weights:
        every = inspect("w1 w2 w3", weights).attention
        n_heads = len(every.A)
        some = inspect("w1 w2 w3", weights, heads=[-1, 0, n_heads - 1]).attention
        assert some.heads == (n_heads - 1, 0)
        np.testing.assert_array_equal(some.A, every.A[[-1, 0]])
        np.testing.assert_array_equal(some.S, every.S[[-1, 0]])
        with pytest.raises(AttncliError, match="head 99 does not exist"):
            inspect("w1 w2", weights, heads=[99])
        with pytest.raises(AttncliError, match="`heads` is empty"):
            inspect("w1 w2", weights, heads=[])
        with pytest.raises(AttncliError, match=r"`head` is 1\.5: a whole number"):
            inspect("w1 w2", weights, heads=[1.5])


@pytest.mark.parametrize(
    ("family", "changed", "message"),
    [
        (
            "llama",
            {"rope_parameters": {"rope_theta": 1e-300}},
            "L0H0, row 0, column 1: Q overflows",
        ),
        ("gemma2", {"query_pre_attn_scalar": 1e-300}, "row 1: q · k · scale overflows float32"),
    ],
)
def test_what_config_json_makes_overflow_is_an_error_and_no_warning(
    family, changed, message, tmp_path
):
    """The soft-cap of gemma2 makes its matrices finite again; the derived row shows the product."""
    shutil.copytree(GOLDEN / family, tmp_path / family)
    config = tmp_path / family / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text("utf-8")), **changed}))
    with (
        load_weights(str(tmp_path / family)) as weights,
        pytest.raises(AttncliError, match=message),
    ):
        derive(inspect([5, 6, 7], weights, layer=0).attention, head=0, token=1)


def test_an_overflow_names_the_first_number_that_did(tmp_path):
    """The largest score, q.k = (3e19)^2 for the second token and itself, is beyond float32."""
    X = np.array([[1, 1], [3e19, 1]], np.float32)
    np.savez(tmp_path / "large.npz", X=X, W_Q=np.eye(2), W_K=np.eye(2), W_V=np.eye(2))
    with (
        load_weights(str(tmp_path / "large.npz")) as weights,
        pytest.raises(AttncliError, match="L0H0, row 1, column 1: S overflows float32"),
    ):
        inspect("one two", weights)
