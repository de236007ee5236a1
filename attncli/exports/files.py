"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from attncli.errors import AttncliError


def check_writable(path: Path) -> None:
    """Raises AttncliError if no file can be made at `path`, before anything is computed."""
    folder = path.resolve().parent
    if path.is_dir():
        raise AttncliError(f"{path} is a folder: name a file")
    if not folder.is_dir():
        raise AttncliError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path if _is_special(path) else folder, os.W_OK):
        raise AttncliError(f"cannot write {path}: no permission")


def write_file(path: Path, text: str) -> None:
    """Writes UTF-8 with line feeds; a link is followed to what it points to.

    Whatever goes wrong, the file is either what it was before or complete: it is written under
    another name in the same folder, which then replaces it. A pipe or a device cannot be
    replaced and is written to. Raises AttncliError if that fails.
    """
    try:
        if _is_special(path):
            path.write_text(text, encoding="utf-8", newline="\n")
        else:
            _replace(path.resolve(), text)
    except OSError as error:
        raise AttncliError(f"cannot write {path}: {error.strerror or error}") from None


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _replace(path: Path, text: str) -> None:
    temporary = Path()
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=".attncli-", delete=False
        ) as file:
            temporary = Path(file.name)
            file.write(text)
        temporary.chmod(_mode(path))
        temporary.replace(path)
    except BaseException:
        if temporary.name:
            temporary.unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """The mode of the file that is replaced, or that of any new file; mkstemp's is private."""
    if path.exists():
        return path.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
