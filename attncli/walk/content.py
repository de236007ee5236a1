"""What there is to read: the step, or the page that lies over it."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment

from attncli.medium.screen import Screen
from attncli.text.printable import pad
from attncli.views.lines import BOLD, Line, on_screen, prose
from attncli.walk.bindings import BINDINGS, names_of_keys
from attncli.walk.quiz import Verdict, question_lines, verdict_lines
from attncli.walk.state import Component, Help, State, View


def _keys(screen: Screen) -> list[Line]:
    names = [names_of_keys(keys) for _, keys in BINDINGS]
    cells = max(map(cell_len, names)) + 2
    lines = []
    for (action, _), name in zip(BINDINGS, names, strict=True):
        does = prose(screen.say(f"walk.key.{action}"), screen, indent=cells, style=None)
        lines.append([Segment(pad(name, cells), BOLD), *does[0][1:]])
        lines += does[1:]
    return lines


def content(state: State, view: View) -> Sequence[Line]:
    """All lines of what is on show in this state, none wider than the screen."""
    screen, page, stop = view.screen, state.page, view.stops(state.place)[state.step]
    if page is None:
        return stop.lines
    if isinstance(page, Help):
        title, lines = screen.say("walk.help"), _keys(screen)
    elif isinstance(page, Component):
        title = screen.say("walk.component", vector=page.vector, index=page.index)
        lines = [*view.component(state.place, page.vector, page.index).lines]
    else:
        title = screen.say("quiz.title", step=state.step + 1, title=stop.title)
        row = view.rows(state.place)
        question = page.question if isinstance(page, Verdict) else page
        lines = question_lines(question, row, screen, digits=view.digits)
        if isinstance(page, Verdict):
            lines += [[], *verdict_lines(page, row, screen, digits=view.digits)]
    return on_screen([*prose(title, screen, style=BOLD), [], *lines], screen).lines


def room(view: View) -> int:
    """Lines of the window for the content: all but the message and the status."""
    return max(view.height - 2, 1)


def lines_below(state: State, view: View) -> int:
    """How many lines of the content are below the window."""
    return max(len(content(state, view)) - room(view) - state.scroll, 0)
