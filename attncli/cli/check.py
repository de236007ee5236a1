"""`attncli check`: a person's own arrays against the right computation."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attncli.cli import check_options as its
from attncli.cli import options as opt
from attncli.cli.answer import text_or_ids
from attncli.cli.console import Color, find_screen, render, write_answer, write_notes
from attncli.cli.values import parse_attention_mask, parse_mapping
from attncli.errors import UsageError

if TYPE_CHECKING:
    from attncli.check.batch import Unread
    from attncli.check.report import Report
    from attncli.medium.screen import Screen
    from attncli.weights import Weights

DIFFERS = 1  # the exit status


def check(
    files: its.Files = None,
    mapping: its.Map = None,
    each: its.Each = False,
    n_heads: its.NHeads = None,
    causal: its.Causal = None,
    scale: its.Scale = None,
    tol: its.Tolerance = None,
    weights: its.Weights = None,
    sentence: its.Sentence = None,
    ids: opt.Ids = None,
    pair: opt.Pair = None,
    layer: its.Layer = None,
    head: its.Head = None,
    attention_mask: opt.AttentionMask = None,
    revision: opt.Revision = None,
    offline: opt.Offline = False,
    itself: its.Self = False,
    width: opt.Width = None,
    color: opt.ColorWhen = Color.auto,
    json: opt.Json = False,
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
    if json and width:
        raise UsageError("--width has no effect on --json")
    of_file = {
        "--map": mapping or None,
        "--each": each or None,
        "--n-heads": n_heads,
        "--causal": causal,
        "--scale": scale,
        "--tol": tol,
    }
    of_model = {
        "--sentence": sentence,
        "--ids": ids,
        "--pair": pair,
        "--layer": layer,
        "--head": head,
        "--attention-mask": attention_mask,
        "--revision": revision,
        "--offline": offline or None,
    }
    if itself:
        _refuse({"files": files or None, **of_file, "-w": weights, **of_model}, "--self")
        _answer_itself(None if json else find_screen(color, width))
        return
    if not files:
        raise UsageError("no files: name those that your arrays are in, or give --self")
    names = parse_mapping(mapping or ())
    screen = None if json else find_screen(color, width)
    if weights is None:
        _refuse(of_model, "a check without a model, which -w names")
        from attncli.check import check_files

        check_paths = partial(
            check_files, mapping=names, heads=n_heads, causal=causal, scale=scale, tol=tol
        )
        _answer(files, check_paths, screen, each=each)
        return
    _refuse({"--n-heads": n_heads, "--scale": scale}, "-w: the model says it")
    if causal is False:
        raise UsageError("--no-causal has no effect on -w: the model says it")
    if sentence is None and ids is None:
        raise UsageError("-w needs what your arrays were computed for: give --sentence or --ids")
    from attncli.check.against_model import check_against
    from attncli.inspector import inspect
    from attncli.weights import load_weights

    text = text_or_ids(sentence, ids, pair)
    mask = None if attention_mask is None else parse_attention_mask(attention_mask)
    with load_weights(weights, revision=revision, offline=offline) as opened:
        at, of_head = _find_place(layer, head, opened)
        model = inspect(text, opened, pair=pair, layer=at, causal=bool(causal), attention_mask=mask)
        compare = partial(check_against, model=model, mapping=names, head=of_head, tol=tol)
        _answer(files, compare, screen, each=each, notes=model.notes)


def _find_place(layer: str | None, head: str | None, weights: "Weights") -> tuple[int, int | None]:
    """The layer, the last unless one is named, and the head. None: the arrays are of all heads."""
    from attncli.selectors import only, select

    n_layers, n_heads = weights.spec.n_layers, weights.spec.n_heads
    heads = () if head is None else (head,)
    chosen = select(layer, heads, n_layers=n_layers, n_heads=n_heads)
    of_head = only("head", chosen.heads, 0) if chosen.heads else None
    return only("layer", chosen.layers, n_layers - 1), of_head


def _refuse(options: Mapping[str, object], what: str) -> None:
    """Raises UsageError for the first of the options that is given."""
    for option, value in options.items():
        if value is not None:
            raise UsageError(f"{option} has no effect on {what}")


def _answer(
    files: Sequence[Path],
    check_paths: "Callable[[Sequence[Path]], Report]",
    screen: "Screen | None",
    *,
    each: bool,
    notes: Iterable[str] = (),
) -> None:
    """Checks, writes what was found, and exits with 1 if anything differs. No screen: as JSON."""
    if each:
        from attncli.check.batch import check_each, find_each

        found = check_each(find_each(files), lambda path: check_paths([path]))
        text, right = _batch(list(found), screen)
    else:
        report = check_paths(files)
        text, right = _page(report, screen), _is_right(report)
    write_answer(text)
    write_notes(notes)
    _exit(right)


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


def _answer_itself(screen: "Screen | None") -> None:
    from attncli.proof import prove, versions

    proofs = list(prove())
    if screen is None:
        from attncli.exports.check_document import proofs_to_json

        text = proofs_to_json(proofs, versions())
    else:
        from attncli.views.check_lists import proofs_view

        text = render((proofs_view(proofs, versions(), screen),), screen)
    write_answer(text)
    _exit(all(proof.holds for proof in proofs))


def _exit(right: bool) -> None:
    if not right:
        raise typer.Exit(DIFFERS)
