"""A small stand-in for the Hub on 127.0.0.1: a folder per model, files by HEAD and GET."""

import hashlib
import threading
from collections.abc import Iterator, Mapping
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

    def fetched(self) -> list[str]:
        """The names of the files whose contents were sent, in order."""
        return [path.rpartition("/")[2] for method, path in self.requests if method == "GET"]


@contextmanager
def serve(models: Mapping[str, Path | str]) -> Iterator[Hub]:
    """Serves folders under the models' names; an error code in place of a folder is answered.

    `GatedRepo` is what the Hub says of a model whose terms were not accepted.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer()

        def do_GET(self) -> None:
            self.answer()

        def answer(self) -> None:
            path = unquote(self.path)
            hub.requests.append((self.command, path))
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
                self.send((place / file).read_bytes())

        def refuse(self, code: str) -> None:
            status = {"GatedRepo": 403, "Down": 501}.get(code, 404)
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            if code == "EntryNotFound":
                self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def send(self, data: bytes) -> None:
            self.send_response(200)
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("ETag", f'"{hashlib.sha1(data).hexdigest()}"')
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing: standard error belongs to the tests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        hub = Hub(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield hub
        finally:
            server.shutdown()
            thread.join(10)
