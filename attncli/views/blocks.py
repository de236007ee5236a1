"""A document on a terminal: its blocks laid out in the width and the digits that there are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.medium.names import name_of
from attncli.medium.screen import Screen
from attncli.medium.signs import foreign, spell
from attncli.narration.blocks import (
    Block,
    Equations,
    Marks,
    Paragraph,
    Ribbon,
    Section,
    Table,
    Vector,
)
from attncli.narration.end import rounding_notes
from attncli.narration.formula import plain
from attncli.narration.page import USUAL_DIGITS, Page, Voice
from attncli.narration.row import Row
from attncli.views.lines import DIM, Line, Lines, fold, on_screen, pieces, prose, width_of
from attncli.views.ribbon import ribbon
from attncli.views.tables import INDENT, indented, table_lines

_FEW = 3  # numbers of a vector: fewer give no impression of it

_TITLE = Style(bold=True, color="magenta")
_GOOD = Style(color="green")
_BAD = Style(color="red", bold=True)


def voice_of(screen: Screen) -> Voice:
    """The voice of a document on this screen: its language, and names in its characters."""
    return Voice(
        screen.language,
        name_of=lambda token: name_of(token, screen),
        foreign=lambda text: foreign(text, screen),
    )


@dataclass(frozen=True)
class Printer:
    """Prints on a screen, and remembers how far the numbers that it shows are off."""

    screen: Screen
    marks: Marks = field(default_factory=Marks)

    @property
    def room(self) -> int:
        """Cells of an indented line."""
        return self.screen.width - INDENT

    def section(self, section: Section) -> list[Line]:
        """The heading, the reason and a blank line if there is one, the blocks."""
        why = [*self.prose(section.why), []] if section.why else []
        return [*self._heading(section), *why, *self.blocks(section.blocks)]

    def blocks(self, blocks: Sequence[Block]) -> list[Line]:
        """Blocks one below the other; a blank line above a ribbon that follows others."""
        lines: list[Line] = []
        for block in blocks:
            lines += [[]] * bool(lines and isinstance(block, Ribbon))
            lines += self._block(block)
        return lines

    def _block(self, block: Block) -> list[Line]:
        match block:
            case Paragraph():
                return self.paragraph(block, INDENT if block.verdict is None else 0)
            case Equations():
                return self._equations(block)
            case Vector():
                return self._vector(block)
            case Table():
                return table_lines(block, self.screen, self.marks)
            case Ribbon():
                return list(ribbon(block, self.screen).lines)

    def prose(self, text: str, style: Style | None = DIM) -> list[Line]:
        """Running text, indented."""
        return prose(text, self.screen, indent=INDENT, style=style)

    def paragraph(self, paragraph: Paragraph, indent: int = 0) -> list[Line]:
        """Running text; a verdict in its colour."""
        style = {None: DIM, True: _GOOD, False: _BAD}[paragraph.verdict]
        return prose(paragraph.text, self.screen, indent=indent, style=style)

    def _phrase(self, text: str, style: Style | None = None) -> list[Line]:
        """The text whole, or in pieces if no line of a step holds it."""
        return pieces(spell(text, self.screen), self.room, style)

    def _indented(self, words: Sequence[Line], gap: int) -> list[Line]:
        return [[Segment(" " * INDENT), *line] for line in fold(words, self.room, gap=gap)]

    def _heading(self, section: Section) -> list[Line]:
        """The title, the formulas, the shapes: on lines of their own where there is no room."""
        if not section.title:
            return []
        first, *groups = [self._phrase(section.title, _TITLE)]
        formulas = [(formula, None) for formula in section.formulas]
        for formula, style in [*formulas, (section.shapes, DIM)]:
            parts = self._phrase(plain(formula), style) if formula else []
            if len(parts) > 1:  # what follows a broken formula starts a new line
                groups += [parts, []]
            else:
                (groups[-1] if groups else first).extend(parts)
        lines = fold(first, self.screen.width, indent=INDENT, gap=3)
        return lines + [line for group in groups for line in self._indented(group, 3)]

    def notes(self, page: Page, asked: int | None) -> list[Line]:
        """How far rounding shows in what was printed so far."""
        notes = rounding_notes(page, self.marks, asked or USUAL_DIGITS)
        return [line for note in notes for line in self.paragraph(note)]

    def _equations(self, block: Equations) -> list[Line]:
        """The sentence, then the equations, all on one line if there is room."""
        words = []
        for equation in block.equations:
            if equation.result is None:  # what follows says what it amounts to
                ends = self.screen.say("colon").strip()
            else:
                ends = f" = {self.marks.write(equation.result)}"
            words += self._phrase(plain(equation.tex) + ends)
        before = self.prose(block.intro)
        if len(before) == 1 and words:
            words = [before.pop()[1:], *words]
        return [*before, *self._indented(words, min(len(block.equations), 2))]

    def _vector(self, vector: Vector) -> list[Line]:
        """`q₁₀ = [ 0.12 -0.34 … ]`: as many of the numbers as fit, and its size.

        The size has a line of its own where only few numbers would fit beside it.
        """
        values, style = vector.values, vector.notation
        start = f"{plain(vector.name)} = ["
        room = self.room - len(start) - len(" … ]")
        beside, apart = (
            min(max(cells // (style.width + 1), 1), len(values))
            for cells in (room - cell_len(vector.size) - 2, room)
        )
        together = beside >= min(apart, _FEW)
        shown = beside if together else apart
        numbers = style.row(values[:shown].tolist(), style.width + 1)
        line = indented(f"{start}{numbers}{' …' if shown < len(values) else ''} ]")
        if together:
            return [[*line, Segment(f"  {vector.size}", DIM)]]
        return [line, indented(f"  {vector.size}", DIM)]


def fitting(
    draw: Callable[[Page, Printer], list[Line]], row: Row, screen: Screen, digits: int | None
) -> Lines:
    """What `draw` prints of a page, with as many of the digits asked for as the width holds.

    `digits` after the point: 4 if not given. Where there are fewer, a line says so.
    """
    for places in range(digits or USUAL_DIGITS, 0, -1):
        lines = draw(Page(row, voice_of(screen), places), Printer(screen))
        if max(map(width_of, lines)) <= screen.width:
            break
    return on_screen(lines, screen)
