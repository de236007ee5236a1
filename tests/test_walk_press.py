"""What keys do."""

from dataclasses import replace

import pytest
from views_fixtures import plain
from walk_fixtures import HERE, after, rows, stops, view

from attncli.analysis.questions import questions
from attncli.language import Language
from attncli.walk.bindings import BINDINGS
from attncli.walk.press import start
from attncli.walk.quiz import Score, Verdict
from attncli.walk.rows import Place
from attncli.walk.state import Component, Help, Prompt

V = view()
LAST = len(stops(HERE)) - 1


def typed(text):
    return [*text, "enter"]


@pytest.mark.parametrize(
    ("keys", "step"),
    [
        (["n", "right", "enter", " "], 4),
        (["n", "n", "n", "b", "left"], 1),
        (["n", "n", "p"], 1),
        (["n", "n", "backspace"], 1),
        (["end"], LAST),
        (["G"], LAST),
        (["G", "home"], 0),
        (["G", "g"], 0),
        (["s", *typed("4")], 3),
        (typed("4"), 3),  # a digit asks by itself
        (["G", *typed("01")], 0),
    ],
)
def test_to_another_step(keys, step):
    state = after(keys, V)
    assert (state.step, state.message) == (step, "")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["b"], "this is the first step"),
        (["G", "n"], "this is the last step; q quits"),
        (typed("10"), "there is no step “10”: give a number from 1 to 9"),
        (typed("0"), "there is no step “0”: give a number from 1 to 9"),
        (["s", *typed("two")], "there is no step “two”: give a number from 1 to 9"),
        (["x"], "the key “x” means nothing here; ? shows the keys"),
        (["\x1b[15~"], r"the key “\x1b[15~” means nothing here; ? shows the keys"),
        (["escape"], "the key “Escape” means nothing here; ? shows the keys"),
        (["t", "\x01"], r"the key “\x01” means nothing here; ? shows the keys"),
        (
            ["h", *typed("one")],
            '"one" names no head: give one as 3, H3 or L5H3, several as 0,1, 0-3 or all',
        ),
        (["c", *typed("w[1]")], "“w[1]” is no component: give one such as q[0] or z[3]"),
        (["c", *typed("z 4")], "z[4] does not exist: z has 4 numbers (0 to 3)"),
    ],
)
def test_what_leads_nowhere_says_so_and_stays(keys, message):
    state = after(keys, V)
    before = after(["G"] if keys[0] == "G" else [], V)
    assert (state.step, state.place, state.page) == (before.step, HERE, None)
    assert state.message == message
    assert not state.over


def test_a_message_goes_with_the_next_key():
    assert after(["x", "n"], V).message == ""


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        (["t", *typed("5")], Place(1, 0, 5)),
        (["t", *typed("-1")], Place(1, 0, 5)),
        (["t", *typed("dog")], Place(1, 0, 5)),
        (["t", *typed("the#2")], Place(1, 0, 4)),
        (["t", *typed("[CLS]")], Place(1, 0, 0)),
        (["h", *typed("1")], Place(1, 1, 2)),
        (["h", *typed("-1")], Place(1, 1, 2)),
        (["l", *typed("0")], Place(0, 0, 2)),
        (["l", *typed("-2")], Place(0, 0, 2)),
        (["l", *typed("0"), "h", *typed("1"), "t", *typed("cat")], Place(0, 1, 2)),
        (["h", *typed("H1")], Place(1, 1, 2)),
        (["h", *typed("L0H1")], Place(0, 1, 2)),
        (["l", *typed("L0")], Place(0, 0, 2)),
        (["l", *typed("L0H1")], Place(0, 1, 2)),
    ],
)
def test_to_another_row_at_the_same_step(keys, place):
    state = after(["n", "n", *keys], V)
    assert (state.place, state.step, state.message) == (place, 2, "")


