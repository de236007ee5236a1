"""What collect_config_keys.py cannot find in the source of the reference implementation."""

# Code that every model runs through ...
FORWARD = (
    "activations",
    "cache_utils",
    "integrations.heterogeneity.configuration_utils",
    "integrations.moe",
    "integrations.sdpa_attention",
    "masking_utils",
    "modeling_rope_utils",
)
# ... and code that loads and saves it.
LOADING = ("configuration_utils", "modeling_utils")
# What version 4 wrote into the file of any model, or its tools do, and version 5 has no field for.
WRITTEN_BEFORE = (
    "_attn_implementation_autoset",
    "_num_labels",
    "attn_implementation",
    "auto_map",
    "cls_token_id",
    "cross_attention_hidden_size",
    "decoder_start_token_id",
    "finetuning_task",
    "is_decoder",
    "keys_to_ignore_at_inference",
    "language",
    "mask_token_id",
    "model_type",
    "name",
    "output_past",
    "prefix",
    "task_specific_params",
    "tf_legacy_loss",
    "tie_encoder_decoder",
    "tokenizer_class",
    "torchscript",
    "transformers.js_config",
    "unk_token_id",
    "use_bfloat16",
    "use_return_dict",
    "xla_device",
)
# What the files that a family's authors published have and no code reads.
PUBLISHED = {
    "bert": (
        "directionality",
        "pooler_fc_size",
        "pooler_num_attention_heads",
        "pooler_num_fc_layers",
        "pooler_size_per_head",
        "pooler_type",
    ),
    "gpt2": ("n_ctx",),
    "t5": ("n_positions",),
}
# Names from before a family came to transformers, and what their own code called some keys.
# That code reads more keys than these.
_FALCON = ("n_head", "n_head_kv", "n_layer")
OTHER_NAMES = {
    "stablelm_epoch": ("stablelm", ()),
    "RefinedWeb": ("falcon", _FALCON),
    "RefinedWebModel": ("falcon", _FALCON),
}
# The article's encoder is attncli's own: there is no reference that reads its config.json.
OWN = "attncli_encoder"
OWN_KEYS = (
    "hidden_act",
    "hidden_size",
    "intermediate_size",
    "layer_norm_eps",
    "num_attention_heads",
    "num_hidden_layers",
    "vocab_size",
)
