"""Llama and its line: causal decoders with rotary positions, RMSNorm and a gated MLP.

Touvron et al. 2023, https://arxiv.org/abs/2302.13971.
"""

from dataclasses import replace

from attncli.families import family
from attncli.families.config import Config
from attncli.families.layer_types import layer_types
from attncli.families.names import Names, linears, norms, tables
from attncli.families.rope import rotary
from attncli.families.sizes import kv_heads, tied_head
from attncli.families.spec import Spec
from attncli.language import Phrase

LAYER = "layers.{i}."
ATTENTION = LAYER + "self_attn."
GATED = {"W_1": "mlp.gate_proj", "W_up": "mlp.up_proj", "W_2": "mlp.down_proj"}
PRE_NORMS = {"pre_attention": "input_layernorm", "pre_mlp": "post_attention_layernorm"}
QKV = {"W_Q": "q_proj", "W_K": "k_proj", "W_V": "v_proj"}
_DEFAULTS = {
    "vocab_size": 32000,
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "intermediate_size": 11008,
    "hidden_act": "silu",
    "max_position_embeddings": 2048,
    "rms_norm_eps": 1e-6,
}


def llama_names(*, qkv_bias: bool = False, o_bias: bool = False, mlp_bias: bool = False) -> Names:
    """The names of Llama's tensors, with the biases that the model has."""
    return {
        **tables({"E": "embed_tokens"}),
        **linears(QKV, ATTENTION, bias=qkv_bias),
        **linears({"W_O": "o_proj"}, ATTENTION, bias=o_bias),
        **linears(GATED, LAYER, bias=mlp_bias),
        **norms(PRE_NORMS, LAYER, bias=False),
        **norms({"final": "norm"}, bias=False),
    }


