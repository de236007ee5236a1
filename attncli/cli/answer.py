"""What `explain`, `export` and `step` have in common: from options to numbers."""

import sys
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from attncli.cli.records import OpeningOptions, PlaceOptions, TextOptions
from attncli.cli.values import parse_attention_mask, parse_ids
from attncli.errors import UsageError

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
        raise UsageError("--ids replaces the sentence and --pair: give one or the other")
    return parse_ids(ids)


def inspect_text(text: TextOptions) -> "partial[Inspection]":
    """`inspect` of what the options say. Raises UsageError for what contradicts itself."""
    from attncli.inspector import inspect

    sentence, target = text_or_ids(text.sentence, text.ids, text.pair), text.target
    if target is not None and text.target_ids is not None:
        raise UsageError("--target-ids replaces --target: give one or the other")
    ids = None if text.target_ids is None else parse_ids(text.target_ids, "target_ids")
    return partial(
        inspect,
        sentence,
        pair=text.pair,
        target=target if ids is None else ids,
        attention=text.attention,
        causal=text.causal,
        attention_mask=parse_attention_mask(text.attention_mask),
    )


def find_answer(
    text: TextOptions,
    weights: str,
    opening: OpeningOptions,
    place: PlaceOptions,
    *,
    default_head: str,
    every_head: bool,
) -> Answer:
    """Reads the sentence, opens the weights and runs the model; arguments as the options.

    `every_head`: S and A of all heads are wanted, not only of those to show.
    """
    from attncli.inspector import find_kind
    from attncli.narration.row import row_of
    from attncli.selectors import only, select
    from attncli.text.select import find_token
    from attncli.weights import load_weights

    inspect = inspect_text(text)
    with load_weights(weights, **asdict(opening), dtype=place.dtype) as opened:
        _, spec = find_kind(opened, text.attention)
        counts = {"n_layers": spec.n_layers, "n_heads": spec.n_heads}
        chosen = select(place.layer, place.head or (), **counts)
        heads = chosen.heads or select(None, [default_head], **counts).heads
        layer = only("layer", chosen.layers, spec.n_layers - 1)
        inspection = inspect(opened, layer=layer, heads=None if every_head else heads)
    if place.token is None:
        return Answer(inspection, heads, rows=())
    token = find_token(inspection.tokens, place.token)
    return Answer(inspection, heads, tuple(row_of(inspection, head, token) for head in heads))
