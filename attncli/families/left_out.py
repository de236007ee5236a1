"""What a config.json leaves out: the tensors that the model had if one key said something else."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from attncli.errors import AttncliError
from attncli.families import read_spec
from attncli.families.spec import Spec


@dataclass(frozen=True)
class LeftOut:
    """A role that a model lacks because config.json says `key` = `value`.

    `name` is that of its tensor, of the first layer where it has layers, without a prefix.
    """

    key: str
    value: Any
    role: str
    name: str


def left_out(config: Mapping[str, Any]) -> Iterator[LeftOut]:
    """Every role that one switch of a config.json leaves out.

    Raises AttncliError where `read_spec` does.
    """
    reading = read_spec(config)
    here = _first_names(reading.spec)
    for key, value, other in reading.variants:
        with suppress(AttncliError):
            for role, name in _first_names(read_spec(other).spec).items():
                if role not in here and name not in here.values():
                    yield LeftOut(key, value, role, name)


def _first_names(spec: Spec) -> dict[str, str]:
    """The tensors by role, of the first layer and its first expert or head."""
    first = spec.layer_names[0] if spec.layer_names else 0
    return {
        role: name.format(i=first, item=0)
        for role, name in spec.names.items()
        if (role, 0) not in spec.absent
    }
