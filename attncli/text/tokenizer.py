"""A tokenizer's files -> tokens, each with the characters of the sentence that it stands for."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import tokenizers

from attncli.errors import AttncliError
from attncli.files import parse_json, read_bytes, reporting
from attncli.language import Phrase, Text
from attncli.text.alignment import Piece, align, parts, words
from attncli.text.frame import Frame, contradictions, find_frame
from attncli.text.library import guarded
from attncli.text.limits import check_growth, check_merges, check_template
from attncli.text.notes import notes_on, of_pair
from attncli.text.printable import quoted
from attncli.text.source import check_length, without_surrogates
from attncli.text.token import Token
from attncli.text.vocabulary import LARGE, SAVE, from_vocabulary, has_vocabulary

_OTHER_FILES = ("vocab.json", "merges.txt", "spiece.model", "tokenizer.model", "source.spm")
_FALLBACK = re.compile("<0x([0-9A-F]{2})>")


@dataclass(frozen=True)
class Tokenizer:
    """A loaded tokenizer, and what the library does not say about each token.

    `special` are the ids of control tokens, `added` those of all tokens outside the model's
    vocabulary, `unknown` is the id of its stand-in for words that it does not have. `frames` are
    what the template puts around one text and around a pair, None where a text stands. `notes`
    say where tokenizer_config.json contradicts it.
    """

    library: tokenizers.Tokenizer
    special: frozenset[int]
    added: frozenset[int]
    unknown: int | None
    byte_level: bool
    drops: bool
    frames: tuple[Frame, Frame]
    notes: tuple[Phrase, ...]


@dataclass(frozen=True)
class Encoding:
    """The tokens of a text, or of a pair of texts, and notes for standard error."""

    tokens: tuple[Token, ...]
    notes: tuple[Phrase, ...]

    @property
    def type_ids(self) -> tuple[int, ...]:
        """The segment of each token."""
        return tuple(token.segment for token in self.tokens)


def _byte_alphabet() -> dict[str, int]:
    """The visible characters that stand for the 256 bytes.

    Source: bytes_to_unicode in https://github.com/openai/gpt-2/blob/master/src/encoder.py
    """
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(256 + i): b for i, b in enumerate(hidden)}


_BYTES = _byte_alphabet()


def load(path: Path) -> Tokenizer:
    """The tokenizer of a folder, or of a tokenizer.json itself.

    In a folder without tokenizer.json the vocabulary files of older models are read. Truncation
    and padding that were saved with it are switched off: all tokens of a sentence are shown, and
    no others. Raises AttncliError for files that are missing, broken or made for another version
    of the library.
    """
    with reporting(path):
        file = path / "tokenizer.json" if path.is_dir() else path
        files = () if file.exists() or not path.is_dir() else has_vocabulary(path)
    names = " and ".join(str(path / name) for name in files) or str(file)
    with guarded(
        "cannot read {files} with tokenizers {version}: {reason}; copy it again, or update the "
        "tokenizers package",
        files=quoted(names),
        version=tokenizers.__version__,
    ):
        library = from_vocabulary(path, files) if files else _from_json(file)
        return _described(library, None if files else file.with_name("tokenizer_config.json"))


def _from_json(file: Path) -> tokenizers.Tokenizer:
    _check_exists(file)
    data = read_bytes(file, limit=LARGE)
    if data.startswith(b"\xef\xbb\xbf"):
        raise AttncliError(
            "{file} begins with a byte order mark: save it as UTF-8 without BOM", file=quoted(file)
        )
    try:
        check_merges(data)
        return tokenizers.Tokenizer.from_str(data.decode())
    except Exception:
        parse_json(data, quoted(file))  # says what is wrong with it if it is no JSON
        raise


def _check_exists(file: Path) -> None:
    if os.path.lexists(file):
        return
    others = [other for other in _OTHER_FILES if (file.parent / other).exists()]
    facts = {"file": quoted(file.name), "folder": quoted(file.parent), "remedy": SAVE}
    if others:
        raise AttncliError(
            "no {file} in {folder} (found {others}): {remedy}", **facts, others=", ".join(others)
        )
    raise AttncliError("no {file} in {folder}: {remedy}", **facts)


def _described(library: tokenizers.Tokenizer, config_file: Path | None) -> Tokenizer:
    """The library's tokenizer with what is to be known of it."""
    library.no_truncation()
    library.no_padding()
    check_template(library)
    model = library.model
    stages = (library.normalizer, library.pre_tokenizer, library.decoder)
    byte_level = any(stage and b'"ByteLevel"' in stage.__getstate__() for stage in stages)
    added = library.get_added_tokens_decoder()
    unknown = getattr(model, "unk_token", None)
    is_bpe = isinstance(model, tokenizers.models.BPE)
    frame = find_frame(library, 1)
    return Tokenizer(
        library=library,
        special=frozenset(id for id, token in added.items() if token.special),
        added=frozenset(added),
        unknown=None if unknown is None else library.token_to_id(unknown),
        byte_level=byte_level,
        drops=is_bpe and unknown is None and not byte_level and not model.byte_fallback,
        frames=(frame, find_frame(library, 2)),
        notes=contradictions(config_file, frame) if config_file else (),
    )


def vocabulary_size(tokenizer: Tokenizer) -> int:
    """The number of tokens in the vocabulary, added ones included."""
    with guarded("cannot count the tokenizer's vocabulary: {reason}; copy its files again"):
        return tokenizer.library.get_vocab_size(with_added_tokens=True)


