"""`attncli families`: which models attncli understands."""

from attncli.cli.console import render, write_answer
from attncli.cli.records import ScreenOptions
from attncli.language import Phrase


def families(shown: ScreenOptions) -> None:
    """List the model families that attncli understands.

    A checkpoint belongs to the family that its config.json names as model_type.

    \b
    attncli families
    """
    from attncli.views.facts import fact_lines
    from attncli.views.lines import on_screen

    screen = shown.find_screen()
    write_answer(render((on_screen(fact_lines(_rows(), screen), screen),), screen))


def _rows() -> list[tuple[str, Phrase]]:
    """model_type and what is special about it; names that mean the same stand together."""
    from attncli.families import records

    names: dict[str, list[str]] = {}
    for name, record in sorted(records().items()):
        names.setdefault(record.special, []).append(name)
    return [(", ".join(group), Phrase(special)) for special, group in names.items()]
