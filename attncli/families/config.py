"""config.json read key by key, so that no key which may change the arithmetic is dropped."""

from collections.abc import Collection, Mapping
from typing import Any

from attncli.errors import AttncliError
from attncli.layers import ACTIVATIONS

# Keys that say nothing about the forward pass in evaluation mode: where the file comes from,
# how it was trained (dropout, initial values, losses), how text is generated, label names,
# and what only the heads, poolers and vision towers read.
HARMLESS = {
    "_attn_implementation_autoset",
    "_commit_hash",
    "_name_or_path",
    "_num_labels",
    "_sliding_window_pattern",
    "architectures",
    "attention_probs_dropout_prob",
    "attn_implementation",
    "auto_map",
    "begin_suppress_tokens",
    "boi_token_index",
    "bos_token_id",
    "cache_implementation",
    "chunk_size_feed_forward",
    "classif_dropout",
    "classifier_activation",
    "classifier_bias",
    "classifier_dropout",
    "classifier_pooling",
    "cls_token_id",
    "decoder_bias",
    "decoder_start_token_id",
    "deterministic_flash_attn",
    "directionality",
    "do_sample",
    "dtype",
    "early_stopping",
    "encoder_no_repeat_ngram_size",
    "eoi_token_index",
    "eos_token_id",
    "eos_token_index",
    "final_logit_softcapping",
    "finetuning_task",
    "force_bos_token_to_be_generated",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "gradient_checkpointing",
    "id2label",
    "image_token_index",
    "init_device",
    "init_std",
    "initializer_cutoff_factor",
    "initializer_factor",
    "initializer_range",
    "is_encoder_decoder",
    "keys_to_ignore_at_inference",
    "label2id",
    "language",
    "legacy",
    "length_penalty",
    "logit_scale",
    "logit_scale_init_value",
    "logits_scaling",
    "max_length",
    "min_length",
    "mlm_probability",
    "mm_tokens_per_image",
    "model_max_length",
    "model_type",
    "name",
    "name_or_path",
    "no_repeat_ngram_size",
    "num_beams",
    "num_labels",
    "num_return_sequences",
    "output_attentions",
    "output_hidden_states",
    "output_past",
    "output_router_logits",
    "pad_token_id",
    "pooler_fc_size",
    "pooler_hidden_act",
    "pooler_hidden_size",
    "pooler_num_attention_heads",
    "pooler_num_fc_layers",
    "pooler_size_per_head",
    "pooler_type",
    "prefix",
    "pretraining_tp",
    "problem_type",
    "projection_dim",
    "qa_dropout",
    "reorder_and_upcast_attn",
    "return_dict",
    "return_dict_in_generate",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "scale_decoder_outputs",
    "seed",
    "sep_token_id",
    "seq_classif_dropout",
    "sinusoidal_pos_embds",
    "slow_but_exact",
    "sparse_pred_ignore_index",
    "sparse_prediction",
    "summary_activation",
    "summary_first_dropout",
    "summary_last_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "suppress_tokens",
    "task_specific_params",
    "temperature",
    "text_config_dict",
    "tie_encoder_decoder",
    "tie_word_embeddings",
    "tokenizer_class",
    "top_k",
    "top_p",
    "torch_dtype",
    "torchscript",
    "transformers.js_config",
    "transformers_version",
    "use_bfloat16",
    "use_cache",
    "use_pooler",
    "use_return_dict",
    "vision_config",
    "vision_config_dict",
    "vision_feature_layer",
    "xla_device",
}
_HARMLESS_ENDINGS = ("dropout", "_pdrop", "_dropout_prob", "layerdrop", "dropout_rate")

MAX_LAYERS = 10_000
_LARGEST = 1e9  # of a number: no model has a larger one, and float32 can still multiply it


