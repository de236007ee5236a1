"""Writes tests/configs/expected.json: what the reference's classes make of real config.json files.

python tests/reference/config_facts_reference.py
"""

import copy
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from config_facts import CONFIGS, per_layer, real_configs
from transformers import PreTrainedConfig
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.utils import logging

from attncli.errors import AttncliError
from attncli.families import records, spec_from_config

logging.set_verbosity_error()

_MLP = ("encoder_ffn_dim", "ffn_dim", "d_ff", "hidden_dim", "ffn_hidden_size", "n_inner",
        "intermediate_size")  # fmt: skip
_EPS = ("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon")
# What these classes do not say, from the modeling code.
_FIXED_EPS = {"distilbert": 1e-12} | dict.fromkeys(
    ("bart", "mbart", "marian", "pegasus", "m2m_100", "blenderbot", "blenderbot-small", "opt"), 1e-5
)
_EVERY_LAYER_SLIDES = ("mistral", "mixtral", "phi3", "starcoder2")


def _first(config: PreTrainedConfig, names: tuple[str, ...]) -> Any:
    return next((v for name in names if (v := getattr(config, name, None)) is not None), None)


def _kv_heads(config: PreTrainedConfig) -> int:
    if config.model_type == "falcon":
        if config.new_decoder_architecture:
            return config.num_kv_heads
        return 1 if config.multi_query else config.num_attention_heads
    return getattr(config, "num_key_value_heads", None) or config.num_attention_heads


def _windows(config: PreTrainedConfig, n_layers: int) -> list[int | None]:
    if config.model_type == "gpt_neo":
        return [config.window_size if x == "local" else None for x in config.attention_layers]
    if config.model_type in _EVERY_LAYER_SLIDES:
        return [config.sliding_window] * n_layers
    types = getattr(config, "layer_types", None) or ["full_attention"] * n_layers
    return [config.sliding_window if x == "sliding_attention" else None for x in types]


def _thetas(config: PreTrainedConfig, n_layers: int) -> list[float | None]:
    rope = getattr(config, "rope_parameters", None)
    if not rope or getattr(config, "alibi", False):
        return [None] * n_layers
    if "rope_theta" in rope:
        return [rope["rope_theta"]] * n_layers
    return [rope[x]["rope_theta"] for x in config.layer_types]


def reference_facts(values: dict[str, Any]) -> dict[str, Any]:
    """As `config_facts.facts`, from the configuration class of the file's model_type."""
    whole = CONFIG_MAPPING[values["model_type"]](**copy.deepcopy(values))
    config = getattr(whole, "text_config", whole)
    n_layers, heads = config.num_hidden_layers, config.num_attention_heads
    eps = _FIXED_EPS.get(config.model_type)
    found = {
        "layers": n_layers * getattr(config, "inner_group_num", 1),
        "heads": heads,
        "kv_heads": _kv_heads(config),
        "d_model": config.hidden_size,
        "d_k": getattr(config, "head_dim", None) or config.hidden_size // heads,
        "d_mlp": _first(config, _MLP) or 4 * config.hidden_size,
        "vocabulary": config.vocab_size,
        "eps": _first(config, _EPS) if eps is None else eps,
        "theta": per_layer(_thetas(config, n_layers)),
        "window": per_layer(_windows(config, n_layers)),
    }
    if config.is_encoder_decoder:
        layers = _first(config, ("decoder_layers", "num_decoder_layers"))
        decoder_heads = _first(config, ("decoder_attention_heads", "num_attention_heads"))
        mlp = _first(config, ("decoder_ffn_dim", "d_ff"))
        found["decoder"] = [layers, decoder_heads, mlp]
    return found


def accepted() -> list[dict[str, Any]]:
    """The real files that attncli reads."""
    found = []
    for each in real_configs():
        try:
            spec_from_config(each["config"])
        except AttncliError:
            continue
        if each["config"].get("model_type") in records():
            found.append(each)
    return found


if __name__ == "__main__":
    made = {each["file"]: reference_facts(each["config"]) for each in accepted()}
    rows = [f"{json.dumps(k)}:{json.dumps(v, separators=(',', ':'))}" for k, v in made.items()]
    (CONFIGS / "expected.json").write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
