"""The command line. Every command parses, loads, makes one call and prints; no arithmetic here.

Heavy imports (numpy, rich, tokenizers) stand inside the functions that need them, so that
`--help` and completion answer at once.
"""

import os
import sys
import traceback
from typing import NoReturn

import typer

from attncli import __version__
from attncli.cli import console
from attncli.cli.check import check
from attncli.cli.commands import ClickUsageError, Command, Group, Run, write_help
from attncli.cli.explain import explain
from attncli.cli.export import export
from attncli.cli.families import families
from attncli.cli.info import info
from attncli.cli.options import option
from attncli.cli.records import spread
from attncli.cli.selftest import selftest
from attncli.cli.step import step
from attncli.cli.tokens import tokens
from attncli.cli.usage import usage_lines
from attncli.cli.wording import error_text
from attncli.errors import AttncliError
from attncli.language import say
from attncli.signals import Ended, ended_by_signals
from attncli.text.printable import quoted

INTERNAL = 70  # the exit status of a fault in attncli itself: EX_SOFTWARE of sysexits.h

app = typer.Typer(
    cls=Group,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (explain, step, export, check, tokens, info, families, selftest):
    app.command(cls=Command)(spread(_command))


def _print_version(wanted: bool) -> None:
    if wanted:
        console.write_answer(f"attncli {__version__}\n")
        raise typer.Exit


VERSION = option(
    "--version -V", "Print the version.", False, callback=_print_version, is_eager=True
)


@app.callback(invoke_without_command=True)
def attncli(
    ctx: typer.Context,
    version: bool = VERSION,  # noqa: ARG001
) -> None:
    """What attention computes, with its real numbers.

    \b
    attncli explain "The animal didn't cross the street because it was too tired"
    """
    if ctx.invoked_subcommand is None:
        write_help(ctx)
        raise typer.Exit(2)


def main() -> None:
    """Runs the command line; a failure is one line on standard error and a status of its own."""
    # Threads that wait for one another cost more than they bring on a sentence; before numpy loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    run = Run()
    try:
        with ended_by_signals():
            console.prepare_streams()
            status = app(obj=run, prog_name="attncli", standalone_mode=False)
    except ClickUsageError as error:
        for line in usage_lines(error, console.message_language(run.language)):
            console.write_message(line)
        sys.exit(2)
    except AttncliError as error:
        _fail(run, error, error.exit_status)
    except MemoryError as error:
        _fail(run, AttncliError("not enough memory: {reason}", reason=quoted(error)), 1)
    except OSError as error:  # of a file that nobody expected to be refused
        console.give_up_what_is_unwritten()
        _show_traceback(run)
        refusal = AttncliError(
            "the system says: {reason}" if error.filename is None else "{name}: {reason}",
            name=quoted(error.filename),
            reason=quoted(error.strerror or error),
        )
        _fail(run, refusal, 1)
    except Exception as error:
        _show_traceback(run)
        what = f"{type(error).__name__}: {quoted(error)}" if str(error) else type(error).__name__
        fault = AttncliError(
            "a fault in attncli {version}: {what}; report what it prints"
            if run.debug
            else "a fault in attncli {version}: {what}; run the command again with --debug, and "
            "report what it prints",
            version=__version__,
            what=what,
        )
        _fail(run, fault, INTERNAL)
    except Ended as ended:
        ended.take_effect()
    sys.exit(status or 0)


def _show_traceback(run: Run) -> None:
    if run.debug:
        for line in traceback.format_exc().splitlines():
            console.write_message(line)


def _fail(run: Run, error: AttncliError, status: int) -> NoReturn:
    language = console.message_language(run.language)
    console.write_message(say(language, "error", text=error_text(error, language)))
    sys.exit(status)
