"""What counts as an answer, what is said about it, in both languages."""

import itertools
from dataclasses import replace

import pytest
from rich.cells import cell_len
from views_fixtures import make_tokens, make_trace, plain
from walk_fixtures import HERE, TOKENS, rows

from attncli.analysis.derive import derive
from attncli.analysis.question import Number, OneOf, Question, YesNo
from attncli.analysis.questions import questions
from attncli.errors import AttncliError
from attncli.language import Language
from attncli.language.messages import MESSAGES
from attncli.narration.row import Row
from attncli.walk.quiz import (
    Score,
    Verdict,
    counted_in,
    question_lines,
    read_answer,
    score_line,
    verdict_lines,
)

ROW = rows(HERE)
SCREEN = plain(200)
CHINESE = replace(SCREEN, language=Language.zh)


def text_of(lines):
    return " ".join("".join(segment.text for segment in line) for line in lines)


def ask(answer, kind="row_sum", **facts):
    return Question("weights", kind, answer, {"keys": 6, "sum": 1.0, **facts}, kind)


def verdict_on(answer, text):
    return read_answer(ask(answer), text, ROW, SCREEN)


@pytest.mark.parametrize(
    ("answer", "text", "right"),
    [
        (Number(0.125, 0.001), "1/8", True),
        (Number(0.125, 0.001), "1/sqrt(64)", True),
        (Number(0.125, 0.001), "0.1255", True),
        (Number(0.125, 0.001), "0.13", False),
        (Number(64), "64", True),
        (Number(64), "65", False),
        (Number(-2.0, 0.1), "-2.05", True),
        (YesNo(True), "y", True),
        (YesNo(True), "Yes", True),
        (YesNo(True), "是", True),
        (YesNo(True), "n", False),
        (YesNo(False), "NO", True),
        (YesNo(False), "否", True),
        (OneOf("key", (5,), tuple(range(6))), "dog", True),
        (OneOf("key", (5,), tuple(range(6))), "5", True),
        (OneOf("key", (5,), tuple(range(6))), " cat ", False),
        (OneOf("key", (1, 4), tuple(range(6))), "the#2", True),
        (OneOf("head", (3,), tuple(range(8))), "3", True),
        (OneOf("head", (3,), tuple(range(8))), "H3", True),
        (OneOf("head", (3,), tuple(range(8))), "l1h3", True),
        (OneOf("head", (3,), tuple(range(8))), "2", False),
    ],
)
def test_right_and_wrong(answer, text, right):
    assert verdict_on(answer, text).right == right


@pytest.mark.parametrize("answer", [Number(0), YesNo(False), OneOf("key", (0,), (0, 1))])
def test_nothing_is_no_answer_but_skips(answer):
    verdict = verdict_on(answer, "  ")
    assert (verdict.given, verdict.right) == (None, False)


@pytest.mark.parametrize(
    ("answer", "text", "says"),
    [
        (Number(1), "it", "“it” is no number: type one such as 0.5, 3/4 or 1/sqrt(2)"),
        (YesNo(True), "maybe", "“maybe” is neither yes nor no: type y or n"),
        (OneOf("key", (5,), tuple(range(6))), "the", '"the" stands at 1 and 4'),
        (OneOf("key", (5,), tuple(range(6))), "6", "token 6 does not exist"),
        (OneOf("key", (5,), (5, 2)), "saw", "“saw” (3) is not one of the two: type 5 or 2"),
        (OneOf("head", (0,), (0, 1)), "2", "“2” is no head: type a number from 0 to 1"),
        (OneOf("head", (0,), (0, 1)), "cat", "“cat” is no head: type a number from 0 to 1"),
        (Number(1), "\x1b[2J", r"“\x1b[2J” is no number"),
    ],
)
def test_what_cannot_be_read(answer, text, says):
    with pytest.raises(AttncliError) as raised:
        verdict_on(answer, text)
    assert str(raised.value).startswith(says)