def decoder(
    config: Config,
    *,
    eps_key: str = "rms_norm_eps",
    interleaved: bool = False,
    layer_type: str | None = None,
) -> Spec:
    """What the line has in common: grouped queries, rotary in every layer, RMSNorm."""
    d_model, h = config.count("hidden_size"), config.count("num_attention_heads")
    d_k = config.count("head_dim", d_model // h or 1)
    n_layers = config.layers("num_hidden_layers")
    bias = config.flag("attention_bias")
    turn = rotary(config, d_k, interleaved=interleaved, layer_type=layer_type)
    return Spec(
        family=config.model_type,
        n_layers=n_layers,
        n_heads=h,
        n_kv_heads=kv_heads(config, "num_key_value_heads", h),
        d_model=d_model,
        d_k=d_k,
        d_v=d_k,
        d_mlp=config.count("intermediate_size"),
        n_vocab=config.count("vocab_size"),
        names=llama_names(qkv_bias=bias, o_bias=bias, mlp_bias=config.flag("mlp_bias")),
        prefixes=("model.", ""),
        aliases=tied_head(config, default=False),
        rotary=(turn,) * n_layers,
        norm="rms",
        norm_eps=config.number(eps_key),
        activation=config.activation("hidden_act"),
        causal=config.flag("is_causal", True),
    )


@family("llama", special="grouped queries, rotary, RMSNorm, gated MLP", defaults=_DEFAULTS)
def llama(config: Config) -> Spec:
    return decoder(config)


@family(
    "mistral",
    special="Llama with a window in every layer",
    defaults={
        **_DEFAULTS,
        "intermediate_size": 14336,
        "num_key_value_heads": 8,
        "max_position_embeddings": 131072,
        "sliding_window": 4096,
    },
)
def mistral(config: Config) -> Spec:
    spec = decoder(config)
    return replace(spec, window=(config.optional_count("sliding_window"),) * spec.n_layers)


@family(
    "mixtral",
    special="Mistral with a mixture of experts for the MLP",
    defaults={
        **_DEFAULTS,
        "intermediate_size": 14336,
        "num_key_value_heads": 8,
        "max_position_embeddings": 131072,
        "rms_norm_eps": 1e-5,
        "rope_theta": 1e6,
        "num_local_experts": 8,
        "num_experts_per_tok": 2,
    },
    aliases={"num_experts": "num_local_experts"},
)
def mixtral(config: Config) -> Spec:
    spec, moe = mistral(config), LAYER + "block_sparse_moe."
    experts = config.count("num_local_experts", limit=10_000)
    plain = {role: name for role, name in spec.names.items() if ".mlp." not in name}
    return replace(
        spec,
        names={
            **plain,
            **linears({"W_router": "gate"}, moe, bias=False),
            **linears(
                {"W_1": "w1", "W_up": "w3", "W_2": "w2"}, moe + "experts.{item}.", bias=False
            ),
        },
        n_experts=experts,
        n_experts_used=config.count("num_experts_per_tok", limit=experts),
    )


_QWEN = {
    **_DEFAULTS,
    "vocab_size": 151936,
    "intermediate_size": 22016,
    "max_position_embeddings": 32768,
    "sliding_window": 4096,
    "max_window_layers": 28,
    "num_key_value_heads": 32,
}


@family("qwen2", special="Llama with biases on q, k and v alone", defaults=_QWEN)
def qwen2(config: Config) -> Spec:
    return replace(_qwen(config), names=llama_names(qkv_bias=True))


@family(
    "qwen3",
    special="RMSNorm of every head's q and k before rotary",
    defaults={**_QWEN, "head_dim": 128},
)
def qwen3(config: Config) -> Spec:
    spec = _qwen(config)
    qk = norms({"q": "q_norm", "k": "k_norm"}, ATTENTION, bias=False)
    return replace(spec, names={**spec.names, **qk}, qk_norm="head")


def _qwen(config: Config) -> Spec:
    """Windows from layer `max_window_layers` on, if use_sliding_window is set."""
    spec, first = decoder(config), config.count("max_window_layers", least=0)
    use, window = config.flag("use_sliding_window"), config.optional_count("sliding_window")
    sliding = layer_types(config, spec.n_layers, lambda i: use and i >= first)
    return replace(spec, window=tuple(window if use and slides else None for slides in sliding))


@family(
    "smollm3",
    special="no rotary in every fourth layer",
    defaults={
        **_DEFAULTS,
        "vocab_size": 128256,
        "hidden_size": 2048,
        "num_hidden_layers": 36,
        "num_attention_heads": 16,
        "num_key_value_heads": 4,
        "max_position_embeddings": 32768,
        "rope_theta": 2e6,
        "no_rope_layer_interval": 4,
        "tie_word_embeddings": True,
    },
)
def smollm3(config: Config) -> Spec:
    spec, every = decoder(config), config.count("no_rope_layer_interval")
    rotated = config.per_layer("no_rope_layers", spec.n_layers)  # 1: with rotary
    if rotated is None:
        rotated = [int((i + 1) % every != 0) for i in range(spec.n_layers)]
    use, window = config.flag("use_sliding_window"), config.optional_count("sliding_window")
    sliding = layer_types(config, spec.n_layers, lambda i: use and not rotated[i])
    return replace(
        spec,
        rotary=tuple(spec.rotary[i] if rotated[i] else None for i in range(spec.n_layers)),
        window=tuple(window if use and slides else None for slides in sliding),
    )


@family(
    "olmo2",
    special="norms after attention and MLP instead of before; q and k normalized over all heads",
    defaults={**_DEFAULTS, "vocab_size": 50304, "rms_norm_eps": 1e-5},
)
def olmo2(config: Config) -> Spec:
    spec = decoder(config)
    after = {
        "attention_out": "post_attention_layernorm",
        "mlp_out": "post_feedforward_layernorm",
    }
    names = {k: v for k, v in spec.names.items() if not k.startswith("pre_")}
    names |= norms({"q": "q_norm", "k": "k_norm"}, ATTENTION, bias=False)
    return replace(spec, names={**names, **norms(after, LAYER, bias=False)}, qk_norm="full")


@family(
    "granite",
    special="factors on embeddings, scores and residuals",
    defaults={
        **_DEFAULTS,
        "embedding_multiplier": 1.0,
        "attention_multiplier": 1.0,
        "residual_multiplier": 1.0,
    },
)
def granite(config: Config) -> Spec:
    return replace(
        decoder(config),
        embed_scale=config.number("embedding_multiplier"),
        scale=config.number("attention_multiplier"),
        scale_reason=Phrase("scale.config", {"key": "attention_multiplier"}),
        residual_scale=config.number("residual_multiplier"),
    )


@family(
    "phi3",
    special="q k v side by side, gate and up side by side; longrope",
    defaults={
        **_DEFAULTS,
        "vocab_size": 32064,
        "hidden_size": 3072,
        "intermediate_size": 8192,
        "max_position_embeddings": 4096,
        "original_max_position_embeddings": 4096,
        "rms_norm_eps": 1e-5,
    },
)
def phi3(config: Config) -> Spec:
    spec = decoder(config)
    return replace(
        spec,
        names={
            **tables({"E": "embed_tokens"}),
            **linears({"W_QKV": "qkv_proj", "W_O": "o_proj"}, ATTENTION, bias=False),
            **linears({"W_1_up": "mlp.gate_up_proj", "W_2": "mlp.down_proj"}, LAYER, bias=False),
            **norms(PRE_NORMS, LAYER, bias=False),
            **norms({"final": "norm"}, bias=False),
        },
        window=(config.optional_count("sliding_window"),) * spec.n_layers,
    )
