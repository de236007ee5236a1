"""`attncli step`: one row's computation, step by step, with or without a quiz."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from attncli.cli import options as opt
from attncli.cli.answer import inspect_text
from attncli.cli.console import (
    NARROWEST,
    has_keys_and_screen,
    render,
    write_answer,
    write_notes,
)
from attncli.cli.options import integer, option
from attncli.cli.records import OpeningOptions, ScreenOptions, TextOptions
from attncli.errors import UsageError

if TYPE_CHECKING:
    from attncli.inspector import Inspection
    from attncli.views.lines import Line
    from attncli.walk.quiz import Score
    from attncli.walk.rows import Place
    from attncli.walk.state import View

HEAD = option("--head", f"The head, from 0 (the default): {opt.ONE_HEAD}.", metavar="<head>")
QUIZ = option("--quiz", "Ask a question before a step is shown.", False)
QUIZ_SEED = integer("--quiz-seed", "Seed for the choice of questions (default: 0).", 0)


def step(
    *,
    weights: str = opt.WEIGHTS,
    text: TextOptions,
    layer: str | None = opt.LAYER,
    head: str | None = HEAD,
    token: str | None = opt.TOKEN,
    quiz: bool = QUIZ,
    quiz_seed: int | None = QUIZ_SEED,
    digits: int | None = opt.DIGITS,
    dtype: opt.Dtype = opt.DTYPE,
    opening: OpeningOptions,
    shown: ScreenOptions,
) -> None:
    """Walk through one token's computation, step by step.

    The keys: n for the next step, b for the one before, ? for all keys, q to quit. Without a
    terminal all steps are printed, and the answers to a quiz are read from standard input.

    \b
    attncli step "The animal didn't cross the street because it was too tired" --token it
    """
    from attncli.inspector import find_kind
    from attncli.selectors import only, select
    from attncli.text.select import find_token
    from attncli.walk.rows import Place, first_token, open_rows
    from attncli.walk.state import View, make_view
    from attncli.weights import load_weights

    if quiz_seed is not None and not quiz:
        raise UsageError("--quiz-seed has no effect without --quiz")
    at_terminal = has_keys_and_screen()
    if token is None and not at_terminal:
        raise UsageError("step needs --token where there is no terminal: give its number or text")
    inspect = inspect_text(text)
    screen = shown.find_screen()
    with load_weights(weights, **asdict(opening), dtype=dtype) as opened:
        _, spec = find_kind(opened, text.attention)
        heads = () if head is None else (head,)
        chosen = select(layer, heads, n_layers=spec.n_layers, n_heads=spec.n_heads)
        number = only("head", chosen.heads, 0)

        def inspect_at(layer: int, head: int) -> "Inspection":
            return inspect(opened, layer=layer, heads=[head])

        inspection = inspect_at(only("layer", chosen.layers, spec.n_layers - 1), number)
        tokens = inspection.tokens
        row = first_token(tokens) if token is None else find_token(tokens, token)
        place = Place(inspection.attention.layer, number, row)
        rows = open_rows(inspection, inspect_at)

        def view_of(cells: int, lines: int) -> View:
            width = max(min(shown.width or cells, cells), NARROWEST)
            seed = (quiz_seed or 0) if quiz else None
            return make_view(
                rows, replace(screen, width=width), lines, quiz_seed=seed, digits=digits
            )

        if at_terminal:
            from attncli.walk.terminal import walk

            score = walk(place, view_of, _painted)
        else:
            score = _print(inspection, place, view_of(screen.width, 1))
    if score.asked:
        from attncli.walk.quiz import score_line

        write_answer(render((score_line(score, screen),), screen))
    write_notes(inspection.notes, shown.lang)


def _painted(lines: Sequence["Line"], view: "View") -> list[str]:
    """Characters and colour codes of each line."""
    from attncli.views.lines import Lines

    return render((Lines(tuple(lines)),), view.screen).split("\n")[:-1]


def _print(inspection: "Inspection", place: "Place", view: "View") -> "Score":
    """All steps, under the lines that `explain` begins with."""
    from attncli.views.heading import heading
    from attncli.views.lines import Lines
    from attncli.walk.printed import print_steps

    def show(lines: Sequence["Line"]) -> None:
        write_answer(render((Lines(tuple(lines)),), view.screen))

    write_answer(render((*heading(inspection, (place.head,), view.screen), ""), view.screen))
    return print_steps(place, view, _answers(), show)


def _answers() -> Iterator[str]:
    """The lines of standard input. A keyboard answers no question that its screen does not show."""
    if sys.stdin.isatty():
        return
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace").rstrip("\r\n")
