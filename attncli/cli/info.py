"""`attncli info`: what a checkpoint holds, and what of it is used."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from attncli.cli import options as opt
from attncli.cli.console import Color, find_screen, render, write_answer, write_notes
from attncli.cli.records import OpeningOptions, spread
from attncli.errors import UsageError

if TYPE_CHECKING:
    from attncli.views.facts import Fact
    from attncli.weights.inventory import Inventory


@spread
def info(
    *,
    weights: opt.WeightsArgument = "sample",
    unused: opt.Unused = False,
    opening: OpeningOptions,
    width: opt.Width = None,
    color: opt.ColorWhen = Color.auto,
    json: opt.Json = False,
) -> None:
    """Show what a checkpoint holds: its shape, tensors, tokenizer.

    Values are not read. A checkpoint that attncli cannot compute with is listed too, with the
    reason.

    \b
    attncli info path/to/checkpoint --unused
    """
    from attncli.weights.inventory import take_inventory

    if json and (unused or width):
        raise UsageError("--unused and --width have no effect on --json")
    inventory = take_inventory(weights, **asdict(opening))
    if json:
        from attncli.exports.inventory_document import inventory_to_json

        answer = inventory_to_json(inventory)
    else:
        from attncli.views.inventory import inventory_view

        screen = find_screen(color, width)
        view = inventory_view(inventory, _tokenizer_facts(inventory), screen, unused=unused)
        answer = render((view,), screen)
    write_answer(answer)
    write_notes(inventory.notes)


def _tokenizer_facts(inventory: "Inventory") -> "list[Fact]":
    from attncli.text.normaliser import describe_normaliser
    from attncli.text.tokenizer import kind_of, vocabulary_size
    from attncli.views.token_table import tokenizer_facts

    tokenizer = inventory.tokenizer
    if tokenizer is None:
        return []
    if isinstance(tokenizer, str):
        return [("tokenizer", tokenizer)]
    size = vocabulary_size(tokenizer)
    facts = tokenizer_facts(describe_normaliser(tokenizer.library), tokenizer.frames)
    return [("tokenizer", f"{kind_of(tokenizer)}, {size:,} tokens"), *facts]
