"""A token: its number, its id and what it stands for in the sentence."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Token:
    """One row of X.

    `piece` is the tokenizer's own spelling (`##ably`, `Ġcat`, `<0xE7>`), `text` what a
    reader sees: the characters of the sentence that it covers, or what the tokenizer put in
    where it covers none ([CLS], a blank before the first word). `text` is raw user text: pass
    it through `printable.token_label` before it reaches a terminal. `start` and `end` count code
    points of the sentence, so that sentence[start:end] is the text; both are None for a token
    that comes from no sentence, because the template or the caller's ids added it.

    A token may be a few bytes of a character. Then `text`, `start` and `end` are those of the
    whole character, `part` is (2, 3) for the second of the three tokens that share it, and
    `raw` holds the token's own bytes. `unknown` marks the vocabulary's stand-in ([UNK]) for
    the text. `word` counts the words of the sentence; None for special tokens. `segment` is the
    type that the template gives the token: 1 in the second text of a pair, 0 elsewhere.
    """

    index: int
    id: int
    text: str
    piece: str
    start: int | None
    end: int | None
    special: bool
    word: int | None = None
    unknown: bool = False
    part: tuple[int, int] | None = None
    raw: bytes | None = None
    segment: int = 0