def test_the_step_is_found_by_its_name_where_the_other_layer_has_fewer():
    softmax = after([*typed("6"), "l", *typed("0")], V)
    assert stops(softmax.place)[softmax.step].key == "softmax"
    mask = after([*typed("5"), "l", *typed("0")], V)
    assert mask.step == 4
    assert after(["G", "l", *typed("0")], V).step == LAST - 1


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["t", *typed("the")], '"the" stands at 1 and 4: give the number, or the#1 or the#2'),
        (["t", *typed("6")], "token 6 does not exist: the text has 6 tokens (0 to 5)"),
        (["t", *typed("bird")], 'there is no token "bird": give one of 0 [CLS], 1 the'),
        (["h", *typed("１")], '"１" names no head'),
        (["l", *typed("H1")], '"H1" names no layer: give one as 5, L5 or -1 (the last)'),
        (["h", *typed("all")], "heads 0, 1 are several: give one head, such as 0"),
        (["l", *typed("0-1")], "layers 0, 1 are several: give one layer, such as 0"),
        (["h", *typed("2")], "head 2 does not exist: the model has 2 heads (0 to 1)"),
        (["l", *typed("9")], "layer 9 does not exist: the model has 2 layers (0 to 1)"),
    ],
)
def test_a_row_that_does_not_exist(keys, message):
    state = after(["n", *keys], V)
    assert (state.place, state.step, state.prompt) == (HERE, 1, None)
    assert state.message.startswith(message)


def test_a_layer_that_cannot_be_computed():
    state = after(["t", *typed("5"), "n", "l", *typed("0")], V)
    assert (state.place, state.step, state.message) == (Place(1, 0, 5), 1, "layer 0: S overflows")


def test_a_line_is_edited():
    keys = ["t", *"doll", "backspace", "delete", *"x", "ctrl-u", *"ca", "t"]
    assert after(keys, V).prompt == Prompt("token", "cat")
    assert after(["t", "backspace"], V).prompt == Prompt("token", "")
    assert after(["t", *"q?b "], V).prompt == Prompt("token", "q?b ")
    assert len(after(["t", *"x" * 999], V).prompt.text) == 200


def test_a_line_is_given_up():
    for keys in (["t", *"dog", "escape"], ["t", "enter"], ["t", *"x", "backspace", "enter"]):
        state = after(["n", *keys], V)
        assert (state.place, state.step, state.prompt, state.message) == (HERE, 1, None, "")


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("q[3]", Component("q", 3)),
        ("q 3", Component("q", 3)),
        ("3", Component("q", 3)),
        ("Z[0]", Component("z", 0)),
        ("z_i[2]", Component("z", 2)),
    ],
)
def test_one_number_written_out(text, page):
    assert after(["n", "c", *typed(text)], V).page == page


def test_from_one_number_to_the_next_and_back_to_the_step():
    state = after(["n", "n", "c", *typed("q[1]"), "c", *typed("z[2]")], V)
    assert (state.page, state.step) == (Component("z", 2), 2)
    assert after(["n"], V, state).page is None
    assert after(["n"], V, state).step == 2


@pytest.mark.parametrize("key", ["q", "n", "escape", "enter", "x", "?"])
def test_any_key_closes_the_help(key):
    state = after(["n", "?"], V)
    assert state.page == Help()
    closed = after([key], V, state)
    assert (closed.page, closed.step, closed.over) == (None, 1, False)


@pytest.mark.parametrize("keys", [["q"], ["ctrl-d"], ["t", *"ca", "ctrl-d"], ["?", "ctrl-d"]])
def test_quitting(keys):
    assert after(keys, V).over


def test_a_step_that_is_higher_than_the_window_is_scrolled():
    low = view(10, lines=20)  # eight lines of it fit
    assert after(["down"], low).scroll == 1
    assert after(["down", "j", "up", "k"], low).scroll == 0
    assert after(["page down"], low).scroll == 8
    assert after(["page down"] * 5, low).scroll == 12
    assert after(["page down"] * 5 + ["page up"], low).scroll == 4
    assert after(["page up"], low).scroll == 0
    assert after(["page down", "n"], low).scroll == 0


