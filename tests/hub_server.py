"""A small stand-in for the Hub on 127.0.0.1: a folder per model, files by HEAD and GET."""

import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Hub:
    """The address of the server and what was asked of it."""

    endpoint: str
    requests: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)  # ends what still waits

    def fetched(self) -> list[str]:
        """The names of the files whose contents were sent, in order."""
        return [path.rpartition("/")[2] for method, path in self.requests if method == "GET"]


@dataclass
class Answer:
    """What the server sends for one file; a test may change it before it goes out."""

    file: str
    method: str
    data: bytes
    status: int = 200
    headers: dict[str, str | None] = field(default_factory=dict)
    pause: float = 0.0  # seconds after each byte of the body


Lie = Callable[[Answer], None]
STATUS = {"GatedRepo": 403, "Down": 501}


@contextmanager
def serve(
    models: Mapping[str, Path | str],
    lie: Lie = lambda _: None,
    *,
    commit: str = COMMIT,
    silent: float | None = None,
) -> Iterator[Hub]:
    """Serves folders under the models' names; an error code in place of a folder is answered.

    `GatedRepo` is what the Hub says of a model whose terms were not accepted; a number is that
    status. `lie` changes the answers of files that are there, `commit` that of files that are not.
    A `silent` server says nothing, or a byte of its headers after each so many seconds.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer()

        def do_GET(self) -> None:
            self.answer()

        def answer(self) -> None:
            if silent is not None:
                while not hub.over.wait(silent or None):
                    self.wfile.write(b"x")
                return
            path = unquote(self.path)
            hub.requests.append((self.command, path))
            hub.tokens.append(self.headers.get("Authorization"))
            name, _, rest = path.strip("/").partition("/resolve/")
            revision, _, file = rest.partition("/")
            place = models.get(name, "RepoNotFound")
            if isinstance(place, str):
                self.refuse(place)
            elif revision not in ("main", COMMIT):
                self.refuse("RevisionNotFound")
            elif not (place / file).is_file():
                self.refuse("EntryNotFound")
            else:
                self.send(file, (place / file).read_bytes())

        def refuse(self, code: str) -> None:
            self.send_response(int(code) if code.isdigit() else STATUS.get(code, 404))
            if not code.isdigit():
                self.send_header("X-Error-Code", code)
            if code == "EntryNotFound":
                self.send_header("X-Repo-Commit", commit)
            if code == "429":
                self.send_header("Retry-After", "3600")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def send(self, file: str, data: bytes) -> None:
            start = int((self.headers.get("Range") or "bytes=0-")[6:-1])
            answer = Answer(file, self.command, data[start:], 206 if start else 200)
            answer.headers = {
                "X-Repo-Commit": COMMIT,
                "ETag": f'"{hashlib.sha256(data).hexdigest()}"',
                "Content-Length": str(len(answer.data)),
            }
            lie(answer)
            self.send_response(answer.status)
            for header, value in answer.headers.items():
                if value is not None:
                    self.send_header(header, value)
            self.end_headers()
            if self.command == "GET":
                self.write(answer)

        def write(self, answer: Answer) -> None:
            if not answer.pause:
                self.wfile.write(answer.data)
            for byte in answer.data if answer.pause else b"":
                if hub.over.wait(answer.pause):
                    return
                self.wfile.write(bytes([byte]))

        def log_message(self, *_: object) -> None:
            """Nothing: standard error belongs to the tests."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """A client that left in the middle of an answer is what some tests are about."""

    with Server(("127.0.0.1", 0), Handler) as server:
        hub = Hub(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield hub
        finally:
            hub.over.set()
            server.shutdown()
            thread.join(10)
