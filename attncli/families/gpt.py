"""The GPT line: causal decoders from GPT-2 to GPT-NeoX."""

from dataclasses import replace
from itertools import islice
from typing import Any

from attncli.errors import AttncliError
from attncli.families import family
from attncli.families.config import Config, literal
from attncli.families.names import linears, norms, tables
from attncli.families.rope import even, rotary
from attncli.families.sizes import even_sizes, tied_head
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.rotary import Rotary

_LAYER = "h.{i}."
GPT2_KEYS = {
    "n_embd": "hidden_size",
    "n_layer": "num_hidden_layers",
    "n_head": "num_attention_heads",
    "n_positions": "max_position_embeddings",
    "n_inner": "intermediate_size",
    "activation_function": "hidden_act",
    "layer_norm_epsilon": "layer_norm_eps",
}
_TYPES: list[Any] = [[["global", "local"], 12]]  # of a GPT-Neo that does not say
_NO_SCALE = Phrase("scale.unchanged")


def decoder(config: Config) -> Spec:
    """What the line has in common, without names: causal, as many keys as queries, LayerNorm."""
    sizes = even_sizes(config)
    inner = config.optional_count("intermediate_size")
    return Spec(
        family=config.model_type,
        **sizes,
        d_mlp=4 * sizes["d_model"] if inner is None else inner,
        names={},
        prefixes=("transformer.", ""),
        norm_eps=config.number("layer_norm_eps", 1e-5),
        activation=config.activation("hidden_act", "gelu"),
        causal=config.flag("is_causal", True),
    )


@family(
    "gpt2",
    special="matrices stored as (in, out), Q K V side by side; pre-norm",
    defaults={
        "vocab_size": 50257,
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "max_position_embeddings": 1024,
        "hidden_act": "gelu_new",
        "scale_attn_weights": True,
    },
    aliases=GPT2_KEYS,
)
def gpt2(config: Config) -> Spec:
    spec = decoder(config)
    scaled = config.flag("scale_attn_weights")
    return replace(
        spec,
        names={
            **tables({"E": "wte", "P": "wpe"}),
            **linears({"W_QKV": "attn.c_attn", "W_O": "attn.c_proj"}, _LAYER),
            **linears({"W_1": "mlp.c_fc", "W_2": "mlp.c_proj"}, _LAYER),
            **norms({"pre_attention": "ln_1", "pre_mlp": "ln_2"}, _LAYER),
            **norms({"final": "ln_f"}),
        },
        aliases=tied_head(config),
        layout="in_out",
        position="learned",
        n_positions=config.count("max_position_embeddings"),
        scale=None if scaled else 1.0,
        scale_reason=None if scaled else _NO_SCALE,
        scale_by_layer=config.flag("scale_attn_by_inverse_layer_idx"),
    )


@family(
    "gpt_neo",
    special="no scale; every other layer sees a window",
    defaults={
        "vocab_size": 50257,
        "hidden_size": 2048,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "max_position_embeddings": 2048,
        "hidden_act": "gelu_new",
        "window_size": 256,
    },
    aliases={
        **GPT2_KEYS,
        "num_layers": "num_hidden_layers",
        "num_heads": "num_attention_heads",
    },
)
def gpt_neo(config: Config) -> Spec:
    spec, window = decoder(config), config.count("window_size")
    attention = _LAYER + "attn.attention."
    return replace(
        spec,
        names={
            **tables({"E": "wte", "P": "wpe"}),
            **linears({"W_Q": "q_proj", "W_K": "k_proj", "W_V": "v_proj"}, attention, bias=False),
            **linears({"W_O": "out_proj"}, attention),
            **linears({"W_1": "mlp.c_fc", "W_2": "mlp.c_proj"}, _LAYER),
            **norms({"pre_attention": "ln_1", "pre_mlp": "ln_2"}, _LAYER),
            **norms({"final": "ln_f"}),
        },
        aliases=tied_head(config),
        position="learned",
        n_positions=config.count("max_position_embeddings"),
        scale=1.0,
        scale_reason=_NO_SCALE,
        window=tuple(
            window if kind == "local" else None for kind in _attention_kinds(config, spec.n_layers)
        ),
    )


