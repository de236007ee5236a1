"""Which keys of config.json count: what the reference implementation reads of each family.

reference_keys.json is collected from the source of transformers by
tests/reference/collect_config_keys.py. A key that the reference reads has to be handled by the
family's record or to be neutral; a key that it does not read changes nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

# Keys that the reference reads on the way to the hidden states and that leave them as they are;
# tests/reference/test_config_keys.py runs the reference with and without each.
_NEUTRAL = {
    # the implementation of the same formula
    "_attn_implementation",
    "_experts_implementation",
    "_is_quantized",
    "chunk_size_feed_forward",
    "deterministic_flash_attn",
    "dtype",
    "gradient_checkpointing",
    "pretraining_tp",
    "reorder_and_upcast_attn",
    "slow_but_exact",
    "use_cache",
    # training and initial values, which a file replaces
    "router_jitter_noise",
    "sinusoidal_pos_embds",
    # what is returned
    "output_attentions",
    "output_hidden_states",
    "output_router_logits",
    "return_dict",
    # the pooled vector, heads, labels and the ids that a text begins and ends with
    "decoder_start_token_id",
    "eos_token_id",
    "id2label",
    "image_token_id",
    "image_token_index",
    "is_encoder_decoder",
    "logit_scale_init_value",
    "num_labels",
    "pad_token_id",
    "pooler_hidden_size",
    "projection_dim",
    "tie_word_embeddings",
    # the other tower
    "vision_config",
    "vision_config_dict",
    # in the text of an error only
    "embedding_size",
}
_NEUTRAL_ENDINGS = ("dropout", "_pdrop", "_dropout_prob", "layerdrop", "dropout_rate")

# Sizes that shared code reads: of models whose own code reads them too.
_SIZES = {
    "head_dim",
    "hidden_size",
    "max_position_embeddings",
    "num_attention_heads",
    "num_hidden_layers",
    "number_of_conv_states",
}

# Keys whose author means arithmetic, which the plain reference may drop.
_ARITHMETIC = {
    "adapters",
    "add_cross_attention",
    "attention_chunk_size",
    "per_layer_config",
    "pruned_heads",
    "transformers_weights",
}


@dataclass(frozen=True)
class Keys:
    """The keys of one family.

    `reads` has those that its own code reads and `shared` those that all models' code reads, each
    with what a missing key means. `known` are further ones that a configuration class or a head
    names. Of a family that is not `whole`, code outside the reference reads more keys.
    """

    reads: Mapping[str, Any]
    shared: Mapping[str, Any]
    known: frozenset[str]
    whole: bool = True

    def is_read(self, key: str) -> bool:
        """Whether the reference reads this key of the family."""
        return key in self.reads or key in self.shared

    def is_known(self, key: str) -> bool:
        """Whether a user of the reference would expect the key in such a file."""
        return self.is_read(key) or key in self.known or key.endswith("_token_id")

    def changes_numbers(self, key: str, value: Any) -> bool:
        """Whether a key that no record handles makes other numbers than leaving it out would."""
        default = self.reads.get(key, self.shared.get(key))
        if value == default or not (value or default):
            return False
        if key == "position_embedding_type":
            return any(kind in str(value) for kind in ("relative", "alibi"))
        if key in _ARITHMETIC:
            return True
        return self.is_read(key) and not is_neutral(key)


def is_neutral(key: str) -> bool:
    """Whether a key that the reference reads leaves all hidden states and attention as they are."""
    return key in _NEUTRAL or key.endswith(_NEUTRAL_ENDINGS)


@cache
def _collected() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        Path(__file__).with_name("reference_keys.json").read_text("utf-8")
    )
    return found


def reference_keys(name: str) -> Keys:
    """The keys of a model_type, or of a part of one such as mpt.attn_config."""
    data = _collected()
    of_family, shared = data["families"][name], data["shared"]
    forward = {k: default for k, default in shared["reads"].items() if k not in _SIZES}
    return Keys(
        reads=of_family["reads"],
        shared={} if "." in name else forward,
        known=frozenset(of_family["declared"]) | frozenset(shared["declared"]),
        whole=of_family.get("whole", True),
    )


def families_of(architectures: Any) -> set[str]:
    """The model_types whose classes `architectures` of a config.json names."""
    names = architectures if isinstance(architectures, list) else []
    by_class: dict[str, str] = _collected()["architectures"]
    return {by_class[name] for name in names if isinstance(name, str) and name in by_class}
