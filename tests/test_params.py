"""Roles to tensors: orientation, heads, prefixes, old names, and what is refused."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attncli.errors import AttncliError
from attncli.families import spec_from_config
from attncli.families.encoder import encoder_spec
from attncli.model import embed, forward
from attncli.weights import read_config
from attncli.weights.fused import split_qkv
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
    with pytest.raises(AttncliError, match=r"two models: encoder.* and bert.encoder"):
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


GOLDEN = BERT.parent


def trace_of(folder, tensors=None, tmp_path=None, config=None):
    """A golden checkpoint's trace, with other tensors in its place."""
    config = config or read_config(folder)
    path = folder
    if tensors is not None:
        path = tmp_path / "model.safetensors"
        save_file({name: np.ascontiguousarray(values) for name, values in tensors.items()}, path)
    with closing(open_tensors(path)) as opened:
        params = Params(spec_from_config(config), opened)
        every = range(params.spec.n_layers)
        return forward(params, embed(params, [5, 9, 17, 30]), every, keep_hidden=True)


def changed(name, change, tmp_path, config=None):
    """The output of a golden checkpoint before and after a change of its tensors."""
    tensors = load_file(GOLDEN / name / "model.safetensors")
    before = trace_of(GOLDEN / name, config=config).output
    return before, trace_of(GOLDEN / name, change(tensors), tmp_path, config).output


def test_mask_buffers_are_no_biases(tmp_path):
    """R-09: h.0.attn.bias is a triangle that GPT-2 saves, not what is added."""

    def with_buffers(tensors):
        buffers = {
            "h.0.attn.bias": np.tril(np.ones((1, 1, 16, 16), np.uint8)),
            "h.0.attn.masked_bias": np.float32(-1e4),
        }
        return {**tensors, **buffers}

    np.testing.assert_array_equal(*changed("gpt2", with_buffers, tmp_path))


def test_gpt2_stores_in_out_and_bert_out_in():
    """R-10: the family decides, never the shape."""
    for name, tensor, turned in (
        ("gpt2", "h.1.attn.c_proj.weight", False),
        ("bert", "encoder.layer.1.attention.output.dense.weight", True),
    ):
        stored = load_file(GOLDEN / name / "model.safetensors")[tensor]
        with closing(open_tensors(GOLDEN / name)) as tensors:
            W_O = Params(spec_from_config(read_config(GOLDEN / name)), tensors).projections(1).W_O
        np.testing.assert_array_equal(W_O, stored.T if turned else stored)


def test_one_matrix_in_three_layouts():
    """R-11, R-12: Q K V side by side, per head, and in groups that share a key and a value."""
    rng = np.random.default_rng(0)
    spec = replace(SPEC, n_heads=4, n_kv_heads=2, d_k=2, d_v=2)
    Q, K, V = (rng.normal(size=(3, heads, 2)) for heads in (4, 2, 2))
    concat = np.concatenate([m.reshape(3, -1) for m in (Q, K, V)], axis=1)
    grouped = np.concatenate(
        [
            np.concatenate([Q[:, 2 * g : 2 * g + 2], K[:, g : g + 1], V[:, g : g + 1]], axis=1)
            for g in range(2)
        ],
        axis=1,
    ).reshape(3, -1)
    for qkv, M in (("concat", concat), ("grouped", grouped)):
        for part, expected in zip(split_qkv(M, replace(spec, qkv=qkv)), (Q, K, V), strict=True):
            np.testing.assert_array_equal(part, expected.reshape(3, -1))
    # the signature of the wrong split of one head after another: k of head 0 is q of head 1
    per_head = np.stack([Q[:, :2], K, V], axis=2).reshape(3, -1)
    wrong = split_qkv(per_head, replace(spec, n_heads=2))[1][:, :2]
    np.testing.assert_array_equal(wrong, V[:, 0])
    right = split_qkv(per_head, replace(spec, n_heads=2, qkv="grouped"))[1]
    np.testing.assert_array_equal(right, K.reshape(3, -1))


