"""What `explain` and `export` have in common: from options to numbers."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypedDict

from attncli.cli.records import OpeningOptions, TextOptions
from attncli.cli.values import parse_attention_mask, parse_ids
from attncli.errors import UsageError
from attncli.stack import Stack

if TYPE_CHECKING:
    from attncli.inspector import Inspection
    from attncli.narration.row import Row


@dataclass(frozen=True)
class Answer:
    """One layer's attention, the heads to show of it, and a row of each if one is derived."""

    inspection: "Inspection"
    heads: tuple[int, ...]
    rows: tuple["Row", ...]


def text_or_ids(sentence: str | None, ids: str | None, pair: str | None) -> str | tuple[int, ...]:
    """What is to be read: the sentence, or the ids in its place."""
    from attncli.text.source import read_text

    if ids is None:
        return read_text(sentence, sys.stdin.buffer)
    if sentence is not None or pair is not None:
        raise UsageError("--ids stands in place of the sentence and of --pair: give one of them")
    return parse_ids(ids)


class Source(TypedDict):
    """What `inspect` is to read, by the names of its parameters."""

    sentence: str | tuple[int, ...]
    pair: str | None
    target: str | tuple[int, ...] | None
    stack: Stack | None
    causal: bool
    attention_mask: tuple[int, ...] | None


def read_source(text: TextOptions) -> Source:
    """What is to be read, as the options say it. Raises UsageError for what contradicts itself."""
    sentence = text_or_ids(text.sentence, text.ids, text.pair)
    if text.target is not None and text.target_ids is not None:
        raise UsageError("--target-ids stands in place of --target: give one of them")
    mask = text.attention_mask
    return Source(
        sentence=sentence,
        pair=text.pair,
        target=text.target
        if text.target_ids is None
        else parse_ids(text.target_ids, "--target-ids"),
        stack=text.stack,
        causal=text.causal,
        attention_mask=None if mask is None else parse_attention_mask(mask),
    )


def find_answer(
    text: TextOptions,
    weights: str,
    opening: OpeningOptions,
    *,
    layer: str | None,
    head: Sequence[str],
    default_head: str,
    every_head: bool,
    token: str | None,
    dtype: str,
) -> Answer:
    """Reads the sentence, opens the weights and runs the model; arguments as the options.

    `every_head`: S and A of all heads are wanted, not only of those to show.
    """
    from attncli.inspector import find_stack, inspect
    from attncli.narration.row import row_of
    from attncli.selectors import only, select
    from attncli.text.select import find_token
    from attncli.weights import load_weights

    source = read_source(text)
    with load_weights(weights, **asdict(opening), dtype=dtype) as opened:
        _, spec = find_stack(opened, text.stack)
        counts = {"n_layers": spec.n_layers, "n_heads": spec.n_heads}
        chosen = select(layer, head, **counts)
        heads = chosen.heads or select(None, [default_head], **counts).heads
        inspection = inspect(
            **source,
            weights=opened,
            layer=only("layer", chosen.layers, spec.n_layers - 1),
            heads=None if every_head else heads,
        )
    place = None if token is None else find_token(inspection.tokens, token)
    return Answer(
        inspection=inspection,
        heads=heads,
        rows=() if place is None else tuple(row_of(inspection, number, place) for number in heads),
    )
