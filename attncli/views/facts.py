"""Facts: what each is called on the left, what it is on the right."""

from collections.abc import Iterable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.language import Text
from attncli.medium.screen import Screen
from attncli.medium.signs import foreign, spell
from attncli.text.printable import cut, pad, printable
from attncli.views.lines import BOLD, DIM, Line, fold, wrap

Fact = tuple[str, str]
SaidFact = tuple[Text, Text]


def safe(text: str, screen: Screen) -> str:
    """Foreign text as this screen can show it."""
    return foreign(printable(text), screen)


def title(name: str, facts: Iterable[Text], screen: Screen) -> list[Line]:
    """A name and what is to be said of it in a few words."""
    words = [[Segment(cut(safe(name, screen), screen.width), BOLD)]]
    words += [
        [Segment(cut(f"· {safe(screen.text(fact), screen)}", screen.width - 2), DIM)]
        for fact in facts
    ]
    return fold(words, screen.width, indent=2)


def fact_lines(facts: Iterable[SaidFact], screen: Screen, *, gap: int = 2) -> list[Line]:
    """One paragraph a fact, whose name stands on the left, or on lines of its own if it is long.

    Nothing is left out: a word that no line can hold, such as a path, goes on in the next.
    """
    shown = [
        (safe(screen.text(name), screen), safe(spell(screen.text(value), screen), screen))
        for name, value in facts
    ]
    cells = min(max((cell_len(name) for name, _ in shown), default=0), screen.width // 3)
    lines: list[Line] = []
    for name, value in shown:
        paragraph = folded(value, screen.width - cells - gap) or [[]]
        if cell_len(name) > cells:
            lines += folded(name, screen.width, DIM)
            name = ""
        for i, line in enumerate(paragraph):
            lines.append([Segment(pad("" if i else name, cells) + " " * gap, DIM), *line])
    return lines


def folded(text: str, room: int, style: Style | None = None) -> list[Line]:
    """Safe text in lines of at most `room` cells, each with both ends of its isolates."""
    lines = wrap(" ".join(text.split()), room, whole=True)
    return [[Segment(line, style)] for line in lines]