def test_the_space_bar_reads_on():
    low = view(10, lines=20)
    states = [after([" "] * count, low) for count in range(4)]
    assert [(state.step, state.scroll) for state in states] == [(0, 0), (0, 8), (0, 12), (1, 0)]


def test_the_help_is_scrolled_too():
    low = view(10)
    state = after(["?", "page down"], low)
    assert (state.page, state.scroll) == (Help(), 8)
    assert after(["up"], low, state).scroll == 7


def test_another_size_keeps_the_step_and_what_was_typed():
    low = view(10, lines=20)
    state = after(["n", *["page down"] * 9, "t", *"do"], low)
    larger = after(["resize"], view(18, lines=20), state)
    assert (larger.step, larger.scroll, larger.prompt) == (1, 4, Prompt("token", "do"))
    assert after(["x", "resize"], V).message.startswith("the key “x”")


def test_every_key_of_the_table_does_something_to_some_state():
    low = view(10, lines=20)
    state = after(["n", "n", "down", "down"], low)
    for _, keys in BINDINGS:
        for key in keys:
            assert after([key], low, state) != state, key


# The quiz


Q = view(quiz_seed=0)


def asked_at(key, seed=0):
    return questions(rows(HERE).d, seed)[key]


def test_a_step_is_asked_about_before_it_is_shown():
    state = start(HERE, Q)
    assert state.page == asked_at("x")
    assert state.prompt == Prompt("answer")
    verdict = after(typed("cat"), Q)
    assert isinstance(verdict.page, Verdict)
    assert verdict.prompt is None
    shown = after(["n"], Q, verdict)
    assert (shown.step, shown.page) == (0, None)
    assert after(["n"], Q, shown).page == asked_at("query")


def test_the_score_counts_right_wrong_and_skipped():
    right = str(asked_at("x").answer.right[0])
    state = after([*typed(right), "n", "n", *typed("3"), "n", "n", "enter", "n", "n"], Q)
    assert state.score == Score(right=1, wrong=1, skipped=1)
    assert after([*typed(right), "n", "n", "escape"], Q).score == Score(right=1, skipped=1)


def test_what_is_no_answer_is_asked_again():
    state = after(typed("bird"), Q)
    assert (state.page, state.prompt) == (asked_at("x"), Prompt("answer"))
    assert state.message.startswith('there is no token "bird"')
    assert state.score == Score()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (["t", *typed("the")], "“the”出现在 1 和 4：请输入编号，或输入 the#1 或 the#2"),
        (["t", *typed("6")], "没有 token 6：文本有 6 个 token（0 到 5）：0 [CLS], 1 the"),
        (["t", *typed("bird")], "没有名为“bird”的 token：请从中选择：0 [CLS], 1 the"),
        (["h", *typed("2")], "没有注意力头 2：模型有 2 个头（0 到 1）"),
        (["l", *typed("9")], "没有第 9 层：模型有 2 层（0 到 1）"),
    ],
)
def test_what_is_wrong_is_said_in_the_readers_language(keys, message):
    chinese = replace(plain(), language=Language.zh)
    assert after(keys, view(screen=chinese)).message.startswith(message)


def test_no_question_comes_twice_nor_after_a_later_step():
    state = after(["enter", "n", *["n", "enter", "n"] * 3, *"bbbb", *"nnn"], Q)
    assert (state.page, state.step) == (None, 3)
    jumped = after(["enter", "n", "G", "enter", "n", "b"], Q)
    assert (jumped.page, jumped.step) == (None, LAST - 1)


def test_another_row_has_questions_of_its_own():
    state = after(["enter", "n", "t", *typed("dog")], Q)
    assert state.place.token == 5
    assert state.page.step == "x"
    assert state.page != asked_at("x")


def test_keys_are_letters_while_an_answer_is_typed():
    state = after(["enter", "n", "n", *"q?", "backspace", "backspace", *"4"], Q)
    assert (state.prompt, state.over) == (Prompt("answer", "4"), False)
    assert after(["ctrl-d"], Q, state).over


def test_without_a_quiz_nothing_is_asked():
    assert after("nnnn", V).page is None
