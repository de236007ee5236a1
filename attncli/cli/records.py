"""Options that several commands share, as records; a command takes a whole record at once."""

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attncli.cli import options as opt


@dataclass(frozen=True)
class TextOptions:
    """What is read."""

    sentence: opt.Sentence = None
    ids: opt.Ids = None
    pair: opt.Pair = None
    stack: opt.StackName = None
    target: opt.Target = None
    target_ids: opt.TargetIds = None
    causal: opt.Causal = False
    attention_mask: opt.AttentionMask = None


@dataclass(frozen=True)
class OpeningOptions:
    """How weights are opened: the parameters of `load_weights` after the first."""

    seed: opt.Seed = None
    d_model: opt.DModel = None
    n_heads: opt.NHeads = None
    n_layers: opt.NLayers = None
    norm_first: opt.NormFirst = False
    activation: opt.Activation = None
    revision: opt.Revision = None
    offline: opt.Offline = False


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """The command as the command line sees it: in place of a record, its fields are options."""
    parameters: list[inspect.Parameter] = []
    records: dict[str, tuple[Any, list[str]]] = {}  # the parameter's name: its type, the fields
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        record: Any = parameter.annotation
        is_record: bool = dataclasses.is_dataclass(record)
        if not is_record:
            parameters.append(parameter)
            continue
        records[name] = record, [field.name for field in dataclasses.fields(record)]
        fields = inspect.signature(record, eval_str=True).parameters
        parameters += fields.values()

    def spread_out(**given: Any) -> None:
        made = {
            name: record(**{field: given.pop(field) for field in fields})
            for name, (record, fields) in records.items()
        }
        command(**given, **made)

    spread_out.__name__, spread_out.__doc__ = command.__name__, command.__doc__
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    spread_out.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    spread_out.__annotations__ = {each.name: each.annotation for each in parameters}
    return spread_out
