"""config.json as transformers 4 wrote it, from what transformers 5 writes."""

from typing import Any

_THETA_KEYS = {  # model_type: (of full layers, of sliding layers)
    "modernbert": ("global_rope_theta", "local_rope_theta"),
    "gemma3_text": ("rope_theta", "rope_local_base_freq"),
    "gpt_neox": ("rotary_emb_base", ""),
}


def old_style(config: dict[str, Any]) -> dict[str, Any]:
    """The same model: rope_theta and rope_scaling at top level, no layer_types, torch_dtype."""
    old = dict(config)
    old["torch_dtype"] = old.pop("dtype", "float32")
    old.pop("layer_types", None)
    old.pop("_sliding_window_pattern", None)
    rope = old.pop("rope_parameters", None)
    if rope is None:
        return old
    full_key, sliding_key = _THETA_KEYS.get(config["model_type"], ("rope_theta", ""))
    full = dict(rope.get("full_attention", rope))
    old[full_key] = full.pop("rope_theta")
    if "sliding_attention" in rope:
        old[sliding_key] = rope["sliding_attention"]["rope_theta"]
    partial = full.pop("partial_rotary_factor", None)
    if partial is not None:
        partial_key = (
            "rotary_pct" if config["model_type"] == "gpt_neox" else "partial_rotary_factor"
        )
        old[partial_key] = partial
    kind = full.pop("rope_type")
    full.pop("type", None)
    old["rope_scaling"] = None if kind == "default" else {"type": kind, **full}
    return old
