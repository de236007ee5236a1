"""The picture of a window: what stands where, and that it never leaves it."""

import itertools
from dataclasses import replace

import pytest
from rich.cells import cell_len
from views_fixtures import plain
from walk_fixtures import HERE, TOKENS, after, rows, view

from attncli.language import Language
from attncli.views.lines import width_of
from attncli.walk.frame import frame
from attncli.walk.press import start
from attncli.walk.quiz import Score


def lines_of(state, seen, width=None):
    picture = frame(state, seen, width or seen.screen.width)
    return ["".join(segment.text for segment in line).rstrip() for line in picture.lines]


def test_a_step():
    seen = view(10, width=64)
    assert lines_of(after("nn", seen), seen) == [
        "dots 0",
        "dots 1",
        "dots 2",
        "",
        "",
        "",
        "",
        "",
        "",
        " step 3 of 9 · cat · L1H0        n next  b back  q quit  ? help",
    ]


def test_a_step_that_is_higher_than_the_window_says_so():
    seen = view(10, lines=20)
    assert lines_of(after(["page down"], seen), seen)[:-1] == [
        *[f"x {line}" for line in range(8, 16)],
        "4 more lines below: ↓ or PgDn",
    ]
    assert lines_of(after(["page down"] * 2, seen), seen)[-2] == ""


def test_a_line_that_is_typed_and_the_cursor_behind_it():
    seen = view(10)
    state = after(["t", *"猫x"], seen)
    picture = frame(state, seen, 80)
    assert lines_of(state, seen)[-2] == "token, by number or text: 猫x"
    assert picture.cursor == (8, cell_len("token, by number or text: 猫x"))
    assert lines_of(state, seen)[-1].endswith("Enter: go  Esc: cancel")
    assert frame(after([], seen), seen, 80).cursor is None


def test_of_a_long_line_the_end_shows():
    seen = view(10, width=40)
    state = after(["t", *"a" * 30, *"bcd"], seen)
    assert lines_of(state, seen)[-2] == "token, by number or text: " + "a" * 10 + "bcd"
    assert frame(state, seen, 40).cursor == (8, 39)


def test_what_is_typed_cannot_steer_the_terminal():
    seen = view(10)
    state = replace(after(["t"], seen), message="\x1b[2J")
    state = replace(state, prompt=replace(state.prompt, text="\u202ex"))
    assert lines_of(state, seen)[-3:-1] == [
        r"\x1b[2J",
        "token, by number or text: U+202Ex",
    ]


def test_a_long_message_takes_the_lines_that_it_needs():
    seen = view(10, width=40, lines=20)
    shown = lines_of(after(["t", *"bird", "enter"], seen), seen)
    assert shown[5:9] == [
        "x 5",
        "x 6",
        'there is no token "bird": give one of 0',
        "[CLS], 1 the, 2 cat, 3 saw, 4 the, 5 dog",
    ]


def test_the_score_stands_in_the_status_line():
    seen = view(10, quiz_seed=0)
    state = replace(start(HERE, seen), score=Score(right=2, wrong=1, skipped=4))
    assert lines_of(state, seen)[-1].startswith(" step 1 of 9 · cat · L1H0 · quiz 2/3")
    assert "quiz" not in lines_of(state, view(10))[-1]


def test_a_question_does_not_show_the_step():
    seen = view(12, quiz_seed=0)
    shown = lines_of(start(HERE, seen), seen)
    assert shown[:4] == [
        "Before step 1: title of x",
        "",
        "Guess first: which token gets the largest weight from “cat” (2)?",
        "A token, by its number or its text.",
    ]
    assert shown[-2] == "answer:"
    assert not any(line.startswith("x ") for line in shown)


@pytest.mark.parametrize(
    ("width", "height", "says"),
    [
        (39, 24, ["this window is 39 × 24; 40 × 10 are", "needed"]),
        (80, 9, ["this window is 80 × 9; 40 × 10 are needed"]),
        (14, 2, ["this window is", "14 × 2; 40 ×"]),
        (1, 1, ["…"]),
    ],
)
def test_too_small_a_window_says_what_is_needed(width, height, says):
    seen = view(height)
    shown = lines_of(after("n", seen), seen, width)
    assert shown == says + [""] * (height - len(says))


STATES = {
    "step": "nnn",
    "help": "?",
    "prompt": ["t", *"x" * 100],
    "error": ["t", *"x" * 100, "enter"],
    "component": ["c", *"q[1]", "enter"],
    "scrolled": ["page down", "down"],
}


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("language", list(Language))
def test_a_frame_fills_its_window_and_no_more(name, language):
    for width, height, quiz in itertools.product((40, 57, 80, 120), (10, 11, 24), (None, 1)):
        screen = replace(plain(width), language=language)
        seen = view(height, lines=30, screen=screen, quiz_seed=quiz)
        state = start(HERE, seen)
        for keys in (["enter", "n"] * (quiz is not None), STATES[name]):
            state = after(keys, seen, state)
        picture = frame(state, seen, width)
        assert len(picture.lines) == height
        assert max(map(width_of, picture.lines)) <= width
        if picture.cursor:
            assert picture.cursor[0] < height
            assert picture.cursor[1] < width


def test_a_long_name_leaves_room_for_the_rest():
    tokens = [replace(token, text="x" * 300) for token in TOKENS]
    seen = view(10, width=60)
    seen = replace(seen, rows=lambda place: replace(rows(place), tokens=tokens))
    status = lines_of(after([], seen), seen)[-1]
    assert status == f" step 1 of 9 · {'x' * 19}… · L1H0   q quit  ? help"


def test_a_terminal_without_unicode():
    seen = view(24, screen=plain(60, unicode=False))
    for keys in ("?", "x", ["t", "猫"], []):
        for line in lines_of(after(keys, seen), seen):
            assert line.isascii(), line
