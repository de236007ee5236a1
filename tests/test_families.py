"""config.json -> Spec: defaults, refusals, and no key silently dropped."""

import json
import re
import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from attncli.errors import AttncliError
from attncli.families import records, spec_from_config
from attncli.rotary import rotate
from attncli.weights import read_config

BERT = {"model_type": "bert", "hidden_size": 32, "num_attention_heads": 4, "vocab_size": 9}


def test_a_missing_key_means_the_classs_default():
    spec = spec_from_config({"model_type": "bert"})
    assert (spec.d_model, spec.n_layers, spec.n_heads, spec.d_k) == (768, 12, 12, 64)
    assert (spec.n_positions, spec.n_segments, spec.norm_eps) == (512, 2, 1e-12)
    assert (spec.activation, spec.causal) == ("gelu", False)


def test_values_are_read():
    spec = spec_from_config(
        {**BERT, "layer_norm_eps": 1e-5, "is_decoder": True, "hidden_act": "relu"}
    )
    assert (spec.d_k, spec.norm_eps, spec.causal, spec.activation) == (8, 1e-5, True, "relu")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "brt"}, "model_type 'brt'.*nearest: bert"),
        ({"model_type": None}, "model_type None"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type = 'relative_key'"),
        ({"add_cross_attention": True}, "add_cross_attention = True"),
        ({"hidden_act": "mish"}, "hidden_act = 'mish'.*gelu"),
        ({"hidden_size": 30}, "hidden_size 30 is not a multiple of num_attention_heads 4"),
        ({"num_hidden_layers": 0}, "num_hidden_layers = 0"),
        ({"num_hidden_layers": -3}, "num_hidden_layers = -3"),
        ({"num_hidden_layers": 10**12}, "num_hidden_layers = 1000000000000"),
        ({"num_attention_heads": "four"}, "num_attention_heads = 'four'"),
        ({"num_attention_heads": True}, "num_attention_heads = True"),
        ({"layer_norm_eps": "tiny"}, "layer_norm_eps = 'tiny'"),
        ({"layer_norm_eps": float("nan")}, "layer_norm_eps = nan"),
        ({"new_switch": True}, "does not know: new_switch = True"),
        ({"pruned_heads": {"1": [0]}}, "pruned_heads"),
        ({"logit_softcap": 30.0}, "does not know: logit_softcap = 30.0"),
    ],
)
def test_what_cannot_be_computed_is_refused_by_name(change, message):
    with pytest.raises(AttncliError, match=message):
        spec_from_config({**BERT, **change})


def test_the_config_of_bert_base_chinese_is_understood():
    spec = spec_from_config(
        {
            "architectures": ["BertForMaskedLM"],
            "attention_probs_dropout_prob": 0.1,
            "directionality": "bidi",
            "hidden_act": "gelu",
            "hidden_dropout_prob": 0.1,
            "hidden_size": 768,
            "initializer_range": 0.02,
            "intermediate_size": 3072,
            "layer_norm_eps": 1e-12,
            "max_position_embeddings": 512,
            "model_type": "bert",
            "num_attention_heads": 12,
            "num_hidden_layers": 12,
            "pad_token_id": 0,
            "pooler_fc_size": 768,
            "pooler_num_attention_heads": 12,
            "pooler_num_fc_layers": 3,
            "pooler_size_per_head": 128,
            "pooler_type": "first_token_transform",
            "pruned_heads": {},
            "transformers_version": "4.46.0",
            "_attn_implementation_autoset": True,
            "type_vocab_size": 2,
            "vocab_size": 21128,
        }
    )
    assert (spec.n_vocab, spec.n_layers) == (21128, 12)


def test_harmless_and_switched_off_keys_are_no_obstacle():
    spec_from_config({**BERT, "hidden_dropout_prob": 0.1, "new_thing": None, "other_thing": False})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty"),
        (b"{", "cannot be read"),
        (b"[1]", "holds list, not a JSON object"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"\xff\xfe{\x00}\x00", "is UTF-16"),
        (b'{"vocab_size": 9, "vocab_size": 8}', 'duplicate key "vocab_size"'),
    ],
)
def test_a_broken_config_is_refused(tmp_path, text, message):
    (tmp_path / "config.json").write_bytes(text)
    with pytest.raises(AttncliError, match=message):
        read_config(tmp_path)


