"""The parameters of a model by their role, read when they are asked for."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from heapq import nlargest

import numpy as np
import numpy.typing as npt

from attncli.attention import Array
from attncli.errors import AttncliError
from attncli.families.spec import Spec
from attncli.text.printable import quoted
from attncli.trace import Projections
from attncli.weights.fused import split_halves, split_qkv
from attncli.weights.prefixes import find_prefix
from attncli.weights.tensors import Tensors

_OLD_NORM_NAMES = {".weight": ".gamma", ".bias": ".beta"}  # as BERT's first files call them
_COMPARED = 300  # names in which neighbours of a missing one are looked for
_LONG = 300  # characters of a name that is none
_CODED = (".qweight", ".qzeros", ".SCB", ".weight_scale", ".weight_scale_inv", ".absmax")


class Params:
    """Roles (families/spec.py) to arrays; matrices as (in, out), whatever the file holds.

    `prefix` is what comes before every name in the file; `wrapper` is the part of it that is not
    the family's own. Every method raises AttncliError for a
    tensor that is missing, misshapen or not finite.
    """

    def __init__(self, spec: Spec, tensors: Tensors, dtype: npt.DTypeLike = np.float32) -> None:
        self.spec = spec
        self.tensors = tensors
        self.dtype = np.dtype(dtype)
        self._names = frozenset(tensors.names())
        _refuse_quantised(self._names)
        prefix = find_prefix(spec, self._names)
        self.prefix, self.wrapper = prefix.full, prefix.wrapper

    def decoder(self) -> "Params":
        """The parameters of the second stack. Raises AttncliError if the model has none."""
        if self.spec.decoder is None:
            raise AttncliError(f"{self.spec.family} has no decoder: it is one stack of layers")
        return Params(self.spec.decoder, self.tensors, self.dtype)

    def has(self, role: str, layer: int | None = None) -> bool:
        """Whether the model has this role, in this layer."""
        return role in self.spec.names and (role, layer) not in self.spec.absent

    def candidates(self, role: str, layer: int | None = None, item: int | None = None) -> list[str]:
        """Every name that a role's tensor may have in the file, the usual one first."""
        stored = (
            self.spec.layer_names[layer] if self.spec.layer_names and layer is not None else layer
        )
        name = self.prefix + self.spec.names[role].format(i=stored, item=item)
        # a head's own name, for a tied tensor, comes after the wrapper alone
        starts = dict.fromkeys((self.prefix, self.wrapper))
        aliases = (self.spec.aliases or {}).get(role, ())
        old = [
            name.removesuffix(new) + old
            for new, old in _OLD_NORM_NAMES.items()
            if role.endswith(f"_norm{new}")
        ]
        return [name, *(start + alias for alias in aliases for start in starts), *old]

    def find(
        self,
        role: str,
        layer: int | None = None,
        item: int | None = None,
        *,
        neighbours: bool = True,
    ) -> str:
        """The name of a role's tensor in the file, which has the right shape; reads no values.

        The error for a missing one names its `neighbours`, for which all names are gone through.
        """
        candidates = self.candidates(role, layer, item)
        name = next((name for name in candidates if name in self._names), None)
        if name is None:
            where = "" if layer is None else f"layer {layer}: "
            near = _nearest(candidates[0], self._names) if neighbours else []
            hint = f"; nearest: {', '.join(map(quoted, near))}" if near else ""
            raise AttncliError(f"{where}{role} not found: no tensor {quoted(candidates[0])}{hint}")
        own = "{item}" in self.spec.names[role] and role.endswith((".weight", ".bias"))
        expected, found = self.spec.stored_shape(role)[1 if own else 0 :], self.tensors.shape(name)
        if found != expected:
            raise AttncliError(
                f"{quoted(name)} has the shape {quoted(found)}; "
                f"{role} of this model needs {expected}"
            )
        return name

    def get(self, role: str, layer: int | None = None, item: int | None = None) -> Array:
        """A role's whole tensor; of the experts' and heads' own tensors number `item`, or all."""
        template = self.spec.names[role]
        if "{item}" in template and item is None:
            return np.stack([self.get(role, layer, i) for i in range(self.spec.shape(role)[0])])
        stored = self.tensors.read(self.find(role, layer, item))
        return self._in_out(stored, role).astype(self.dtype, copy=False)

    def optional(
        self, role: str, layer: int | None = None, item: int | None = None
    ) -> Array | None:
        """A role's whole tensor; None where the model does not have that role."""
        return self.get(role, layer, item) if self.has(role, layer) else None

    def rows(self, role: str, index: Sequence[int]) -> Array:
        """Rows of a table (E, P, T) by number: (len(index), d_model)."""
        return self.tensors.read(self.find(role), rows=index).astype(self.dtype, copy=False)

    def norm(self, role: str, layer: int | None = None) -> tuple[Array, Array | None]:
        """Weight and bias of a norm; where the model multiplies by 1 + weight, that sum."""
        weight = self.get(f"{role}.weight", layer)
        if self.spec.norm_plus_one:
            weight = weight + weight.dtype.type(1)
        return weight, self.optional(f"{role}.bias", layer)

    def projections(self, layer: int, cross: bool = False) -> Projections:
        """The parameters of one layer's attention, or of its attention to the encoder."""
        of = "cross." if cross else ""
        W: dict[str, Array] = {}
        b: dict[str, Array | None] = {}
        if self.has(f"{of}W_QKV"):
            W["Q"], W["K"], W["V"] = split_qkv(self.get(f"{of}W_QKV", layer), self.spec)
            if (fused := self.optional(f"{of}b_QKV", layer)) is not None:
                b["Q"], b["K"], b["V"] = split_qkv(fused, self.spec)
        else:
            for x in "QKV":
                W[x], b[x] = self.get(f"{of}W_{x}", layer), self.optional(f"{of}b_{x}", layer)
        return Projections(
            W_Q=W["Q"],
            W_K=W["K"],
            W_V=W["V"],
            W_O=self.optional(f"{of}W_O", layer),
            b_Q=b.get("Q"),
            b_K=b.get("K"),
            b_V=b.get("V"),
            b_O=self.optional(f"{of}b_O", layer),
        )

    def linear(
        self, part: str, layer: int | None = None, item: int | None = None
    ) -> tuple[Array, Array | None]:
        """W and b of one step: of "1" or "2" of the MLP, "E" of the embeddings, ..."""
        return self.get(f"W_{part}", layer, item), self.optional(f"b_{part}", layer, item)

    def gated(self, layer: int) -> tuple[tuple[Array, Array], tuple[Array | None, Array | None]]:
        """(W_1, W_up) and (b_1, b_up) of an MLP that stores them side by side."""
        W, b = self.linear("1_up", layer)
        return split_halves(W), (None, None) if b is None else split_halves(b)

    def _in_out(self, stored: Array, role: str) -> Array:
        """A matrix as (in, out), the heads' columns side by side; other tensors as they are."""
        if self.spec.layout == "heads" and stored.ndim == 3:
            return stored.transpose(1, 0, 2).reshape(stored.shape[1], -1)
        transposed = self.spec.layout == "out_in" and role.removeprefix("cross.").startswith("W_")
        return stored.T if transposed else stored


def _nearest(name: str, names: Collection[str]) -> list[str]:
    """Similar names, looked for among those that have the most parts in common with it.

    To compare all letters of 50,000 names takes seconds.
    """
    parts = set(name.split("."))
    short = (each for each in names if len(each) <= _LONG)
    related = nlargest(_COMPARED, short, key=lambda n: (len(parts.intersection(n.split("."))), n))
    return get_close_matches(name, related, n=3)


def _refuse_quantised(names: frozenset[str]) -> None:
    """AttncliError if the matrices are codes (GPTQ, AWQ, bitsandbytes, FP8 with scales)."""
    if coded := sorted(name for name in names if name.endswith(_CODED)):
        raise AttncliError(
            f"the weights hold {quoted(coded[0])}: quantised checkpoints are not supported; "
            f"use the original in F32, F16 or BF16"
        )
