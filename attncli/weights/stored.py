"""Tensors as they lie in a file, mapped or in memory, and their values as float32."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from attncli.attention import Array
from attncli.errors import AttncliError
from attncli.text.printable import quoted

# What can be computed with, and as what numpy reads it. numpy has no bfloat16: it is the upper
# half of a float32.
FLOATS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


@dataclass(frozen=True)
class Stored:
    """One tensor: how its numbers are stored, its shape, and how its values are had."""

    storage: str
    shape: tuple[int, ...]
    load: Callable[[], npt.NDArray[Any]]

    @cached_property
    def values(self) -> npt.NDArray[Any]:
        """The numbers; of a safetensors file, if they are not in FLOATS, the bytes."""
        return self.load()


def _check_usable(name: str, tensor: Stored, rows: Sequence[int]) -> None:
    """AttncliError if these are not floating-point numbers or a row does not exist."""
    if tensor.storage not in FLOATS:
        raise AttncliError(
            "{name} is {storage}; quantised checkpoints are not supported: it has to be one of "
            "{known}"
            if tensor.storage.startswith(("F4", "F6", "F8"))
            else "{name} is {storage}, not floating-point numbers; quantised checkpoints are not "
            "supported: it has to be one of {known}",
            name=quoted(name),
            storage=quoted(tensor.storage),
            known=", ".join(FLOATS),
        )
    length = tensor.shape[0] if tensor.shape else 0
    for row in rows:
        if not 0 <= row < length:
            raise AttncliError(
                "{name} has {length} rows, counted from 0: no row {row}",
                name=quoted(name),
                length=length,
                row=row,
            )


def widen_bfloat16(values: npt.NDArray[Any]) -> Array:
    """A C-contiguous float32 copy of bfloat16 numbers, read as <u2: exact."""
    return np.asarray(np.left_shift(values, 16, dtype=np.uint32, order="C")).view(np.float32)


def _to_float32(values: npt.NDArray[Any], storage: str) -> Array:
    """A C-contiguous float32 copy: exact but for F64, which is rounded."""
    if storage == "BF16":
        return widen_bfloat16(values)
    with np.errstate(over="ignore"):  # F64 beyond float32 becomes inf, which is reported
        return np.array(values, np.float32, order="C")


def _check_finite(name: str, values: Array, rows: Sequence[int] | None) -> None:
    """AttncliError that counts the values which are nan or inf and says where the first is."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # one pass; a nan or inf anywhere would survive the sum
            return
    bad = ~np.isfinite(values)
    if not bad.any():  # only the sum was too large
        return
    if rows is not None:  # a row may have been asked for twice
        numbers, places = np.unique(np.array(rows), return_index=True)
        bad = bad[places]
    first = [int(i) for i in np.unravel_index(bad.argmax(), bad.shape)]
    if rows is not None:
        first[0] = int(numbers[first[0]])
    count = int(np.count_nonzero(bad))
    raise AttncliError(
        "{name} has {count} non-finite value{s} (first at {first}): the checkpoint is damaged or "
        "its training diverged; use another one",
        name=quoted(name),
        count=count,
        first=first,
    )


@dataclass(frozen=True)
class StoredTensors:
    """The tensors of one or several files; a `Tensors`."""

    tensors: dict[str, Stored]

    def names(self) -> Collection[str]:
        return self.tensors.keys()

    def shape(self, name: str) -> tuple[int, ...]:
        return self._find(name).shape

    def storage(self, name: str) -> str:
        return self._find(name).storage

    def read(self, name: str, rows: Sequence[int] | None = None) -> Array:
        """See `Tensors.read`."""
        tensor = self._find(name)
        _check_usable(name, tensor, () if rows is None else rows)
        try:
            stored = tensor.values if rows is None else tensor.values[np.array(rows, np.intp)]
            values = _to_float32(stored, tensor.storage)
        except MemoryError:
            raise AttncliError(
                "{name} {shape} as float32 does not fit into memory",
                name=quoted(name),
                shape=quoted(list(tensor.shape)),
            ) from None
        _check_finite(name, values, rows)
        return values

    def _find(self, name: str) -> Stored:
        if not self.tensors:
            raise AttncliError(
                "these weights were closed at the end of their with block: open them again"
            )
        return self.tensors[name]

    def close(self) -> None:
        """A file is unmapped when the last array that lies in it is gone."""
        self.tensors.clear()
