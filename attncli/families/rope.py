"""Rotary parameters in config.json, in the form of transformers 5 and in the older one.

5.x: `rope_parameters`, maybe one per type of layer. 4.x: `rope_theta` and
`partial_rotary_factor` at top level, `rope_scaling` with what stretches the positions. Where both
say something, what stands inside wins, `rope_scaling` before `rope_parameters`.
"""

from dataclasses import replace
from typing import Any

from attncli.errors import AttncliError
from attncli.families.config import Config, literal
from attncli.rotary import ROTARY_KINDS, Rotary
from attncli.text.printable import quoted

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
            "config.json says rope_parameters = {value}: one set for all layers is needed",
            value=literal(inside),
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
            "config.json: the rotary parameters have {key} = {value}, which attncli does not "
            "compute",
            key=quoted(unknown[0]),
            value=literal(says[unknown[0]]),
        )
    kind = "longrope" if says["rope_type"] == "su" else says["rope_type"]
    if not isinstance(kind, str) or kind not in ROTARY_KINDS:
        raise AttncliError(
            "config.json says {key} = {value}, which attncli does not compute; it knows {known}",
            key="rope_type",
            value=literal(kind),
            known=", ".join(ROTARY_KINDS),
        )
    theta, partial = _number(says, "rope_theta"), _number(says, "partial_rotary_factor")
    plain = Rotary(dim=even(int(d_k * partial), d_k), theta=theta, interleaved=interleaved)
    return plain if kind == "default" else _stretched(config, plain, kind, says)


def even(dim: int, d_k: int) -> int:
    """A number of rotated numbers per head. Raises AttncliError if they do not form pairs."""
    if not 2 <= dim <= d_k or dim % 2:
        raise AttncliError(
            "config.json: {dim} rotated numbers per head; an even number from 2 to d_k = {d_k} "
            "is needed",
            dim=dim,
            d_k=d_k,
        )
    return dim


def _stretched(config: Config, plain: Rotary, kind: str, says: dict[str, Any]) -> Rotary:
    if missing := [key for key in _NEEDS.get(kind, ()) if key not in says]:
        raise AttncliError(
            "config.json: rope_type {kind} needs {key}, which is not there",
            kind=kind,
            key=missing[0],
        )
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
        raise AttncliError(
            "config.json says {key} = {value}: a number above 1 is needed",
            key=_ORIGINAL,
            value=rotary.original_positions,
        )
    if rotary.theta <= 1:
        raise AttncliError(
            "config.json says {key} = {value}: a number above 1 is needed",
            key="rope_theta",
            value=f"{rotary.theta:g}",
        )
    if rotary.high_freq_factor <= rotary.low_freq_factor:
        raise AttncliError(
            "config.json: high_freq_factor {high:g} must be above low_freq_factor {low:g}",
            high=rotary.high_freq_factor,
            low=rotary.low_freq_factor,
        )
    if rotary.kind == "dynamic" and rotary.dim == 2:
        raise AttncliError("config.json: rope_type dynamic needs more than one pair per head")


def _number(says: dict[str, Any], key: str) -> float:
    value = says[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1e9:
        raise AttncliError(
            "config.json says {key} = {value}: a number above 0 is needed",
            key=key,
            value=literal(value),
        )
    return float(value)


def _factors(says: dict[str, Any], key: str, dim: int) -> tuple[float, ...]:
    values = says.get(key)
    if not isinstance(values, list) or len(values) != dim // 2:
        raise AttncliError(
            "config.json says {key} = {value}: a list of {count} factors is needed, one per pair "
            "of the {dim} rotated numbers",
            key=key,
            value=literal(values),
            count=dim // 2,
            dim=dim,
        )
    return tuple(_number({key: value}, key) for value in values)
