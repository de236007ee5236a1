"""`attncli explain`: every quantity of one layer's attention, on the screen."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attncli.cli import options as opt
from attncli.cli.answer import Answer, find_answer
from attncli.cli.console import Color, find_screen, render, write_answer, write_notes
from attncli.cli.heading import heading
from attncli.cli.records import OpeningOptions, TextOptions, spread
from attncli.errors import UsageError
from attncli.language import Language
from attncli.stack import Stack

if TYPE_CHECKING:
    from rich.console import RenderableType

    from attncli.attention import Array
    from attncli.medium.screen import Screen


@spread
def explain(
    *,
    weights: opt.WeightsName = "sample",
    text: TextOptions,
    layer: opt.Layer = -1,
    head: opt.HeadList = None,
    token: opt.TokenName = None,
    show: opt.Show = None,
    form: opt.As = None,
    full: opt.Full = False,
    digits: opt.Digits = None,
    dtype: opt.DtypeName = opt.Dtype.float32,
    opening: OpeningOptions,
    width: opt.Width = None,
    lang: opt.Lang = None,
    document: opt.FormatName = None,
    color: opt.ColorWhen = Color.auto,
    json: opt.Json = False,
) -> None:
    """Show every matrix of a sentence's attention.

    With --token, derive that token's row instead, step by step.

    \b
    attncli explain "The animal didn't cross the street because it was too tired" --token it
    """
    shown = _matrices(show, everything=json, nothing=token is not None)
    if json and (form or full or digits or width or document):
        raise UsageError("--as, --full, --digits, --width and --format have no effect on --json")
    if document and (token is None or show or form or width):
        raise UsageError(
            f"--format {document} writes the derivation of one token, nothing else: give --token, "
            "and neither --show nor --as nor --width"
        )
    if not shown and (form or (full and not document)):
        raise UsageError("--as and --full draw matrices; beside --token name them with --show")
    answer = find_answer(
        text,
        weights,
        opening,
        layer=layer,
        head=head or ["0"],
        every_head=not json and token is None,  # they stand at a glance above the matrices
        token=token,
        dtype=dtype,
    )
    if json:
        from attncli.exports.json_document import to_json

        page = to_json(answer.inspection, answer.heads, shown, answer.rows, lang or Language.en)
    elif document:
        page = _documents(answer, document, full, digits, find_screen(color, width, lang))
    else:
        screen = find_screen(color, width, lang)
        page = render(_page(answer, shown, form, full, digits, screen), screen)
    write_answer(page)
    write_notes(answer.inspection.notes)


def _matrices(show: str | None, *, everything: bool, nothing: bool) -> Sequence[str]:
    """What to show where --show does not say: on the screen no X, and beside a derivation none."""
    if show is not None:
        return opt.parse_show(show)
    if everything:
        return opt.MATRICES
    return () if nothing else opt.MATRICES[1:]


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
    shown: Sequence[str],
    form: opt.Form | None,
    full: bool,
    digits: int | None,
    screen: "Screen",
) -> Iterator["RenderableType"]:
    """From top to bottom: the model and the tokens, all heads, matrices, derivations."""
    from attncli.narration.origin import origin_of_X
    from attncli.views.heatmap import heatmap
    from attncli.views.matrix import matrix
    from attncli.views.overview import overview

    inspection = answer.inspection
    attention, tokens = inspection.attention, inspection.tokens
    cross = inspection.stack is Stack.cross
    keys = inspection.columns if cross else None
    yield from heading(inspection, answer.heads, screen)
    if not answer.rows:
        yield ""
        yield overview(attention.A, tokens, answer.heads, screen, mask=attention.mask, keys=keys)
    draw = heatmap if form is opt.Form.heatmap else matrix
    for name, place, M in _chosen(answer, shown):
        yield ""
        yield draw(
            name,
            place,
            M,
            tokens,
            screen,
            digits=digits,
            mask=attention.mask,
            full=full,
            keys=keys,
            origin=screen.say(origin_of_X(inspection.spec, attention.layer, cross=cross)),
        )
    for row in answer.rows:
        from attncli.views.derivation import derivation_view

        yield ""
        yield derivation_view(row, screen, digits=digits)


def _chosen(answer: Answer, shown: Sequence[str]) -> Iterator[tuple[str, str, "Array"]]:
    """Name, place and values of each matrix: X, then head by head, then Y."""
    attention = answer.inspection.attention
    layer = f"L{attention.layer}"
    if "X" in shown:
        yield "X", layer, attention.X
    for head in answer.heads:
        for name in shown:
            if name not in "XY":
                yield name, f"{layer}H{head}", attention.of_head(name, head)
    if "Y" in shown and attention.Y is not None:
        yield "Y", layer, attention.Y
