"""The walk where there is no terminal: every step, one after the other."""

from collections.abc import Callable, Iterator, Sequence

from rich.segment import Segment

from attncli.analysis.question import Question
from attncli.analysis.questions import questions
from attncli.errors import AttncliError
from attncli.medium.signs import foreign
from attncli.text.printable import cut, printable, printable_message
from attncli.views.lines import DIM, Line, on_screen, prose
from attncli.walk.quiz import Score, counted_in, question_lines, read_answer, told, verdict_lines
from attncli.walk.rows import Place
from attncli.walk.state import View

Show = Callable[[Sequence[Line]], None]


def _typed(text: str, view: View) -> Line:
    return [Segment(cut(f"> {foreign(printable(text), view.screen)}", view.screen.width))]


def _ask(
    question: Question, place: Place, view: View, score: Score, answers: Iterator[str], show: Show
) -> Score | None:
    """The score after an answer that can be read; None if there is no further line."""
    row, screen, digits = view.rows(place), view.screen, view.digits
    show(on_screen(question_lines(question, row, screen, digits=digits), screen).lines)
    for line in answers:
        show([_typed(line, view)])
        try:
            verdict = read_answer(question, line, row, screen)
        except AttncliError as error:
            said = prose(foreign(printable_message(told(error, screen)), screen), screen)
            show(on_screen(said, screen).lines)
            continue
        said = verdict_lines(verdict, row, screen, digits=digits)
        show(on_screen([*said, []], screen).lines)
        return counted_in(score, verdict)
    show([[]])
    return None


def print_steps(place: Place, view: View, answers: Iterator[str], show: Show) -> Score:
    """Shows the steps of a row. The questions of a quiz are answered by lines, while there are."""
    stops = view.stops(place)
    asked = {} if view.quiz_seed is None else questions(view.rows(place).d, view.quiz_seed)
    score = Score()
    for number, stop in enumerate(stops, start=1):
        if question := asked.get(stop.key):
            after = _ask(question, place, view, score, answers, show)
            if after is None:
                asked = {}
            score = after or score
        where = view.screen.say("walk.where", step=number, count=len(stops))
        blank: list[Line] = [[]] * (number < len(stops))
        said = on_screen(prose(where, view.screen, style=DIM), view.screen)
        show([*said.lines, *stop.lines, *blank])
    return score
