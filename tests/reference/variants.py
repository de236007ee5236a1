"""The structural variants of every family: the smallest configurations that show each switch.

A variant is the keyword arguments of a configuration class in transformers. Sizes differ from
each other wherever the family allows it, and no eps is a default, so that a mix-up shows.
"""

from dataclasses import dataclass
from typing import Any

V, D, L, H = 50, 24, 2, 4  # vocabulary, d_model, layers, heads
EPS = 1e-3


@dataclass(frozen=True)
class Variant:
    """`prefix` + `base` or `head` is a model class, `prefix` + `config` its configuration class."""

    prefix: str
    kw: dict[str, Any]
    base: str = "Model"
    head: str | None = "ForCausalLM"
    config: str = "Config"
    seq2seq: bool = False
    segments: bool = False  # the model takes token types
    implementation: str = "eager"
    fixed: tuple[str, ...] = ()  # parameters that are made, not learnt
    tokens: int = 11  # of the golden's sentence


_BERT = {
    "vocab_size": V,
    "hidden_size": D,
    "num_hidden_layers": L,
    "num_attention_heads": H,
    "intermediate_size": 20,
    "max_position_embeddings": 40,
    "pad_token_id": 0,
    "layer_norm_eps": EPS,
}
_ROBERTA = {**_BERT, "type_vocab_size": 1, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
_DEBERTA = {
    **_BERT,
    "type_vocab_size": 0,
    "relative_attention": True,
    "position_buckets": 8,
    "max_relative_positions": -1,
    "norm_rel_ebd": "layer_norm",
    "share_att_key": True,
    "pos_att_type": "p2c|c2p",
    "position_biased_input": False,
}
_GPT = {
    "vocab_size": V,
    "n_embd": D,
    "n_layer": L,
    "n_head": H,
    "n_positions": 40,
    "n_inner": 20,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "layer_norm_epsilon": EPS,
}
_NEOX = {
    **_BERT,
    "rotary_pct": 0.7,
    "bos_token_id": 0,
    "eos_token_id": 0,
}
_OPT = {
    "vocab_size": V,
    "hidden_size": D,
    "num_hidden_layers": L,
    "num_attention_heads": H,
    "ffn_dim": 20,
    "max_position_embeddings": 40,
    "pad_token_id": 1,
    "bos_token_id": 2,
    "eos_token_id": 2,
}
_BLOOM = {
    "vocab_size": V,
    "hidden_size": D,
    "n_layer": L,
    "n_head": H,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 3,
    "layer_norm_epsilon": EPS,
}
_FALCON = {
    "vocab_size": V,
    "hidden_size": D,
    "num_hidden_layers": L,
    "num_attention_heads": H,
    "ffn_hidden_size": 20,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "max_position_embeddings": 40,
    "layer_norm_epsilon": EPS,
}
_FALCON_NEW = {**_FALCON, "new_decoder_architecture": True, "num_kv_heads": 2}
_MPT = {
    "vocab_size": V,
    "d_model": D,
    "n_layers": L,
    "n_heads": H,
    "max_seq_len": 40,
    "bos_token_id": 0,
    "eos_token_id": 0,
    "layer_norm_epsilon": EPS,
}
_LLAMA = {
    "vocab_size": V,
    "hidden_size": D,
    "num_hidden_layers": L,
    "num_attention_heads": H,
    "num_key_value_heads": 2,
    "intermediate_size": 20,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "rms_norm_eps": EPS,
}
_LAYERNORM = {**{k: v for k, v in _LLAMA.items() if k != "rms_norm_eps"}, "layer_norm_eps": EPS}
_GEMMA = {**_LLAMA, "head_dim": 10, "sliding_window": 4, "query_pre_attn_scalar": 7}
_GEMMA3 = {**_GEMMA, "num_hidden_layers": 3, "sliding_window_pattern": 3}
_BART = {
    "vocab_size": V,
    "d_model": D,
    "encoder_layers": L,
    "decoder_layers": L,
    "encoder_attention_heads": H,
    "decoder_attention_heads": 3,
    "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 16,
    "max_position_embeddings": 40,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": None,
}
_T5 = {
    "vocab_size": V,
    "d_model": D,
    "d_kv": 5,
    "d_ff": 20,
    "num_layers": L,
    "num_decoder_layers": L,
    "num_heads": H,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 16,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
    "layer_norm_epsilon": EPS,
}
_YARN = {
    "rope_type": "yarn",
    "factor": 4.0,
    "original_max_position_embeddings": 16,
    "rope_theta": 20.0,
    "beta_fast": 2.0,
    "beta_slow": 0.5,
}
_LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
    "rope_theta": 500.0,
}
_CLIP_TEXT = {
    **_BERT,
    "projection_dim": 16,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
}
_SEQ2SEQ = "ForConditionalGeneration"
_SINUSOIDS = ("embed_positions.weight",)


