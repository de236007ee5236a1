"""The parameters of a model by their role, read when they are asked for."""

from collections.abc import Sequence
from difflib import get_close_matches

from attncli.attention import Array
from attncli.errors import AttncliError
from attncli.families.spec import Spec
from attncli.trace import Projections
from attncli.weights.tensors import Tensors

_OLD_NORM_NAMES = {".weight": ".gamma", ".bias": ".beta"}  # as BERT's first files call them


class Params:
    """Roles (families/spec.py) to float32 arrays; matrices as (in, out), whatever the file holds.

    `prefix` is what stands before every name in the file. Every method raises AttncliError for a
    tensor that is missing, misshapen or not finite.
    """

    def __init__(self, spec: Spec, tensors: Tensors) -> None:
        self.spec = spec
        self.tensors = tensors
        self.prefix = _find_prefix(spec, tensors)

    def has(self, role: str) -> bool:
        """Whether the model has this role at all."""
        return role in self.spec.names

    def find(self, role: str, layer: int | None = None) -> str:
        """The name of a role's tensor in the file, which has the right shape; reads no values."""
        name = self._name(role, layer)
        self._check_shape(name, role)
        return name

    def get(self, role: str, layer: int | None = None) -> Array:
        """A role's whole tensor."""
        return _in_out(self.tensors.read(self.find(role, layer)), role, self.spec)

    def optional(self, role: str, layer: int | None = None) -> Array | None:
        """A role's whole tensor; None where the model does not have that role."""
        return self.get(role, layer) if self.has(role) else None

    def rows(self, role: str, index: Sequence[int]) -> Array:
        """Rows of a table (E, P, T) by number: (len(index), d_model)."""
        return self.tensors.read(self.find(role), rows=index)

    def norm(self, role: str, layer: int | None = None) -> tuple[Array, Array]:
        """Weight and bias of a norm: (d_model,) each."""
        return self.get(f"{role}.weight", layer), self.get(f"{role}.bias", layer)

    def projections(self, layer: int) -> Projections:
        """The parameters of one layer's attention."""
        return Projections(
            W_Q=self.get("W_Q", layer),
            W_K=self.get("W_K", layer),
            W_V=self.get("W_V", layer),
            W_O=self.optional("W_O", layer),
            b_Q=self.optional("b_Q", layer),
            b_K=self.optional("b_K", layer),
            b_V=self.optional("b_V", layer),
            b_O=self.optional("b_O", layer),
        )

    def _name(self, role: str, layer: int | None) -> str:
        """The name that the file has for a role."""
        role, dot, part = role.partition(".")
        name = self.prefix + self.spec.names[role].format(i=layer) + dot + part
        names = self.tensors.names()
        if name in names:
            return name
        old = name.removesuffix(dot + part) + _OLD_NORM_NAMES.get(dot + part, dot + part)
        if old in names:
            return old
        where = "" if layer is None else f"layer {layer}: "
        near = get_close_matches(name, names, n=3)
        hint = f"; nearest: {', '.join(near)}" if near else ""
        raise AttncliError(f"{where}{role}{dot}{part} not found: no tensor {name}{hint}")

    def _check_shape(self, name: str, role: str) -> None:
        expected, found = self.spec.stored_shape(role), self.tensors.shape(name)
        if found != expected:
            raise AttncliError(
                f"{name} has the shape {found}; {role} of this model needs {expected}"
            )


def _in_out(stored: Array, role: str, spec: Spec) -> Array:
    """A matrix as (in, out), the heads' columns side by side; other tensors as they are."""
    if stored.ndim == 3:
        return stored.transpose(1, 0, 2).reshape(stored.shape[1], -1)
    return stored.T if spec.layout == "out_in" and role.startswith("W_") else stored


def _find_prefix(spec: Spec, tensors: Tensors) -> str:
    """What stands before every name: nothing in a bare model, `bert.` under a task's head."""
    probe = spec.names.get("E", spec.names["W_Q"]).format(i=0)
    names = tensors.names()
    fitting = [prefix for prefix in spec.prefixes if prefix + probe in names]
    if len(fitting) > 1:
        both = " and ".join(prefix + probe for prefix in fitting)
        raise AttncliError(f"the weights hold two models: {both}; keep one of them in the file")
    return fitting[0] if fitting else spec.prefixes[-1]
