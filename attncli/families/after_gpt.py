"""Decoders that followed GPT: OPT, BLOOM, Falcon, MPT."""

from dataclasses import replace

from attncli.families import family
from attncli.families.config import Config
from attncli.families.gpt import GPT2_KEYS, decoder
from attncli.families.keys import reference_keys
from attncli.families.names import linears, norms, tables
from attncli.families.rope import rotary
from attncli.families.sizes import kv_heads, tied_head
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.position_bias import Alibi

_LAYER = "h.{i}."


@family(
    "opt",
    special="two rows before the first position; a 350m file is post-norm with narrow embeddings",
    defaults={
        "vocab_size": 50272,
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "intermediate_size": 3072,
        "max_position_embeddings": 2048,
        "do_layer_norm_before": True,
        "enable_bias": True,
        "hidden_act": "relu",
    },
    aliases={"ffn_dim": "intermediate_size", "activation_function": "hidden_act"},
)
def opt(config: Config) -> Spec:
    spec, pre = decoder(config), config.flag("do_layer_norm_before")
    d_embed = config.count("word_embed_proj_dim", spec.d_model)
    config.must_be("layer_norm_elementwise_affine", True)
    layer, bias, at = "layers.{i}.", config.flag("enable_bias"), "pre_" if pre else ""
    attention = {"W_Q": "q_proj", "W_K": "k_proj", "W_V": "v_proj", "W_O": "out_proj"}
    narrow = {"W_E": "project_in", "W_final": "project_out"}
    final = {"final": "final_layer_norm"}
    return replace(
        spec,
        names={
            **tables({"E": "embed_tokens", "P": "embed_positions"}),
            **linears(attention, layer + "self_attn.", bias=bias),
            **linears({"W_1": "fc1", "W_2": "fc2"}, layer, bias=bias),
            **norms(
                {f"{at}attention": "self_attn_layer_norm", f"{at}mlp": "final_layer_norm"}, layer
            ),
            **(norms(final) if pre and not config.flag("_remove_final_layer_norm") else {}),
            **(linears(narrow, bias=False) if d_embed != spec.d_model else {}),
        },
        prefixes=("model.decoder.", "decoder."),
        aliases=tied_head(config),
        d_embed=d_embed,
        embed_before_positions=True,
        position="learned",
        position_offset=2,
        n_positions=config.count("max_position_embeddings"),
        norm_eps=1e-5,
    )


@family(
    "bloom",
    special="ALiBi counted from the first token; a norm on the embeddings",
    defaults={
        "vocab_size": 250880,
        "hidden_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 8,
    },
    aliases={**GPT2_KEYS, "n_embed": "hidden_size"},
)
def bloom(config: Config) -> Spec:
    return replace(
        decoder(config),
        names={
            **tables({"E": "word_embeddings"}),
            **norms({"embed": "word_embeddings_layernorm", "final": "ln_f"}),
            **linears({"W_QKV": "query_key_value", "W_O": "dense"}, _LAYER + "self_attention."),
            **linears({"W_1": "dense_h_to_4h", "W_2": "dense_4h_to_h"}, _LAYER + "mlp."),
            **norms(
                {"pre_attention": "input_layernorm", "pre_mlp": "post_attention_layernorm"},
                _LAYER,
            ),
        },
        aliases=tied_head(config),
        qkv="grouped",
        position_bias=Alibi("absolute"),
        activation="gelu_new",
        residual_from_norm=config.flag("apply_residual_connection_post_layernorm"),
    )


@family(
    "falcon",
    "RefinedWeb",
    "RefinedWebModel",
    special="few key/value heads stored with their query heads; ALiBi in bfloat16 in the rw models",
    defaults={
        "vocab_size": 65024,
        "hidden_size": 4544,
        "num_hidden_layers": 32,
        "num_attention_heads": 71,
        "max_position_embeddings": 2048,
        "multi_query": True,
        "parallel_attn": True,
    },
    aliases={
        **GPT2_KEYS,
        "n_embed": "hidden_size",
        "n_head_kv": "num_kv_heads",
        "ffn_hidden_size": "intermediate_size",
        "activation": "hidden_act",
    },
)
def falcon(config: Config) -> Spec:
    spec = decoder(config)
    grouped, alibi = config.flag("new_decoder_architecture"), config.flag("alibi")
    n_kv = 1 if config.flag("multi_query") else spec.n_heads
    own_n_kv = kv_heads(config, "num_kv_heads", spec.n_heads)
    parallel = config.flag("parallel_attn") or grouped
    norm_count = config.count("num_ln_in_parallel_attn", 2 if grouped else 1)
    if grouped and norm_count == 2:
        stems = {"pre_attention": "ln_attn", "pre_mlp": "ln_mlp"}
    elif parallel:
        stems = {"pre_attention": "input_layernorm"}
    else:
        stems = {"pre_attention": "input_layernorm", "pre_mlp": "post_attention_layernorm"}
    bias = config.flag("bias")
    turn = rotary(config, spec.d_k)
    return replace(
        spec,
        n_kv_heads=own_n_kv if grouped else n_kv,
        names={
            **tables({"E": "word_embeddings"}),
            **linears(
                {"W_QKV": "query_key_value", "W_O": "dense"},
                _LAYER + "self_attention.",
                bias=bias,
            ),
            **linears({"W_1": "dense_h_to_4h", "W_2": "dense_4h_to_h"}, _LAYER + "mlp.", bias=bias),
            **norms(stems, _LAYER),
            **norms({"final": "ln_f"}),
        },
        aliases=tied_head(config),
        qkv="grouped",
        position_bias=Alibi("bfloat16") if alibi else None,
        rotary=() if alibi else (turn,) * spec.n_layers,
        parallel=parallel,
    )


@family(
    "mpt",
    special="ALiBi counted back from the last token; no biases; maybe clipped q, k and v",
    defaults={
        "vocab_size": 50368,
        "hidden_size": 2048,
        "num_hidden_layers": 24,
        "num_attention_heads": 16,
        "max_position_embeddings": 2048,
    },
    aliases={
        "d_model": "hidden_size",
        "n_layers": "num_hidden_layers",
        "n_heads": "num_attention_heads",
        "max_seq_len": "max_position_embeddings",
        "layer_norm_epsilon": "layer_norm_eps",
    },
)
def mpt(config: Config) -> Spec:
    spec = decoder(config)
    attention = config.part(
        "attn_config", config.section("attn_config"), reference_keys("mpt.attn_config")
    )
    for key, computed in (("alibi", True), ("alibi_bias_max", 8)):
        attention.must_be(key, computed)
    for key in ("qk_ln", "prefix_lm", "attn_uses_sequence_id"):
        attention.must_be(key, False)
    attention.must_be("attn_type", "multihead_attention")
    scale = attention.optional_positive("softmax_scale")
    return replace(
        spec,
        names={
            **tables({"E": "wte"}),
            **linears({"W_QKV": "attn.Wqkv", "W_O": "attn.out_proj"}, "blocks.{i}.", bias=False),
            **linears({"W_1": "ffn.up_proj", "W_2": "ffn.down_proj"}, "blocks.{i}.", bias=False),
            **norms({"pre_attention": "norm_1", "pre_mlp": "norm_2"}, "blocks.{i}.", bias=False),
            **norms({"final": "norm_f"}, bias=False),
        },
        aliases=tied_head(config),
        n_positions=config.count("max_position_embeddings"),
        scale=scale,
        scale_reason=None if scale is None else Phrase("scale.config", {"key": "softmax_scale"}),
        position_bias=Alibi("to_last"),
        clip_qkv=attention.optional_positive("clip_qkv"),
    )
