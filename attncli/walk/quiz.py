"""The quiz: what is asked, how an answer is read, whether it is right, and the score."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from rich.style import Style

from attncli.analysis.question import Number, OneOf, Question, YesNo
from attncli.errors import AttncliError
from attncli.language import Phrase
from attncli.medium.names import name_of
from attncli.medium.numbers import notation
from attncli.medium.screen import Screen
from attncli.medium.signs import foreign
from attncli.narration.row import Row
from attncli.text.printable import cut, printable
from attncli.text.select import find_token
from attncli.views.lines import BOLD, DIM, Line, Lines, on_screen, prose
from attncli.walk.reading import read_number

_YES = {"y", "yes", "true", "1", "是", "对", "会"}
_NO = {"n", "no", "false", "0", "否", "不", "不是", "不会", "错"}
_NAME_CELLS = 24
_QUOTED_CELLS = 40
_DIGITS = 4
_COUNTABLE = 1e7  # whole numbers up to here are written without a point

_GOOD = Style(color="green", bold=True)
_WRONG = Style(color="red", bold=True)


@dataclass(frozen=True)
class Score:
    """How the answers went so far."""

    right: int = 0
    wrong: int = 0
    skipped: int = 0

    @property
    def answered(self) -> int:
        """Without those that were skipped."""
        return self.right + self.wrong

    @property
    def asked(self) -> int:
        """All questions that were put."""
        return self.answered + self.skipped


@dataclass(frozen=True)
class Verdict:
    """An answer as it was read; None: the question was skipped."""

    question: Question
    given: float | None

    @property
    def right(self) -> bool:
        """Whether the answer is within what counts as right."""
        answer = self.question.answer
        if self.given is None:
            return False
        if isinstance(answer, Number):
            return abs(self.given - answer.value) <= answer.tolerance
        if isinstance(answer, YesNo):
            return bool(self.given) == answer.value
        return self.given in answer.right


def score_line(score: Score, screen: Screen) -> Lines:
    """The score in a sentence."""
    facts = {"right": score.right, "answered": score.answered, "skipped": score.skipped}
    return on_screen(prose(screen.say("quiz.final", **facts), screen, style=BOLD), screen)


def counted_in(score: Score, verdict: Verdict) -> Score:
    """The score after one more question."""
    if verdict.given is None:
        return replace(score, skipped=score.skipped + 1)
    if verdict.right:
        return replace(score, right=score.right + 1)
    return replace(score, wrong=score.wrong + 1)


def quoted(text: str, screen: Screen) -> str:
    """What somebody typed, fit to be shown in a sentence."""
    return f"“{foreign(cut(printable(text), _QUOTED_CELLS), screen)}”"


def told(error: AttncliError, screen: Screen) -> str:
    """What an error says, in the reader's language where the catalogue has it."""
    return screen.say(error.phrase)


def _key_name(row: Row, key: int, screen: Screen) -> str:
    return f"“{cut(name_of(row.looked_at[key], screen), _NAME_CELLS)}” ({key})"


def _choice_name(answer: OneOf, row: Row, number: int, screen: Screen) -> str:
    if answer.what == "head":
        return f"L{row.d.layer}H{number}"
    return _key_name(row, number, screen)


def _written(value: float, digits: int | None) -> str:
    if isinstance(value, int):
        return str(value)
    return notation(np.array([value]), digits or _DIGITS).write(value)


def _fields(question: Question, row: Row, screen: Screen, digits: int | None) -> Mapping[str, str]:
    """The facts of a question as its sentences show them: keys and heads by name."""
    answer = question.answer
    token = row.tokens[row.d.token]
    fields = {"token": f"“{cut(name_of(token, screen), _NAME_CELLS)}” ({token.index})"}
    for name, value in question.facts.items():
        if name in ("j", "k"):
            fields[name] = _key_name(row, int(value), screen)
        elif name in ("best", "second") and isinstance(answer, OneOf):
            fields[name] = _choice_name(answer, row, int(value), screen)
        else:
            fields[name] = _written(value, digits)
    return fields


