"""A tensor as it lies in a file, and its values as float32.

Bytes are read, not mapped: it takes the same time (90 MB: 45 ms either way), and a file that
is cut short or a disk that fails meanwhile is an error to report, where a map ends in SIGBUS.
"""

import io
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from attncli.attention import Array
from attncli.errors import AttncliError

Stream = io.RawIOBase | io.BufferedIOBase

# What can be computed with, and the numpy type of its bytes. numpy has no bfloat16: it is
# the upper half of a float32, read as raw bits.
FLOATS = {"F64": "f8", "F32": "f4", "F16": "f2", "BF16": "u2"}


@dataclass(frozen=True)
class Stored:
    """How a tensor lies in a stream of bytes.

    `storage` is the number format by its name in safetensors (F16, BF16, I64), `offset` the
    place of the first byte, `byte_order` < or > as in numpy; `columns_first` is Fortran order.
    """

    storage: str
    shape: tuple[int, ...]
    offset: int
    byte_order: str = "<"
    columns_first: bool = False


def shorten(name: str, width: int = 100) -> str:
    """A name from a file, its middle left out where it is longer than `width`."""
    return name if len(name) <= width else f"{name[: width - 30]}...{name[-27:]}"


def missing(name: str, names: Collection[str], where: str) -> AttncliError:
    """The error for a name that is not there, with up to three that look like it."""
    from difflib import get_close_matches

    near = ", ".join(shorten(close) for close in get_close_matches(name, names, 3))
    hint = f"near names: {near}" if near else f"none of its {len(names)} names is near"
    return AttncliError(f"{shorten(name)} is not in {where} ({hint})")


def check_shape(shape: Sequence[int]) -> None:
    """ValueError for a shape that numpy cannot hold even if it has no elements."""
    impossible = (
        len(shape) > 32
        or min(shape, default=0) < 0
        or math.prod(max(length, 1) for length in shape) >= 2**60
    )
    if impossible:
        raise ValueError(f"shape {shorten(str(list(shape)))} is impossible")


def _check_readable(name: str, tensor: Stored, rows: Sequence[int] | None) -> None:
    """AttncliError if these are not floating-point numbers or a row does not exist."""
    if tensor.storage not in FLOATS:
        quantised = tensor.storage.startswith(("F4", "F6", "F8"))
        what = "" if quantised else ", not floating-point numbers"
        raise AttncliError(
            f"{shorten(name)} is {shorten(tensor.storage)}{what}; quantised checkpoints are not "
            "supported: it has to be F64, F32, F16 or BF16"
        )
    length = tensor.shape[0] if tensor.shape else 0
    for row in () if rows is None else rows:
        if not 0 <= row < length:
            raise AttncliError(f"{shorten(name)} has {length} rows, counted from 0: no row {row}")


def _fill(stream: Stream, values: npt.NDArray[Any]) -> None:
    """Fill a C-contiguous array with the bytes that come next. EOFError if there are too few."""
    left = values.reshape(-1).view(np.uint8).data
    while left:
        got = stream.readinto(left)  # at most 2 GB at a time on Linux
        if not got:
            raise EOFError
        left = left[got:]


def _read_raw(stream: Stream, tensor: Stored, rows: list[int] | None) -> npt.NDArray[Any]:
    """The tensor, or its rows in ascending order, as stored; of other rows nothing is read."""
    dtype = np.dtype(tensor.byte_order + FLOATS[tensor.storage])
    if rows is None or tensor.columns_first:
        values = np.empty(math.prod(tensor.shape), dtype)
        stream.seek(tensor.offset)
        _fill(stream, values)
        values = values.reshape(tensor.shape, order="F" if tensor.columns_first else "C")
        return values if rows is None else values[rows]
    values = np.empty((len(rows), *tensor.shape[1:]), dtype)
    row_bytes = math.prod(tensor.shape[1:]) * dtype.itemsize
    for place, row in enumerate(rows):
        stream.seek(tensor.offset + row * row_bytes)
        _fill(stream, values[place : place + 1])
    return values


def _to_float32(raw: npt.NDArray[Any], storage: str) -> Array:
    """Any of FLOATS as float32, C-contiguous: exact but for F64, which is rounded."""
    if storage == "BF16":
        raw = np.left_shift(raw, 16, dtype=np.uint32).view(np.float32)
    with np.errstate(over="ignore"):  # F64 beyond float32 becomes inf, which is reported
        return np.asarray(raw, np.float32, order="C")


def _check_finite(name: str, values: Array, rows: Sequence[int] | None) -> None:
    """AttncliError that counts the values which are nan or inf and says where the first is."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # one pass; a nan or inf anywhere would survive the sum
            return
    bad = ~np.isfinite(values)
    count = int(np.count_nonzero(bad))
    if not count:  # only the sum was too large
        return
    first = [int(i) for i in np.unravel_index(bad.argmax(), bad.shape)]
    if rows is not None:
        first[0] = rows[first[0]]
    noun = "values" if count > 1 else "value"
    raise AttncliError(
        f"{shorten(name)} has {count} non-finite {noun} (first at {first}): "
        "the checkpoint is damaged or its training diverged; use another one"
    )


def _read_floats(
    stream: Stream, name: str, tensor: Stored, rows: Sequence[int] | None = None
) -> Array:
    """A tensor, or rows of it in the order asked for, as a float32 copy. See `TensorFile.read`."""
    if rows is None:
        values = _to_float32(_read_raw(stream, tensor, None), tensor.storage)
        _check_finite(name, values, None)
        return values
    wanted, places = np.unique(np.array(rows, np.intp), return_inverse=True)
    values = _to_float32(_read_raw(stream, tensor, wanted.tolist()), tensor.storage)
    _check_finite(name, values, wanted.tolist())
    return values[places]


@dataclass(frozen=True)
class TensorFile:
    """The tensors of one file; a `Tensors`. Arrays are copies: they outlive the open file.

    `stream` gives the bytes that the offset of a tensor counts from.
    """

    label: str
    tensors: Mapping[str, Stored]
    stream: Callable[[str], AbstractContextManager[Stream]]
    close: Callable[[], None]

    def names(self) -> Collection[str]:
        return self.tensors.keys()

    def shape(self, name: str) -> tuple[int, ...]:
        return self.find(name).shape

    def storage(self, name: str) -> str:
        return self.find(name).storage

    def find(self, name: str) -> Stored:
        """How this tensor is stored. AttncliError with near names if it is not there."""
        if name not in self.tensors:
            raise missing(name, self.tensors.keys(), self.label)
        return self.tensors[name]

    def read(self, name: str, rows: Sequence[int] | None = None) -> Array:
        """The values as a C-contiguous float32 copy; of `rows` only these rows of axis 0.

        AttncliError if there is no such tensor or row, if these are not floating-point
        numbers, if a value that was read is not finite, or if the file can no longer be read.
        """
        tensor = self.find(name)
        _check_readable(name, tensor, rows)
        try:
            with self.stream(name) as stream:
                return _read_floats(stream, name, tensor, rows)
        except EOFError:
            problem = f"{self.label} ends inside {shorten(name)}: was it replaced meanwhile?"
        except OSError as error:
            problem = f"{self.label} cannot be read: {error.strerror or error}"
        except MemoryError:
            shape = list(tensor.shape)
            problem = f"{shorten(name)} {shape} as float32 does not fit into memory"
        raise AttncliError(problem)
