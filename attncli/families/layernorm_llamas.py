"""Decoders with rotary positions and LayerNorm: Phi, StableLM, Cohere, Starcoder2, Nemotron."""

from dataclasses import replace

from attncli.families import family
from attncli.families.config import Config
from attncli.families.llama import (
    ATTENTION,
    LAYER,
    PRE_NORMS,
    QKV,
    decoder,
    llama_names,
)
from attncli.families.names import linears, norms, tables
from attncli.families.spec import Spec

_ONE_NORM = {"pre_attention": "input_layernorm"}


@family(
    "phi",
    special="attention and MLP in parallel after one LayerNorm; partial rotary",
    defaults={
        "vocab_size": 51200,
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 24,
        "num_attention_heads": 32,
        "hidden_act": "gelu_new",
        "max_position_embeddings": 2048,
        "layer_norm_eps": 1e-5,
        "partial_rotary_factor": 0.5,
    },
)
def phi(config: Config) -> Spec:
    spec, qk_norm = decoder(config, eps_key="layer_norm_eps"), config.flag("qk_layernorm")
    return replace(
        spec,
        names={
            **tables({"E": "embed_tokens"}),
            **linears({**QKV, "W_O": "dense"}, ATTENTION),
            **linears({"W_1": "mlp.fc1", "W_2": "mlp.fc2"}, LAYER),
            **norms(_ONE_NORM, LAYER),
            **norms({"final": "final_layernorm"}),
            **(norms({"q": "q_layernorm", "k": "k_layernorm"}, ATTENTION) if qk_norm else {}),
        },
        norm="layer",
        qk_norm="head" if qk_norm else "none",
        parallel=True,
    )


@family(
    "stablelm",
    "stablelm_epoch",
    special="partial rotary, LayerNorm with bias; the 12b parallel, each head's q and k normalized",
    defaults={
        "vocab_size": 50304,
        "hidden_size": 2560,
        "intermediate_size": 6912,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
        "hidden_act": "silu",
        "max_position_embeddings": 4096,
        "layer_norm_eps": 1e-5,
        "partial_rotary_factor": 0.25,
    },
)
def stablelm(config: Config) -> Spec:
    spec = decoder(config, eps_key="layer_norm_eps")
    parallel, qk_norm = config.flag("use_parallel_residual"), config.flag("qk_layernorm")
    own = {"q": "q_layernorm.norms.{item}", "k": "k_layernorm.norms.{item}"}
    return replace(
        spec,
        names={
            **llama_names(qkv_bias=config.flag("use_qkv_bias")),
            **norms(PRE_NORMS, LAYER),
            **norms({"final": "norm"}),
            **(norms(own, ATTENTION, bias=False) if qk_norm else {}),
        },
        absent=frozenset()
        if not parallel
        else frozenset(
            (f"pre_mlp_norm.{part}", i) for part in ("weight", "bias") for i in range(spec.n_layers)
        ),
        norm="layer",
        qk_norm="each_head" if qk_norm else "none",
        parallel=parallel,
    )


@family(
    "cohere",
    special="parallel after one LayerNorm without bias; rotary on neighbouring pairs",
    defaults={
        "vocab_size": 256000,
        "hidden_size": 8192,
        "intermediate_size": 22528,
        "num_hidden_layers": 40,
        "num_attention_heads": 64,
        "hidden_act": "silu",
        "max_position_embeddings": 8192,
        "layer_norm_eps": 1e-5,
        "rope_theta": 5e5,
        "tie_word_embeddings": True,
    },
)
def cohere(config: Config) -> Spec:
    spec = decoder(config, eps_key="layer_norm_eps", interleaved=True)
    qk_norm = config.flag("use_qk_norm")
    names = {k: v for k, v in spec.names.items() if not k.startswith("pre_mlp")}
    if qk_norm:
        names |= norms({"q": "q_norm", "k": "k_norm"}, ATTENTION, bias=False)
    return replace(
        spec,
        names=names,
        norm="layer",
        qk_norm="each_head" if qk_norm else "none",
        parallel=True,
    )


@family(
    "starcoder2",
    special="LayerNorm and a plain MLP, biases everywhere; a window in every layer",
    defaults={
        "vocab_size": 49152,
        "hidden_size": 3072,
        "intermediate_size": 12288,
        "num_hidden_layers": 30,
        "num_attention_heads": 24,
        "num_key_value_heads": 2,
        "hidden_act": "gelu_pytorch_tanh",
        "max_position_embeddings": 4096,
        "norm_epsilon": 1e-5,
        "use_bias": True,
        "tie_word_embeddings": True,
    },
)
def starcoder2(config: Config) -> Spec:
    spec, bias = decoder(config, eps_key="norm_epsilon"), config.flag("use_bias")
    config.must_be("norm_type", "layer_norm")
    config.must_be("mlp_type", "default")
    mlp = {"W_1": "mlp.c_fc", "W_2": "mlp.c_proj"}
    return replace(
        spec,
        names={
            **tables({"E": "embed_tokens"}),
            **linears({**QKV, "W_O": "o_proj"}, ATTENTION, bias=bias),
            **linears(mlp, LAYER, bias=bias),
            **norms(PRE_NORMS, LAYER),
            **norms({"final": "norm"}),
        },
        norm="layer",
        window=(config.optional_count("sliding_window"),) * spec.n_layers,
    )


@family(
    "nemotron",
    special="LayerNorm times 1 + weight; squared ReLU; half of each head rotated",
    defaults={
        "vocab_size": 256000,
        "hidden_size": 6144,
        "intermediate_size": 24576,
        "num_hidden_layers": 32,
        "num_attention_heads": 48,
        "hidden_act": "relu2",
        "max_position_embeddings": 4096,
        "norm_eps": 1e-5,
        "partial_rotary_factor": 0.5,
    },
)
def nemotron(config: Config) -> Spec:
    spec, bias = decoder(config, eps_key="norm_eps"), config.flag("attention_bias")
    mlp = {"W_1": "mlp.up_proj", "W_2": "mlp.down_proj"}
    return replace(
        spec,
        names={
            **tables({"E": "embed_tokens"}),
            **linears({**QKV, "W_O": "o_proj"}, ATTENTION, bias=bias),
            **linears(mlp, LAYER, bias=config.flag("mlp_bias")),
            **norms(PRE_NORMS, LAYER),
            **norms({"final": "norm"}),
        },
        norm="layer",
        norm_plus_one=True,
    )
