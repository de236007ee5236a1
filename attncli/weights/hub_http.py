"""Files of the Hugging Face Hub over HTTP, with a limit on everything that a server decides.

HEAD ENDPOINT/NAME/resolve/REVISION/FILE answers with X-Repo-Commit, X-Linked-Etag or ETag, and
X-Linked-Size or Content-Length; X-Error-Code says why a file is not to be had. GET sends the file,
large ones by way of a redirect to another host, which never gets the token
(https://huggingface.co/docs/huggingface_hub/package_reference/file_download).

huggingface_hub does the same, but lets the server choose paths in the cache, sizes and waiting
times: no limit of ours reaches into it.
"""

import http.client
import os
import re
import ssl
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from attncli import __version__
from attncli.errors import AttncliError
from attncli.files import read_bytes
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.weights import hub_limits
from attncli.weights.hub_refusals import refusal

_REDIRECTS = 5
_CHUNK = 2**18  # bytes
_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,128}")  # what may become the name of a file in the cache


@dataclass(frozen=True)
class Entry:
    """One file as the Hub describes it."""

    url: str
    commit: str
    etag: str  # of a large file its sha256
    size: int | None


@dataclass(frozen=True)
class Absent:
    """A file that the Hub does not have in this revision."""

    commit: str | None


class Interrupted(Exception):
    """The connection broke, for this reason; what it was about may be tried again."""

    def __init__(self, reason: Phrase | str) -> None:
        super().__init__(reason)
        self.reason = reason


def is_plain(text: str) -> bool:
    """Whether this can name a file in the cache and cannot lead out of it."""
    return _PLAIN.fullmatch(text) is not None and text.strip(".") != ""


def endpoint() -> str:
    """The address of the Hub: HF_ENDPOINT, if it is set. AttncliError if that is none."""
    address = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not address.isascii() or not address.isprintable() or " " in address:
        raise AttncliError(
            "HF_ENDPOINT is {address}, which is no address of a server: unset it, or give one such "
            "as https://huggingface.co",
            address=quoted(repr(address)),
        )
    return address.rstrip("/")


def read_token(login: Path) -> str | None:
    """The user's token: HF_TOKEN, else what `hf auth login` has left in the file `login`."""
    source, text = "HF_TOKEN", os.environ.get("HF_TOKEN", "").strip()
    if not text and login.is_file():
        source, text = str(login), read_bytes(login, limit=1000).decode("utf-8", "replace").strip()
    if not (text.isascii() and text.isprintable() and " " not in text):
        raise AttncliError(
            "{source} holds no token of the Hub: set it anew, or log in with hf",
            source=quoted(source),
        )
    return text or None


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _certificates() -> ssl.SSLContext:
    """The system's certificates. Python on macOS finds them by truststore, or has certifi's.

    One of both comes with `tokenizers`, by way of huggingface_hub.
    """
    with suppress(ImportError):
        import truststore  # type: ignore[import-not-found,unused-ignore]

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.create_default_context()
    with suppress(ImportError):
        import certifi  # type: ignore[import-not-found,unused-ignore]

        context.load_verify_locations(certifi.where())
    return context


