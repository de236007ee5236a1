"""Tensors by name, wherever and however they are stored."""

import stat
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from attncli.attention import Array
from attncli.errors import AttncliError
from attncli.files import reporting
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.weights.file_kinds import KIND_OF_SUFFIX
from attncli.weights.safetensors_file import open_safetensors
from attncli.weights.shards import open_folder
from attncli.weights.stored import StoredTensors

_NO_WEIGHTS = Phrase("not a file of weights: a .safetensors or .npz is needed")


class Tensors(Protocol):
    """Named tensors that are read when they are asked for, as float32 copies.

    Arrays outlive `close`, for which `contextlib.closing` serves. Not for several threads at once.
    """

    def names(self) -> Collection[str]:
        """All names."""

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape, without reading values."""

    def storage(self, name: str) -> str:
        """How the numbers are stored: F64, F32, F16, BF16, or something that `read` refuses."""

    def read(self, name: str, rows: Sequence[int] | None = None) -> Array:
        """The values as C-contiguous float32; of `rows` only these rows of axis 0, in this order.

        Only this is checked to be finite. AttncliError if a row does not exist, if these are no
        floating-point numbers, or if they do not fit into memory. `name` is one of `names`.
        """

    def close(self) -> None:
        """Close every file that is open."""


def matrix_shape(path: Path, tensors: Tensors, name: str) -> tuple[int, int]:
    """(rows, columns) of a matrix. AttncliError that names another tensor, and an empty one."""
    shape = tensors.shape(name)
    if len(shape) != 2 or 0 in shape:
        raise AttncliError(
            "{name} in {file} has the shape {shape}: a matrix with at least one row and one column "
            "is needed",
            name=quoted(name),
            file=quoted(path.name),
            shape=quoted(shape),
        )
    return shape[0], shape[1]


def open_tensors(path: Path) -> Tensors:
    """Open a .safetensors file, an .npz file, or a folder with model.safetensors or its parts.

    AttncliError says what else it is, or what is wrong with it.
    """
    with reporting(path):
        mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        return StoredTensors(open_folder(path))
    suffix = path.suffix.lower()
    if suffix == ".safetensors":
        return StoredTensors(open_safetensors(path))
    if suffix == ".npz":
        from attncli.weights.npz_file import open_npz  # zipfile takes 10 ms to import

        return StoredTensors(open_npz(path))
    kind = KIND_OF_SUFFIX.get(suffix, _NO_WEIGHTS)
    raise AttncliError("{name} is {kind}", name=quoted(path.name), kind=kind)
