"""What people call the arrays: from the name in a file to the article's."""

from collections.abc import Mapping

ARTICLE = (
    *("X", "source", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O"),
    *("Q", "K", "V", "S", "A", "Z", "Z_cat", "Y", "mask", "padding"),
)

# Several of the article's names: the shapes and the numbers decide which.
_ALIASES: dict[str, str] = {
    "X": "x hidden_states hidden input inputs embeddings x_q",
    "source": "memory encoder_hidden_states x_kv context_input key_value_states x_source",
    "Q": "q query queries query_states query_layer q_heads qs",
    "K": "k key keys key_states key_layer k_heads ks",
    "V": "v value values value_states value_layer v_heads vs",
    "S": "s scores score attn_scores attention_scores logits attn_logits attention_logits energy "
    "att_scores",
    "A": "a p attn attention attn_weights attention_weights probs attn_probs attention_probs att "
    "att_weights alpha attentions attn_output_weights",
    "Z": "z head_outputs heads_out head_out o",
    "Z_cat": "zcat z_concat concat concat_heads concatenated merged",
    "Z Z_cat": "context ctx context_layer attn_context",
    "Y": "y out output outputs result",
    "Y Z_cat Z": "attn_output attn_out attention_output",
    "mask": "attn_mask attention_mask causal_mask masks tgt_mask src_mask hidden_mask",
    "padding": "key_padding_mask padding_mask pad_mask src_key_padding_mask is_pad pad",
}
_LETTER = {"Q": "q query", "K": "k key", "V": "v value", "O": "o out output"}


def _parameter_aliases() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for letter, words in _LETTER.items():
        for word in words.split():
            for stem in (f"{word}_proj", f"{word}_lin", f"{word}_linear", f"w_{word}", f"w{word}"):
                for end in (".weight", ".kernel"):
                    found[stem + end] = (f"W_{letter}",)
                found[f"{stem}.bias"] = (f"b_{letter}",)
            if word != "output":  # as a module it may be a whole block of layers
                for end in (".weight", ".kernel"):
                    found[word + end] = (f"W_{letter}",)
                found[f"{word}.bias"] = (f"b_{letter}",)
            for name in (f"w_{word}", f"w{word}", f"{word}_proj", f"{word}_weight", f"{word}_w"):
                found[name] = (f"W_{letter}",)
            for name in (f"b_{word}", f"b{word}", f"{word}_bias", f"{word}_proj_bias", f"{word}_b"):
                found[name] = (f"b_{letter}",)
            found[f"{word}_proj_weight"] = (f"W_{letter}",)
    for name in ("c_proj", "proj", "dense", "wo", "to_out.0", "to_out"):
        found |= {f"{name}.weight": ("W_O",), f"{name}.bias": ("b_O",)}
    for letter in "QKV":
        found[f"to_{letter.lower()}.weight"] = (f"W_{letter}",)
        found[f"to_{letter.lower()}.bias"] = (f"b_{letter}",)
    return found


ALIASES: Mapping[str, tuple[str, ...]] = {
    **_parameter_aliases(),
    **{
        alias: tuple(names.split())
        for names, aliases in _ALIASES.items()
        for alias in (*aliases.split(), *(n.lower() for n in names.split() if " " not in names))
    },
    **{name.lower(): (name,) for name in ARTICLE},
}

# Q, K and V packed into one array: along its first axis (torch: out, in) or its last.
PACKED: Mapping[str, str] = {
    **dict.fromkeys(("in_proj_weight", "qkv.weight", "qkv_proj.weight", "to_qkv.weight"), "W"),
    **dict.fromkeys(("c_attn.weight", "w_qkv", "wqkv"), "W columns"),
    **dict.fromkeys(
        ("in_proj_bias", "qkv.bias", "qkv_proj.bias", "c_attn.bias", "b_qkv", "to_qkv.bias"), "b"
    ),
}
_CONV1D = ("c_attn.weight", "c_proj.weight")  # GPT-2's modules keep (in, out)


def short_name(stored: str) -> str | None:
    """The end of a stored name that is known: `q_proj.weight` of `layers.0.attn.q_proj.weight`."""
    parts = stored.lower().split(".")
    ends = (".".join(parts[start:]) for start in range(len(parts)))
    return next((end for end in ends if end in ALIASES or end in PACKED), None)


def is_out_in(stored: str) -> bool:
    """Whether a parameter of this name is kept (out, in), as torch's nn.Linear does."""
    name = stored.lower()
    return name.endswith((".weight", "proj_weight")) and not name.endswith(_CONV1D)
