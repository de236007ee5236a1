"""The tokens of a sentence one below the other, with all that is known of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.language import Phrase, Text
from attncli.medium.screen import Screen
from attncli.medium.signs import foreign
from attncli.text.frame import Frame, describe_frame
from attncli.text.printable import label, pad, token_label
from attncli.text.token import Token
from attncli.views.facts import SaidFact, fact_lines, title
from attncli.views.labels import SPECIAL
from attncli.views.lines import DIM, Line, Lines, on_screen

_GAP = "  "
_NARROW = 60  # cells; below, there is no room for places and words
_SHORTEST = 4


@dataclass(frozen=True)
class _Column:
    title: str
    cells: tuple[str, ...]
    right: bool = False  # numbers stand on the right, and are never cut

    @property
    def width(self) -> int:
        return max(map(cell_len, (self.title, *self.cells)))


def token_table(tokens: Sequence[Token], facts: Sequence[SaidFact], screen: Screen) -> Lines:
    """A line a token, then facts about the tokenizer. Long pieces and texts are cut."""
    columns = _columns(tokens, screen)
    widths = _fitting([column.width for column in columns], columns, screen.width)
    head: Line = [Segment(_line([c.title for c in columns], columns, widths), DIM)]
    rows = [
        [Segment(_line([c.cells[i] for c in columns], columns, widths), _style(token))]
        for i, token in enumerate(tokens)
    ]
    said = [(Phrase("fact.with_colon", {"name": name}), value) for name, value in facts]
    return on_screen([head, *rows, [], *fact_lines(said, screen, gap=0)], screen)


def tokenizer_title(name: str, kind: Text, size: int, screen: Screen) -> Lines:
    """Whose tokenizer it is, and of what kind."""
    tokens = Phrase("tokenizer.size", {"count": size})
    return on_screen(title(name, (kind, tokens), screen), screen)


def tokenizer_facts(normaliser: Text, frames: tuple[Frame, Frame]) -> list[SaidFact]:
    """What is done to a text before it is split, and what is added after."""
    one, pair = (describe_frame(each) if any(each) else Phrase("nothing") for each in frames)
    adds = Phrase("tokenizer.pair", {"one": one, "pair": pair}) if any(map(any, frames)) else one
    return [(Phrase("fact.normaliser"), normaliser), (Phrase("fact.adds"), adds)]


def _columns(tokens: Sequence[Token], screen: Screen) -> list[_Column]:
    def own(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(foreign(text, screen) for text in texts)

    columns = [
        _Column("#", tuple(str(token.index) for token in tokens), right=True),
        _Column("id", tuple(str(token.id) for token in tokens), right=True),
        _Column(screen.say("column.piece"), own([label(token.piece) for token in tokens])),
        _Column(screen.say("column.text"), own([token_label(token) for token in tokens])),
    ]
    if screen.width >= _NARROW:
        places = tuple(map(_place, tokens))
        columns.append(_Column(screen.say("column.characters"), places, right=True))
        words = tuple("–" if token.word is None else str(token.word) for token in tokens)
        columns.append(_Column(screen.say("column.word"), words, right=True))
    if any(token.segment for token in tokens):
        segments = tuple(str(token.segment) for token in tokens)
        columns.append(_Column(screen.say("column.segment"), segments, right=True))
    return [*columns, _Column("", tuple(_remark(token, screen) for token in tokens))]


def _place(token: Token) -> str:
    """Which characters of the sentence, from 0, the last one excluded."""
    return "–" if token.start is None else f"{token.start}–{token.end}"


def _remark(token: Token, screen: Screen) -> str:
    if token.raw is not None:
        return screen.say("token.bytes", bytes=token.raw.hex(" ").upper())
    if token.special:
        return screen.say("token.special")
    return screen.say("token.unknown") if token.unknown else ""


def _fitting(widths: list[int], columns: Sequence[_Column], room: int) -> list[int]:
    """The widths, the widest texts made narrower until a line fits."""
    texts = [i for i, column in enumerate(columns) if not column.right]
    while sum(widths) + len(_GAP) * (len(widths) - 1) > room:
        widest = max(texts, key=widths.__getitem__)
        if widths[widest] <= _SHORTEST:
            break
        widths[widest] -= 1
    return widths


def _line(cells: Sequence[str], columns: Sequence[_Column], widths: Sequence[int]) -> str:
    padded = [
        pad(cell, width, "right" if column.right else "left")
        for cell, column, width in zip(cells, columns, widths, strict=True)
    ]
    return _GAP.join(padded).rstrip()


def _style(token: Token) -> Style | None:
    return SPECIAL if token.special else None
