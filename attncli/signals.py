"""Signals that end the program, as an exception, so that what is half done is undone."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


class Ended(BaseException):
    """SIGTERM or SIGHUP arrived."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    def take_effect(self) -> NoReturn:
        """Ends the program as the signal would have, for which a shell reports 128 + its number."""
        signal.raise_signal(self.number)
        raise SystemExit(128 + self.number)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP raise Ended, unless they are ignored (as nohup does).

    Those that follow the first are ignored, so that it is cleaned up in peace. Afterwards the
    handlers are what they were.
    """
    ends = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {
        number: handler
        for number in ends
        if (handler := signal.getsignal(number)) is not signal.SIG_IGN
    }

    def end(number: int, _frame: FrameType | None) -> None:
        for other in before:
            signal.signal(other, signal.SIG_IGN)
        raise Ended(number)

    try:
        for number in before:
            signal.signal(number, end)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
