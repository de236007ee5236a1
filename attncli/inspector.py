"""A sentence and weights -> every number of its attention: the one call behind all commands."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attncli.attention import Array
from attncli.errors import AttncliError, UsageError
from attncli.model import embed, forward
from attncli.text.frame import keeps_apart
from attncli.text.token import Token
from attncli.text.tokenizer import Encoding, encode, from_ids
from attncli.trace import AttentionTrace, Trace
from attncli.weights import Weights


@dataclass(frozen=True)
class Inspection:
    """What a forward pass over one sentence computed, and over which tokens."""

    weights: Weights
    sentence: str | None  # None: the ids were given
    pair: str | None  # the second text of a pair
    tokens: tuple[Token, ...]
    trace: Trace
    causal: bool
    notes: tuple[str, ...]  # for standard error: what a reader of the numbers must know

    @property
    def attention(self) -> AttentionTrace:
        """The attention of the one layer that was asked for."""
        (attention,) = self.trace.layers.values()
        return attention


def inspect(
    sentence: str | Sequence[int],
    weights: Weights,
    *,
    pair: str | None = None,
    layer: int = -1,
    causal: bool = False,
) -> Inspection:
    """Runs a text or token ids through the model up to `layer` (negative: from the end).

    `pair` is a second text. `causal` masks what lies to the right of a token, also in a model that
    does not. Raises AttncliError for a sentence without tokens, one too long for the model, a text
    without a tokenizer, a layer that does not exist, and numbers beyond float32; UsageError for a
    pair in a model that reads none.
    """
    wanted = find_number("layer", layer, weights.spec.n_layers)
    encoding = read_tokens(sentence, weights, pair)
    causal = causal or weights.spec.causal
    with np.errstate(over="ignore", invalid="ignore"):  # reported by name
        x = _input_vectors(weights, encoding.tokens, encoding.type_ids)
        trace = forward(weights.params, x, keep=(wanted,), causal=causal)
        _check_finite(trace.layers[wanted])
    missing = () if trace.layers[wanted].Y is not None else (f"{weights.name} has no W_O: no Y",)
    return Inspection(
        weights=weights,
        sentence=sentence if isinstance(sentence, str) else None,
        pair=pair,
        tokens=encoding.tokens,
        trace=trace,
        causal=causal,
        notes=weights.notes + missing + encoding.notes,
    )


def read_tokens(
    sentence: str | Sequence[int], weights: Weights, pair: str | None = None
) -> Encoding:
    """The tokens of a text, of a pair of texts or of ids, which need no tokenizer; as `inspect`."""
    try:
        tokenizer = weights.tokenizer
    except AttncliError as error:
        if isinstance(sentence, str):
            raise AttncliError(f"{str(error).removesuffix('.')}, or give --ids") from None
        note = f"{weights.name} has no tokenizer.json that can be read: ids stand for the tokens"
        return Encoding(from_ids(None, sentence), (note,))
    if not isinstance(sentence, str):
        return Encoding(from_ids(tokenizer, sentence), ())
    if pair is not None and weights.spec.n_segments < 2 and not keeps_apart(tokenizer.frames[1]):
        raise UsageError(
            f"--pair: {weights.spec.family} reads no pairs: it has no segments, and its tokenizer "
            f"puts nothing between two texts; give one text"
        )
    return encode(tokenizer, sentence, pair)


def _check_finite(attention: AttentionTrace) -> None:
    """Raises AttncliError for the first matrix, in order of the computation, that overflowed."""
    for name in ("X", "Q", "K", "V", "dots", "Z", "Y"):
        M = getattr(attention, name)
        if M is not None and not np.isfinite(M).all():
            shown = "Q K^T" if name == "dots" else name
            raise AttncliError(
                f"layer {attention.layer}: {shown} overflows float32; "
                f"the weights are too large by orders of magnitude: scale them down"
            )


def find_number(what: str, wanted: int, count: int) -> int:
    """The layer or head with this number; negative numbers count from the end.

    Raises AttncliError that says which there are.
    """
    if not -count <= wanted < count:
        raise AttncliError(
            f"{what} {wanted} does not exist: the model has {count} {what}s (0 to {count - 1})"
        )
    return wanted % count


def _input_vectors(weights: Weights, tokens: Sequence[Token], segments: Sequence[int]) -> Array:
    if weights.X is None:
        return embed(weights.params, [token.id for token in tokens], segments)
    expected = (len(tokens), weights.spec.d_model)
    if weights.X.shape != expected:
        raise AttncliError(
            f"X in {weights.name} has the shape {weights.X.shape}; this sentence has "
            f"{len(tokens)} tokens of {weights.spec.d_model} numbers: X must be {expected}"
        )
    return weights.X
