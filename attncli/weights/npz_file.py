"""One .npz file: a zip archive of .npy arrays, as numpy.savez writes it.

The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. The arrays
are unpacked when they are read. Nothing is unpickled, and sizes are compared before memory is
asked for.
"""

import io
import math
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

import numpy as np

from attncli.errors import AttncliError
from attncli.weights.file_kinds import kind_from_content, open_regular, reporting
from attncli.weights.stored import Stored, Stream, TensorFile, check_shape, shorten

_MAX_HEADER = 10_000  # bytes; the limit of numpy
_LARGE, _DENSE = 100_000_000, 100  # weights hardly shrink: 100 MB do not come from 1 MB
_HEADER_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def _parse_array(stream: IO[bytes], unpacked: int) -> Stored:
    """Form and place of an array from its .npy header. ValueError if its size contradicts it."""
    head = io.BytesIO(stream.read(_MAX_HEADER))
    version = np.lib.format.read_magic(head)
    if version not in _HEADER_READERS:
        raise ValueError(f"its version {version} is unknown")
    shape, columns_first, dtype = _HEADER_READERS[version](head)
    check_shape(shape)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which could run code: save it as float32")
    if math.prod(shape) * dtype.itemsize != unpacked - head.tell():
        size = f"{unpacked - head.tell()} bytes"
        raise ValueError(f"the archive has {size} for shape {list(shape)} of {dtype}")
    number = dtype.kind in "fiuc"
    storage = f"{dtype.kind.upper()}{dtype.itemsize * 8}" if number else str(dtype)
    return Stored(storage, shape, head.tell(), dtype.str[0], columns_first)


def _read_array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Stored:
    """As `_parse_array`, after a look at how much the entry says it will unpack to."""
    if entry.file_size > max(_LARGE, _DENSE * entry.compress_size):
        sizes = f"{entry.compress_size} bytes that unpack to {entry.file_size}"
        raise ValueError(f"{sizes}: weights do not shrink like that")
    with archive.open(entry) as stream:
        return _parse_array(stream, entry.file_size)


def _read_arrays(archive: zipfile.ZipFile) -> dict[str, Stored]:
    """All arrays by name. ValueError for one that is damaged, twisted or a pickle."""
    found: dict[str, Stored] = {}
    for entry in archive.infolist():
        name = entry.filename.removesuffix(".npy")
        if name == entry.filename:
            continue
        if name in found:
            raise ValueError(f"{shorten(name)} stands twice in it")
        try:
            found[name] = _read_array(archive, entry)
        except Exception as error:  # numpy parses Python source here: SyntaxError, TokenError, ...
            raise ValueError(f"{shorten(name)}: {shorten(str(error), 200)}") from None
    if not found:
        raise ValueError("it holds no arrays")
    return found


@contextmanager
def _unpacking(archive: zipfile.ZipFile, label: str, name: str) -> Iterator[Stream]:
    """The bytes of one array, unpacked as they are read. AttncliError if they are damaged."""
    try:
        with archive.open(f"{name}.npy") as stream:
            yield cast(zipfile.ZipExtFile, stream)
    except (zipfile.BadZipFile, zlib.error) as error:
        raise AttncliError(
            f"{label} is damaged at {shorten(name)}: {error}; save it again"
        ) from None


def open_npz(path: Path) -> TensorFile:
    """Open one archive; of its arrays only headers are read. AttncliError says what is wrong."""
    with reporting(path), ExitStack() as opened:
        file = opened.enter_context(open_regular(path))
        try:
            archive = zipfile.ZipFile(file)
            tensors = _read_arrays(archive)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            what = kind_from_content(file) or f"not usable (save it anew with numpy.savez): {error}"
            raise AttncliError(f"{path.name} is {what}") from None
        return TensorFile(
            path.name,
            tensors,
            lambda name: _unpacking(archive, path.name, name),
            opened.pop_all().close,
        )