def test_a_byte_order_mark_is_no_obstacle(tmp_path):
    (tmp_path / "config.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(BERT).encode())
    assert read_config(tmp_path) == BERT


def test_a_folder_without_config_says_what_a_checkpoint_holds(tmp_path):
    with pytest.raises(
        AttncliError, match=r"has no config.json.*model.safetensors and tokenizer.json"
    ):
        read_config(tmp_path)


LLAMA = {"model_type": "llama", "hidden_size": 32, "num_attention_heads": 4, "vocab_size": 9}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"quantization_config": {"quant_method": "gptq"}}, "quantization_config.*'gptq'"),
        ({"num_key_value_heads": 3}, "4 query heads cannot share 3 key/value heads"),
        ({"num_hidden_layers": 10**6}, "num_hidden_layers = 1000000"),
        ({"head_dim": 0}, "head_dim = 0"),
        ({"rope_scaling": {"rope_type": "mrope"}}, "rope_type = 'mrope'.*yarn"),
        ({"rope_scaling": {"type": "linear"}}, "linear needs factor"),
        ({"rope_scaling": {"type": "linear", "factor": 0}}, "factor = 0: a number above 0"),
        ({"rope_scaling": {"type": "linear", "factor": "x"}}, "factor = 'x'"),
        ({"rope_scaling": {"type": "linear", "factor": 2, "wild": 1}}, "have wild = 1"),
        ({"rope_scaling": [1]}, r"rope_scaling = \[1\]: an object"),
        ({"rope_theta": -1}, "rope_theta = -1"),
        ({"rope_parameters": {"a": {"rope_theta": 1.0}}}, "one set for all layers"),
        ({"partial_rotary_factor": 0.01}, "0 rotated numbers per head"),
        ({"rope_scaling": {"type": "longrope", "short_factor": [1]}}, "a list of 4 factors"),
        ({"attention_sinks": 4}, "does not know: attention_sinks = 4"),
    ],
)
def test_what_a_decoder_cannot_compute_is_refused_by_name(change, message):
    with pytest.raises(AttncliError, match=message):
        spec_from_config({**LLAMA, **change})


def test_both_forms_of_rotary_parameters_say_the_same():
    inside = {"rope_type": "llama3", "factor": 8.0, "rope_theta": 5e5}
    new = spec_from_config({**LLAMA, "rope_parameters": inside})
    old = spec_from_config(
        {**LLAMA, "rope_theta": 5e5, "rope_scaling": {"type": "llama3", "factor": 8.0}}
    )
    assert new == old
    assert (new.rotary[0].theta, new.rotary[0].kind) == (5e5, "llama3")
    assert new.rotary[0].original_positions == 2048  # max_position_embeddings, where it is missing


def test_other_names_of_a_key_are_read():
    spec = spec_from_config({"model_type": "gpt2", "num_hidden_layers": 3, "n_head": 4})
    assert (spec.n_layers, spec.n_heads) == (3, 4)


def test_roberta_has_fewer_positions_than_its_table_has_rows():
    """N-08: the first token stands in row pad_token_id + 1."""
    spec = spec_from_config({"model_type": "roberta", "max_position_embeddings": 514})
    assert (spec.position_offset, spec.n_positions, spec.shape("P")[0]) == (2, 512, 514)


