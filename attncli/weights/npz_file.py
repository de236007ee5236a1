"""One .npz file: a zip archive of .npy arrays, as numpy.savez writes it.

Only the arrays' headers are read when it is opened. Nothing is unpickled:
https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
"""

import math
import zipfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from attncli.errors import AttncliError
from attncli.files import check_regular, reporting
from attncli.language import Phrase
from attncli.text.printable import quoted, reason_of
from attncli.weights.file_kinds import kind_from_content
from attncli.weights.stored import Stored

_MOST = 4_000_000_000  # bytes of all arrays
_LARGE, _DENSE = 100_000_000, 100  # weights hardly shrink: 100 MB do not come from 1 MB
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def _check_entries(path: Path, entries: Sequence[zipfile.ZipInfo]) -> None:
    """ValueError for no arrays, one name twice, and for more bytes than can be meant."""
    if not entries:
        raise ValueError(Phrase("it holds no arrays"))
    ((name, count),) = Counter(entry.filename for entry in entries).most_common(1)
    if count > 1:
        name = quoted(name.removesuffix(".npy"))
        raise ValueError(
            Phrase("it holds {count} arrays named {name}", {"count": count, "name": name})
        )
    packed, total = path.stat().st_size, sum(entry.file_size for entry in entries)
    if total > max(_LARGE, _DENSE * packed):
        facts = {"packed": packed, "total": total}
        raise ValueError(
            Phrase("its {packed} bytes unpack to {total}: weights do not shrink like that", facts)
        )
    if total > _MOST:
        facts = {"total": total, "most": _MOST}
        raise ValueError(
            Phrase("it unpacks to {total} bytes, the limit is {most}: use .safetensors", facts)
        )


def _read_header(stream: IO[bytes], size: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of an array of so many bytes. ValueError for Python objects, and others."""
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(Phrase("its format has the version {version}", {"version": version}))
    shape, _, dtype = _HEADERS[version](stream)
    if dtype.hasobject:
        raise ValueError(Phrase("it holds Python objects, which are never unpickled"))
    found = size - stream.tell()
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != found:
        facts = {"found": found, "shape": quoted(shape), "dtype": dtype}
        raise ValueError(Phrase("{found} bytes are not of the shape {shape} of {dtype}", facts))
    return shape, dtype


def _read_values(path: Path, archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    try:
        with archive.open(f"{name}.npy") as stream:
            return np.lib.format.read_array(stream, allow_pickle=False)
    except Exception as error:  # of zipfile, zlib and numpy, which parses Python source here
        raise _damage(path, _of_array(name, error)) from None


def _of_array(name: str, error: Exception) -> ValueError:
    return ValueError(
        Phrase("{name}: {reason}", {"name": quoted(name), "reason": reason_of(error)})
    )


def _damage(path: Path, error: Exception) -> AttncliError:
    return AttncliError(
        "{file} is not usable (save it anew with numpy.savez): {reason}",
        file=quoted(path.name),
        reason=reason_of(error),
    )


def _find_arrays(path: Path, archive: zipfile.ZipFile) -> dict[str, Stored]:
    """All arrays by name. ValueError for one that is damaged or holds Python objects."""
    entries = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
    _check_entries(path, entries)
    found = {}
    for entry in entries:
        name = entry.filename.removesuffix(".npy")
        try:
            with archive.open(entry) as stream:
                shape, dtype = _read_header(stream, entry.file_size)
        except Exception as error:  # numpy parses Python source here: SyntaxError, ...
            raise _of_array(name, error) from None
        storage = f"F{dtype.itemsize * 8}" if dtype.kind == "f" else str(dtype)
        found[name] = Stored(storage, shape, partial(_read_values, path, archive, name))
    return found


def open_npz(path: Path) -> dict[str, Stored]:
    """The arrays of one archive. AttncliError says what is wrong with it."""
    check_regular(path)
    with reporting(path):
        try:
            return _find_arrays(path, zipfile.ZipFile(path))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            if kind := kind_from_content(path):
                raise AttncliError("{name} is {kind}", name=quoted(path.name), kind=kind) from None
            raise _damage(path, error) from None
