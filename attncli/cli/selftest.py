"""`attncli selftest`: whether this installation computes what it should."""

import typer

from attncli.cli.console import render, write_answer
from attncli.cli.records import AnswerOptions

FAILS = 1  # the exit status


def selftest(output: AnswerOptions) -> None:
    """Check this installation of attncli itself.

    What can be computed in two ways is computed in both: by hand, by loops over plain numbers, by
    the reference implementation. The exit status is 0 if all agree, else 1.

    \b
    attncli selftest
    """
    from attncli.proof import prove, versions

    screen = output.find_screen_or_json()
    proofs = list(prove())
    if screen is None:
        from attncli.exports.check_document import proofs_to_json

        text = proofs_to_json(proofs, versions())
    else:
        from attncli.views.check_lists import proofs_view

        text = render((proofs_view(proofs, versions(), screen),), screen)
    write_answer(text)
    if not all(proof.holds for proof in proofs):
        raise typer.Exit(FAILS)