@pytest.mark.parametrize(
    ("config", "scale", "words"),
    [
        ({"model_type": "bert"}, 1 / 8, r"1/sqrt\(d_k\) = 1/sqrt\(64\)"),
        ({"model_type": "t5"}, 1, "initial values"),
        ({"model_type": "gpt_neo"}, 1, "as they are"),
        ({"model_type": "gpt2", "scale_attn_by_inverse_layer_idx": True}, 1 / 24, "layer . 1 = 3"),
        ({"model_type": "gemma2"}, 1 / 16, "query_pre_attn_scalar"),
        ({"model_type": "granite", "attention_multiplier": 0.25}, 0.25, "attention_multiplier"),
        (
            {"model_type": "deberta-v2", "pos_att_type": "c2p|p2c", "relative_attention": True,
             "share_att_key": True},
            1 / 192**0.5,
            r"3 d_k",
        ),
    ],
)  # fmt: skip
def test_every_scale_has_its_reason(config, scale, words):
    """N-13"""
    value, reason = spec_from_config(config).layer_scale(2)
    assert value == pytest.approx(scale)
    assert re.search(words, str(reason))


def test_is_causal_false_turns_a_decoder_round():
    assert spec_from_config(LLAMA).causal
    assert not spec_from_config({**LLAMA, "is_causal": False}).causal
    assert not spec_from_config(
        {"model_type": "gemma3_text", "use_bidirectional_attention": True}
    ).causal


def test_layer_types_or_the_older_pattern():
    config = {"model_type": "gemma3_text", "num_hidden_layers": 4, "sliding_window": 8}
    by_pattern = spec_from_config({**config, "sliding_window_pattern": 2})
    types = ["sliding_attention", "full_attention"] * 2
    assert by_pattern.reach == (7, None, 7, None)
    assert spec_from_config({**config, "layer_types": types}) == by_pattern
    with pytest.raises(AttncliError, match="a list of 4 entries"):
        spec_from_config({**config, "layer_types": types[:3]})
    with pytest.raises(AttncliError, match="'chunked_attention'"):
        spec_from_config({**config, "layer_types": ["chunked_attention"] * 4})


def test_every_record_says_what_is_special():
    assert all(len(record.special) > 10 for record in records().values())


def test_the_page_of_families_is_the_records():
    page = (Path(__file__).parents[1] / "docs" / "families.md").read_text("utf-8")
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|", page, re.MULTILINE)
    assert rows == [(name, record.special) for name, record in sorted(records().items())]


GOLDEN = Path(__file__).parent / "golden"
ODD = (None, True, -1, 0, 1, 3, 10**9, 0.5, float("nan"), 1e300, "x", [], [None], {"a": 1})


@pytest.mark.parametrize("name", ["bert", "deberta-v3", "gpt_neo", "llama-yarn", "gemma2", "t5"])
def test_no_value_of_any_key_ends_in_a_traceback(name):
    config = read_config(GOLDEN / name)
    for key in config:
        for value in ODD:
            with suppress(AttncliError):
                spec_from_config({**config, key: value})


@pytest.mark.parametrize("value", ODD)
@pytest.mark.parametrize("name", ["llama-yarn", "phi3-longrope", "llama-llama3", "modernbert"])
def test_no_rotary_parameter_ends_in_a_traceback(name, value):
    config = read_config(GOLDEN / name)
    for key in config["rope_parameters"]:
        odd = {**config, "rope_parameters": {**config["rope_parameters"], key: value}}
        try:
            spec = spec_from_config(odd)
        except AttncliError:
            continue
        for turn in spec.rotary:
            assert np.isfinite(rotate(np.ones((1, 20, spec.d_k), np.float32), turn)).all()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"model_type": "albert", "num_hidden_layers": 10_000, "inner_group_num": 10_000},
            "num_hidden_layers = 10000 and inner_group_num = 10000: their product",
        ),
        (
            {"model_type": "gpt_neo", "attention_types": [[["global", "local"], 10**12]]},
            "attention_types",
        ),
        (
            {
                "model_type": "gpt_neo",
                "num_hidden_layers": 10_000,
                "attention_types": [[["global"], 10_000]] * 100_000,
            },
            "attention_types",
        ),
    ],
)
def test_what_multiplies_is_limited_as_a_product(config, message):
    """Nothing of that length is made: 10^8 to 10^12 entries would fill the memory."""
    tracemalloc.start()
    try:
        with pytest.raises(AttncliError, match=re.escape(message)):
            spec_from_config(config)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()
