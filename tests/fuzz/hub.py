"""A hub on 127.0.0.1 that says what a case wants, in a process of its own."""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from fuzz.case import Reply

MISSING = Reply(status=404, headers=(("X-Error-Code", "EntryNotFound"),))


@contextmanager
def hub(replies: Mapping[str, Reply]) -> Iterator[int]:
    """The port of a hub that answers with these, by the last part of a path. 0: there is none."""
    if not replies:
        yield 0
        return
    with socket.create_server(("127.0.0.1", 0)) as listening:
        pid = os.fork()
        if pid == 0:
            try:
                _serve(listening, replies)
            finally:
                os._exit(0)
        try:
            yield listening.getsockname()[1]
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _serve(listening: socket.socket, replies: Mapping[str, Reply]) -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    while True:
        connection, _ = listening.accept()
        threading.Thread(target=_answer, args=(connection, replies), daemon=True).start()


def _answer(connection: socket.socket, replies: Mapping[str, Reply]) -> None:
    with connection, suppress(OSError):
        asked = b""
        while b"\r\n\r\n" not in asked:
            received = connection.recv(65536)
            if not received:
                return
            asked += received
        method, path = asked.split(b" ", 2)[:2]
        reply = replies.get(path.decode("latin-1").rpartition("/")[2], MISSING)
        time.sleep(reply.delay)
        connection.sendall(_head(reply))
        if method == b"GET":
            connection.sendall(reply.body[: reply.cut])


def _head(reply: Reply) -> bytes:
    size = str(len(reply.body)) if reply.size is None else reply.size
    lines = [f"HTTP/1.1 {reply.status} Said", f"Content-Length: {size}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "surrogateescape")
