"""A sentence and weights -> every number of its attention: the one call behind all commands."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from attncli.attention import Array, Flags
from attncli.blocks import check_size
from attncli.errors import AttncliError, UsageError
from attncli.families.spec import Spec
from attncli.kind import AttentionKind
from attncli.language import Phrase
from attncli.model import embed, forward
from attncli.overflow import check_attention
from attncli.selectors import find_number
from attncli.text.frame import keeps_apart
from attncli.text.printable import quoted
from attncli.text.token import Token
from attncli.text.tokenizer import Encoding, encode, from_ids
from attncli.trace import AttentionTrace, Trace
from attncli.weights import Weights


@dataclass(frozen=True)
class Inspection:
    """What a forward pass over one sentence computed, and over which tokens."""

    weights: Weights
    kind: AttentionKind | None  # None: the model is one stack
    spec: Spec  # of the stack whose attention it is
    sentence: str | None  # None: the ids were given
    pair: str | None  # the second text of a pair
    target: str | None  # the decoder's text; None also where its ids were given
    tokens: tuple[Token, ...]  # that look: the rows of S and A
    columns: tuple[Token, ...]  # that are looked at: `tokens`, or the encoder's in `cross`
    trace: Trace
    causal: bool
    attention_mask: tuple[int, ...] | None  # of the text: 0 for a token that nobody looks at
    notes: tuple[Phrase, ...]  # for standard error: what a reader of the numbers must know

    @property
    def attention(self) -> AttentionTrace:
        """The attention of the one layer that was asked for."""
        traces = self.trace.cross if self.kind is AttentionKind.cross else self.trace.layers
        (attention,) = traces.values()
        return attention


def inspect(
    sentence: str | Sequence[int],
    weights: Weights,
    *,
    pair: str | None = None,
    target: str | Sequence[int] | None = None,
    attention: str | None = None,
    layer: int = -1,
    causal: bool = False,
    attention_mask: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
) -> Inspection:
    """Runs a text or token ids through the model up to `layer` (negative: from the end).

    `pair` is a second text. `causal` masks what lies to the right of a token, also in a model that
    does not. `attention_mask` has a 0 for each token of the text that is padding: nobody looks at
    it, and the positions do not count it. S and A are kept of `heads` (negative: from the end), or
    of all.

    Of an encoder-decoder `attention` is that of the `encoder` (the default), that of the `decoder`
    to itself, or `cross`, the decoder's to the encoder's output; `target` is what the decoder
    reads (`read_target`).

    Raises AttncliError for a sentence without tokens, one too long for the model, a text
    without a tokenizer, a layer or head that does not exist, and numbers that overflow; UsageError
    for a pair in a model that reads none, for an attention mask of another length than the text,
    and for what does not fit the kind of attention.
    """
    kind, spec = find_kind(weights, attention)
    _check_options(kind, target is not None, causal)
    wanted = find_number("layer", layer, spec.n_layers)
    kept = _find_heads(heads, spec.n_heads)
    source = read_tokens(sentence, weights, pair)
    aim = source if target is None else read_target(target, weights)
    causal = causal or (spec.causal and kind is not AttentionKind.cross)
    check_size(len(kept), len(aim.tokens), len(source.tokens))
    padding = _padding(attention_mask, len(source.tokens))
    with np.errstate(all="ignore"):  # reported by name
        x = _input_vectors(weights, source.tokens, source.type_ids, padding)
        if target is None:
            trace = forward(
                weights.params, x, (wanted,), causal=causal, padding=padding, keep_heads=kept
            )
        else:
            cross = kind is AttentionKind.cross
            trace = _decode(weights, x, padding, aim.tokens, wanted, cross=cross, heads=kept)
        inspection = Inspection(
            weights=weights,
            kind=kind,
            spec=spec,
            sentence=sentence if isinstance(sentence, str) else None,
            pair=pair,
            target=target if isinstance(target, str) else None,
            tokens=aim.tokens,
            columns=source.tokens if kind is AttentionKind.cross else aim.tokens,
            trace=trace,
            causal=causal,
            attention_mask=None if attention_mask is None else tuple(attention_mask),
            notes=weights.notes,
        )
        check_attention(inspection.attention)
    notes = [*weights.notes, *source.notes, *aim.notes]
    if inspection.attention.Y is None:
        notes.insert(
            len(weights.notes), Phrase("{model} has no W_O: no Y", {"model": weights.name})
        )
    return replace(inspection, notes=tuple({str(note): note for note in notes}.values()))


def find_kind(weights: Weights, name: str | None) -> tuple[AttentionKind | None, Spec]:
    """The attention with this name, and the Spec of the stack whose it is; None: the default.

    Raises UsageError for a name that does not exist, and for any in a model of one stack.
    """
    if name is not None and name not in list(AttentionKind):
        raise UsageError("`attention` is {name!r}: give encoder, decoder or cross", name=name)
    spec = weights.spec
    if spec.decoder is None:
        if name is not None:
            raise UsageError(
                "`attention` {name}: {model} is one stack of layers; leave `attention` out",
                name=name,
                model=weights.name,
            )
        return None, spec
    kind = AttentionKind(name or "encoder")
    return kind, spec if kind is AttentionKind.encoder else spec.decoder


def _check_options(kind: AttentionKind | None, has_target: bool, causal: bool) -> None:
    """Raises UsageError for a decoder without a text, and for options without effect."""
    reads_target = kind in (AttentionKind.decoder, AttentionKind.cross)
    if reads_target and not has_target:
        raise UsageError(
            "`attention` {kind} needs the text that the decoder reads: give `target`", kind=kind
        )
    if has_target and not reads_target:
        raise UsageError(
            "`target` has no effect on an encoder: give `attention` decoder or cross"
            if kind
            else "`target` is for encoder-decoders: this model is one stack of layers"
        )
    if causal and kind is AttentionKind.cross:
        raise UsageError(
            "`causal` has no effect on `attention` cross: no source token is in the future"
        )


def _padding(attention_mask: Sequence[int] | None, n: int) -> Flags | None:
    """(n,) True for each token that the mask hides. Raises UsageError if it does not fit."""
    if attention_mask is None:
        return None
    if len(attention_mask) != n:
        raise UsageError(
            "`attention_mask` has {count} value{s}, the text has {n} tokens: give 1 or 0 for each",
            count=len(attention_mask),
            n=n,
        )
    padding: Flags = np.array(attention_mask) == 0
    return padding


def _decode(
    weights: Weights,
    x: Array,
    padding: Flags | None,
    target: Sequence[Token],
    layer: int,
    *,
    cross: bool,
    heads: Sequence[int],
) -> Trace:
    """Both stacks: the encoder whole, then the decoder up to the layer."""
    memory = forward(weights.params, x, padding=padding, keep_hidden=True).output
    decoder = weights.params.decoder()
    y = embed(decoder, [token.id for token in target])
    kept, kept_cross = ((), (layer,)) if cross else ((layer,), ())
    return forward(
        decoder,
        y,
        kept,
        memory=memory,
        keep_cross=kept_cross,
        padding=padding,
        keep_heads=heads,
    )


def read_target(target: str | Sequence[int], weights: Weights) -> Encoding:
    """The tokens that the decoder reads: ids as they are given; a text as in training.

    There the decoder reads what it is to write, one place to the right: decoder_start_token_id of
    config.json, then the text's tokens without the end token that the tokenizer appends.
    Raises AttncliError where config.json does not say with what to start.
    """
    if not isinstance(target, str):
        return read_tokens(target, weights)
    if weights.decoder_start is None:
        raise AttncliError(
            "config.json of {model} does not say decoder_start_token_id, with which the decoder's "
            "text begins: give the ids of all its tokens (`target_ids`)",
            model=weights.name,
        )
    encoding = read_tokens(target, weights, ids="target_ids")
    tokens = list(encoding.tokens)
    if tokens[-1].special and tokens[-1].start is None:
        tokens.pop()
    (start,) = from_ids(weights.tokenizer, [weights.decoder_start])
    shifted = [replace(start, special=True), *tokens]
    return Encoding(
        tuple(replace(token, index=i) for i, token in enumerate(shifted)),
        tuple(Phrase("target: {text}", {"text": note}) for note in encoding.notes),
    )


def read_tokens(
    sentence: str | Sequence[int],
    weights: Weights,
    pair: str | None = None,
    *,
    ids: str = "ids",
) -> Encoding:
    """The tokens of a text, of a pair of texts or of ids, which need no tokenizer; as `inspect`.

    `ids` is what an error calls the ids that can be given in place of the text.
    """
    try:
        tokenizer = weights.tokenizer
    except AttncliError as error:
        if isinstance(sentence, str):
            raise AttncliError(
                "{problem}, or give token ids (`{ids}`)", problem=error.phrase, ids=ids
            ) from None
        note = Phrase(
            "{model} has no tokenizer that can be read: ids stand for the tokens",
            {"model": weights.name},
        )
        return Encoding(from_ids(None, sentence), (note,))
    if not isinstance(sentence, str):
        return Encoding(from_ids(tokenizer, sentence), ())
    if pair is not None and weights.spec.n_segments < 2 and not keeps_apart(tokenizer.frames[1]):
        raise UsageError(
            "`pair`: {family} reads no pairs: it has no segments, and its tokenizer puts nothing "
            "between two texts; give one text",
            family=weights.spec.family,
        )
    return encode(tokenizer, sentence, pair)


def _find_heads(heads: Sequence[int] | None, n_heads: int) -> tuple[int, ...]:
    """The heads asked for, each once, in their order; all of them where none is named.

    Raises AttncliError for a head that does not exist and for an empty selection.
    """
    if heads is None:
        return tuple(range(n_heads))
    if not len(heads):
        raise AttncliError("`heads` is empty: give at least one head, or leave it out for all")
    return tuple(dict.fromkeys(find_number("head", head, n_heads) for head in heads))


def _input_vectors(
    weights: Weights, tokens: Sequence[Token], segments: Sequence[int], padding: Flags | None
) -> Array:
    if weights.X is None:
        return embed(weights.params, [token.id for token in tokens], segments, padding)
    expected = (len(tokens), weights.spec.d_model)
    if weights.X.shape != expected:
        raise AttncliError(
            "X in {name} has the shape {shape}; this sentence has {n} tokens of {d_model} numbers: "
            "X must be {expected}",
            name=quoted(weights.name),
            shape=weights.X.shape,
            n=len(tokens),
            d_model=weights.spec.d_model,
            expected=expected,
        )
    return weights.X
