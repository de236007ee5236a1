"""Model families: each is one short record that turns a config.json into a Spec.

A family is found by its `model_type`; a new one is one function in one file of this folder.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from attncli.errors import AttncliError
from attncli.families.config import Config, literal
from attncli.families.keys import families_of, reference_keys
from attncli.families.spec import Spec


@dataclass(frozen=True)
class Record:
    """A family: how to make its Spec, and what a missing or renamed key of config.json means."""

    make: Callable[[Config], Spec]
    defaults: Mapping[str, Any]
    aliases: Mapping[str, str]
    ignores: tuple[str, ...]
    special: str  # what sets it apart, in a few words for docs/families.md


_LISTED = 8  # keys that a note names
_QUANTISED_BY = {  # a key that only this tool writes
    "load_in_8bit": "bitsandbytes",
    "load_in_4bit": "bitsandbytes",
    "quant_algo": "NVIDIA ModelOpt",
    "config_groups": "compressed-tensors",
    "zero_point": "AWQ",
    "desc_act": "GPTQ",
    "group_size": "MLX",
}
_RECORDS: dict[str, Record] = {}
_NOT_RECORDS = {"config", "keys", "layer_types", "left_out", "names", "rope", "spec"}


def family(
    *model_types: str,
    special: str,
    defaults: Mapping[str, Any] | None = None,
    aliases: Mapping[str, str] | None = None,
    ignores: tuple[str, ...] = (),
) -> Callable[[Callable[[Config], Spec]], Callable[[Config], Spec]]:
    """Registers a record under the `model_type`s that it understands.

    `defaults` are those of the configuration class in transformers: they count for keys that
    config.json leaves out. `aliases` maps the family's names of keys to those that the record asks
    for, `ignores` lists keys that the reference reads and does not use.
    Further decorators on the same record add names with other defaults.
    """

    def register(make: Callable[[Config], Spec]) -> Callable[[Config], Spec]:
        record = Record(make, defaults or {}, aliases or {}, ignores, special)
        _RECORDS.update(dict.fromkeys(model_types, record))
        return make

    return register


def records() -> Mapping[str, Record]:
    """Every record by model_type, from all modules of this folder."""
    for module in pkgutil.iter_modules(__path__):
        if module.name not in _NOT_RECORDS:
            importlib.import_module(f"{__name__}.{module.name}")
    return _RECORDS


@dataclass(frozen=True)
class Reading:
    """A config.json understood: its Spec, and the keys that nothing reads.

    `notes` has a line for each thing that a user should know. `variants` has, for every switch,
    its key, its value and the same config.json with another value there.
    """

    spec: Spec
    ignored: tuple[str, ...]
    notes: tuple[str, ...]
    variants: tuple[tuple[str, Any, Mapping[str, Any]], ...]


def read_spec(config: Mapping[str, Any]) -> Reading:
    """What a config.json says.

    Raises AttncliError for a model_type that no record knows, for a missing or senseless value,
    and for a key that changes the arithmetic and that no record handles.
    """
    model_type, notes = _model_type(config)
    _refuse_quantised(config)
    record, keys = records()[model_type], reference_keys(model_type)
    read = Config({**config, "model_type": model_type}, keys, record.defaults, record.aliases)
    spec = record.make(read)
    ignored = read.unread(record.ignores)
    if ignored:
        notes.append(_note_of_ignored(model_type, ignored))
    return Reading(spec, tuple(ignored), tuple(notes), tuple(read.variants()))


def spec_from_config(config: Mapping[str, Any]) -> Spec:
    """The Spec of a config.json; raises AttncliError as `read_spec` does."""
    return read_spec(config).spec


def _model_type(config: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The family of a config.json, and a note where another key had to tell it."""
    model_type, known = config.get("model_type"), records()
    if model_type is None:
        architectures = config.get("architectures")
        found = families_of(architectures)
        if len(found) == 1:
            (model_type,) = found
            told = f"architectures says {literal(architectures)}, which is {model_type}"
            return model_type, [f"config.json has no model_type: {told}"]
        names = f"architectures = {literal(architectures)} names"
        why = f"{names} several families" if found else f"{names} none that attncli knows"
        raise AttncliError(
            f"config.json has no model_type, and {why if architectures else 'no architectures'}; "
            f'add one to it, such as "model_type": "bert"'
        )
    if not isinstance(model_type, str) or model_type not in known:
        near = get_close_matches(str(model_type), known, n=3, cutoff=0.75)
        nearest = f"nearest: {', '.join(near)}; " if near else ""
        raise AttncliError(
            f"config.json says model_type {literal(model_type)}, which attncli does not know; "
            f"{nearest}docs/families.md lists what it knows"
        )
    return model_type, []


def _note_of_ignored(model_type: str, ignored: list[str]) -> str:
    """One line, however many keys there are."""
    listed = ", ".join(key[:80] for key in ignored[:_LISTED])
    more = f" and {len(ignored) - _LISTED} more" if len(ignored) > _LISTED else ""
    return f"keys of config.json that {model_type} does not have are ignored: {listed}{more}"


def _refuse_quantised(config: Mapping[str, Any]) -> None:
    """Raises AttncliError for a checkpoint whose numbers are codes to be decoded."""
    key = next((key for key in ("quantization_config", "quantization") if config.get(key)), None)
    if key is not None:
        raise AttncliError(
            f"config.json has {key} ({_method(config[key])}): quantised checkpoints are "
            f"not supported; use the original in F32, F16 or BF16"
        )


def _method(quantization: Any) -> str:
    """What made the codes, by quant_method or, where that is missing, by what else is there."""
    if not isinstance(quantization, Mapping):
        return f"method {literal(quantization)}"
    if "quant_method" in quantization:
        return f"method {literal(quantization['quant_method'])}"
    for mark, kind in _QUANTISED_BY.items():
        if mark in quantization:
            bits = quantization.get(mark)
            return f"a file of {kind}; {mark} = {literal(bits)}, no quant_method"
    return f"of an unknown kind, with {literal(sorted(map(str, quantization)))}"
