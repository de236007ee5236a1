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
from attncli.language import Phrase


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
_NOT_RECORDS = {"config", "keys", "layer_types", "left_out", "names", "rope", "sizes", "spec"}


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
    notes: tuple[Phrase, ...]
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


def _model_type(config: Mapping[str, Any]) -> tuple[str, list[Phrase]]:
    """The family of a config.json, and a note where another key had to tell it."""
    model_type, known = config.get("model_type"), records()
    if model_type is None:
        architectures = config.get("architectures")
        found = families_of(architectures)
        if len(found) == 1:
            (model_type,) = found
            note = Phrase(
                "config.json has no model_type: architectures says {value}, which is {family}",
                {"value": literal(architectures), "family": model_type},
            )
            return model_type, [note]
        if not architectures:
            raise AttncliError(
                "config.json has neither model_type nor architectures; add the first to it, such "
                'as "model_type": "bert"'
            )
        raise AttncliError(
            "config.json has no model_type, and architectures = {value} names several families; "
            'add one to it, such as "model_type": "bert"'
            if found
            else "config.json has no model_type, and architectures = {value} names no family that "
            'attncli knows; add one to it, such as "model_type": "bert"',
            value=literal(architectures),
        )
    if not isinstance(model_type, str) or model_type not in known:
        if near := get_close_matches(str(model_type), known, n=3, cutoff=0.75):
            raise AttncliError(
                "config.json says model_type {value}, which attncli does not know; nearest: "
                "{nearest}; docs/families.md lists what it knows",
                value=literal(model_type),
                nearest=", ".join(near),
            )
        raise AttncliError(
            "config.json says model_type {value}, which attncli does not know; docs/families.md "
            "lists what it knows",
            value=literal(model_type),
        )
    return model_type, []


def _note_of_ignored(model_type: str, ignored: list[str]) -> Phrase:
    """One line, however many keys there are."""
    more = len(ignored) - _LISTED
    return Phrase(
        "keys of config.json that {family} does not have are ignored: {keys} and {count} more"
        if more > 0
        else "keys of config.json that {family} does not have are ignored: {keys}",
        {
            "family": model_type,
            "keys": ", ".join(key[:80] for key in ignored[:_LISTED]),
            "count": more,
        },
    )


def _refuse_quantised(config: Mapping[str, Any]) -> None:
    """Raises AttncliError for a checkpoint whose numbers are codes to be decoded."""
    key = next((key for key in ("quantization_config", "quantization") if config.get(key)), None)
    if key is not None:
        raise AttncliError(
            "config.json has {key} ({method}): quantised checkpoints are not supported; use the "
            "original in F32, F16 or BF16",
            key=key,
            method=_method(config[key]),
        )


def _method(quantization: Any) -> Phrase:
    """What made the codes, by quant_method or, where that is missing, by what else is there."""
    if not isinstance(quantization, Mapping):
        return Phrase("method {value}", {"value": literal(quantization)})
    if "quant_method" in quantization:
        return Phrase("method {value}", {"value": literal(quantization["quant_method"])})
    for mark, kind in _QUANTISED_BY.items():
        if mark in quantization:
            return Phrase(
                "a file of {kind}; {mark} = {value}, no quant_method",
                {"kind": kind, "mark": mark, "value": literal(quantization[mark])},
            )
    return Phrase(
        "of an unknown kind, with {keys}", {"keys": literal(sorted(map(str, quantization)))}
    )
