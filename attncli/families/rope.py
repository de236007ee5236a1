"""Rotary parameters in config.json, in the form of transformers 5 and in the older one.

5.x: `rope_parameters`, maybe one per type of layer. 4.x: `rope_theta` and
`partial_rotary_factor` at top level, `rope_scaling` with what stretches the positions. Where both
say something, what stands inside wins, `rope_scaling` before `rope_parameters`.
"""

from dataclasses import replace
from typing import Any

from attncli.errors import AttncliError
from attncli.families.config import Config
from attncli.rotary import ROTARY_KINDS, Rotary

_NEEDS = {"linear": ("factor",), "dynamic": ("factor",), "llama3": ("factor",)}
_NUMBERS = (
    "factor",
    "low_freq_factor",
    "high_freq_factor",
    "beta_fast",
    "beta_slow",
    "mscale",
    "mscale_all_dim",
    "attention_factor",
)
_LISTS = ("short_factor", "long_factor")
_ORIGINAL = "original_max_position_embeddings"
_KNOWN = {
    *_NUMBERS,
    *_LISTS,
    "rope_type",
    "type",
    "rope_theta",
    "partial_rotary_factor",
    _ORIGINAL,
    "truncate",
    "finetuned",
}


def rotary(
    config: Config,
    d_k: int,
    *,
    theta_key: str = "rope_theta",
    partial_key: str = "partial_rotary_factor",
    layer_type: str | None = None,
    scaled: bool = True,
    interleaved: bool = False,
) -> Rotary:
    """The rotation that config.json describes, for one type of layer where it has several.

    The class's defaults hold `theta_key` (10000 if not) and `partial_key` (1 if not).
    `scaled`: whether the older form's rope_scaling concerns these layers. Raises AttncliError
    for a rope_type or a parameter that attncli does not compute.
    """
    inside = config.section("rope_parameters")
    if layer_type is not None and isinstance(inside.get(layer_type), dict):
        inside = inside[layer_type]
    elif any(isinstance(value, dict) for value in inside.values()):
        raise AttncliError(
            f"config.json says rope_parameters = {inside!r}: one set for all layers is needed"
        )
    scaling = config.section("rope_scaling")
    for length in ("max_position_embeddings", _ORIGINAL):
        config.value(length)  # counts for some kinds only
    says: dict[str, Any] = {
        "rope_theta": config.number(theta_key, 10000.0),
        "partial_rotary_factor": config.number(partial_key, 1.0),
    }
    for given in (inside, scaling if scaled else {}):
        says |= {"rope_type": given.get("type", says.get("rope_type", "default"))}
        says |= {key: value for key, value in given.items() if value is not None}
    if unknown := sorted(says.keys() - _KNOWN):
        raise AttncliError(
            f"config.json: the rotary parameters have {unknown[0]} = {says[unknown[0]]!r}, "
            f"which attncli does not compute"
        )
    kind = "longrope" if says["rope_type"] == "su" else says["rope_type"]
    if not isinstance(kind, str) or kind not in ROTARY_KINDS:
        raise AttncliError(
            f"config.json says rope_type = {kind!r}, which attncli does not compute; "
            f"it knows {', '.join(ROTARY_KINDS)}"
        )
    theta, partial = _number(says, "rope_theta"), _number(says, "partial_rotary_factor")
    plain = Rotary(dim=even(int(d_k * partial), d_k), theta=theta, interleaved=interleaved)
    return plain if kind == "default" else _stretched(config, plain, kind, says)


def even(dim: int, d_k: int) -> int:
    """A number of rotated numbers per head. Raises AttncliError if they do not form pairs."""
    if not 2 <= dim <= d_k or dim % 2:
        raise AttncliError(
            f"config.json: {dim} rotated numbers per head; "
            f"an even number from 2 to d_k = {d_k} is needed"
        )
    return dim


def _stretched(config: Config, plain: Rotary, kind: str, says: dict[str, Any]) -> Rotary:
    if missing := [key for key in _NEEDS.get(kind, ()) if key not in says]:
        raise AttncliError(f"config.json: rope_type {kind} needs {missing[0]}, which is not there")
    longest = config.count("max_position_embeddings")
    original = config.optional_count(_ORIGINAL)
    inside = _number({_ORIGINAL: longest, **says}, _ORIGINAL)
    given: dict[str, Any] = {key: _number(says, key) for key in _NUMBERS if key in says}
    if kind == "longrope":
        given |= {key: _factors(says, key, plain.dim) for key in _LISTS}
    stretched = replace(
        plain,
        kind=kind,
        max_positions=longest,
        original_positions=original or int(inside),
        truncate=bool(says.get("truncate", True)),
        **given,
    )
    _check_logarithms(stretched)
    return stretched


def _check_logarithms(rotary: Rotary) -> None:
    """Raises AttncliError where the formulas would divide by zero."""
    if rotary.original_positions < 2:
        raise AttncliError(f"config.json says {_ORIGINAL} = {rotary.original_positions}: too few")
    if rotary.theta <= 1:
        raise AttncliError(f"config.json says rope_theta = {rotary.theta:g}: it must be above 1")
    if rotary.high_freq_factor <= rotary.low_freq_factor:
        raise AttncliError(
            f"config.json: high_freq_factor {rotary.high_freq_factor:g} must be above "
            f"low_freq_factor {rotary.low_freq_factor:g}"
        )
    if rotary.kind == "dynamic" and rotary.dim == 2:
        raise AttncliError("config.json: rope_type dynamic needs more than one pair per head")


def _number(says: dict[str, Any], key: str) -> float:
    value = says[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1e9:
        raise AttncliError(f"config.json says {key} = {value!r}: a number above 0 is needed")
    return float(value)


def _factors(says: dict[str, Any], key: str, dim: int) -> tuple[float, ...]:
    values = says.get(key)
    if not isinstance(values, list) or len(values) != dim // 2:
        raise AttncliError(
            f"config.json says {key} = {values!r}: a list of {dim // 2} factors is needed, "
            f"one per pair of the {dim} rotated numbers"
        )
    return tuple(_number({key: value}, key) for value in values)
