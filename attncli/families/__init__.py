"""Model families: each is one short record that turns a config.json into a Spec.

A family is found by its `model_type`; a new one is one function in one file of this folder.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from attncli.errors import AttncliError
from attncli.families.config import Config
from attncli.families.spec import Spec

_RECORDS: dict[str, Callable[[Config], Spec]] = {}
_NOT_RECORDS = {"config", "spec"}


def family(*model_types: str) -> Callable[[Callable[[Config], Spec]], Callable[[Config], Spec]]:
    """Registers a record under the `model_type`s that it understands."""

    def register(record: Callable[[Config], Spec]) -> Callable[[Config], Spec]:
        _RECORDS.update(dict.fromkeys(model_types, record))
        return record

    return register


def records() -> Mapping[str, Callable[[Config], Spec]]:
    """Every record by model_type, from all modules of this folder."""
    for module in pkgutil.iter_modules(__path__):
        if module.name not in _NOT_RECORDS:
            importlib.import_module(f"{__name__}.{module.name}")
    return _RECORDS


def spec_from_config(config: Mapping[str, Any]) -> Spec:
    """The Spec of a config.json.

    Raises AttncliError for a model_type that no record knows, for a missing or senseless value,
    and for a key that no record handles: it could change the arithmetic.
    """
    model_type = config.get("model_type")
    known = records()
    if not isinstance(model_type, str) or model_type not in known:
        near = get_close_matches(str(model_type), known, n=3, cutoff=0.4) or sorted(known)
        raise AttncliError(
            f"config.json says model_type {model_type!r}, which attncli does not know; "
            f"nearest: {', '.join(near)}"
        )
    read = Config(config)
    spec = known[model_type](read)
    read.refuse_unread()
    return spec
