"""Running the command line inside the test's own process."""

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest import mock

from attncli.cli import main

SCREEN = {"COLUMNS", "LINES", "TERM", "NO_COLOR", "FORCE_COLOR", "COLORTERM", "ATTNCLI_LANG"}


@dataclass(frozen=True)
class Answer:
    """What a run left behind."""

    status: int
    out: str
    err: str


def run(
    *arguments: object,
    stdin: bytes = b"",
    environment: dict[str, str] | None = None,
    encoding: str = "utf-8",
) -> Answer:
    """`attncli ARGUMENTS`, with standard output and standard error kept apart.

    Of the terminal that the tests run in nothing is known but what `environment` says.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2))
    status = 0
    plain = {k: v for k, v in os.environ.items() if k not in SCREEN}
    plain |= {"COLORTERM": "truecolor", "LC_ALL": "C"}
    with (
        mock.patch.dict(os.environ, plain | (environment or {}), clear=True),
        mock.patch.object(sys, "argv", ["attncli", *map(str, arguments)]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 0
    return Answer(status, *(stream.buffer.getvalue().decode(encoding) for stream in (out, err)))
