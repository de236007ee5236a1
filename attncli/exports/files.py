"""Files that are written whole or not at all."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attncli.errors import AttncliError
from attncli.text.printable import quoted


def check_writable(path: Path) -> None:
    """Raises AttncliError if no file can be made at `path`, before anything is computed."""
    with _named(path):
        mode = _mode(path)
        folder = path.resolve().parent
        if mode is not None and stat.S_ISDIR(mode):
            raise AttncliError("{path} is a folder: name a file", path=quoted(path))
        if not folder.is_dir():
            raise AttncliError(
                "cannot write {path}: there is no folder {folder}",
                path=quoted(path),
                folder=quoted(path.parent),
            )
        if not os.access(path if _is_special(mode) else folder, os.W_OK):
            raise AttncliError("cannot write {path}: no permission", path=quoted(path))


def write_file(path: Path, text: str) -> None:
    """Writes UTF-8 with line feeds; a link is followed to what it points to.

    Whatever goes wrong, the file is either what it was before or complete: it is written under
    another name in the same folder, which then replaces it. A pipe or a device cannot be
    replaced and is written to. Raises AttncliError if that fails.
    """
    with _named(path):
        mode = _mode(path)
        if _is_special(mode):
            path.write_text(text, encoding="utf-8", newline="\n")
        else:
            _replace(path.resolve(), text, mode)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """What the system refuses, as an AttncliError that names the file."""
    try:
        yield
    except OSError as error:
        raise AttncliError(
            "cannot write {path}: {reason}",
            path=quoted(path),
            reason=quoted(error.strerror or error),
        ) from None


def _mode(path: Path) -> int | None:
    """Kind and permissions of what is there; None: nothing is. A link that leads round raises."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _is_special(mode: int | None) -> bool:
    return mode is not None and not stat.S_ISREG(mode)


def _replace(path: Path, text: str, mode: int | None) -> None:
    """Writes a new file, which gets the permissions of the old one if there is one."""
    temporary = path.with_name(f".attncli-{secrets.token_hex(8)}")
    permissions = 0o666 if mode is None else mode & 0o777

    def create(name: str, flags: int) -> int:
        return os.open(name, flags, permissions)

    try:
        with open(temporary, "x", encoding="utf-8", newline="\n", opener=create) as file:
            file.write(text)
        if mode is not None:
            temporary.chmod(permissions)
        temporary.replace(path)
    except BaseException:  # also a signal, at whatever moment
        temporary.unlink(missing_ok=True)
        raise
