"""One picture of the window: what there is to read, a message, the status line."""

from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.question import Question
from attncli.medium.names import name_of
from attncli.medium.signs import foreign
from attncli.text.printable import cut, printable, printable_message
from attncli.views.lines import BOLD, DIM, Line, on_screen, prose
from attncli.walk.content import content, lines_below, room
from attncli.walk.state import State, View

SMALLEST = (40, 10)  # cells per line, lines

_BAR = Style(reverse=True)
_SAID = Style(color="yellow")
_NAME_CELLS = 20


@dataclass(frozen=True)
class Frame:
    """The lines of the window from the top, and where the cursor stands, if it shows."""

    lines: tuple[Line, ...]
    cursor: tuple[int, int] | None = None  # line and cell, from 0


def _where(state: State, view: View) -> str:
    say, place = view.screen.say, state.place
    count = len(view.stops(place))
    token = name_of(view.rows(place).tokens[place.token], view.screen)
    parts = [
        say("walk.where", step=state.step + 1, count=count),
        cut(token, _NAME_CELLS),
        f"L{place.layer}H{place.head}",
    ]
    if view.quiz_seed is not None:
        score = state.score
        parts.append(say("walk.score", right=score.right, asked=score.answered))
    return " · ".join(parts)


def _hint(state: State) -> str:
    if state.prompt is not None:
        return "answer" if isinstance(state.page, Question) else "prompt"
    return "keys" if state.page is None else "page"


def _status(state: State, view: View) -> Line:
    """Where one is on the left, the keys that matter on the right: as many as there is room for."""
    width, where = view.screen.width, _where(state, view)
    keys = view.screen.say(f"walk.hint.{_hint(state)}").split("  ")
    while keys and cell_len(f" {where}  {'  '.join(keys)} ") > width:
        keys.pop(0)
    right = "  ".join(keys)
    left = cut(f" {where}", width - cell_len(right) - 1)
    gap = width - cell_len(left) - cell_len(right) - 1
    return [Segment(f"{left}{' ' * gap}{right} ", _BAR)]


def _tail(text: str, cells: int) -> str:
    """The end of the text, as much as fits."""
    while cell_len(text) > cells:
        text = text[1:]
    return text


def _message(state: State, view: View) -> list[Line]:
    """What is to be said above the status line, on a line at least."""
    screen, lines = view.screen, []
    if state.message:
        lines += prose(foreign(printable_message(state.message), screen), screen, style=_SAID)
    if state.prompt is not None:
        asks = screen.say(f"walk.prompt.{state.prompt.wanted}") + " "
        typed = foreign(printable(state.prompt.text), screen)
        lines.append(
            [Segment(asks, BOLD), Segment(_tail(typed, screen.width - cell_len(asks) - 1))]
        )
    elif not lines and (below := lines_below(state, view)):
        lines.append([Segment(screen.say("walk.below", count=below), DIM)])
    return lines[-room(view) :] or [[]]


def _too_small(view: View, width: int) -> Frame:
    says = view.screen.say(
        "walk.too_small",
        width=width,
        height=view.height,
        needed_width=SMALLEST[0],
        needed_height=SMALLEST[1],
    )
    lines = prose(says, replace(view.screen, width=width), style=None)[: view.height]
    lines += [[]] * (view.height - len(lines))
    return Frame(on_screen(lines, view.screen).lines)


def frame(state: State, view: View, width: int) -> Frame:
    """The picture of a state in a window: view.height lines of at most `width` cells."""
    if width < SMALLEST[0] or view.height < SMALLEST[1]:
        return _too_small(view, width)
    shown = content(state, view)
    below = _message(state, view)
    space = view.height - 1 - len(below)
    lines = list(shown[state.scroll : state.scroll + space])
    lines += [[]] * (space - len(lines))
    finished = on_screen([*lines, *below, _status(state, view)], view.screen).lines
    cursor = None
    if state.prompt is not None:
        cursor = (view.height - 2, sum(cell_len(segment.text) for segment in finished[-2]))
    return Frame(finished, cursor)
