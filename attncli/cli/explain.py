"""`attncli explain`: every quantity of one layer's attention, on the screen."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attncli.cli import options as opt
from attncli.cli.answer import Answer, find_answer
from attncli.cli.console import render, write_answer, write_notes
from attncli.cli.options import option
from attncli.cli.records import AnswerOptions, OpeningOptions, PlaceOptions, TextOptions
from attncli.errors import UsageError
from attncli.kind import AttentionKind
from attncli.language import Language, Phrase
from attncli.matrices import IN_FILES, ON_SCREEN, Matrix, find_matrices

if TYPE_CHECKING:
    from rich.console import RenderableType

    from attncli.medium.screen import Screen


AS = option("--as", "Draw matrices as numbers (table) or as colored cells.")
FULL = option("--full", "Show every column, in blocks.", False)
FORMAT = option(
    "--format",
    "Write the derivation of --token as Markdown or LaTeX; with --full, all its numbers.",
)


def explain(
    *,
    weights: str = opt.WEIGHTS,
    text: TextOptions,
    place: PlaceOptions,
    show: str | None = opt.SHOW,
    form: opt.Form | None = AS,
    full: bool = FULL,
    digits: int | None = opt.DIGITS,
    opening: OpeningOptions,
    document: opt.Format | None = FORMAT,
    output: AnswerOptions,
) -> None:
    """Show every matrix of a sentence's attention.

    With --token, derive that token's row instead, step by step.

    \b
    attncli explain "The animal didn't cross the street because it was too tired" --token it
    """
    shown = _matrices(show, everything=output.json, nothing=place.token is not None)
    if output.json and (form or full or digits or document):
        raise UsageError("--as, --full, --digits and --format have no effect on --json")
    if document and (place.token is None or show or form or output.width):
        raise UsageError(
            "--format {format} writes the derivation of one token, nothing else: give --token, and "
            "neither --show nor --as nor --width",
            format=document,
        )
    if not shown and (form or (full and not document)):
        raise UsageError("--as and --full are for matrices: with --token, name some with --show")
    screen = output.find_screen_or_json(json_speaks=True)
    every_head = screen is not None and place.token is None  # for the overview of all heads
    answer = find_answer(text, weights, opening, place, default_head="0", every_head=every_head)
    if screen is None:
        from attncli.exports.json_document import to_json

        page = to_json(
            answer.inspection, answer.heads, shown, answer.rows, output.lang or Language.en
        )
    elif document:
        page = _documents(answer, document, full, digits, screen)
    else:
        page = render(_page(answer, shown, form, full, digits, screen), screen)
    write_answer(page)
    write_notes((*answer.inspection.notes, *_missing(answer, shown if show else ())), output.lang)


def _matrices(show: str | None, *, everything: bool, nothing: bool) -> Sequence[Matrix]:
    """What to show where --show does not say: on the screen no X, and with a derivation none."""
    if show is not None:
        return find_matrices(show)
    if everything:
        return IN_FILES
    return () if nothing else ON_SCREEN


def _missing(answer: Answer, asked: Sequence[Matrix]) -> Iterator[Phrase]:
    """A note that names the matrices that were asked for and that the model does not have."""
    attention = answer.inspection.attention
    names = [each.name for each in asked if each.values(attention, answer.heads[0]) is None]
    if names:
        yield Phrase(
            "{model} has no {names} in this layer",
            {"model": answer.inspection.weights.name, "names": ", ".join(names)},
        )


def _documents(
    answer: Answer, form: opt.Format, full: bool, digits: int | None, screen: "Screen"
) -> str:
    """The derivations, one after the other."""
    from attncli.exports.latex import to_latex
    from attncli.exports.markdown import to_markdown
    from attncli.exports.pages import page_of
    from attncli.views.blocks import voice_of

    write = {opt.Format.md: to_markdown, opt.Format.tex: to_latex}[form]
    voice = voice_of(screen)
    return write([page_of(row, voice, digits=digits, full=full) for row in answer.rows])


def _page(
    answer: Answer,
    shown: Sequence[Matrix],
    form: opt.Form | None,
    full: bool,
    digits: int | None,
    screen: "Screen",
) -> Iterator["RenderableType"]:
    """From top to bottom: the model and the tokens, all heads, matrices, derivations."""
    from attncli.views.heading import heading
    from attncli.views.heatmap import heatmap
    from attncli.views.matrix import matrix
    from attncli.views.overview import overview
    from attncli.views.shown import shown_matrices

    inspection = answer.inspection
    attention, tokens = inspection.attention, inspection.tokens
    cross = inspection.kind is AttentionKind.cross
    keys = inspection.columns if cross else None
    yield from heading(inspection, answer.heads, screen)
    if not answer.rows:
        yield ""
        yield overview(attention.A, tokens, answer.heads, screen, mask=attention.mask, keys=keys)
    draw = heatmap if form is opt.Form.heatmap else matrix
    for each in shown_matrices(inspection, answer.heads, shown):
        yield ""
        yield draw(each, screen, digits=digits, full=full)
    for row in answer.rows:
        from attncli.views.derivation import derivation_view

        yield ""
        yield derivation_view(row, screen, digits=digits)
