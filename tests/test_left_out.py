"""A key of config.json that switches off a tensor which the file holds."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from attncli.errors import AttncliError
from attncli.weights import load_weights, read_config

GOLDEN = Path(__file__).parent / "golden"


def checkpoint(folder: Path, name: str, change: dict) -> str:
    """A golden with another value in its config.json."""
    shutil.copy(GOLDEN / name / "model.safetensors", folder)
    config = {**read_config(GOLDEN / name), **change}
    (folder / "config.json").write_text(json.dumps(config))
    return str(folder)


@pytest.mark.parametrize(
    ("name", "change", "tensor"),
    [
        ("bert", {"type_vocab_size": 0}, "embeddings.token_type_embeddings.weight"),
        ("deberta-v2", {"conv_kernel_size": 0}, "encoder.conv.conv.weight"),
        ("deberta-v2-unshared", {"share_att_key": True}, "attention.self.pos_key_proj.weight"),
        ("deberta-v2-unshared", {"pos_att_type": None}, "attention.self.pos_key_proj.weight"),
        ("deberta-v3", {"norm_rel_ebd": "none"}, "encoder.LayerNorm.weight"),
        ("llama-bias-head-dim", {"attention_bias": False}, "layers.0.self_attn.q_proj.bias"),
        ("phi-qk-norm", {"qk_layernorm": False}, "layers.0.self_attn.q_layernorm.weight"),
        ("opt", {"_remove_final_layer_norm": True}, "final_layer_norm.weight"),
        ("stablelm", {"use_parallel_residual": True}, "post_attention_layernorm.weight"),
        ("cohere-qk-norm", {"use_qk_norm": False}, "layers.0.self_attn.q_norm.weight"),
        ("gpt_neox", {"attention_bias": False}, "layers.0.attention.query_key_value.bias"),
    ],
)
def test_the_key_and_the_tensor_are_named(name, change, tensor, tmp_path):
    (key, value), *_ = change.items()
    says = rf"config.json says {key} = {value!r}.*the weights hold .*{tensor}: correct {key}"
    with pytest.raises(AttncliError, match=says):
        load_weights(checkpoint(tmp_path, name, change))


def test_a_tensor_under_a_prefix_is_found(tmp_path):
    folder = checkpoint(tmp_path, "bert", {"type_vocab_size": 0})
    tensors = load_file(tmp_path / "model.safetensors")
    save_file({f"bert.{k}": v for k, v in tensors.items()}, tmp_path / "model.safetensors")
    with pytest.raises(AttncliError, match=r"hold bert.embeddings.token_type_embeddings.weight"):
        load_weights(folder)


def test_without_the_tensor_the_key_is_no_contradiction(tmp_path):
    folder = checkpoint(tmp_path, "bert", {"type_vocab_size": 0})
    tensors = load_file(tmp_path / "model.safetensors")
    del tensors["embeddings.token_type_embeddings.weight"]
    tensors["cls.predictions.bias"] = np.zeros(3, np.float32)
    save_file(tensors, tmp_path / "model.safetensors")
    with load_weights(folder) as weights:
        assert weights.spec.n_segments == 0
