"""Gemma 1, 2 and 3: embeddings times sqrt(d_model), norms that multiply by 1 + weight."""

import math
from dataclasses import replace
from typing import Any

from attncli.errors import AttncliError
from attncli.families import family
from attncli.families.config import Config
from attncli.families.keys import reference_keys
from attncli.families.layer_types import layer_types
from attncli.families.llama import ATTENTION, LAYER, decoder
from attncli.families.names import norms
from attncli.families.rope import rotary
from attncli.families.spec import Spec
from attncli.language import Phrase

_DEFAULTS = {
    "vocab_size": 256000,
    "hidden_size": 3072,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "head_dim": 256,
    "intermediate_size": 24576,
    "hidden_act": "gelu_pytorch_tanh",
    "max_position_embeddings": 8192,
    "rms_norm_eps": 1e-6,
    "tie_word_embeddings": True,
}
_SECOND = {
    **_DEFAULTS,
    "hidden_size": 2304,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "intermediate_size": 9216,
    "query_pre_attn_scalar": 256,
    "sliding_window": 4096,
    "attn_logit_softcapping": 50.0,
}
_THIRD = {
    **_SECOND,
    "vocab_size": 262208,
    "max_position_embeddings": 131072,
    "attn_logit_softcapping": None,
    "sliding_window_pattern": 6,
    "rope_theta": 1e6,
    "rope_local_base_freq": 10000.0,
}
_ACTIVATION = {"hidden_activation": "hidden_act"}
# Read by Gemma 3's code and not used; its pattern is what layer_types was made from.
_UNUSED = ("attn_logit_softcapping", "_sliding_window_pattern")


@family(
    "gemma",
    special="embeddings times sqrt(d_model); norms times 1 + weight; wide heads",
    defaults=_DEFAULTS,
)
def gemma(config: Config) -> Spec:
    spec = decoder(config)
    return replace(
        spec,
        embed_scale=math.sqrt(spec.d_model),
        norm_plus_one=True,
        # published files say gelu and mean its tanh form, as the class does
        activation="gelu_pytorch_tanh" if spec.activation == "gelu" else spec.activation,
    )


def _second(config: Config, layer_type: str | None = None) -> Spec:
    """What Gemma 2 and 3 have in common: a scale of their own and four norms per layer."""
    spec = decoder(config, layer_type=layer_type)
    scalar = config.positive("query_pre_attn_scalar")
    sandwich = {
        "pre_attention": "input_layernorm",
        "attention_out": "post_attention_layernorm",
        "pre_mlp": "pre_feedforward_layernorm",
        "mlp_out": "post_feedforward_layernorm",
    }
    return replace(
        spec,
        names={**spec.names, **norms(sandwich, LAYER, bias=False)},
        embed_scale=math.sqrt(spec.d_model),
        norm_plus_one=True,
        scale=scalar**-0.5,
        scale_reason=Phrase("scale.scalar", {"scalar": f"{scalar:g}"}),
    )


@family(
    "gemma2",
    special="capped scores; a scale of its own; every other layer a window; four norms per layer",
    defaults=_SECOND,
    aliases=_ACTIVATION,
)
def gemma2(config: Config) -> Spec:
    spec, window = _second(config), config.count("sliding_window")
    sliding = layer_types(config, spec.n_layers, lambda i: i % 2 == 0)
    return replace(
        spec,
        softcap=config.optional_positive("attn_logit_softcapping"),
        window=tuple(window if slides else None for slides in sliding),
    )


@family(
    "gemma3_text",
    special="five window layers to each full one, with their own rotary base; normalized q and k",
    defaults=_THIRD,
    aliases=_ACTIVATION,
    ignores=_UNUSED,
)
def gemma3_text(config: Config) -> Spec:
    spec, every = _second(config, "full_attention"), config.count("sliding_window_pattern")
    both_ways = config.flag("use_bidirectional_attention")
    window = config.count("sliding_window")
    if both_ways:  # half to each side
        window = window // 2 + 1
    sliding = layer_types(config, spec.n_layers, lambda i: (i + 1) % every > 0)
    near = rotary(
        config,
        spec.d_k,
        theta_key="rope_local_base_freq",
        layer_type="sliding_attention",
        scaled=False,
    )
    qk = norms({"q": "q_norm", "k": "k_norm"}, ATTENTION, bias=False)
    return replace(
        spec,
        names={**spec.names, **qk},
        prefixes=("model.", "", "language_model.model.", "model.language_model."),
        qk_norm="head",
        causal=spec.causal and not both_ways,
        window=tuple(window if slides else None for slides in sliding),
        rotary=tuple(
            near if slides else far for slides, far in zip(sliding, spec.rotary, strict=True)
        ),
    )


@family("gemma3", special="the text part of a Gemma 3 that also sees images", ignores=_UNUSED)
def gemma3(config: Config) -> Spec:
    inner: dict[str, Any] = {"model_type": "gemma3_text", **config.section("text_config")}
    if inner["model_type"] != "gemma3_text":
        raise AttncliError(f"config.json: text_config has model_type {inner['model_type']!r}")
    text = config.part("text_config", inner, reference_keys("gemma3_text"), _THIRD, _ACTIVATION)
    return replace(gemma3_text(text), family="gemma3")