def kind_of(tokenizer: Tokenizer) -> Text:
    """`WordPiece`, `byte-level BPE`, `BPE with byte fallback`, ..."""
    model = tokenizer.library.model
    name = type(model).__name__
    if tokenizer.byte_level:
        return Phrase("tokenizer.byte_level", {"model": name})
    if getattr(model, "byte_fallback", False):
        return Phrase("tokenizer.byte_fallback", {"model": name})
    return name


def _raw(tokenizer: Tokenizer, id: int, name: str) -> bytes | None:
    if id in tokenizer.added:
        return None
    if tokenizer.byte_level and _BYTES.keys() >= set(name):
        return bytes(_BYTES[char] for char in name)
    fallback = _FALLBACK.fullmatch(name)
    return bytes.fromhex(fallback[1]) if fallback else None


def _piece(tokenizer: Tokenizer, id: int, surface: str, covered: str) -> Piece:
    """The piece with that id, which the library calls `surface` and finds in `covered`."""
    name = tokenizer.library.id_to_token(id) or surface
    raw = _raw(tokenizer, id, name)
    # Unigram gives the text itself as the surface of an unknown token. A typed [UNK] is known.
    stands_in = id == tokenizer.unknown or surface.strip().casefold() != name.strip().casefold()
    unknown = stands_in and covered.strip() != name
    return Piece(
        name=name,
        spelled=name.replace("▁", " ") if raw is None else raw.decode("utf-8", "replace"),
        raw=raw,
        broken=raw is not None and raw.decode("utf-8", "ignore").encode() != raw,
        special=id in tokenizer.special and not unknown,
        unknown=unknown,
    )


def from_ids(tokenizer: Tokenizer | None, ids: Sequence[int]) -> tuple[Token, ...]:
    r"""Tokens for ids without a sentence; a part of a character is `\xF0\x9F`.

    An id that the vocabulary does not have, as the table of a model may be longer, is called
    `#12`; without a tokenizer every id is.
    """
    with guarded("the tokenizer cannot name the ids: {reason}; copy its files again"):
        return tuple(_from_ids(tokenizer, ids))


def _from_ids(tokenizer: Tokenizer | None, ids: Sequence[int]) -> Iterator[Token]:
    for index, id in enumerate(ids):
        name = tokenizer.library.id_to_token(id) if tokenizer and 0 <= id < 2**32 else None
        if tokenizer is None or name is None:
            yield Token(index, id, f"#{id}", f"#{id}", None, None, special=False)
            continue
        piece = _piece(tokenizer, id, surface=name, covered=name)
        raw = piece.raw if piece.broken else None
        text = piece.spelled if raw is None else "".join(f"\\x{byte:02X}" for byte in raw)
        yield Token(index, id, text, name, None, None, piece.special, raw=raw)


def _encoded(tokenizer: Tokenizer, text: str, pair: str | None) -> tokenizers.Encoding:
    with guarded("the tokenizer cannot encode the text: {reason}; use words that it knows"):
        for each in (text, pair or ""):
            check_growth(tokenizer.library, each)
        encoding = tokenizer.library.encode(text, pair)
    if not encoding.ids:
        raise AttncliError(
            "the text gives no tokens: nothing but blanks or dropped characters; give at least "
            "one word"
            if text
            else "the text gives no tokens: it is empty; give at least one word"
        )
    return encoding


def _tokens_of(
    tokenizer: Tokenizer, sentence: str, encoding: tokenizers.Encoding, sequence: int
) -> list[Token]:
    """The tokens of one text of the encoding."""
    places = [i for i, own in enumerate(encoding.sequence_ids) if own == sequence]
    ids, names, segments = encoding.ids, encoding.tokens, encoding.type_ids  # copies of all
    offsets, library_words = encoding.offsets, encoding.word_ids
    pieces = [_piece(tokenizer, ids[i], names[i], sentence[slice(*offsets[i])]) for i in places]
    spans = align(
        sentence,
        [offsets[i] for i in places],
        pieces,
        drops=tokenizer.drops,
        normalises=tokenizer.library.normalizer is not None,
    )
    numbers = words(sentence, spans, [library_words[i] for i in places])
    return [
        Token(
            index=place,
            id=ids[place],
            text=sentence[slice(*span)] or piece.spelled,
            piece=piece.name,
            start=span[0],
            end=span[1],
            special=piece.special,
            word=None if piece.special else word,
            unknown=piece.unknown,
            part=part,
            raw=piece.raw if part else None,
            segment=segments[place],
        )
        for place, piece, span, part, word in zip(
            places, pieces, spans, parts(spans, pieces), numbers, strict=True
        )
    ]


def encode(tokenizer: Tokenizer, text: str, pair: str | None = None) -> Encoding:
    """The tokens of a text, or of a pair of texts, with those that the template adds.

    Offsets count from the start of the text that the token comes from. Raises AttncliError for
    a text with lone surrogates, one that the tokenizer cannot encode, and one without tokens.
    """
    texts = [without_surrogates(each) for each in (text, pair) if each is not None]
    for each in texts:
        check_length(each)
    encoding = _encoded(tokenizer, text, pair)
    found: dict[int, Token] = {}
    notes = list(tokenizer.notes)
    for sequence, sentence in enumerate(texts):
        tokens = _tokens_of(tokenizer, sentence, encoding, sequence)
        found |= {token.index: token for token in tokens}
        for note in notes_on(sentence, tokens):
            notes.append(note if pair is None else of_pair(note, second=bool(sequence)))
    added = zip(encoding.ids, encoding.tokens, encoding.type_ids, strict=True)
    for i, (id, name, segment) in enumerate(added):
        found.setdefault(i, Token(i, id, name, name, None, None, special=True, segment=segment))
    return Encoding(tokens=tuple(found[i] for i in sorted(found)), notes=tuple(notes))
