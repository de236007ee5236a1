"""Files that are written whole or not at all."""

import os
import tempfile
from pathlib import Path

from attncli.errors import AttncliError


def check_writable(path: Path) -> None:
    """Raises AttncliError if no file can be made at `path`, before anything is computed."""
    if path.is_dir():
        raise AttncliError(f"{path} is a folder: name a file")
    if not path.parent.is_dir():
        raise AttncliError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise AttncliError(f"cannot write {path}: no permission in {path.parent.resolve()}")


def write_whole(path: Path, text: str) -> None:
    """Writes UTF-8 with line feeds through a temporary file in the same folder.

    Whatever goes wrong, `path` is either what it was before or complete. Raises AttncliError if
    the file cannot be written.
    """
    temporary = ""
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=path.parent, prefix=".attncli-", delete=False
        ) as file:
            temporary = file.name
            file.write(text)
        _keep_mode(Path(temporary), path)
        Path(temporary).replace(path)
    except OSError as error:
        raise AttncliError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)  # gone already if all went well


def _keep_mode(temporary: Path, path: Path) -> None:
    """The mode of the file that is replaced, or that of any new file; mkstemp's is private."""
    umask = os.umask(0)
    os.umask(umask)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask
    temporary.chmod(mode)
