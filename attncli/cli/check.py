"""`attncli check`: a person's own arrays against the right computation."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attncli.cli.answer import text_or_ids
from attncli.cli.console import render, write_answer, write_notes
from attncli.cli.options import argument, option
from attncli.cli.records import AloneOptions, AnswerOptions, ModelOptions, refuse
from attncli.cli.values import decimal, parse_attention_mask, parse_mapping
from attncli.cli.wording import error_text
from attncli.errors import UsageError
from attncli.language import Language, Phrase

if TYPE_CHECKING:
    from attncli.check.batch import Unread
    from attncli.check.report import Report
    from attncli.medium.screen import Screen

    CheckPaths = Callable[[Sequence[Path]], Report]

DIFFERS = 1  # the exit status

FILES = argument(
    "[FILES]...",
    "Your arrays: .npz, .safetensors, .json, .npy or a folder of .npy; several are read as one.",
)
MAP = option(
    "--map",
    "The name of an array in your files: the article's name, =, yours; may be repeated.",
    metavar="S=scores",
)
EACH = option("--each", "Check each file, or each file of a folder, on its own.", False)
CAUSAL = option(
    "--causal/--no-causal",
    "Whether the tokens to the right are hidden (default: as in your mask).",
)
TOLERANCE = option(
    "--tol",
    "Differences up to this count as rounding (default: by dtype).",
    parser=decimal(Phrase("of 0 or more, such as 1e-4"), lambda difference: difference >= 0),
    metavar="<float>",
)
WEIGHTS = option("--weights -w", "Compare with this model; see --weights of explain.")


def check(
    *,
    files: list[Path] | None = FILES,
    mapping: list[str] | None = MAP,
    each: bool = EACH,
    alone: AloneOptions,
    causal: bool | None = CAUSAL,
    tol: float | None = TOLERANCE,
    weights: str | None = WEIGHTS,
    model: ModelOptions,
    output: AnswerOptions,
) -> None:
    """Find out what is wrong with your own attention.

    Each array in your files is compared with what the arrays before it should give; the first
    that differs is explained. docs/check.md says how to save arrays. The exit status is 0 if
    nothing differs, 1 if something does or nothing could be checked.

    \b
    attncli check mine.npz --n-heads 8
    attncli check --each homework/
    attncli check mine.npz -w path/to/checkpoint --sentence "The cat sat" -l 3
    """
    screen = output.find_screen_or_json()
    if not files:
        raise UsageError("no files: name those that your arrays are in")
    names = parse_mapping(mapping or ())
    if weights is None:
        refuse(model, Phrase("a check without a model, which -w names"))
        from attncli.check import check_files

        check_paths = partial(
            check_files,
            mapping=names,
            heads=alone.n_heads,
            causal=causal,
            scale=alone.scale,
            tol=tol,
        )
        right = _answer(files, check_paths, screen, each=each)
    else:
        refuse(alone, Phrase("-w: the model says it"))
        if causal is False:
            raise UsageError(
                "`{name}` has no effect on {what}",
                name="no_causal",
                what=Phrase("-w: the model says it"),
            )
        with _against(weights, model, bool(causal)) as (compare, notes):
            right = _answer(files, partial(compare, mapping=names, tol=tol), screen, each=each)
            write_notes(notes, output.lang)
    if not right:
        raise typer.Exit(DIFFERS)


@contextmanager
def _against(
    weights: str, model: ModelOptions, causal: bool
) -> "Iterator[tuple[Callable[..., Report], Sequence[Phrase]]]":
    """The comparison with a model, as long as it is open, and what a reader must know of it."""
    if model.sentence is None and model.ids is None:
        raise UsageError("-w needs what your arrays were computed for: give --sentence or --ids")
    from attncli.check.against_model import check_against
    from attncli.inspector import inspect
    from attncli.selectors import only, select
    from attncli.weights import load_weights

    text = text_or_ids(model.sentence, model.ids, model.pair)
    mask = parse_attention_mask(model.attention_mask)
    with load_weights(weights, revision=model.revision, offline=model.offline) as opened:
        n_layers, n_heads = opened.spec.n_layers, opened.spec.n_heads
        heads = () if model.head is None else (model.head,)
        chosen = select(model.layer, heads, n_layers=n_layers, n_heads=n_heads)
        head = only("head", chosen.heads, 0) if chosen.heads else None
        layer = only("layer", chosen.layers, n_layers - 1)
        inspection = inspect(
            text, opened, pair=model.pair, layer=layer, causal=causal, attention_mask=mask
        )
        yield partial(check_against, model=inspection, head=head), inspection.notes


def _answer(
    files: Sequence[Path], check_paths: "CheckPaths", screen: "Screen | None", *, each: bool
) -> bool:
    """Checks, writes what was found (no screen: as JSON), and says whether nothing differs."""
    if each:
        from attncli.check.batch import check_each, find_each

        language = Language.en if screen is None else screen.language
        found = check_each(
            find_each(files),
            lambda path: check_paths([path]),
            partial(error_text, language=language),
        )
        text, right = _batch(list(found), screen)
    else:
        report = check_paths(files)
        text, right = _page(report, screen), _is_right(report)
    write_answer(text)
    return right


def _is_right(report: "Report") -> bool:
    """Whether something was checked and nothing differs."""
    from attncli.check.report import Verdict

    checked = any(stage.verdict is not Verdict.unchecked for stage in report.stages)
    return checked and report.right


def _page(report: "Report", screen: "Screen | None") -> str:
    if screen is None:
        from attncli.exports.check_document import report_to_json

        return report_to_json(report)
    from attncli.views.check import check_view

    return render((check_view(report, screen),), screen)


def _batch(
    found: "Sequence[tuple[str, Report | Unread]]", screen: "Screen | None"
) -> tuple[str, bool]:
    from attncli.check.report import Report

    right = all(isinstance(entry, Report) and _is_right(entry) for _, entry in found)
    if screen is None:
        from attncli.exports.check_document import batch_to_json

        return batch_to_json(entry for _, entry in found), right
    from attncli.views.check_lists import batch_view

    return render((batch_view(found, screen),), screen), right
