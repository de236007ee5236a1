"""Which characters of a sentence each token covers, made out of what the library reports.

The library's offsets are those of a normalised text: blanks are trimmed off or counted twice,
marks lost, several tokens of one character not told apart. Here they become spans with
sentence[start:end] == what a reader would call the token's text.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

Span = tuple[int, int]

_COMPOSED = 8  # characters, of which one may be made


@dataclass(frozen=True)
class Piece:
    """A token as the vocabulary has it.

    `name` is its own spelling, `spelled` the text that this stands for, `raw` its bytes if the
    vocabulary consists of bytes, `broken` whether these are only a part of a character.
    """

    name: str
    spelled: str
    raw: bytes | None
    broken: bool
    special: bool
    unknown: bool


def _bare(text: str) -> str:
    """The letters without their marks, or the marks where there is nothing else."""
    decomposed = unicodedata.normalize("NFKD", text)
    letters = [char for char in decomposed if not unicodedata.category(char).startswith("M")]
    return "".join(letters) or text


def _realigned(sentence: str, lower: str, span: Span, spelled: str, limit: int) -> Span:
    """The place of a piece whose span is off because characters before it were dropped.

    tokenizers 0.23 adds up the lengths of the pieces of a word and forgets what it left out, so
    the piece stands further right in the same word.
    """
    start, end = span
    core = spelled.strip().lower()
    if start >= limit and (core in lower[start:end] or _bare(core) in _bare(lower[start:end])):
        return span
    found = lower.find(core, max(start, limit))
    if found < 0 or any(char.isspace() for char in sentence[start:found]):
        return span
    return found, found + len(core)


def _with_leading_blanks(sentence: str, span: Span, spelled: str, limit: int) -> Span:
    """The span with the blanks that the piece begins with and that trim_offsets cut off."""
    start, end = span
    covered = sentence[start:end]
    missing = len(spelled) - len(spelled.lstrip()) - (len(covered) - len(covered.lstrip()))
    while missing > 0 and start > limit and sentence[start - 1].isspace():
        start, missing = start - 1, missing - 1
    return start, end


def _covered(spans: Sequence[Span]) -> set[int]:
    return {place for span in spans for place in range(*span)}


def _merges(before: str, char: str) -> bool:
    """Whether a normaliser may make one character of `char` and those before it.

    Marks are composed or stripped; so are the vowels and final consonants of Hangul, and the
    voicing marks of narrow katakana, which are letters by themselves.
    """
    if unicodedata.category(char).startswith("M"):
        return True
    composed = unicodedata.normalize("NFKC", before)
    return len(unicodedata.normalize("NFKC", before + char)) <= len(composed)


def _with_merged(sentence: str, span: Span, covered: set[int]) -> Span:
    """The span with the characters after it that no token covers and that merge into it."""
    start, end = span
    while (
        start < end < len(sentence)
        and end not in covered
        and _merges(sentence[max(start, end - _COMPOSED) : end], sentence[end])
    ):
        end += 1
    return start, end


def align(
    sentence: str,
    offsets: Sequence[Span],
    pieces: Sequence[Piece],
    *,
    drops: bool,
    normalises: bool,
) -> list[Span]:
    """The span of each token of one sentence; empty where the tokenizer put in a blank.

    `drops`: the model leaves out what it does not know, and its offsets suffer.
    `normalises`: a mark or letter without a token may have been merged into the one before it.
    """
    spans: list[Span] = []
    limit = 0
    lower = sentence.lower() if len(sentence.lower()) == len(sentence) else sentence
    for offset, piece in zip(offsets, pieces, strict=True):
        found = _realigned(sentence, lower, offset, piece.spelled, limit) if drops else offset
        spans.append(_with_leading_blanks(sentence, found, piece.spelled, limit))
        limit = max(limit, spans[-1][1])
    for i, ((start, end), piece) in enumerate(zip(spans, pieces, strict=True)):
        follower = spans[i + 1][0] if i + 1 < len(spans) else len(sentence)
        stands_there = sentence[start:end].isspace() and end <= follower
        if piece.spelled.isspace() and not stands_there:
            spans[i] = (start, start)
    if not normalises:
        return spans
    covered = _covered(spans)
    return [_with_merged(sentence, span, covered) for span in spans]


def parts(spans: Sequence[Span], pieces: Sequence[Piece]) -> list[tuple[int, int] | None]:
    """(2, 3) for the second of three neighbours that share a character, else None."""
    groups: list[list[int]] = []
    for i, piece in enumerate(pieces):
        if not piece.broken:
            continue
        if groups and groups[-1][-1] == i - 1 and spans[i][0] < spans[i - 1][1]:
            groups[-1].append(i)
        else:
            groups.append([i])
    numbered = {i: (nth, len(group)) for group in groups for nth, i in enumerate(group, start=1)}
    return [numbered.get(i) for i in range(len(pieces))]


def _is_unspaced(char: str) -> bool:
    """Whether a character is of a script that puts no blanks between words: Han, kana."""
    ranges = ("\u3040", "\u9fff"), ("\uf900", "\ufaff"), ("\U00020000", "\U0003ffff")
    return any(first <= char <= last for first, last in ranges)


def words(sentence: str, spans: Sequence[Span], library_words: Sequence[int | None]) -> list[int]:
    """The number of the word that each token belongs to.

    The library's words, divided at blanks: a SentencePiece model takes a sentence for one word.
    A token of Chinese or Japanese is a word by itself, as nothing in the text says where one ends.
    """
    numbers: list[int] = []
    for i, (start, end) in enumerate(spans):
        before = spans[i - 1][1]
        shares_character = start < before
        begins = (
            i == 0
            or library_words[i] != library_words[i - 1]
            or any(char.isspace() for char in sentence[before:start])
            or sentence[start:end][:1].isspace()
            or (not shares_character and any(map(_is_unspaced, sentence[start - 1 : start + 1])))
        )
        numbers.append((numbers[-1] if numbers else -1) + begins)
    return numbers


def uncovered(sentence: str, spans: Sequence[Span]) -> list[int]:
    """The places of the characters, other than blanks, that no token covers."""
    covered = _covered(spans)
    return [i for i, char in enumerate(sentence) if i not in covered and not char.isspace()]
