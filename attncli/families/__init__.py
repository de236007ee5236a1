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
from attncli.families.config import Config
from attncli.families.spec import Spec


@dataclass(frozen=True)
class Record:
    """A family: how to make its Spec, and what a missing or renamed key of config.json means."""

    make: Callable[[Config], Spec]
    defaults: Mapping[str, Any]
    aliases: Mapping[str, str]
    ignores: tuple[str, ...]
    special: str  # what sets it apart, in a few words for docs/families.md


_RECORDS: dict[str, Record] = {}
_NOT_RECORDS = {"config", "layer_types", "names", "rope", "spec"}


def family(
    *model_types: str,
    special: str,
    defaults: Mapping[str, Any] | None = None,
    aliases: Mapping[str, str] | None = None,
    ignores: tuple[str, ...] = (),
) -> Callable[[Callable[[Config], Spec]], Callable[[Config], Spec]]:
    """Registers a record under the `model_type`s that it understands.

    `defaults` are those of the configuration class in transformers: they count for keys that
    config.json leaves out. `aliases` maps other names of a key to the one that the record reads,
    `ignores` lists keys of published files that the class does not use.
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
            f"nearest: {', '.join(near)}; docs/contributing.md says how to add a family"
        )
    _refuse_quantised(config)
    record = known[model_type]
    read = Config(config, record.defaults, record.aliases)
    spec = record.make(read)
    read.refuse_unread(record.ignores)
    return spec


def _refuse_quantised(config: Mapping[str, Any]) -> None:
    """Raises AttncliError for a checkpoint whose numbers are codes to be decoded."""
    method = config.get("quantization_config")
    if method:
        name = method.get("quant_method", "unknown") if isinstance(method, Mapping) else method
        raise AttncliError(
            f"config.json has quantization_config (method {name!r}): quantised checkpoints are "
            f"not supported; use the original in F32, F16 or BF16"
        )
