"""Roles to tensors: orientation, heads, prefixes, old names, and what is refused."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attncli.errors import AttncliError
from attncli.families import spec_from_config
from attncli.families.encoder import encoder_spec
from attncli.weights import read_config
from attncli.weights.params import Params
from attncli.weights.random_tensors import RandomTensors
from attncli.weights.tensors import open_tensors

BERT = Path(__file__).parent / "golden" / "bert"
SPEC = spec_from_config(read_config(BERT))
KEY = "encoder.layer.1.attention.self.key.weight"


@pytest.fixture
def tensors():
    return load_file(BERT / "model.safetensors")


@pytest.fixture
def params_of(tmp_path):
    """Saves tensors and opens them as BERT's."""
    opened = []

    def save_and_open(tensors):
        path = tmp_path / "model.safetensors"
        save_file({name: np.ascontiguousarray(values) for name, values in tensors.items()}, path)
        opened.append(open_tensors(path))
        return Params(SPEC, opened[-1])

    yield save_and_open
    for file in opened:
        file.close()


def test_a_linear_layers_matrix_is_turned_round(params_of, tensors):
    W_1 = params_of(tensors).get("W_1", 0)
    np.testing.assert_array_equal(W_1, tensors["encoder.layer.0.intermediate.dense.weight"].T)


def test_heads_of_the_articles_layout_stand_side_by_side():
    spec = encoder_spec(n_layers=1, n_heads=2, d_model=6, d_mlp=4, n_vocab=5)
    tensors = RandomTensors(spec, seed=0)
    stored = tensors.read("layers.0.W_K")  # (h, d_model, d_k)
    W_K = Params(spec, tensors).projections(0).W_K
    np.testing.assert_array_equal(W_K[:, 3:], stored[1])


@pytest.mark.parametrize("prefix", ["", "bert."])
def test_a_bare_model_and_one_under_a_head_are_the_same(params_of, tensors, prefix):
    params = params_of({prefix + name: values for name, values in tensors.items()})
    np.testing.assert_array_equal(
        params.get("b_Q", 1), tensors["encoder.layer.1.attention.self.query.bias"]
    )


def test_two_models_in_one_file_are_refused(params_of, tensors):
    with pytest.raises(AttncliError, match=r"two models: bert.encoder.* and encoder"):
        params_of({**tensors, **{f"bert.{name}": values for name, values in tensors.items()}})


def test_gamma_and_beta_are_the_old_names_of_a_norm(params_of, tensors):
    old = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): v
        for name, v in tensors.items()
    }
    weight, bias = params_of(old).norm("mlp_norm", 1)
    np.testing.assert_array_equal(weight, tensors["encoder.layer.1.output.LayerNorm.weight"])
    np.testing.assert_array_equal(bias, tensors["encoder.layer.1.output.LayerNorm.bias"])


def test_a_missing_tensor_is_named_with_its_layer_and_neighbours(params_of, tensors):
    del tensors[KEY]
    with pytest.raises(
        AttncliError, match=f"layer 1: W_K not found: no tensor {KEY}.*nearest: "
    ) as e:
        params_of(tensors).projections(1)
    assert "encoder.layer.0.attention.self.key.weight" in str(e.value)


def test_a_misshapen_tensor_is_refused_with_both_shapes(params_of, tensors):
    tensors[KEY] = tensors[KEY][:12]
    with pytest.raises(AttncliError, match=rf"{KEY} has the shape \(12, 24\); .* \(24, 24\)"):
        params_of(tensors).get("W_K", 1)


def test_a_value_that_is_not_finite_is_refused(params_of, tensors):
    tensors[KEY] = tensors[KEY].copy()
    tensors[KEY][3, 5] = np.nan
    params = params_of(tensors)
    params.projections(0)  # what is not read does no harm
    with pytest.raises(AttncliError, match=rf"{KEY} has 1 non-finite value \(first at \[3, 5\]\)"):
        params.projections(1)


def test_rows_of_a_table_in_the_order_asked_for():
    with closing(open_tensors(BERT)) as tensors:
        params = Params(SPEC, tensors)
        E = params.get("E")
        np.testing.assert_array_equal(params.rows("E", [7, 0, 7]), E[[7, 0, 7]])
