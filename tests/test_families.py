"""config.json -> Spec: defaults, refusals, and no key silently dropped."""

import json
import re
import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from attncli.errors import AttncliError
from attncli.families import read_spec, records, spec_from_config
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
        ({"model_type": None}, "neither model_type nor architectures"),
        (
            {"model_type": None, "architectures": ["OpenMoeForCausalLM"]},
            "names no family that attncli",
        ),
        (
            {"model_type": None, "architectures": ["BertForMaskedLM", "GPT2LMHeadModel"]},
            "names several families",
        ),
        ({"model_type": 7}, "model_type 7"),
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
        ({"pruned_heads": {"1": [0]}}, "pruned_heads"),
        ({"adapters": {"adapters": {"a": 1}}}, "adapters = .*changes the arithmetic"),
        ({"attention_chunk_size": 64}, "attention_chunk_size = 64, which changes"),
        ({"sliding_window": 64}, "sliding_window = 64, which changes"),
        ({"per_layer_config": {"0": {"hidden_act": "relu"}}}, "per_layer_config = "),
        ({"transformers_weights": "other.safetensors"}, "transformers_weights"),
        ({"head_dim": 16}, "head_dim = 16.*computes head_dim = 8"),
        (
            {"auto_map": {"AutoModel": "modeling.Model"}, "new_switch": True},
            "own code reads: new_switch;",
        ),
        ({"quantization_config": {"group_size": 64, "bits": 4}}, "a file of MLX; group_size = 64"),
        ({"quantization_config": {"odd": 1}}, r"of an unknown kind, with \['odd'\]"),
        ({"quantization": {"group_size": 64, "bits": 4}}, "has quantization .a file of MLX"),
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


def test_keys_that_are_known_or_switched_off_need_no_note():
    reading = read_spec(
        {
            **BERT,
            "hidden_dropout_prob": 0.1,
            "classifier_dropout": 0.2,
            "id2label": {"0": "no"},
            "transformers_version": "4.40.0",
            "num_beam_groups": 1,
            "pruned_heads": {},
            "auto_map": {"AutoTokenizer": "tokenization.Tokenizer"},
            "other_thing": False,
            "new_thing": None,
        }
    )
    assert reading.ignored == reading.notes == ()


def test_keys_that_nothing_reads_are_one_note():
    keys = {f"key_{i}": i + 1 for i in range(12)}
    reading = read_spec({**BERT, **keys})
    assert sorted(reading.ignored) == sorted(keys)
    (note,) = map(str, reading.notes)
    assert note.startswith("keys of config.json that bert does not have are ignored: key_0, ")
    assert note.endswith(" and 4 more")


def test_a_key_of_a_part_is_named_with_its_place():
    inside = {"vocab_size": 9, "wild": 1}
    assert read_spec({"model_type": "clip", "text_config": inside}).ignored == ("text_config.wild",)
    with pytest.raises(AttncliError, match=r"text_config.hidden_size = -1"):
        spec_from_config({"model_type": "clip", "text_config": {"hidden_size": -1}})
    with pytest.raises(AttncliError, match=r"attn_config.alibi = False"):
        spec_from_config({"model_type": "mpt", "attn_config": {"alibi": False}})


def test_a_missing_model_type_comes_from_architectures():
    reading = read_spec({"architectures": ["AlbertForMaskedLM"], "hidden_size": 64})
    assert reading.spec.family == "albert"
    assert tuple(map(str, reading.notes)) == (
        "config.json has no model_type: architectures says ['AlbertForMaskedLM'], which is albert",
    )


def test_only_names_that_the_reference_reads_are_read():
    """Common names of keys that DistilBERT's class does not have change nothing there either."""
    plain = {"model_type": "distilbert", "vocab_size": 9}
    reading = read_spec({**plain, "hidden_act": "relu", "is_decoder": True, "type_vocab_size": 2})
    assert reading.spec == spec_from_config(plain)
    assert reading.ignored == ("hidden_act", "type_vocab_size")


def test_layers_that_multiply_have_a_limit_too():
    albert = {"model_type": "albert", "num_hidden_layers": 9000, "inner_group_num": 9000}
    with pytest.raises(AttncliError, match="at most 10000 layers in all"):
        spec_from_config(albert)
    for types in ([[["global"], 10**9]], [[[], 10**9]], [[["global"] * 24, 10**9]]):
        with pytest.raises(AttncliError, match="for each of the 24 layers"):
            spec_from_config({"model_type": "gpt_neo", "attention_types": types})


def test_gpt_neo_lists_its_layers_in_two_ways():
    config = {"model_type": "gpt_neo", "num_layers": 2, "attention_layers": ["local", "global"]}
    assert spec_from_config(config).window == (256, None)
    with pytest.raises(AttncliError, match=r"attention_types = .* and attention_layers = "):
        spec_from_config({**config, "attention_types": [[["global", "local"], 1]]})


def test_two_names_of_one_thing_must_agree():
    assert spec_from_config({"model_type": "gpt2", "n_layer": 3, "num_hidden_layers": 3}).n_layers
    with pytest.raises(AttncliError, match="n_layer = 2 and num_hidden_layers = 3, two names of"):
        spec_from_config({"model_type": "gpt2", "n_layer": 2, "num_hidden_layers": 3})


def test_windows_in_all_layers():
    config = {"model_type": "qwen2", "num_hidden_layers": 2, "use_sliding_window": True}
    assert spec_from_config({**config, "max_window_layers": 0}).window == (4096, 4096)
    with pytest.raises(AttncliError, match="max_window_layers = -1: a whole number from 0"):
        spec_from_config({**config, "max_window_layers": -1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is empty"),
        (b"{", "cannot be read"),
        (b"[1]", "holds list, not a JSON object"),
        (b"[" * 100_000, "is nested too deeply"),
        (b"\xff\xfe{\x00}\x00", "is UTF-16"),
        (b'{"vocab_size": 9, "vocab_size": 8}', 'duplicate key "vocab_size"'),
        (b'{"rope_scaling": {"factor": 2, "factor": 4}}', 'duplicate key "factor"'),
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
        ({"attention_chunk_size": 4}, "attention_chunk_size = 4, which changes"),
        ({"position_embedding_type": "alibi"}, "position_embedding_type = 'alibi', which changes"),
        ({"layer_types": ["chunked_attention"]}, "layer_types = .*, which changes"),
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
    assert by_pattern.window == (8, None, 8, None)
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
            "num_hidden_layers = 10000 and inner_group_num = 10000: at most",
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


@pytest.mark.parametrize("kind", [{}, [], None, "x" * 100_000])
def test_a_layer_type_that_is_none_is_one_short_line(kind):
    config = json.loads(
        (Path(__file__).parent / "golden" / "gemma3" / "config.json").read_text("utf-8")
    )
    text = config.get("text_config", config)
    text["layer_types"] = [*["full_attention"] * (text["num_hidden_layers"] - 1), kind]
    with pytest.raises(AttncliError, match="layer_types") as caught:
        spec_from_config(config)
    assert len(str(caught.value)) < 500
