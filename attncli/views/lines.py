"""Lines of text laid out to the cell before rich sees them.

A view that knows where each number stands has nothing left for rich's table layout to
decide. Handing over finished segments keeps a screen of several hundred lines within a few
milliseconds, and nothing can be wrapped or cut on the way.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.style import Style

from attncli.medium.screen import Screen
from attncli.medium.signs import same_width, spell
from attncli.text.printable import FSI, PDI, cut

Line = list[Segment]

BOLD = Style(bold=True)
DIM = Style(dim=True)

_NEW_LINE = Segment.line()

_WIDE = "\u2e80-\u2fff\u3040-\u9fff\uf900-\ufaff"
_OPENING, _CLOSING = (
    "\u201c\u300a\uff08",
    "\u201d\u300b\uff09\u3001\u3002\uff0c\uff1a\uff1b\uff1f\uff01",
)
# Blanks before it, then one Chinese character or a word, and the marks that belong to either.
_BREAKABLE = re.compile(
    rf" *[{_OPENING}]*(?:[{_WIDE}]|[^ {_WIDE}{_OPENING}{_CLOSING}]+|)[{_CLOSING}]+"
    rf"| *[{_OPENING}]*(?:[{_WIDE}]|[^ {_WIDE}{_OPENING}{_CLOSING}]+)"
)


@dataclass(frozen=True)
class Lines:
    """A rich renderable: lines that are printed as they are."""

    lines: tuple[Line, ...]

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> Iterator[Segment]:
        for line in self.lines:
            yield from line
            yield _NEW_LINE


def on_screen(lines: Iterable[Line], screen: Screen) -> Lines:
    """The lines as this screen can show them: without colour no styles, without Unicode ASCII."""
    if screen.color and screen.unicode:
        return Lines(tuple(lines))
    return Lines(tuple([_plain(line, screen) for line in lines]))


def _plain(line: Line, screen: Screen) -> Line:
    if not screen.color:
        line = [Segment("".join([segment.text for segment in line]))]
    return [Segment(same_width(segment.text, screen), segment.style) for segment in line]


def width_of(line: Line) -> int:
    """Cells from the first to the last character."""
    return sum([cell_len(segment.text) for segment in line])


def fold(words: Iterable[Line], width: int, *, indent: int = 0, gap: int = 1) -> list[Line]:
    """The words side by side, `gap` blanks apart; lines break between words only.

    Every line but the first starts with `indent` blanks.
    """
    lines: list[Line] = []
    used = width + 1
    for word in words:
        cells = width_of(word)
        if lines and used + gap + cells <= width:
            lines[-1] += [Segment(" " * gap), *word]
            used += gap + cells
        else:
            start = [Segment(" " * indent)] if lines and indent else []
            lines.append(start + word)
            used = cells + (indent if lines[1:] else 0)
    return lines


def pieces(text: str, width: int, style: Style | None = None) -> list[Line]:
    """The text whole, or in lines broken after blanks and slashes where `width` is too little."""
    if cell_len(text) <= width:
        return [[Segment(text, style)]]
    parts = re.findall(r"[^ /]*[ /]|[^ /]+", text)
    return fold([[Segment(cut(part, width), style)] for part in parts], width, gap=0)


def wrap(text: str, room: int, *, whole: bool = False) -> list[str]:
    """Running text in lines of at most `room` cells.

    It breaks at blanks, and between Chinese characters, of which none is left without the mark
    that follows it. A word that no line can hold is cut, or goes on in the next if `whole`. Each
    line closes and opens its own isolates of right-to-left text.
    """
    lines: list[str] = []
    for unit in _BREAKABLE.findall(text):
        if lines and cell_len(lines[-1] + unit) <= room:
            lines[-1] += unit
        else:
            lines += chop_cells(unit.lstrip(), room) if whole else [cut(unit.lstrip(), room)]
    return balanced(lines)


def balanced(lines: Iterable[str]) -> list[str]:
    """The lines of one paragraph, each with both ends of every isolate that it is a part of."""
    whole, within = [], 0
    for line in lines:
        after = within + line.count(FSI) - line.count(PDI)
        opened = within - min(after, 0)  # `cut` may have closed one already
        within = max(after, 0)
        whole.append(FSI * opened + line + PDI * within)
    return whole


def prose(text: str, screen: Screen, *, indent: int = 0, style: Style | None = DIM) -> list[Line]:
    """Running text, every line `indent` blanks from the left (`wrap`)."""
    lines = wrap(" ".join(spell(text, screen).split()), screen.width - indent)
    return [[Segment(" " * indent), Segment(line, style)] for line in lines]
