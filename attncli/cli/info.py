"""`attncli info`: what a checkpoint holds, and what of it is used."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from attncli.cli.console import render, write_answer, write_notes
from attncli.cli.options import argument, option
from attncli.cli.records import AnswerOptions, OpeningOptions
from attncli.errors import UsageError
from attncli.language import Phrase, joined

if TYPE_CHECKING:
    from attncli.medium.screen import Screen
    from attncli.views.facts import SaidFact
    from attncli.weights.inventory import Inventory


WEIGHTS = argument(
    "[WEIGHTS]", "The same as --weights of the other commands.", "sample", show_default=True
)
UNUSED = option("--unused", "List the tensors that are not used.", False)


def info(
    *,
    weights: str = WEIGHTS,
    unused: bool = UNUSED,
    opening: OpeningOptions,
    output: AnswerOptions,
) -> None:
    """Show what a checkpoint holds: its shape, tensors, tokenizer.

    Values are not read. A checkpoint that attncli cannot compute with is listed too, with the
    reason.

    \b
    attncli info path/to/checkpoint --unused
    """
    from attncli.weights.inventory import take_inventory

    screen = output.find_screen_or_json()
    if screen is None and unused:
        raise UsageError("`{name}` has no effect on {what}", name="unused", what="--json")
    inventory = take_inventory(weights, **asdict(opening))
    if screen is None:
        from attncli.exports.inventory_document import inventory_to_json

        answer = inventory_to_json(inventory)
    else:
        from attncli.views.inventory import inventory_view

        tokenizer = _tokenizer_facts(inventory, screen)
        view = inventory_view(inventory, tokenizer, screen, unused=unused)
        answer = render((view,), screen)
    write_answer(answer)
    write_notes(inventory.notes, output.lang)


def _tokenizer_facts(inventory: "Inventory", screen: "Screen") -> "list[SaidFact]":
    from attncli.text.normaliser import describe_normaliser
    from attncli.text.printable import without_isolates
    from attncli.text.tokenizer import kind_of, vocabulary_size
    from attncli.views.token_table import tokenizer_facts

    tokenizer = inventory.tokenizer
    if tokenizer is None:
        return []
    name = Phrase("fact.tokenizer")
    if isinstance(tokenizer, Phrase):
        return [(name, without_isolates(screen.text(tokenizer)))]
    size = Phrase("tokenizer.size", {"count": vocabulary_size(tokenizer)})
    facts = tokenizer_facts(describe_normaliser(tokenizer.library), tokenizer.frames)
    return [(name, joined("list.comma", [kind_of(tokenizer), size])), *facts]