class Hub:
    """A server of models. All its errors are AttncliError, and say what to do."""

    def __init__(self, token: str | None) -> None:
        self.endpoint = endpoint()
        self._token = token
        self._opener = urllib.request.OpenerDirector()  # with no handler of redirects and errors
        for handler in (
            urllib.request.ProxyHandler(),
            urllib.request.HTTPHandler(),
            urllib.request.HTTPSHandler(context=_certificates()),
        ):
            self._opener.add_handler(handler)

    def head(self, name: str, revision: str, file: str) -> Entry | Absent:
        """What the Hub says of a file. Nothing in it can name a path outside the cache."""
        url = f"{self.endpoint}/{name}/resolve/{quote(revision, safe='')}/{quote(file)}"
        with self._send("HEAD", url, name) as answer:
            headers, status = answer.headers, answer.status
            url = answer.url
        if status >= 400:
            if headers.get("X-Error-Code") != "EntryNotFound":
                raise self._refusal(name, revision, status, headers)
            commit = headers.get("X-Repo-Commit")
            return Absent(self._checked(name, "X-Repo-Commit", commit) if commit else None)
        etag = headers.get("X-Linked-Etag") or headers.get("ETag") or ""
        size = headers.get("X-Linked-Size") or (
            headers.get("Content-Length") if status < 300 else None
        )
        return Entry(
            url,
            self._checked(name, "X-Repo-Commit", headers.get("X-Repo-Commit") or ""),
            self._checked(name, "ETag", etag.removeprefix("W/").strip('"')),
            int(size) if size and re.fullmatch("[0-9]{1,18}", size) else None,
        )

    def read(self, name: str, entry: Entry, start: int) -> Iterator[bytes]:
        """The bytes of a file from `start` on. Interrupted if the connection breaks."""
        with self._send("GET", entry.url, name, start) as answer:
            if start and answer.status == 200:
                raise Interrupted(Phrase("the server sends files from the beginning only"))
            if answer.status != (206 if start else 200):
                raise self._refusal(name, entry.commit, answer.status, answer.headers)
            while True:
                try:
                    data = answer.read1(_CHUNK)
                except (OSError, http.client.HTTPException, ValueError) as error:
                    raise Interrupted(_line(error)) from None
                if not data:
                    return
                yield data

    def _send(self, method: str, url: str, name: str, start: int = 0) -> Any:
        """The answer to a request. A HEAD is not followed to another host, which knows no model."""
        for _ in range(_REDIRECTS):
            answer = self._open(method, url, name, start)
            location = answer.headers.get("Location") if 300 <= answer.status < 400 else None
            if location is None:
                return answer
            with answer:
                target = self._target(name, url, location)
            if method == "HEAD" and _origin(target) != _origin(url):
                return answer
            url = target
        raise AttncliError(
            "{name} cannot be downloaded: {endpoint} redirects in circles; check HF_ENDPOINT",
            name=name,
            endpoint=self.endpoint,
        )

    def _target(self, name: str, url: str, location: str) -> str:
        """Where a redirect leads. AttncliError for what is not the web, or no longer encrypted."""
        try:
            target = urljoin(url, location)
            allowed = {"https", urlsplit(self.endpoint).scheme}
            usable = urlsplit(target).scheme in allowed and urlsplit(target).port != 0
        except ValueError:
            usable = False
        if not usable:
            raise AttncliError(
                "{name} cannot be downloaded: {endpoint} redirects to {location}; check "
                "HF_ENDPOINT",
                name=name,
                endpoint=self.endpoint,
                location=quoted(repr(location)),
            )
        return target

    def _open(self, method: str, url: str, name: str, start: int) -> Any:
        headers = {"User-Agent": f"attncli/{__version__}", "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        if self._token and _origin(url) == _origin(self.endpoint):
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            request = urllib.request.Request(url, headers=headers, method=method)
            return self._opener.open(request, timeout=hub_limits.SILENCE)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise self._unreachable(name, error) from None

    def _unreachable(self, name: str, error: Exception) -> AttncliError:
        """The error for a server that does not answer, or not in HTTP."""
        reason = getattr(error, "reason", error)
        if isinstance(reason, ssl.SSLCertVerificationError):
            remedy = Phrase("check the clock, or name your network's certificates in SSL_CERT_FILE")
        elif isinstance(reason, OSError):
            remedy = Phrase("check the network and HF_ENDPOINT, or give a path")
        else:
            remedy = Phrase("check HF_ENDPOINT, or give a path")
        return AttncliError(
            "{name} is not in the local cache and cannot be downloaded: no answer from {endpoint} "
            "({reason}): {remedy}",
            name=name,
            endpoint=self.endpoint,
            reason=_line(reason),
            remedy=remedy,
        )

    def _checked(self, name: str, header: str, value: str) -> str:
        if is_plain(value):
            return value
        raise AttncliError(
            "{name} is not downloaded: {endpoint} answers with the {header} {value}, which the Hub "
            "never does; check HF_ENDPOINT",
            name=name,
            endpoint=self.endpoint,
            header=header,
            value=quoted(repr(value)),
        )

    def _refusal(self, name: str, revision: str, status: int, headers: Any) -> AttncliError:
        has_token = self._token is not None
        return refusal(self.endpoint, name, revision, status, headers, has_token=has_token)


def _line(error: BaseException | str) -> Phrase | str:
    """An error of the system or of a library on one short line."""
    if isinstance(error, TimeoutError):
        return Phrase("nothing within {seconds:g} seconds", {"seconds": hub_limits.SILENCE})
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return quoted(" ".join((text or type(error).__name__).split()))
