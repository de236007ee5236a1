"""What several records read of config.json in the same way."""

from typing import Any

from attncli.errors import AttncliError
from attncli.families.config import Config


def even_sizes(config: Config) -> dict[str, Any]:
    """The sizes in the Spec of a model whose heads share d_model evenly: d_k = d_v = d_model / h.

    Raises AttncliError if h does not divide d_model or head_dim says something else.
    """
    d_model, h = config.count("hidden_size"), config.count("num_attention_heads")
    if d_model % h:
        raise AttncliError(
            "config.json: {size} {d_model} is not a multiple of {heads} {h}",
            size=config.name("hidden_size"),
            d_model=d_model,
            heads=config.name("num_attention_heads"),
            h=h,
        )
    config.must_be("head_dim", d_model // h)
    return {
        "n_heads": h,
        "n_kv_heads": h,
        "d_model": d_model,
        "d_k": d_model // h,
        "d_v": d_model // h,
        "n_layers": config.layers("num_hidden_layers"),
        "n_vocab": config.count("vocab_size"),
    }


def kv_heads(config: Config, key: str, h: int) -> int:
    """The number of key/value heads; h if config.json has none. It must divide h."""
    n_kv = config.count(key, h)
    if h % n_kv:
        raise AttncliError(
            "config.json: {h} query heads cannot share {n_kv} key/value heads ({key}) evenly",
            h=h,
            n_kv=n_kv,
            key=key,
        )
    return n_kv


def tied_head(config: Config, *, default: bool = True) -> dict[str, tuple[str, ...]] | None:
    """Where E lies if the file holds it as the language model's head only, for tied weights."""
    tied = config.flag("tie_word_embeddings", default)
    return {"E": ("lm_head.weight",)} if tied else None
