"""What a Spec says of a model's shape, in the form that tests/configs/expected.json has it in."""

import json
from pathlib import Path
from typing import Any

from attncli.families.spec import Spec

CONFIGS = Path(__file__).parent / "configs"


def real_configs() -> list[dict[str, Any]]:
    """config.json files of public repositories: `file`, `source`, `config`."""
    return json.loads((CONFIGS / "configs.json").read_text("utf-8"))


def expected_facts() -> dict[str, dict[str, Any]]:
    """What the reference's own configuration class makes of each file, by its name."""
    return json.loads((CONFIGS / "expected.json").read_text("utf-8"))


def per_layer(values: list[Any]) -> Any:
    """One value where all layers have the same, else the list."""
    return values[0] if all(value == values[0] for value in values) else values


def facts(spec: Spec) -> dict[str, Any]:
    """Layers, heads, widths, eps, rotary bases and windows; `None` for what a model lacks."""
    rotary = [turn and turn.theta for turn in spec.rotary] or [None]
    windows = list(spec.window) or [None]
    found = {
        "layers": spec.n_layers,
        "heads": spec.n_heads,
        "kv_heads": spec.n_kv_heads,
        "d_model": spec.d_model,
        "d_k": spec.d_k,
        "d_mlp": spec.d_mlp,
        "vocabulary": spec.n_vocab,
        "eps": spec.norm_eps,
        "theta": per_layer(rotary),
        # the reference counts the token itself only where a token sees one side
        "window": per_layer([w if w is None else w - (not spec.causal) for w in windows]),
    }
    if spec.decoder is not None:
        decoder = spec.decoder
        found["decoder"] = [decoder.n_layers, decoder.n_heads, decoder.d_mlp]
    return found
