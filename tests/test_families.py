"""config.json -> Spec: defaults, refusals, and no key silently dropped."""

import json

import pytest

from attncli.errors import AttncliError
from attncli.families import spec_from_config
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
        (b"", "cannot be read"),
        (b"{", "cannot be read"),
        (b"[1]", "holds list, not a JSON object"),
        (b"[" * 100_000, "cannot be read"),
        (b"\xff\xfe{\x00}\x00", "cannot be read"),
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
