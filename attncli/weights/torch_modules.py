"""State dicts of torch's own modules, as people who train a model themselves save them.

nn.MultiheadAttention, nn.TransformerEncoderLayer and nn.TransformerEncoder
(https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html), alone or
inside a larger model. The file says neither the number of heads, nor where the norms stand, nor
the activation: who loads it has to know.
"""

import math
import re
from collections.abc import Collection
from pathlib import Path

from attncli.errors import AttncliError, UsageError
from attncli.families.names import Names, linears, norms
from attncli.families.spec import Spec
from attncli.layers import ACTIVATIONS
from attncli.text.printable import quoted
from attncli.weights.tensors import Tensors, matrix_shape

_LAYER = re.compile(r"(?P<before>(?:.*\.)?)layers\.0\.self_attn\.in_proj_weight")
_ONE_LAYER = re.compile(r"(?P<before>(?:.*\.)?)self_attn\.in_proj_weight")
_ATTENTION = re.compile(r"(?P<before>(?:.*\.)?)in_proj_weight")


def holds_torch_module(tensors: Tensors) -> bool:
    """Whether a file has the parameters of nn.MultiheadAttention, alone or inside a module."""
    return any(_ATTENTION.fullmatch(name) for name in tensors.names())


def torch_spec(
    path: Path,
    tensors: Tensors,
    n_heads: int | None,
    n_vocab: int,
    *,
    norm_first: bool = False,
    activation: str = "relu",
) -> Spec | None:
    """The Spec of the torch module in a file, or None if there is none.

    Raises AttncliError for several modules in one file and for what attncli does not compute,
    UsageError if `n_heads` is missing or does not divide the width.
    """
    names = frozenset(tensors.names())
    stem, n_layers = _find(path, names)
    if stem is None:
        return None
    for extra in ("bias_k", "bias_v"):
        if any(name.endswith(extra) for name in names):
            raise AttncliError(
                "{file} has {name}: attncli does not add a key to a sentence",
                file=quoted(path.name),
                name=extra,
            )
    attention = stem if n_layers == 0 else f"{stem}self_attn."
    _, d_model = matrix_shape(path, tensors, attention.format(i=0) + "in_proj_weight")
    if not n_heads:
        raise UsageError(
            "{file} does not say how many heads it has: give `n_heads`", file=quoted(path.name)
        )
    if d_model % n_heads:
        raise UsageError(
            "`n_heads` {n_heads} does not divide d_model {d_model} of {file}",
            n_heads=n_heads,
            d_model=d_model,
            file=quoted(path.name),
        )
    if activation not in ACTIVATIONS:
        raise UsageError(
            "`activation` {activation} is not known; there are {known}",
            activation=quoted(activation),
            known=", ".join(ACTIVATIONS),
        )
    found = (
        _names(stem, attention, norm_first, names) if n_layers else _projections(attention, names)
    )
    hidden = found.get("W_1", "").format(i=0)
    seeded = "E" not in names
    return Spec(
        family="torch",
        n_layers=max(n_layers, 1),
        n_heads=n_heads,
        n_kv_heads=n_heads,
        d_model=d_model,
        d_k=d_model // n_heads,
        d_v=d_model // n_heads,
        d_mlp=matrix_shape(path, tensors, hidden)[0] if hidden in names else 0,
        n_vocab=n_vocab if seeded else matrix_shape(path, tensors, "E")[0],
        names={**found, "E": "E"},
        embed_scale=math.sqrt(d_model) if seeded else 1.0,
        activation=activation,
        norm_eps=1e-5,
    )


def _find(path: Path, names: Collection[str]) -> tuple[str | None, int]:
    """What stands before a layer's names, and how many layers there are; 0: attention alone."""
    for pattern, template in ((_LAYER, "layers.{i}."), (_ONE_LAYER, ""), (_ATTENTION, "")):
        befores = [match["before"] for name in names if (match := pattern.fullmatch(name))]
        if len(befores) > 1:
            first, second = (quoted(f"{before}in_proj_weight") for before in sorted(befores)[:2])
            raise AttncliError(
                "{file} holds several attention modules, such as {first} and {second}; keep one of "
                "them in the file",
                file=quoted(path.name),
                first=first,
                second=second,
            )
        if befores:
            stem = befores[0].replace("{", "{{").replace("}", "}}") + template
            if pattern is _ATTENTION:
                return stem, 0
            count = 1
            while template and stem.format(i=count) + "self_attn.in_proj_weight" in names:
                count += 1
            return stem, count
    return None, 0


def _projections(attention: str, names: Collection[str]) -> Names:
    found = {"W_QKV": f"{attention}in_proj_weight", "b_QKV": f"{attention}in_proj_bias"}
    found |= linears({"W_O": "out_proj"}, attention)
    return {role: name for role, name in found.items() if name.format(i=0) in names}


def _names(stem: str, attention: str, norm_first: bool, names: Collection[str]) -> Names:
    """The roles of an encoder layer; a bias that the file lacks was switched off in the module."""
    at = "pre_" if norm_first else ""
    found = {
        **_projections(attention, names),
        **linears({"W_1": "linear1", "W_2": "linear2"}, stem),
        **norms({f"{at}attention": "norm1", f"{at}mlp": "norm2"}, stem),
        **norms({"final": "norm"}, stem.removesuffix("layers.{i}.")),
    }
    may_lack = {
        role for role in found if role.startswith(("b_", "final")) or role.endswith(".bias")
    }
    return {
        role: name
        for role, name in found.items()
        if role not in may_lack or name.format(i=0) in names
    }
