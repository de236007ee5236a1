"""JSON of a model as it is stored (docs/json.md)."""

import json
from dataclasses import asdict, fields, is_dataclass
from typing import Any

from attncli import __version__
from attncli.exports.tokens_document import tokenizer_fields
from attncli.families.spec import Spec
from attncli.text.tokenizer import Tokenizer
from attncli.weights.inventory import Inventory, TensorEntry

SCHEMA = "attncli.info/1"
_PLACES = ("names", "prefixes", "aliases", "layer_names", "absent")  # of the tensors in the file


def inventory_to_json(inventory: Inventory) -> str:
    """The whole document; it ends with one line feed."""
    tokenizer = inventory.tokenizer
    document = {
        "schema": SCHEMA,
        "attncli": __version__,
        "name": inventory.name,
        "source": str(inventory.source),
        "problem": None if inventory.problem is None else str(inventory.problem),
        "notes": [str(note) for note in inventory.notes],
        "ignored_keys": list(inventory.ignored_keys),
        "special": inventory.special,
        "spec": None if inventory.spec is None else _spec(inventory.spec),
        "file": inventory.file,
        "ignored_files": list(inventory.ignored_files),
        "layers": inventory.layers,
        "parameters": inventory.parameters,
        "storage": inventory.storage,
        "compute_type": "float32",
        "dropout": False,
        "prefix": inventory.prefix,
        "old_norm_names": inventory.old_norm_names,
        "used": [_entry(entry) for entry in inventory.used],
        "unused": [_entry(entry) for entry in inventory.unused],
        "missing": [str(each) for each in inventory.missing],
        "tokenizer": tokenizer_fields(tokenizer) if isinstance(tokenizer, Tokenizer) else None,
    }
    return json.dumps(document, indent=1) + "\n"


def _spec(spec: Spec) -> dict[str, Any]:
    """Every switch, and the decoder's; not where the tensors are."""
    values = {field.name: getattr(spec, field.name) for field in fields(spec)}
    switches = {k: _switch(v) for k, v in values.items() if k not in _PLACES}
    switches["scale"], reason = spec.layer_scale(0)
    switches["scale_reason"] = str(reason)
    return switches


def _switch(value: Any) -> Any:
    """A value as JSON has it: a list for what differs by layer, an object for what has parts."""
    if isinstance(value, Spec):
        return _spec(value)
    if isinstance(value, tuple):
        return [_switch(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {"type": type(value).__name__.lower(), **asdict(value)}
    return value


def _entry(entry: TensorEntry) -> dict[str, Any]:
    return {"name": entry.name, "shape": list(entry.shape), "storage": entry.storage}
