"""A file with the article's own matrices: W_Q, W_K, W_V and whatever else is at hand."""

import math
from collections.abc import Collection, Sequence
from pathlib import Path

from attncli.attention import Array
from attncli.errors import AttncliError
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.weights.random_tensors import seeded_rows
from attncli.weights.tensors import Tensors, matrix_shape

_REQUIRED = ("W_Q", "W_K", "W_V")
_OPTIONAL = ("W_O", "b_Q", "b_K", "b_V", "b_O", "E", "X")


class WithSeededE:
    """Tensors whose E, the vectors of the vocabulary, is made from a seed (docs/weights.md)."""

    def __init__(self, tensors: Tensors, spec: Spec, seed: int) -> None:
        self._tensors = tensors
        self._shape = spec.shape("E")
        self._seed = seed

    def names(self) -> Collection[str]:
        return {"E", *self._tensors.names()}

    def shape(self, name: str) -> tuple[int, ...]:
        return self._shape if name == "E" else self._tensors.shape(name)

    def storage(self, name: str) -> str:
        return "seeded random" if name == "E" else self._tensors.storage(name)

    def read(self, name: str, rows: Sequence[int] | None = None) -> Array:
        if name != "E":
            return self._tensors.read(name, rows)
        return seeded_rows(
            self._seed, range(self._shape[0]) if rows is None else rows, *self._shape[1:]
        )

    def close(self) -> None:
        self._tensors.close()


def holds_matrices(tensors: Tensors) -> bool:
    """Whether a file has any of the matrices that are needed, by their names in the article."""
    return any(name in tensors.names() for name in _REQUIRED)


def matrices_spec(path: Path, tensors: Tensors, n_heads: int | None, n_vocab: int) -> Spec:
    """The Spec of one attention layer, read off the shapes of its matrices.

    W_Q is (d_model, d_k) for one head, (d_model, h d_k) with `n_heads` = h, or (h, d_model, d_k).
    `n_vocab` is the size of the vocabulary where the file has no E.

    Raises AttncliError for missing or unknown names and for shapes that do not fit together.
    """
    names = set(tensors.names())
    if missing := [name for name in _REQUIRED if name not in names]:
        raise AttncliError(
            "{file} has no {missing}: a file of matrices needs {required} (found: {there})",
            file=quoted(path.name),
            missing=", ".join(missing),
            required=", ".join(_REQUIRED),
            there=", ".join(map(quoted, sorted(names)[:8])) or Phrase("nothing"),
        )
    if unknown := sorted(names.difference(_REQUIRED, _OPTIONAL)):
        raise AttncliError(
            "{file} has {unknown}, which attncli does not know; the names are {known}",
            file=quoted(path.name),
            unknown=", ".join(map(quoted, unknown[:8])),
            known=", ".join(_REQUIRED + _OPTIONAL),
        )
    h, d_model, d_k = _split(path, "W_Q", tensors.shape("W_Q"), n_heads)
    _, _, d_v = _split(path, "W_V", tensors.shape("W_V"), h)
    seeded = "E" not in names
    return Spec(
        family="matrices",
        n_layers=1,
        n_heads=h,
        n_kv_heads=h,
        d_model=d_model,
        d_k=d_k,
        d_v=d_v,
        d_mlp=0,
        n_vocab=n_vocab if seeded else matrix_shape(path, tensors, "E")[0],
        names={name: name for name in (*names - {"X"}, "E")},
        layout="heads" if len(tensors.shape("W_Q")) == 3 else "in_out",
        embed_scale=math.sqrt(d_model) if seeded else 1.0,
    )


def _split(
    path: Path, name: str, shape: tuple[int, ...], n_heads: int | None
) -> tuple[int, int, int]:
    """(h, d_model, d) of a projection's shape."""
    if len(shape) == 3 and 0 not in shape and n_heads in (None, shape[0]):
        return shape[0], shape[1], shape[2]
    h = n_heads or 1
    if len(shape) != 2 or 0 in shape or shape[1] % h:
        raise AttncliError(
            "{name} in {file} has the shape {shape}, which does not give {count} head{s}; it must "
            "be (d_model, d_k), (d_model, h d_k) with `n_heads` h, or (h, d_model, d_k)",
            name=name,
            file=quoted(path.name),
            shape=quoted(shape),
            count=h,
        )
    return h, shape[0], shape[1] // h
