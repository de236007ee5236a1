"""Where config.json and the tensors of a checkpoint contradict each other."""

from collections.abc import Mapping
from typing import Any

from attncli.errors import AttncliError
from attncli.families.config import literal
from attncli.families.left_out import left_out
from attncli.text.printable import quoted
from attncli.weights.params import Params


def refuse_left_out(config: Mapping[str, Any], params: Params) -> None:
    """Raises AttncliError for a tensor in the file that a value of config.json switches off."""
    names = frozenset(params.tensors.names())
    for lacking in left_out(config):
        if (name := params.prefix + lacking.name) in names:
            raise AttncliError(
                "config.json says {key} = {value}, which is a model without {role}, but the "
                "weights hold {name}: correct {key} in config.json",
                key=lacking.key,
                value=literal(lacking.value),
                role=lacking.role,
                name=quoted(name),
            )