def test_a_fused_width_that_does_not_fit_shows_the_sum(tmp_path):
    def narrow(tensors):
        name = "layers.0.self_attn.qkv_proj.weight"
        return {**tensors, name: tensors[name][:-2]}

    with pytest.raises(
        AttncliError, match=r"shape \(46, 24\); W_QKV of this model needs \(48, 24\)"
    ):
        changed("phi3", narrow, tmp_path)


@pytest.mark.parametrize("name", ["layers.0.self_attn.q_proj.qweight", "h.0.x.SCB"])
def test_codes_instead_of_numbers_are_refused(tmp_path, name):
    """R-15"""

    def coded(tensors):
        return {**tensors, name: np.zeros((2, 2), np.int32)}

    with pytest.raises(AttncliError, match=f"hold {name}: quantised checkpoints"):
        changed("llama", coded, tmp_path)


def test_one_set_of_tensors_for_all_layers():
    """R-25: ALBERT's layers share, and X comes after the projection from narrow embeddings."""
    trace = trace_of(GOLDEN / "albert")
    assert trace.layers[0].X.shape == (4, 24)
    np.testing.assert_array_equal(trace.layers[0].params.W_Q, trace.layers[1].params.W_Q)
    groups = trace_of(GOLDEN / "albert-groups")
    W_Q = [groups.layers[i].params.W_Q for i in range(8)]
    assert (W_Q[0] == W_Q[2]).all()  # layer 1 repeats layer 0 of group 0
    assert (W_Q[0] != W_Q[1]).any()
    assert (W_Q[3] != W_Q[5]).any()


@pytest.mark.parametrize("prefix", ["module.", "_orig_mod.", "module.model.", "model.model."])
def test_wrappers_around_a_model_are_seen_through(tmp_path, prefix):
    def wrapped(tensors):
        return {prefix + name: values for name, values in tensors.items()}

    np.testing.assert_array_equal(*changed("llama", wrapped, tmp_path))


@pytest.mark.parametrize(
    ("name", "stored", "tied"),
    [
        ("gpt2", "wte.weight", "lm_head.weight"),
        ("t5", "shared.weight", "encoder.embed_tokens.weight"),
        ("t5", "shared.weight", "decoder.embed_tokens.weight"),
        ("bart", "shared.weight", "encoder.embed_tokens.weight"),
        ("bart", "shared.weight", "lm_head.weight"),
    ],
)
def test_tied_tensors_are_found_under_any_of_their_names(tmp_path, name, stored, tied):
    """R-06"""

    def renamed(tensors):
        return {**{k: v for k, v in tensors.items() if k != stored}, tied: tensors[stored]}

    np.testing.assert_array_equal(*changed(name, renamed, tmp_path))


def test_an_untied_head_is_not_taken_for_the_embeddings(tmp_path):
    def only_head(tensors):
        E = tensors.pop("wte.weight")
        return {**tensors, "lm_head.weight": E}

    config = {**read_config(GOLDEN / "gpt2"), "tie_word_embeddings": False}
    with pytest.raises(AttncliError, match=r"E not found: no tensor wte.weight"):
        changed("gpt2", only_head, tmp_path, config)


def test_a_declared_bias_is_not_invented(tmp_path):
    """R-05: a missing bias is a missing tensor."""

    def without(tensors):
        del tensors["encoder.layer.1.attention.self.key.bias"]
        return tensors

    with pytest.raises(AttncliError, match=r"layer 1: b_K not found"):
        changed("bert", without, tmp_path)


def test_the_files_numbers_as_float64():
    with closing(open_tensors(BERT)) as tensors:
        params = Params(SPEC, tensors, np.float64)
        assert params.get("W_1", 0).dtype == params.rows("E", [1]).dtype == np.float64
