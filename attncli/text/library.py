"""The border to the tokenizers library: whatever goes wrong inside it is an AttncliError."""

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from attncli.errors import AttncliError
from attncli.text.printable import quoted

_STDERR = 2  # the descriptor that Rust writes to, whatever sys.stderr is
_LOCK = threading.RLock()  # the descriptor belongs to the whole process


def _is_panic(error: BaseException) -> bool:
    """Whether it is a panic of Rust code: its class derives from BaseException, in no module."""
    return type(error).__module__ == "pyo3_runtime"


def _held() -> IO[bytes]:
    try:
        return tempfile.TemporaryFile()
    except OSError:  # nowhere to write
        return open(os.devnull, "r+b")  # noqa: PTH123


@contextmanager
def _without_panic_lines() -> Iterator[None]:
    """Standard error without the lines that Rust writes about a panic; others come after."""
    with _LOCK:
        try:
            stderr = os.dup(_STDERR)
        except OSError:  # it is closed
            yield
            return
        panicked = False
        with _held() as held:
            os.dup2(held.fileno(), _STDERR)
            try:
                yield
            except BaseException as error:
                panicked = _is_panic(error)
                raise
            finally:
                os.dup2(stderr, _STDERR)
                os.close(stderr)
                held.seek(0)
                if not panicked and (written := held.read()):
                    os.write(_STDERR, written)


@contextmanager
def guarded(template: str, **facts: object) -> Iterator[None]:
    """Calls of the library, which raises bare Exceptions, or panics.

    Raises AttncliError of this template, whose {reason} is what the library says.
    """
    try:
        with _without_panic_lines():
            yield
    except AttncliError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and not _is_panic(error):
            raise
        raise AttncliError(template, **facts, reason=quoted(error)) from None
