"""config.json read key by key, so that no key which may change the arithmetic is dropped."""

from collections.abc import Mapping
from math import inf
from typing import Any

from attncli.errors import AttncliError

# Keys that say nothing about the forward pass in evaluation mode: where the file comes from,
# how it was trained (dropout, initial values, losses), how text is generated, label names.
HARMLESS = {
    "_attn_implementation_autoset",
    "_commit_hash",
    "_name_or_path",
    "_num_labels",
    "architectures",
    "attention_probs_dropout_prob",
    "attn_implementation",
    "auto_map",
    "bos_token_id",
    "chunk_size_feed_forward",
    "classifier_dropout",
    "cls_token_id",
    "directionality",
    "dtype",
    "eos_token_id",
    "finetuning_task",
    "gradient_checkpointing",
    "hidden_dropout_prob",
    "id2label",
    "initializer_range",
    "is_encoder_decoder",
    "label2id",
    "language",
    "max_length",
    "model_max_length",
    "model_type",
    "name",
    "name_or_path",
    "num_labels",
    "output_attentions",
    "output_hidden_states",
    "output_past",
    "pad_token_id",
    "pooler_fc_size",
    "pooler_num_attention_heads",
    "pooler_num_fc_layers",
    "pooler_size_per_head",
    "pooler_type",
    "problem_type",
    "return_dict",
    "sep_token_id",
    "task_specific_params",
    "tie_word_embeddings",
    "tokenizer_class",
    "torch_dtype",
    "torchscript",
    "transformers.js_config",
    "transformers_version",
    "use_bfloat16",
    "use_cache",
    "use_return_dict",
    "xla_device",
}


class Config:
    """A config.json that remembers which keys were read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._read: set[str] = set()

    def count(self, key: str, default: int | None = None) -> int:
        """A whole number of at least 1. Raises AttncliError if it is anything else."""
        value = self._get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 10**7:
            raise AttncliError(
                f"config.json says {key} = {value!r}: a whole number from 1 up is needed"
            )
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number from 0 up. Raises AttncliError if it is anything else."""
        value = self._get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < inf:
            raise AttncliError(f"config.json says {key} = {value!r}: a number from 0 up is needed")
        return float(value)

    def choice(self, key: str, default: str, known: Mapping[str, Any] | tuple[str, ...]) -> str:
        """One of the known words. Raises AttncliError that lists them for any other."""
        value = self._get(key, default)
        if value not in known:
            raise AttncliError(
                f"config.json says {key} = {value!r}, which attncli does not compute; "
                f"it knows {', '.join(known)}"
            )
        return str(value)

    def flag(self, key: str, default: bool) -> bool:
        """True or false. Raises AttncliError if it is anything else."""
        value = self._get(key, default)
        if not isinstance(value, bool):
            raise AttncliError(f"config.json says {key} = {value!r}: true or false is needed")
        return value

    def must_be(self, key: str, neutral: Any) -> None:
        """Raises AttncliError if the key is there with a value that attncli does not compute."""
        value = self._get(key, neutral)
        if value != neutral:
            raise AttncliError(
                f"config.json says {key} = {value!r}, which changes the arithmetic and is not "
                f"supported; attncli computes {key} = {neutral!r}"
            )

    def refuse_unread(self) -> None:
        """Raises AttncliError for a key that was not read, is not harmless and is switched on."""
        for key in sorted(self._values.keys() - self._read - HARMLESS):
            if self._values[key] not in (None, False):
                raise AttncliError(
                    f"config.json has a key that attncli does not know: "
                    f"{key} = {self._values[key]!r}; it may change the arithmetic. "
                    f"If it does not, remove it from a copy of config.json"
                )

    def _get(self, key: str, default: Any) -> Any:
        self._read.add(key)
        value = self._values.get(key, default)
        if value is None and default is None:
            raise AttncliError(f"config.json has no {key}, which this family needs")
        return default if value is None else value
