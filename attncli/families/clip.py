"""CLIP's text tower (Radford et al. 2021, https://arxiv.org/abs/2103.00020)."""

from typing import Any

from attncli.families import family
from attncli.families.config import Config
from attncli.families.keys import reference_keys
from attncli.families.names import linears, norms, tables
from attncli.families.sizes import even_sizes
from attncli.families.spec import Spec

_LAYER = "encoder.layers.{i}."
_DEFAULTS = {
    "vocab_size": 49408,
    "hidden_size": 512,
    "intermediate_size": 2048,
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
    "max_position_embeddings": 77,
    "hidden_act": "quick_gelu",
    "layer_norm_eps": 1e-5,
}


@family("clip_text_model", special="causal text tower, quick GELU, pre-norm", defaults=_DEFAULTS)
def clip_text_model(config: Config) -> Spec:
    attention = {"W_Q": "q_proj", "W_K": "k_proj", "W_V": "v_proj", "W_O": "out_proj"}
    return Spec(
        family=config.model_type,
        **even_sizes(config),
        d_mlp=config.count("intermediate_size"),
        names={
            **tables({"E": "token_embedding", "P": "position_embedding"}, "embeddings."),
            **linears(attention, _LAYER + "self_attn."),
            **linears({"W_1": "mlp.fc1", "W_2": "mlp.fc2"}, _LAYER),
            **norms({"pre_attention": "layer_norm1", "pre_mlp": "layer_norm2"}, _LAYER),
            **norms({"final": "final_layer_norm"}),
        },
        prefixes=("text_model.", ""),
        position="learned",
        n_positions=config.count("max_position_embeddings"),
        activation=config.activation("hidden_act"),
        norm_eps=config.number("layer_norm_eps"),
        causal=True,
    )


@family("clip", special="the text tower of a whole CLIP")
def clip(config: Config) -> Spec:
    inner: dict[str, Any] = {
        **config.section("text_config"),
        **config.section("text_config_dict"),
        "model_type": "clip",
    }
    return clip_text_model(
        config.part("text_config", inner, reference_keys("clip_text_model"), _DEFAULTS)
    )
