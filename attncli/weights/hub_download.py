"""One model of the Hub into the cache, file by file, within limits of size and time."""

import errno
import hashlib
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attncli.errors import AttncliError
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.weights import hub_limits
from attncli.weights.hub_http import Absent, Entry, Hub, Interrupted
from attncli.weights.hub_limits import Limit, amount, limit_of, watched


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """What the system says about the cache as an AttncliError."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise AttncliError(
                "the disk of {folder} is full: free space on it, or set HF_HOME to another disk",
                folder=quoted(folder),
            ) from None
        raise AttncliError(
            "{folder} cannot be written ({reason}): set HF_HOME to a folder that can",
            folder=quoted(folder),
            reason=quoted(error.strerror or error),
        ) from None


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes `path` at the end, or nothing if that is an error."""
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.incomplete")
    try:
        yield temporary
        with _writing(path.parent):
            temporary.replace(path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _is_whole(blob: Path, etag: str) -> bool:
    """Whether a blob in the cache is what its name says: its sha256, or git's sha1 of it."""
    if not blob.is_file():
        return False
    sha256, sha1 = hashlib.sha256(), hashlib.sha1(f"blob {blob.stat().st_size}\0".encode())
    with blob.open("rb") as file:
        while data := file.read(2**20):
            sha256.update(data)
            sha1.update(data)
    return etag in (sha256.hexdigest(), sha1.hexdigest())


def _is_sha256(etag: str) -> bool:
    return len(etag) == 64 and not set(etag) - set("0123456789abcdef")


class _Line:
    """How far a download is, on one line of a terminal that goes away at the end."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._shown = sys.stderr.isatty()

    def show(self, done: int, size: int | None) -> None:
        if self._shown and size:
            width = shutil.get_terminal_size().columns - 1
            text = f"{self._file}: {100 * done // size}% of {amount(size)}"
            print("\r" + text[:width].ljust(width), end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            width = shutil.get_terminal_size().columns - 1
            print("\r" + " " * width + "\r", end="", file=sys.stderr, flush=True)


class _Transfer:
    """The bytes of one file on their way to the disk."""

    def __init__(self, hub: Hub, name: str, entry: Entry, most: float) -> None:
        self._hub, self._name, self._entry, self._most = hub, name, entry, most
        self._digest = hashlib.sha256()
        self.done = 0
        self.abandoned = False

    def receive(self, path: Path) -> str:
        """Writes the file; its sha256. A connection that breaks is taken up where it was."""
        with _writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("xb", buffering=0)
        size = self._entry.size
        with file:
            while True:
                before = self.done
                reason: Phrase | str = Phrase("the connection was closed")
                try:
                    for data in self._hub.read(self._name, self._entry, self.done):
                        if self.abandoned:
                            return ""
                        self._take(data)
                        with _writing(path.parent):
                            file.write(data)
                except Interrupted as error:
                    reason = error.reason
                else:
                    if size in (None, self.done):
                        return self._digest.hexdigest()
                if self.done == before or size is None:
                    raise AttncliError(
                        "the download of {name} broke off after {done} of {size} ({reason}): check "
                        "the network and try again"
                        if size
                        else "the download of {name} broke off after {done} ({reason}): check the "
                        "network and try again",
                        name=self._name,
                        done=amount(self.done),
                        size=amount(size or 0),
                        reason=reason,
                    )

    def _take(self, data: bytes) -> None:
        self.done += len(data)
        self._digest.update(data)
        if self.done > self._most:
            raise AttncliError(
                "{name} is not downloaded: the Hub sends more than the {size} that were expected "
                "of a file; check HF_ENDPOINT",
                name=self._name,
                size=amount(self._most),
            )


class Download:
    """The files of one revision of a model, fetched one by one into the cache."""

    def __init__(self, hub: Hub, name: str, repository: Path, revision: str | None) -> None:
        self._hub, self._name, self._repository = hub, name, repository
        self._revision = revision or "main"
        self._commit: str | None = None

    def fetch(self, file: str) -> Path | None:
        """Where a file is now, in the snapshot; None if the Hub does not have it."""
        entry = self._ask(file)
        if entry.commit:
            self._pin(entry.commit)
        if isinstance(entry, Absent):
            if entry.commit:
                self._write(self._repository / ".no_exist" / entry.commit / file, "")
            return None
        path = self._repository / "snapshots" / entry.commit / file
        if path.exists() and path.stat().st_size == (entry.size or path.stat().st_size):
            return path
        blob = self._repository / "blobs" / entry.etag
        if not _is_whole(blob, entry.etag):
            self._download(entry, file, blob)
        self._link(blob, path)
        return path

    def _ask(self, file: str) -> Entry | Absent:
        def check(seconds: float) -> None:
            if seconds > hub_limits.ANSWER:
                raise AttncliError(
                    "{name} cannot be downloaded: {endpoint} has not answered within {seconds:g} "
                    "seconds: try again later, or check HF_ENDPOINT",
                    name=self._name,
                    endpoint=self._hub.endpoint,
                    seconds=hub_limits.ANSWER,
                )

        revision = self._commit or self._revision
        return watched(lambda: self._hub.head(self._name, revision, file), check)

    def _pin(self, commit: str) -> None:
        """All files are of the commit that the first of them is of."""
        if self._commit is None:
            self._commit = commit
            if commit != self._revision:
                self._write(self._repository / "refs" / self._revision, commit)
        elif commit != self._commit:
            raise AttncliError(
                "{name} cannot be downloaded: asked for commit {commit}, {endpoint} answers with "
                "{other}; check HF_ENDPOINT",
                name=self._name,
                commit=self._commit,
                endpoint=self._hub.endpoint,
                other=commit,
            )

    def _download(self, entry: Entry, file: str, blob: Path) -> None:
        """A blob, whole and as its name says, or not at all."""
        limit, size = limit_of(file), entry.size
        if size is None and limit.size == float("inf"):
            raise AttncliError(
                "{name} is not downloaded: {endpoint} does not say how large {file} is; check "
                "HF_ENDPOINT",
                name=self._name,
                endpoint=self._hub.endpoint,
                file=file,
            )
        if size is not None and size > limit.size:
            raise AttncliError(
                "{name} is not downloaded: its {file} has {size}, and attncli reads up to {limit} "
                "of such a file; check the name",
                name=self._name,
                file=file,
                size=amount(size),
                limit=amount(limit.size),
            )
        with _writing(blob.parent):
            blob.parent.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(blob.parent).free
        if size is not None and size > free:
            raise AttncliError(
                "the disk of {folder} is full ({file} has {size}, {free} are free): free space on "
                "it, or set HF_HOME to another disk",
                folder=quoted(blob.parent),
                file=file,
                size=amount(size),
                free=amount(free),
            )
        transfer = _Transfer(
            self._hub, self._name, entry, limit.size if size is None else float(size)
        )
        try:
            with _whole(blob) as temporary:
                digest = self._watch(transfer, temporary, file, size, limit)
                if _is_sha256(entry.etag) and digest != entry.etag:
                    raise AttncliError(
                        "{name} is not kept: the sha256 of the downloaded {file} is {digest}..., "
                        "the Hub says {expected}...: try again, or check HF_ENDPOINT",
                        name=self._name,
                        file=file,
                        digest=digest[:12],
                        expected=entry.etag[:12],
                    )
        finally:
            transfer.abandoned = True

    def _watch(
        self, transfer: _Transfer, temporary: Path, file: str, size: int | None, limit: Limit
    ) -> str:
        """The sha256 of what came. AttncliError if it comes too slowly."""
        line = _Line(file)
        begin, before = 0.0, 0  # of the window

        def check(seconds: float) -> None:
            nonlocal begin, before
            line.show(transfer.done, size)
            stalled = False
            if seconds - begin > hub_limits.WINDOW:
                stalled = transfer.done - before < hub_limits.LEAST
                begin, before = seconds, transfer.done
            if stalled or seconds > limit.seconds:
                raise AttncliError(
                    "the download of {name} is too slow: {done} of {file} in {seconds:.0f} "
                    "seconds; check the network and try again",
                    name=self._name,
                    done=amount(transfer.done),
                    file=file,
                    seconds=seconds,
                )

        try:
            digest = watched(lambda: transfer.receive(temporary), check)
            line.show(transfer.done, size)
            return digest
        finally:
            line.clear()

    def _link(self, blob: Path, path: Path) -> None:
        """The blob in the snapshot: by a link, where the system has any kind of it."""
        with _writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            try:
                path.symlink_to(os.path.relpath(blob, path.parent))
            except OSError:
                try:
                    path.hardlink_to(blob)
                except OSError:
                    shutil.move(blob, path)

    def _write(self, path: Path, text: str) -> None:
        """A small file of the cache's own, written whole."""
        with _writing(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            with _whole(path) as temporary:
                temporary.write_text(text, "utf-8")
