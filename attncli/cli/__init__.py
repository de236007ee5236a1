"""The command line. Every command parses, loads, makes one call and prints; no arithmetic here.

Heavy imports (numpy, rich, tokenizers) stand inside the functions that need them, so that
`--help` and completion answer at once.
"""

import os
import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand

from attncli import __version__
from attncli.cli import console
from attncli.cli.check import check
from attncli.cli.explain import explain
from attncli.cli.export import export
from attncli.cli.families import families
from attncli.cli.info import info
from attncli.cli.step import step
from attncli.cli.tokens import tokens
from attncli.cli.wording import error_text
from attncli.errors import AttncliError
from attncli.text.printable import printable


class Command(TyperCommand):
    """A command whose usage errors say how to pass a sentence that looks like an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except Exception as raised:
            error: Any = raised  # click's NoSuchOption, which has another home in typer 0.26
            if getattr(error, "option_name", None) and not error.possibilities:
                error.message += ". Put -- before a sentence that begins with a dash."
            raise


app = typer.Typer(
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(cls=Command)(explain)
app.command(cls=Command)(step)
app.command(cls=Command)(export)
app.command(cls=Command)(check)
app.command(cls=Command)(tokens)
app.command(cls=Command)(info)
app.command(cls=Command)(families)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"attncli {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def attncli(
    ctx: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """What attention computes, with its real numbers.

    \b
    attncli explain "The animal didn't cross the street because it was too tired"
    """
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())
        raise typer.Exit(2)


def main() -> None:
    """Runs the command line; a failure is one line on standard error and a status of its own."""
    # Threads that wait for one another cost more than they bring on a sentence; before numpy loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        console.prepare_streams()
        app()
    except AttncliError as error:
        _fail(error_text(error), error.exit_status)
    except MemoryError as error:
        _fail(f"not enough memory: {error}", 1)
    except OSError as error:  # files are opened under errors of their own: this is --help > full
        console.give_up_output(error)
        _fail(f"cannot write to standard output: {error.strerror}", 1)


def _fail(message: str, status: int) -> NoReturn:
    print(f"Error: {printable(message)}", file=sys.stderr)
    sys.exit(status)
