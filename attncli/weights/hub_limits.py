"""How large a download may be, and how long it may take."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from attncli.files import SMALL

T = TypeVar("T")

SILENCE = 8.0  # seconds that a socket may be silent; a broken download is taken up once more
ANSWER = 60.0  # seconds until the Hub has said what a file is
WINDOW, LEAST = 60.0, 100_000  # of weights at least so many bytes come in so many seconds
_TICK = 0.1  # seconds


@dataclass(frozen=True)
class Limit:
    """How large a file may be, and how long its download may take."""

    size: float = SMALL  # bytes
    seconds: float = 60.0


_LARGE = Limit(200e6, 600.0)
_LIMITS = {
    **dict.fromkeys(("tokenizer.json", "vocab.json", "merges.txt", "vocab.txt"), _LARGE),
    "model.safetensors.index.json": _LARGE,
}


def limit_of(file: str) -> Limit:
    """Weights are as large as the disk, and take as long as they do while they keep coming."""
    if file.endswith(".safetensors"):
        return Limit(float("inf"), float("inf"))
    return _LIMITS.get(file, Limit())


def amount(size: float) -> str:
    """A number of bytes for people."""
    units = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
    return next((f"{size / u:.3g} {unit}" for u, unit in units if size >= u), f"{size:g} B")


def watched(work: Callable[[], T], check: Callable[[float], None]) -> T:
    """What `work` returns; `check(seconds so far)` is called meanwhile, and may raise.

    `work` then goes on in its thread, and nobody waits for it. (The timeout of a socket begins
    anew with every byte: it does not bound a server that trickles.)
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    worker = threading.Thread(target=run, daemon=True)
    begin = time.monotonic()
    worker.start()
    while worker.is_alive():
        worker.join(_TICK)
        if worker.is_alive():
            check(time.monotonic() - begin)
    if errors:
        raise errors[0]
    return results[0]