def test_the_verdict_shows_the_truth_and_why():
    question = Question(
        "dots",
        "better_match",
        OneOf("key", (5,), (5, 3)),
        {"j": 5, "k": 3, "at_j": 1.5, "at_k": -0.25},
        "better_match",
    )
    assert text_of(question_lines(question, ROW, SCREEN)) == (
        "With whose key has the query of “cat” (2) the larger dot product: “dog” (5) or “saw” (3)? "
        "A token, by its number or its text."
    )
    why = "q·k is 1.5000 for “dog” (5) and -0.2500 for “saw” (3)."
    for given, says in [
        (5, "Right: “dog” (5)."),
        (3, "Not “saw” (3): “dog” (5)."),
        (None, "Skipped. The answer is “dog” (5)."),
    ]:
        assert text_of(verdict_lines(Verdict(question, given), ROW, SCREEN)) == f"{says} {why}"
    assert text_of(verdict_lines(Verdict(question, 3), ROW, CHINESE)) == (
        "不是 “saw” (3)，而是 “dog” (5)。 与 “dog” (5) 的点积是 1.5000，"
        "与 “saw” (3) 的点积是 -0.2500。"
    )


def test_in_cross_attention_keys_are_tokens_of_the_source():
    source = make_tokens("le", "chat")
    row = Row(derive(make_trace(6, m=2), 0, 2), TOKENS, source, None)
    question = questions(row.d, 0)["x"]
    best = question.answer.right[0]
    assert read_answer(question, source[best].text, row, SCREEN).right
    shown = text_of(verdict_lines(Verdict(question, best), row, SCREEN))
    assert shown.startswith(f"Right: “{source[best].text}” ({best}).")
    assert "“cat” (2)" in text_of(question_lines(question, row, SCREEN))


def test_of_several_that_are_right_the_one_that_was_given_is_confirmed():
    question = ask(OneOf("head", (0, 1), (0, 1)))
    assert text_of(verdict_lines(Verdict(question, 1), ROW, SCREEN)).startswith("Right: L1H1.")


def test_numbers_come_in_the_digits_that_were_asked_for():
    question = questions(ROW.d, 0)["scale"]
    for digits, scale in [(None, "0.5000"), (2, "0.50"), (7, "0.5000000")]:
        shown = text_of(verdict_lines(Verdict(question, 9), ROW, SCREEN, digits=digits))
        assert scale in shown
        assert shown.startswith("Not 9: ")


def test_an_absurd_answer_is_not_written_out():
    shown = text_of(verdict_lines(Verdict(ask(Number(1)), 1e300), ROW, SCREEN))
    assert shown.startswith("Not 1.0000e+300: 1.")


def test_the_score():
    score = Score()
    for given in (64, 63, None, 64):
        score = counted_in(score, Verdict(ask(Number(64)), given))
    assert (score.right, score.wrong, score.skipped, score.answered, score.asked) == (2, 1, 1, 3, 4)
    assert text_of(score_line(score, SCREEN).lines) == ("Quiz: 2 of 3 answered right, 1 skipped.")


KINDS = {key.split(".")[1] for key in MESSAGES if key.endswith(".why")}


def all_questions():
    """Every kind that small rows bring about, with its row."""
    for cause, n, seed in itertools.product((False, True), (3, 6), range(25)):
        trace = make_trace(n, h=3, d_k=4, causal=cause, seed=seed)
        d = derive(trace, 1, n - 2)
        row = Row(d, TOKENS[:n], None, None)
        for question in questions(d, seed).values():
            yield question, row


@pytest.mark.parametrize("language", list(Language))
def test_no_placeholder_is_left_open(language):
    screen = replace(SCREEN, language=language)
    for question, row in all_questions():
        said = question_lines(question, row, screen)
        true = question.answer
        given = true.right[0] if isinstance(true, OneOf) else true.value
        for answer in (given, None):
            said += verdict_lines(Verdict(question, answer), row, screen)
        assert not set("{}") & set(text_of(said)), text_of(said)


def test_every_question_has_a_reason_and_every_reason_a_question():
    import attncli.analysis.questions as module

    source = module.__loader__.get_source(module.__name__)
    for kind in KINDS:
        assert f'"{kind}"' in source, kind


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("language", list(Language))
def test_questions_keep_within_the_width(width, language):
    screen = replace(plain(width), language=language)
    for question, row in all_questions():
        lines = question_lines(question, row, screen)
        lines += verdict_lines(Verdict(question, None), row, screen)
        for line in lines:
            assert cell_len(text_of([line])) <= width, text_of([line])
            assert "…" not in text_of([line])