class Config:
    """A config.json that remembers which keys were read.

    `defaults` is what a missing key means in this family's class; `aliases` maps other names of
    a key to the one that is read.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        defaults: Mapping[str, Any] | None = None,
        aliases: Mapping[str, str] | None = None,
    ) -> None:
        aliases = aliases or {}
        self._values = {aliases.get(key, key): value for key, value in values.items()}
        self._defaults = defaults or {}
        self._read: set[str] = set()

    @property
    def model_type(self) -> str:
        """The name under which the family was found."""
        return str(self._values["model_type"])

    def count(self, key: str, default: int | None = None, *, limit: int = 10**7) -> int:
        """A whole number from 1 to `limit`. Raises AttncliError if it is anything else."""
        value = self.value(key, default)
        if value is None:
            raise AttncliError(f"config.json has no {key}, which this family needs")
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= limit:
            raise AttncliError(
                f"config.json says {key} = {value!r}: a whole number from 1 to {limit} is needed"
            )
        return value

    def layers(self, key: str, default: int | None = None) -> int:
        """A number of layers."""
        return self.count(key, default, limit=MAX_LAYERS)

    def optional_count(self, key: str) -> int | None:
        """A whole number of at least 1, or None where the key is null or missing."""
        return None if self.value(key) is None else self.count(key)

    def token_id(self, key: str) -> int:
        """The id of a special token. Raises AttncliError if it is anything else."""
        value = self.value(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10**7:
            raise AttncliError(f"config.json says {key} = {value!r}: a token's id is needed")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A number from 0 to 10^9. Raises AttncliError if it is anything else."""
        value = self.value(key, default)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 0 <= value <= _LARGEST
        ):
            raise AttncliError(f"config.json says {key} = {value!r}: a number from 0 up is needed")
        return float(value)

    def positive(self, key: str, default: float | None = None) -> float:
        """A number above 0. Raises AttncliError if it is anything else."""
        number = self.number(key, default)
        if number == 0:
            raise AttncliError(f"config.json says {key} = 0: a number above 0 is needed")
        return number

    def optional_positive(self, key: str) -> float | None:
        """A number above 0, or None where the key is null or missing."""
        return None if self.value(key) is None else self.positive(key)

    def count_if_on(self, key: str) -> int | None:
        """A whole number of at least 1, or None where the key says -1, 0 or nothing."""
        return None if self.value(key) in (None, False, 0, -1) else self.count(key)

    def choice(
        self, key: str, known: Mapping[str, Any] | tuple[str, ...], default: str | None = None
    ) -> str:
        """One of the known words. Raises AttncliError that lists them for any other."""
        value = self.value(key, default)
        if not isinstance(value, str) or value not in known:
            raise AttncliError(
                f"config.json says {key} = {value!r}, which attncli does not compute; "
                f"it knows {', '.join(known)}"
            )
        return value

    def activation(self, key: str, default: str | None = None) -> str:
        """The name of an activation that layers.py has."""
        return self.choice(key, ACTIVATIONS, default)

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false. Raises AttncliError if it is anything else."""
        value = self.value(key, default)
        if not isinstance(value, bool):
            raise AttncliError(f"config.json says {key} = {value!r}: true or false is needed")
        return value

    def must_be(self, key: str, neutral: Any) -> None:
        """Raises AttncliError if the key is there with a value that attncli does not compute."""
        value = self.value(key, neutral)
        if value != neutral:
            raise AttncliError(
                f"config.json says {key} = {value!r}, which changes the arithmetic and is not "
                f"supported; attncli computes {key} = {neutral!r}"
            )

    def section(self, key: str) -> dict[str, Any]:
        """An object inside config.json; empty where it is null or missing."""
        value = self.value(key)
        if value is not None and not isinstance(value, dict):
            raise AttncliError(f"config.json says {key} = {value!r}: an object is needed")
        return dict(value or {})

    def per_layer(self, key: str, n_layers: int) -> list[Any] | None:
        """A list with one entry per layer, or None where the key is null or missing."""
        value = self.value(key)
        if value is not None and (not isinstance(value, list) or len(value) != n_layers):
            raise AttncliError(
                f"config.json says {key} = {value!r}: a list of {n_layers} entries, "
                f"one per layer, is needed"
            )
        return value

    def value(self, key: str, default: Any = None) -> Any:
        """What config.json says, else the class's default, else `default`."""
        self._read.add(key)
        value = self._values.get(key)
        if value is None and key not in self._values:
            value = self._defaults.get(key)
        return default if value is None else value

    def refuse_unread(self, ignores: Collection[str] = ()) -> None:
        """Raises AttncliError for a key that was not read, is not harmless and is switched on."""
        for key in sorted(self._values.keys() - self._read - HARMLESS - set(ignores)):
            off = self._values[key] in (None, False)
            if not off and not key.endswith(_HARMLESS_ENDINGS):
                raise AttncliError(
                    f"config.json has a key that attncli does not know: "
                    f"{key} = {self._values[key]!r}; it may change the arithmetic. "
                    f"If it does not, remove it from a copy of config.json"
                )


def even_heads(config: Config, size_key: str, heads_key: str) -> tuple[int, int, int]:
    """(d_model, h, d_k = d_model / h). Raises AttncliError if h does not divide d_model."""
    d_model, h = config.count(size_key), config.count(heads_key)
    if d_model % h:
        raise AttncliError(
            f"config.json: {size_key} {d_model} is not a multiple of {heads_key} {h}"
        )
    return d_model, h, d_model // h


def kv_heads(config: Config, key: str, h: int) -> int:
    """The number of key/value heads; h if config.json has none. It must divide h."""
    n_kv = config.count(key, h)
    if h % n_kv:
        raise AttncliError(
            f"config.json: {h} query heads cannot share {n_kv} key/value heads ({key}) evenly"
        )
    return n_kv


def tied_head(config: Config, *, default: bool = True) -> dict[str, tuple[str, ...]] | None:
    """Where E lies if the file holds it as the language model's head only, for tied weights."""
    tied = config.flag("tie_word_embeddings", default)
    return {"E": ("lm_head.weight",)} if tied else None