def _llama(prefix: str = "Llama", /, head: str | None = "ForCausalLM", **kw: Any) -> Variant:
    return Variant(prefix, {**_LLAMA, **kw}, head=head)


def _bart(prefix: str, /, head: str = _SEQ2SEQ, fixed: tuple[str, ...] = (), **kw: Any) -> Variant:
    return Variant(prefix, {**_BART, **kw}, head=head, seq2seq=True, fixed=fixed)


def _t5(prefix: str, /, **kw: Any) -> Variant:
    return Variant(prefix, {**_T5, **kw}, head=_SEQ2SEQ, seq2seq=True)


VARIANTS = {
    # encoders
    "bert": Variant("Bert", {**_BERT, "type_vocab_size": 2}, head="ForMaskedLM", segments=True),
    "bert-decoder": Variant(
        "Bert",
        {**_BERT, "type_vocab_size": 2, "is_decoder": True, "hidden_act": "gelu_new"},
        head="LMHeadModel",
        segments=True,
    ),
    "distilbert": Variant(
        "DistilBert",
        {
            "vocab_size": V,
            "dim": D,
            "n_layers": L,
            "n_heads": H,
            "hidden_dim": 20,
            "max_position_embeddings": 40,
            "pad_token_id": 0,
        },
        head="ForMaskedLM",
    ),
    "roberta": Variant("Roberta", _ROBERTA, head="ForMaskedLM"),
    "xlm-roberta": Variant("XLMRoberta", _ROBERTA, head="ForMaskedLM"),
    "camembert": Variant("Camembert", _ROBERTA, head="ForMaskedLM"),
    "electra": Variant(
        "Electra", {**_BERT, "embedding_size": 12}, head="ForPreTraining", segments=True
    ),
    "electra-same": Variant(
        "Electra", {**_BERT, "embedding_size": D}, head="ForMaskedLM", segments=True
    ),
    "albert": Variant(
        "Albert",
        {**_BERT, "embedding_size": 12, "hidden_act": "gelu_new"},
        head="ForMaskedLM",
        segments=True,
    ),
    "albert-groups": Variant(
        "Albert",
        {
            **_BERT,
            "embedding_size": 12,
            "num_hidden_layers": 4,
            "num_hidden_groups": 2,
            "inner_group_num": 2,
        },
        head="ForMaskedLM",
        segments=True,
    ),
    # tokens: enough for the buckets that hold several distances, which start at 8
    "mpnet": Variant("MPNet", {**_BERT, "pad_token_id": 1}, head="ForMaskedLM", tokens=30),
    "deberta-v3": Variant("DebertaV2", _DEBERTA, head="ForMaskedLM"),
    "deberta-v2": Variant(
        "DebertaV2", {**_DEBERTA, "conv_kernel_size": 3, "conv_act": "gelu"}, head="ForMaskedLM"
    ),
    "deberta-v2-unshared": Variant(
        "DebertaV2",
        {
            **_DEBERTA,
            "share_att_key": False,
            "position_buckets": -1,
            "type_vocab_size": 2,
            "position_biased_input": True,
        },
        head=None,
    ),
    "deberta-v2-c2p": Variant(
        "DebertaV2", {**_DEBERTA, "pos_att_type": "c2p", "norm_rel_ebd": "none"}, head=None
    ),
    "modernbert": Variant(
        "ModernBert",
        {
            "vocab_size": V,
            "hidden_size": D,
            "num_hidden_layers": 4,
            "num_attention_heads": H,
            "intermediate_size": 20,
            "max_position_embeddings": 64,
            "local_attention": 8,
            "global_attn_every_n_layers": 3,
            "norm_eps": EPS,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "cls_token_id": 1,
            "sep_token_id": 2,
        },
        head="ForMaskedLM",
    ),
    # the GPT line
    "gpt2": Variant("GPT2", _GPT, head="LMHeadModel"),
    "gpt2-by-layer": Variant(
        "GPT2",
        {**_GPT, "scale_attn_by_inverse_layer_idx": True, "reorder_and_upcast_attn": True},
        head=None,
    ),
    "gpt2-unscaled": Variant("GPT2", {**_GPT, "scale_attn_weights": False}, head=None),
    "gpt_neo": Variant(
        "GPTNeo",
        {
            "vocab_size": V,
            "hidden_size": D,
            "num_layers": L,
            "num_heads": H,
            "intermediate_size": 20,
            "max_position_embeddings": 40,
            "attention_types": [[["global", "local"], 1]],
            "window_size": 4,
            "bos_token_id": 0,
            "eos_token_id": 0,
            "layer_norm_epsilon": EPS,
        },
    ),
    "gpt_neox": Variant("GPTNeoX", _NEOX),
    "gpt_neox-sequential": Variant(
        "GPTNeoX",
        {**_NEOX, "rotary_pct": 1.0, "use_parallel_residual": False, "attention_bias": False},
        head=None,
    ),
    "gptj": Variant("GPTJ", {**_GPT, "rotary_dim": 4}),
    "opt": Variant("OPT", _OPT),
    "opt-350m": Variant("OPT", {**_OPT, "do_layer_norm_before": False, "word_embed_proj_dim": 12}),
    "bloom": Variant("Bloom", _BLOOM),
    "bloom-6-heads": Variant(
        "Bloom",
        {**_BLOOM, "n_head": 6, "apply_residual_connection_post_layernorm": True},
        head=None,
    ),
    "falcon-7b": Variant("Falcon", _FALCON),
    "falcon-40b": Variant("Falcon", _FALCON_NEW),
    "falcon-11b": Variant("Falcon", {**_FALCON_NEW, "num_ln_in_parallel_attn": 1}, head=None),
    # transformers' eager attention adds ALiBi twice here; sdpa computes what was trained
    "falcon-rw": Variant(
        "Falcon",
        {**_FALCON, "alibi": True, "multi_query": False, "parallel_attn": False, "bias": True},
        implementation="sdpa",
    ),
    "mpt": Variant("Mpt", _MPT),
    "mpt-6-heads": Variant(
        "Mpt",
        {**_MPT, "n_heads": 6, "attn_config": {"clip_qkv": 0.6, "softmax_scale": 0.4}},
        head=None,
    ),
    # the Llama line
    "llama": _llama(),
    "llama-bias-head-dim": _llama(
        attention_bias=True, mlp_bias=True, head_dim=10, tie_word_embeddings=True
    ),
    "llama-one-kv-head": _llama(head=None, num_key_value_heads=1),
    "llama-linear": _llama(
        head=None, rope_parameters={"rope_type": "linear", "factor": 2.0, "rope_theta": 10000.0}
    ),
    "llama-dynamic": _llama(
        head=None,
        max_position_embeddings=8,
        rope_parameters={"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0},
    ),
    "llama-yarn": _llama(head=None, max_position_embeddings=48, rope_parameters=_YARN),
    "llama-yarn-mscale": _llama(
        head=None,
        max_position_embeddings=48,
        rope_parameters={**_YARN, "mscale": 0.7, "mscale_all_dim": 0.4, "truncate": False},
    ),
    "llama-yarn-factor": _llama(
        head=None, max_position_embeddings=48, rope_parameters={**_YARN, "attention_factor": 1.4}
    ),
    "llama-llama3": _llama(head=None, rope_parameters=_LLAMA3),
    "mistral": _llama("Mistral", sliding_window=4),
    "mistral-full": _llama("Mistral", head=None, sliding_window=None, head_dim=10),
    "mixtral": _llama("Mixtral", num_local_experts=4, num_experts_per_tok=2, sliding_window=None),
    "qwen2": _llama("Qwen2"),
    "qwen2-sliding": _llama(
        "Qwen2", head=None, use_sliding_window=True, sliding_window=4, max_window_layers=1
    ),
    "qwen3": _llama("Qwen3", head_dim=10),
    "gemma": _llama("Gemma", num_key_value_heads=1, head_dim=10),
    "gemma2": Variant("Gemma2", {**_GEMMA, "attn_logit_softcapping": 2.0}),
    "gemma3": Variant("Gemma3Text", _GEMMA3, head=None),
    "gemma3-causal": Variant(
        "Gemma3",
        {**_GEMMA3, "rope_scaling": {"rope_type": "linear", "factor": 8.0}},
        base="ForCausalLM",
        head=None,
        config="TextConfig",
    ),
    "gemma3-images": Variant(
        "Gemma3",
        {
            "text_config": _GEMMA3,
            "vision_config": {
                "hidden_size": 8,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "intermediate_size": 8,
                "image_size": 8,
                "patch_size": 4,
            },
            "mm_tokens_per_image": 4,
            "image_token_index": V - 1,
        },
        base="ForConditionalGeneration",
        head=None,
    ),
    "gemma3-bidirectional": Variant(
        "Gemma3Text",
        {**_GEMMA3, "sliding_window": 8, "use_bidirectional_attention": True},
        head=None,
    ),
    "smollm3": _llama("SmolLM3", no_rope_layer_interval=2),
    "olmo2": _llama("Olmo2"),
    "granite": _llama(
        "Granite",
        embedding_multiplier=3.0,
        logits_scaling=2.0,
        residual_multiplier=0.5,
        attention_multiplier=0.4,
    ),
    "phi3": _llama("Phi3"),
    "phi3-longrope": _llama(
        "Phi3",
        head=None,
        original_max_position_embeddings=16,
        sliding_window=6,
        partial_rotary_factor=1.0,
        rope_scaling={
            "type": "longrope",
            "short_factor": [1.0, 1.2, 1.3],
            "long_factor": [2.0, 3.0, 5.0],
        },
    ),
    "phi3-longrope-long": _llama(
        "Phi3",
        head=None,
        original_max_position_embeddings=8,
        partial_rotary_factor=0.7,
        rope_scaling={
            "type": "longrope",
            "short_factor": [1.0, 1.1],
            "long_factor": [2.0, 3.0],
        },
    ),
    "phi": Variant("Phi", {**_LAYERNORM, "partial_rotary_factor": 0.7, "num_key_value_heads": H}),
    "phi-qk-norm": Variant(
        "Phi", {**_LAYERNORM, "qk_layernorm": True, "partial_rotary_factor": 1.0}, head=None
    ),
    "stablelm": Variant("StableLm", {**_LAYERNORM, "partial_rotary_factor": 0.7}),
    "stablelm-2-12b": Variant(
        "StableLm",
        {
            **_LAYERNORM,
            "use_qkv_bias": True,
            "qk_layernorm": True,
            "use_parallel_residual": True,
            "partial_rotary_factor": 0.7,
        },
        head=None,
    ),
    "cohere": Variant("Cohere", _LAYERNORM),
    "cohere-qk-norm": Variant("Cohere", {**_LAYERNORM, "use_qk_norm": True}, head=None),
    "nemotron": Variant(
        "Nemotron",
        {
            **{k: v for k, v in _LLAMA.items() if k != "rms_norm_eps"},
            "norm_eps": EPS,
            "partial_rotary_factor": 0.7,
        },
    ),
    "starcoder2": Variant(
        "Starcoder2",
        {
            **{k: v for k, v in _LLAMA.items() if k != "rms_norm_eps"},
            "norm_epsilon": EPS,
            "sliding_window": 4,
        },
    ),
    # encoder-decoders
    "t5": _t5("T5"),
    "t5-v1_1": _t5("T5", feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    "t5-encoder": Variant("T5", _T5, base="EncoderModel", head=None),
    "mt5": _t5("MT5", feed_forward_proj="gated-gelu"),
    "umt5": _t5("UMT5", feed_forward_proj="gated-gelu"),
    "bart": _bart("Bart"),
    "mbart": _bart("MBart", scale_embedding=True),
    "marian": _bart(
        "Marian",
        head="MTModel",
        fixed=_SINUSOIDS,
        scale_embedding=True,
        activation_function="swish",
        pad_token_id=V - 1,
        decoder_start_token_id=V - 1,
        eos_token_id=0,
    ),
    "marian-two-vocabularies": _bart(
        "Marian",
        head="MTModel",
        fixed=_SINUSOIDS,
        share_encoder_decoder_embeddings=False,
        tie_word_embeddings=False,
        decoder_vocab_size=V + 3,
        pad_token_id=V - 1,
        decoder_start_token_id=V - 1,
        eos_token_id=0,
    ),
    "pegasus": _bart(
        "Pegasus",
        fixed=_SINUSOIDS,
        scale_embedding=True,
        activation_function="relu",
        pad_token_id=0,
        decoder_start_token_id=0,
        eos_token_id=1,
    ),
    "m2m_100": _bart("M2M100"),
    "blenderbot": _bart(
        "Blenderbot",
        scale_embedding=True,
        pad_token_id=0,
        bos_token_id=1,
        decoder_start_token_id=1,
    ),
    "blenderbot-small": _bart(
        "BlenderbotSmall",
        scale_embedding=True,
        pad_token_id=0,
        bos_token_id=1,
        decoder_start_token_id=1,
    ),
    # the text tower of CLIP
    "clip-text": Variant(
        "CLIP", _CLIP_TEXT, base="TextModel", head="TextModelWithProjection", config="TextConfig"
    ),
    "clip": Variant(
        "CLIP",
        {
            "projection_dim": 16,
            "text_config": _CLIP_TEXT,
            "vision_config": {
                "hidden_size": 8,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "intermediate_size": 8,
                "image_size": 8,
                "patch_size": 4,
            },
        },
        head=None,
    ),
}
