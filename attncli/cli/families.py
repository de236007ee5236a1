"""`attncli families`: which models attncli understands."""

from attncli.cli import options as opt
from attncli.cli.console import Color, find_screen, render, write_answer


def families(width: opt.Width = None, color: opt.ColorWhen = Color.auto) -> None:
    """List the model families that attncli understands.

    A checkpoint belongs to the family that its config.json names as model_type.

    \b
    attncli families
    """
    from attncli.views.facts import fact_lines
    from attncli.views.lines import on_screen

    screen = find_screen(color, width)
    write_answer(render((on_screen(fact_lines(_rows(), screen), screen),), screen))


def _rows() -> list[tuple[str, str]]:
    """model_type and what is special about it; names that mean the same stand together."""
    from attncli.families import records

    names: dict[str, list[str]] = {}
    for name, record in sorted(records().items()):
        names.setdefault(record.special, []).append(name)
    return [(", ".join(group), special) for special, group in names.items()]
