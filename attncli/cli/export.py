"""`attncli export`: what was computed, as a file."""

from pathlib import Path

from attncli.cli import options as opt
from attncli.cli.answer import find_answer
from attncli.cli.console import write_answer, write_notes
from attncli.cli.options import option
from attncli.cli.records import OpeningOptions, PlaceOptions, TextOptions
from attncli.language import Language
from attncli.matrices import IN_FILES, find_matrices

STDOUT = Path("-")
OUTPUT = option(
    "--output -o", "The file to write; - is standard output.", STDOUT, show_default=True
)


def export(
    *,
    output: Path = OUTPUT,
    weights: str = opt.WEIGHTS,
    text: TextOptions,
    place: PlaceOptions,
    show: str | None = opt.SHOW,
    opening: OpeningOptions,
    lang: Language | None = opt.LANG,
) -> None:
    """Write a sentence's attention as JSON.

    By default, all heads and all matrices of one layer.

    \b
    attncli export "The animal didn't cross the street" -o attention.json
    """
    from attncli.exports.files import check_writable, write_file
    from attncli.exports.json_document import to_json

    shown = IN_FILES if show is None else find_matrices(show)
    if output != STDOUT:
        check_writable(output)
    answer = find_answer(text, weights, opening, place, default_head="all", every_head=False)
    document = to_json(answer.inspection, answer.heads, shown, answer.rows, lang or Language.en)
    if output == STDOUT:
        write_answer(document)
    else:
        write_file(output, document)
    write_notes(answer.inspection.notes, lang)