def _attention_kinds(config: Config, n_layers: int) -> list[str]:
    """global or local for every layer, from attention_types: [[["global", "local"], 12]].

    attention_layers, where it is there, lists the same.
    """
    types, listed = config.value("attention_types"), config.per_layer("attention_layers", n_layers)
    try:
        spelt_out = (
            kind
            for names, times in types or _TYPES
            for _ in range(min(times, n_layers + 1))
            for kind in names
        )
        kinds = list(islice(spelt_out, n_layers + 1))
    except (TypeError, ValueError):
        kinds = []
    if listed is not None and (kinds == listed or types is None):
        kinds = listed
    elif listed is not None:
        raise AttncliError(
            "config.json says {key} = {value} and {other} = {other_value}, two names of one "
            "thing; keep the right one",
            key="attention_types",
            value=literal(types),
            other="attention_layers",
            other_value=literal(listed),
        )
    if len(kinds) != n_layers or any(kind not in ("global", "local") for kind in kinds):
        raise AttncliError(
            "config.json says attention_types = {value}: global or local for each of the "
            "{n_layers} layers is needed",
            value=literal(types),
            n_layers=n_layers,
        )
    return kinds


@family(
    "gpt_neox",
    special="query, key and value of a head stored together; partial rotary; parallel MLP",
    defaults={
        "vocab_size": 50432,
        "hidden_size": 6144,
        "num_hidden_layers": 44,
        "num_attention_heads": 64,
        "intermediate_size": 24576,
        "max_position_embeddings": 2048,
        "rotary_pct": 0.25,
        "rotary_emb_base": 10000,
        "use_parallel_residual": True,
        "attention_bias": True,
    },
)
def gpt_neox(config: Config) -> Spec:
    spec = decoder(config)
    layer, bias = "layers.{i}.", config.flag("attention_bias")
    turn = rotary(config, spec.d_k, theta_key="rotary_emb_base", partial_key="rotary_pct")
    return replace(
        spec,
        names={
            **tables({"E": "embed_in"}),
            **linears(
                {"W_QKV": "query_key_value", "W_O": "dense"}, layer + "attention.", bias=bias
            ),
            **linears({"W_1": "dense_h_to_4h", "W_2": "dense_4h_to_h"}, layer + "mlp."),
            **norms(
                {"pre_attention": "input_layernorm", "pre_mlp": "post_attention_layernorm"}, layer
            ),
            **norms({"final": "final_layer_norm"}),
        },
        prefixes=("gpt_neox.", ""),
        qkv="grouped",
        rotary=(turn,) * spec.n_layers,
        parallel=config.flag("use_parallel_residual"),
    )


@family(
    "gptj",
    special="rotary on neighbouring pairs; MLP in parallel after the same norm",
    defaults={
        "vocab_size": 50400,
        "hidden_size": 4096,
        "num_hidden_layers": 28,
        "num_attention_heads": 16,
        "max_position_embeddings": 2048,
        "hidden_act": "gelu_new",
        "rotary_dim": 64,
    },
    aliases=GPT2_KEYS,
)
def gptj(config: Config) -> Spec:
    spec = decoder(config)
    turn = Rotary(dim=even(config.count("rotary_dim"), spec.d_k), interleaved=True)
    return replace(
        spec,
        names={
            **tables({"E": "wte"}),
            **linears(
                {"W_Q": "q_proj", "W_K": "k_proj", "W_V": "v_proj", "W_O": "out_proj"},
                _LAYER + "attn.",
                bias=False,
            ),
            **linears({"W_1": "mlp.fc_in", "W_2": "mlp.fc_out"}, _LAYER),
            **norms({"pre_attention": "ln_1"}, _LAYER),
            **norms({"final": "ln_f"}),
        },
        n_positions=config.count("max_position_embeddings"),
        rotary=(turn,) * spec.n_layers,
        parallel=True,
    )
