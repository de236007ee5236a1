"""JSON of a model as it is stored (docs/json.md)."""

import json
from dataclasses import fields
from typing import Any

from attncli import __version__
from attncli.exports.tokens_document import tokenizer_fields
from attncli.families.spec import Spec
from attncli.text.tokenizer import Tokenizer
from attncli.weights.inventory import Inventory, TensorEntry

SCHEMA = "attncli.info/1"


def inventory_to_json(inventory: Inventory) -> str:
    """The whole document; it ends with one line feed."""
    tokenizer = inventory.tokenizer
    document = {
        "schema": SCHEMA,
        "attncli": __version__,
        "name": inventory.name,
        "source": inventory.source,
        "problem": inventory.problem,
        "notes": list(inventory.notes),
        "spec": None if inventory.spec is None else _spec(inventory.spec),
        "parameters": inventory.parameters,
        "storage": inventory.storage,
        "compute_type": "float32",
        "dropout": False,
        "prefix": inventory.prefix,
        "old_norm_names": inventory.old_norm_names,
        "used": [_entry(entry) for entry in inventory.used],
        "unused": [_entry(entry) for entry in inventory.unused],
        "missing": list(inventory.missing),
        "tokenizer": tokenizer_fields(tokenizer) if isinstance(tokenizer, Tokenizer) else None,
    }
    return json.dumps(document, indent=1) + "\n"


def _spec(spec: Spec) -> dict[str, Any]:
    """Every switch that is a plain value."""
    values = {field.name: getattr(spec, field.name) for field in fields(spec)}
    return {k: v for k, v in values.items() if isinstance(v, str | int | float | None)}


def _entry(entry: TensorEntry) -> dict[str, Any]:
    return {"name": entry.name, "shape": list(entry.shape), "storage": entry.storage}
