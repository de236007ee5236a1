"""Where config.json and the tensors of a checkpoint contradict each other."""

from collections.abc import Mapping
from typing import Any

from attncli.errors import AttncliError
from attncli.families.left_out import left_out
from attncli.weights.params import Params


def refuse_left_out(config: Mapping[str, Any], params: Params) -> None:
    """Raises AttncliError for a tensor in the file that a value of config.json switches off."""
    names = frozenset(params.tensors.names())
    for lacking in left_out(config):
        if (name := params.prefix + lacking.name) in names:
            raise AttncliError(
                f"config.json says {lacking.key} = {lacking.value!r}, which is a model without "
                f"{lacking.role}, but the weights hold {name}: correct {lacking.key} in config.json"
            )
