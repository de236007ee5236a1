"""One .npz file: a zip archive of .npy arrays, as numpy.savez writes it, read when it is opened.

Nothing is unpickled: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
"""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from attncli.errors import AttncliError
from attncli.files import check_regular, reporting
from attncli.weights.file_kinds import kind_from_content
from attncli.weights.stored import Stored

_MOST = 4_000_000_000  # bytes of all arrays
_LARGE, _DENSE = 100_000_000, 100  # weights hardly shrink: 100 MB do not come from 1 MB


def _check_sizes(entries: Sequence[zipfile.ZipInfo]) -> None:
    """ValueError if the archive says of itself that it unpacks to too much."""
    for entry in entries:
        if entry.file_size > max(_LARGE, _DENSE * entry.compress_size):
            sizes = f"{entry.compress_size} bytes that unpack to {entry.file_size}"
            raise ValueError(f"{entry.filename} has {sizes}: weights do not shrink like that")
    total = sum(entry.file_size for entry in entries)
    if total > _MOST:
        raise ValueError(f"it unpacks to {total} bytes, the limit is {_MOST}: use .safetensors")


def _read_arrays(path: Path) -> dict[str, Stored]:
    """All arrays by name. ValueError for one that is damaged or holds Python objects."""
    found = {}
    with zipfile.ZipFile(path) as archive:
        entries = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
        _check_sizes(entries)
        for entry in entries:
            name = entry.filename.removesuffix(".npy")
            try:
                with archive.open(entry) as stream:
                    array = np.lib.format.read_array(stream, allow_pickle=False)
            except Exception as error:  # numpy parses Python source here: SyntaxError, ...
                objects = "allow_pickle" in str(error)
                reason = "it holds Python objects, which are never unpickled" if objects else error
                raise ValueError(f"{name}: {reason}") from None
            floats = array.dtype.kind == "f"
            storage = f"F{array.dtype.itemsize * 8}" if floats else str(array.dtype)
            found[name] = Stored(storage, array.shape, array)
    if not found:
        raise ValueError("it holds no arrays")
    return found


def open_npz(path: Path) -> dict[str, Stored]:
    """The arrays of one archive. AttncliError says what is wrong with it."""
    check_regular(path)
    with reporting(path):
        try:
            return _read_arrays(path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            line = " ".join(str(error).split())[:200]  # numpy's messages may have several lines
            damage = f"not usable (save it anew with numpy.savez): {line}"
            what = kind_from_content(path) or damage
            raise AttncliError(f"{path.name} is {what}") from None
