"""One case: a command line and everything around it that the program can read."""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

ROOT = "@ROOT@"  # in a value: the folder that the case has for itself
PORT = "@PORT@"  # in a value: where its hub listens
SECRET = "hf_secretsecret"  # the token of the Hub, where a case has one
CWD, HOME, TMP = "cwd", "home", "tmp"  # inside that folder


@dataclass(frozen=True)
class Odd:
    """What stands in the place of a regular file: a fifo, a folder or a link."""

    kind: str  # fifo, folder, link
    to: str = ""  # where a link leads


@dataclass(frozen=True)
class Reply:
    """What the hub sends for one file. `size`: the Content-Length, if it is not the true one."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    size: str | None = None
    delay: float = 0.0  # seconds before the first byte
    cut: int | None = None  # the connection ends after so many bytes of the body


@dataclass
class Case:
    """`valid` is what `files` were before they were mutated: reports tell the difference."""

    args: list[str]
    files: dict[str, bytes | Odd] = field(default_factory=dict)  # by path in the working folder
    valid: dict[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    environment: dict[str, str | None] = field(default_factory=dict)  # None: not set
    replies: dict[str, Reply] = field(default_factory=dict)  # by file name, those of the hub
    usual: dict[str, Reply] = field(default_factory=dict)  # what `replies` were
    writes: tuple[str, ...] = ()  # what may be written, as paths in the case's folder
    stdout: str = "file"  # or full, closed
    encoding: str = "utf-8"  # of the standard streams
    nameless: bool = False  # the user has no entry among the users, as in a container
    interrupt: tuple[int, int] | None = None  # a signal, at which opening or renaming of a file


Draw = Callable[[Random], Case]


def lay_out(case: Case, root: Path) -> None:
    """Makes the case's folder anew, with its files."""
    shutil.rmtree(root, ignore_errors=True)
    for name in (CWD, HOME, TMP):
        (root / name).mkdir(parents=True)
        (root / name).chmod(0o777)
    for name, content in case.files.items():
        path = root / CWD / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif content.kind == "fifo":
            os.mkfifo(path)
        elif content.kind == "folder":
            path.mkdir()
        else:
            path.symlink_to(content.to.replace(ROOT, str(root)))


def tree(root: Path) -> dict[str, tuple[int, int, int]]:
    """What is in a folder, with what changes when somebody writes to it."""
    found: dict[str, tuple[int, int, int]] = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = os.path.join(folder, name)  # noqa: PTH118
            about = os.lstat(path)
            is_file = name in files
            found[os.path.relpath(path, root)] = (
                about.st_mode,
                about.st_size if is_file else 0,
                about.st_mtime_ns if is_file else 0,
            )
    return found
