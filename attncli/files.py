"""The one guarded reader for every file that comes from outside.

A file is read only if it is a regular file (a pipe waits for a writer, a device never ends) and
within a limit of bytes. JSON is read strictly: UTF-8, and no name twice in one object.
"""

import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from attncli.errors import AttncliError
from attncli.language import Phrase
from attncli.text.printable import quoted, reason_of

SMALL = 10_000_000  # bytes; published config.json files, with label names, have a few hundred kB
_PIECE = 1_000_000  # bytes read at a time
_DIGITS = 300  # of a whole number, which is then within the range of a float
_HTML = Phrase("an HTML page, not the file itself: download it again")
PLACEHOLDERS = {  # by the first bytes, in lower case
    b"version https://git-lfs": Phrase("a Git LFS pointer, not the file itself: run git lfs pull"),
    b"<!doctype": _HTML,
    b"<html": _HTML,
}
_KINDS = {
    stat.S_IFDIR: Phrase("a folder"),
    stat.S_IFIFO: Phrase("a pipe"),
    stat.S_IFSOCK: Phrase("a socket"),
}
_NOT_BLOCKING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@contextmanager
def reporting(path: Path) -> Iterator[None]:
    """What the system says about `path` as an AttncliError."""
    try:
        yield
    except FileNotFoundError:
        raise AttncliError(
            "{path} is a link to a file that is not there: give the path of a file or folder"
            if path.is_symlink()
            else "{path} does not exist: give the path of a file or folder",
            path=quoted(path),
        ) from None
    except OSError as error:
        raise AttncliError(
            "{path} cannot be read: {reason}",
            path=quoted(path),
            reason=quoted(error.strerror or error),
        ) from None


def _check_mode(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), Phrase("a device"))
        raise AttncliError(
            "{path} is {kind}: a regular file is needed", path=quoted(path), kind=kind
        )


def check_regular(path: Path) -> None:
    """AttncliError for a folder, pipe, socket or device, and for what is not there."""
    with reporting(path):
        mode = path.stat().st_mode
    _check_mode(path, mode)


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """A regular file, opened to read its bytes. AttncliError for anything else, without waiting.

    Looked at before it is opened, as opening a device may have an effect, and once more when it
    is open, as another program may have put something else in its place.
    """
    check_regular(path)
    with reporting(path), os.fdopen(os.open(path, os.O_RDONLY | _NOT_BLOCKING), "rb") as file:
        _check_mode(path, os.fstat(file.fileno()).st_mode)
        yield file


def read_bytes(path: Path, *, limit: int = SMALL) -> bytes:
    """The whole of a regular file of at most `limit` bytes. AttncliError for anything else."""
    data = bytearray()
    with open_regular(path) as file:
        while piece := file.read(_PIECE):
            data += piece
            if len(data) > limit:
                raise AttncliError(
                    "{path} is larger than {size:g} MB, the limit for such a file",
                    path=quoted(path),
                    size=limit / 1e6,
                )
    return bytes(data)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        ((name, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(Phrase("duplicate key {name}", {"name": quoted(f'"{name}"')}))
    return found


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(Phrase("a whole number has {count} digits", {"count": len(digits)}))
    return int(digits)


def parse_json(
    data: bytes, name: str | Phrase, *, constant: Callable[[str], Any] | None = None
) -> Any:
    """The JSON value in `data`, with or without a byte order mark.

    `name`, which is printable, says in errors where the data come from. `constant` makes a value
    of NaN, Infinity and -Infinity, which are floats without it. AttncliError for data that are no
    UTF-8 or no JSON, that are nested too deeply, that have a name twice in one object or a whole
    number of more than 300 digits.
    """
    start = data[:64].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if not start:
        raise AttncliError("{name} is empty: download or save it again", name=name)
    if kind := next(
        (PLACEHOLDERS[magic] for magic in PLACEHOLDERS if start.startswith(magic)), None
    ):
        raise AttncliError("{name} is {kind}", name=name, kind=kind)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise AttncliError("{name} is UTF-16: save it as UTF-8", name=name)
    try:
        return json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=_unique,
            parse_int=_whole,
            parse_constant=constant,
        )
    except UnicodeDecodeError as error:
        raise AttncliError(
            "{name} is not UTF-8 (byte 0x{byte:02X} at position {place}): download or save it "
            "again",
            name=name,
            byte=data[error.start],
            place=error.start,
        ) from None
    except RecursionError:
        raise AttncliError(
            "{name} is nested too deeply: download or save it again", name=name
        ) from None
    except ValueError as error:
        raise AttncliError(
            "{name} cannot be read as JSON ({reason}): download or save it again",
            name=name,
            reason=reason_of(error),
        ) from None


def read_json(
    path: Path, *, limit: int = SMALL, constant: Callable[[str], Any] | None = None
) -> Any:
    """The value in a JSON file. AttncliError as `read_bytes` and `parse_json` raise it."""
    return parse_json(read_bytes(path, limit=limit), quoted(path), constant=constant)


def read_object(path: Path, *, limit: int = SMALL) -> dict[str, Any]:
    """The object in a JSON file. AttncliError also for a list, a number, ..."""
    found = read_json(path, limit=limit)
    if not isinstance(found, dict):
        raise AttncliError(
            "{path} holds {kind}, not a JSON object", path=quoted(path), kind=type(found).__name__
        )
    return found


def inside(folder: Path, name: str) -> Path:
    """The path of a file of this folder. AttncliError if it is a link that leads elsewhere.

    A link has to end in this folder or, as in the cache of the Hub, in the `blobs` next to the
    `snapshots` that the folder is in: a downloaded folder cannot make attncli read elsewhere.
    What the user names by its own path is followed wherever it leads, and is not asked about here.
    """
    home, target = Path(os.path.realpath(folder)), Path(os.path.realpath(folder / name))
    blobs = [parent.parent / "blobs" for parent in home.parents if parent.name == "snapshots"]
    if not any(target.is_relative_to(allowed) for allowed in [home, *blobs]):
        raise AttncliError(
            "{path} is a link that leaves the folder, to {target}: put a copy of the file in its "
            "place if you trust it",
            path=quoted(folder / name),
            target=quoted(target),
        )
    return folder / name