def _sentence(key: str, question: Question, row: Row, screen: Screen, digits: int | None) -> str:
    fields: dict[str, object] = {**_fields(question, row, screen, digits)}
    if "count" in question.facts:
        fields["count"] = int(question.facts["count"])  # which an English plural looks at
    return screen.say(f"quiz.{key}", **fields)


def question_lines(
    question: Question, row: Row, screen: Screen, *, digits: int | None = None
) -> list[Line]:
    """What is asked, and what kind of answer it wants."""
    answer = question.answer
    wanted = "yes_no" if isinstance(answer, YesNo) else "number"
    if isinstance(answer, OneOf):
        wanted = answer.what
    return [
        *prose(_sentence(question.kind, question, row, screen, digits), screen, style=BOLD),
        *prose(screen.say(f"quiz.ask_{wanted}"), screen, style=DIM),
    ]


def _said(value: float, question: Question, row: Row, screen: Screen, digits: int | None) -> str:
    """An answer, the true one or another, in words."""
    answer = question.answer
    if isinstance(answer, YesNo):
        return screen.say("quiz.yes" if value else "quiz.no")
    if isinstance(answer, OneOf):
        return _choice_name(answer, row, int(value), screen)
    whole = abs(value) < _COUNTABLE and value == int(value)
    return _written(int(value) if whole else value, digits)


def verdict_lines(
    verdict: Verdict, row: Row, screen: Screen, *, digits: int | None = None
) -> list[Line]:
    """Whether the answer is right, what is true, and why."""
    question, answer, given = verdict.question, verdict.question.answer, verdict.given
    true = answer.right[0] if isinstance(answer, OneOf) else answer.value
    if given is not None and verdict.right and isinstance(answer, OneOf):
        true = int(given)
    truth = _said(true, question, row, screen, digits)
    if given is None:
        says, style = screen.say("quiz.skipped", truth=truth), BOLD
    elif verdict.right:
        says, style = screen.say("quiz.right", truth=truth), _GOOD
    else:
        wrong = _said(given, question, row, screen, digits)
        says, style = screen.say("quiz.wrong", given=wrong, truth=truth), _WRONG
    why = _sentence(f"{question.why}.why", question, row, screen, digits)
    return [*prose(says, screen, style=style), *prose(why, screen, style=None)]


def _read_choice(answer: OneOf, text: str, row: Row, screen: Screen) -> int:
    if answer.what == "head":
        found = re.fullmatch(r"(?:l[0-9]{1,9})?h?([0-9]{1,9})", text.lower())
        if found is None or int(found[1]) not in answer.choices:
            last = answer.choices[-1]
            facts = {"given": quoted(text, screen), "last": last}
            raise AttncliError(Phrase("quiz.not_head", facts))
        return int(found[1])
    key = find_token(row.looked_at, text)
    if key not in answer.choices:
        j, k = answer.choices
        name = _key_name(row, key, screen)
        raise AttncliError(Phrase("quiz.not_choice", {"given": name, "j": j, "k": k}))
    return key


def read_answer(question: Question, text: str, row: Row, screen: Screen) -> Verdict:
    """The verdict on what was typed; nothing but blanks skips the question.

    Raises AttncliError, in the reader's language, for what cannot be read as an answer.
    """
    text, answer = text.strip(), question.answer
    if not text:
        return Verdict(question, None)
    if isinstance(answer, OneOf):
        return Verdict(question, _read_choice(answer, text, row, screen))
    if isinstance(answer, YesNo):
        word = unicodedata.normalize("NFKC", text).lower()
        if word not in _YES | _NO:
            raise AttncliError(Phrase("quiz.not_yes_no", {"given": quoted(text, screen)}))
        return Verdict(question, word in _YES)
    value = read_number(text)
    if value is None:
        raise AttncliError(Phrase("quiz.not_number", {"given": quoted(text, screen)}))
    return Verdict(question, value)
