"""What `explain` and `export` have in common: from options to numbers."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attncli.cli.options import parse_attention_mask, parse_heads, parse_ids
from attncli.errors import UsageError
from attncli.stack import Stack

if TYPE_CHECKING:
    from attncli.analysis.derive import Derivation
    from attncli.inspector import Inspection


@dataclass(frozen=True)
class Answer:
    """One layer's attention, the heads to show of it, and a row of each if one is derived."""

    inspection: "Inspection"
    heads: tuple[int, ...]
    derivations: tuple["Derivation", ...]


def find_answer(
    sentence: str | None,
    *,
    ids: str | None,
    pair: str | None,
    stack: Stack | None,
    target: str | None,
    target_ids: str | None,
    weights: str,
    revision: str | None,
    offline: bool,
    layer: int,
    head: Sequence[str],
    every_head: bool,
    token: str | None,
    causal: bool,
    attention_mask: str | None,
    dtype: str,
    seed: int | None,
    d_model: int | None,
    heads: int | None,
    layers: int | None,
    norm_first: bool,
    activation: str | None,
) -> Answer:
    """Reads the sentence, opens the weights and runs the model; arguments as the options.

    `every_head`: S and A of all heads are wanted, not only of those to show.
    """
    from attncli.analysis.derive import derive
    from attncli.inspector import find_stack, inspect
    from attncli.text.select import find_token
    from attncli.weights import load_weights

    text = text_or_ids(sentence, ids, pair)
    if target is not None and target_ids is not None:
        raise UsageError("--target-ids stands in place of --target: give one of them")
    aim = target if target_ids is None else parse_ids(target_ids, "--target-ids")
    with load_weights(
        weights,
        seed=seed,
        d_model=d_model,
        heads=heads,
        layers=layers,
        norm_first=norm_first,
        activation=activation,
        revision=revision,
        offline=offline,
        dtype=dtype,
    ) as opened:
        numbers = parse_heads(head, find_stack(opened, stack)[1].n_heads)
        inspection = inspect(
            text,
            opened,
            pair=pair,
            target=aim,
            stack=stack,
            layer=layer,
            causal=causal,
            attention_mask=None if attention_mask is None else parse_attention_mask(attention_mask),
            heads=None if every_head else numbers,
        )
    row = None if token is None else find_token(inspection.tokens, token)
    return Answer(
        inspection=inspection,
        heads=numbers,
        derivations=()
        if row is None
        else tuple(derive(inspection.attention, number, row) for number in numbers),
    )


def text_or_ids(sentence: str | None, ids: str | None, pair: str | None) -> str | tuple[int, ...]:
    """What is to be read: the sentence, or the ids in its place."""
    from attncli.text.source import read_text

    if ids is None:
        return read_text(sentence, sys.stdin.buffer)
    if sentence is not None or pair is not None:
        raise UsageError("--ids stands in place of the sentence and of --pair: give one of them")
    return parse_ids(ids)
