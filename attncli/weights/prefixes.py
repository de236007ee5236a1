"""What comes before the tensor names of a model in a file: its place in a larger one, wrappers."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from attncli.errors import AttncliError
from attncli.families.spec import Spec
from attncli.text.printable import quoted

_WRAPPERS = (
    "module",  # torch's DataParallel and DistributedDataParallel
    "_orig_mod",  # torch.compile
    "_forward_module",  # Lightning Fabric
    *("model", "net", "network"),  # the usual attributes of a Lightning module
    "0.auto_model",  # sentence-transformers
    "transformer",  # some task heads of transformers, such as LlamaForQuestionAnswering
)
_WRAPPED = re.compile(rf"(?:(?:{'|'.join(map(re.escape, _WRAPPERS))})\.)*")


@dataclass(frozen=True)
class Prefix:
    """`full` comes before every name of the model, `wrapper` is that part of it which is not
    the family's own: `module.` of `module.bert.`.
    """

    full: str
    wrapper: str


def find_prefix(spec: Spec, names: Collection[str]) -> Prefix:
    """Where the model is: bare, as `bert.` under a task's head, and under any nesting of wrappers.

    The family's usual prefix if it is nowhere. AttncliError if the file holds two models.
    """
    probe = spec.names["W_QKV" if "W_QKV" in spec.names else "W_Q"]
    probe = probe.format(i=spec.layer_names[0] if spec.layer_names else 0)
    starts = [name.removesuffix(probe) for name in names if name.endswith(probe)]
    found = [prefix for start in starts if (prefix := _split(start, spec.prefixes))]
    if len(found) > 1:
        first, second = sorted(found, key=lambda prefix: prefix.full)[:2]
        raise AttncliError(
            "the weights hold two models: {first} and {second}; keep one of them in the file",
            first=quoted(first.full + probe),
            second=quoted(second.full + probe),
        )
    return found[0] if found else Prefix(spec.prefixes[-1], "")


def _split(start: str, own: Collection[str]) -> Prefix | None:
    """The prefix that a name starts with; None if it is not the family's, wrapped or not."""
    for prefix in sorted(own, key=len, reverse=True):
        wrapper = start.removesuffix(prefix)
        if start.endswith(prefix) and _WRAPPED.fullmatch(wrapper):
            return Prefix(start, wrapper)
    return None
