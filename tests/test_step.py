"""`attncli step` in a terminal: every key, other sizes, every way to end."""

import signal
import sys
from functools import cache

import pytest
from command import run
from views_fixtures import plain

from attncli.inspector import inspect
from attncli.walk.frame import frame
from attncli.walk.press import press, start
from attncli.walk.rows import Place, open_rows
from attncli.walk.state import make_view
from attncli.weights import load_weights

if sys.platform == "win32":
    pytest.skip("there are no pseudo-terminals", allow_module_level=True)

from pty_session import Session

SENTENCE = "The animal didn't cross the street because it was too tired"
WALK = ("step", SENTENCE, "--token", "it", "--color", "never")

# What a keyboard sends for the keys that are no characters.
SENDS = {
    "up": "\x1b[A",
    "down": "\x1bOB",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[4~",
    "page up": "\x1b[5~",
    "page down": "\x1b[6~",
    "enter": "\r",
    "backspace": "\x7f",
    "escape": "\x1b",
    "ctrl-d": "\x04",
    "ctrl-u": "\x15",
}
WITHOUT_MEANING = ["\x1b[15~", "\x1a", "\x1c", "\x13", "\x16"]  # F5, Ctrl with Z, \, S and V


@cache
def rows():
    """The rows that the program walks through as well."""
    weights = load_weights("sample")

    def inspect_at(layer, head):
        return inspect(SENTENCE, weights, layer=layer, heads=[head])

    return open_rows(inspect_at(-1, 0), inspect_at)


class Mirror:
    """What the screen must show after some keys, found without a terminal."""

    def __init__(self, width=80, height=24, quiz_seed=None):
        self.quiz_seed = quiz_seed
        self.look(width, height)
        self.state = start(Place(-1, 0, 7), self.view)

    def look(self, width, height):
        self.width = width
        screen = plain(max(width, 40))
        self.view = make_view(rows(), screen, height, quiz_seed=self.quiz_seed)

    def press(self, key):
        """A key by its name, as walk/keys.py has it."""
        self.state = press(self.state, key, self.view)

    @property
    def lines(self):
        picture = frame(self.state, self.view, self.width)
        return ["".join(segment.text for segment in line) for line in picture.lines]


def follow(session, mirror, *keys):
    """Each key typed when the screen shows what the keys before it did."""
    for key in keys:
        session.send(SENDS.get(key, key))
        mirror.press(key)
        session.wait_for_screen(mirror.lines)


def test_every_key():
    with Session(*WALK) as session:
        mirror = Mirror()
        session.wait_for_screen(mirror.lines)
        follow(session, mirror, *"nnbp", "right", "left", "enter", "backspace", " ", "end", "n")
        follow(session, mirror, "home", "b", "G", "g", "down", "up", "j", "k", "page down")
        follow(session, mirror, "page up", "s", "5", "enter", "3", "enter", "1", "escape")
        follow(session, mirror, "t", *"animals", "backspace", "enter", "t", "0", "ctrl-u", "enter")
        follow(session, mirror, "h", "3", "enter", "l", "0", "enter", "h", "9", "enter")
        follow(session, mirror, "c", *"q[12]", "enter", "c", *"z[3]", "enter", "n")
        follow(session, mirror, "?", "down", "x", "x", "escape", *WITHOUT_MEANING)
        session.send("q")
        assert session.finish() == (0, "")
        assert session.is_as_it_was


def test_keys_typed_ahead_are_all_read():
    with Session(*WALK) as session:
        mirror = Mirror()
        session.send("nn?xt4\rnnnnnnnnnnnnnb\x1b[5~c\x1b[A")  # before the program reads the first
        for key in [*"nn?xt4", "enter", *"nnnnnnnnnnnnnb", "page up", "c", "up"]:
            mirror.press(key)
        session.wait_for_screen(mirror.lines)
        session.send("\x1bq")
        assert session.finish() == (0, "")


def test_the_window_changes_its_size():
    with Session(*WALK) as session:
        mirror = Mirror()
        follow(session, mirror, *"nnn", "t", "a")
        for width, height in [(120, 40), (60, 20), (39, 9), (40, 10), (80, 24)]:
            session.resize(width, height)
            mirror.look(width, height)
            mirror.press("resize")
            session.wait_for_screen(mirror.lines)
        follow(session, mirror, *"nimal", "enter", "n")
        session.send("q")
        assert session.finish() == (0, "")
        assert session.is_as_it_was


def test_a_quiz():
    with Session(*WALK, "--quiz", "--quiz-seed", "3") as session:
        mirror = Mirror(quiz_seed=3)
        session.wait_for_screen(mirror.lines)
        follow(session, mirror, *"animal", "enter", "n", "n", *"63", "enter", "n")
        follow(session, mirror, "n", "enter", "n", "n", *"what", "enter", "ctrl-u", "escape")
        session.send("n\x04")
        assert session.finish() == (0, "")
        assert session.is_as_it_was
        score = mirror.state.score
        assert (score.right, score.skipped) == (1, 2)
        assert list(filter(None, session.lines))[-1] == "Quiz: 1 of 2 answered right, 2 skipped."


def test_the_screen_is_chinese():
    with Session(*WALK, LC_ALL="", LANG="zh_CN.UTF-8") as session:
        session.wait_for("L1H0")
        assert session.lines[-1].startswith(" 第 1 步，共")
        session.send("q")
        assert session.finish() == (0, "")


def test_colour_comes_with_a_terminal():
    with Session(*WALK[:-2]) as session:
        session.wait_for("step 1 of")
        session.send("q")
        assert session.finish() == (0, "")
        assert session.is_as_it_was
    assert b"\x1b[7m" in session.written


def test_without_a_token_the_walk_begins_at_the_first():
    with Session("step", SENTENCE) as session:
        session.wait_for("· The · L1H0")
        session.send("q")
        assert session.finish() == (0, "")


@pytest.mark.parametrize("keys", ["\x03", "t\x03", "?\x03", "tit\x03"])
def test_ctrl_c(keys):
    with Session(*WALK) as session:
        session.wait_for("step 1 of")
        session.send(keys)
        assert session.finish() == (130, "")
        assert session.is_as_it_was


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals(name):
    number = getattr(signal, name)
    with Session(*WALK) as session:
        session.wait_for("step 1 of")
        session.send("t")
        session.wait_for("token, by number or text:")
        session.process.send_signal(number)
        status, error = session.finish()
        assert (status, error) == (130 if name == "SIGINT" else -number, "")
        assert session.is_as_it_was


def test_ctrl_c_while_another_layer_is_computed():
    before = """
import time
import attncli.inspector as inspector
real = inspector.inspect
def slow(*args, **options):
    if options["layer"] == 0:
        print("computing", file=sys.stderr, flush=True)
        time.sleep(1000)
    return real(*args, **options)
inspector.inspect = slow
"""
    with Session(*WALK, before=before) as session:
        session.wait_for("step 1 of")
        session.send("l0\r")
        assert session.process.stderr.readline() == b"computing\n"
        session.send("\x03")
        assert session.finish()[0] == 130
        assert session.is_as_it_was


@pytest.mark.parametrize(
    ("raised", "status", "says"),
    [
        ("AttncliError('it is broken')", 1, "Error: it is broken\n"),
        ("MemoryError('64 GB')", 1, "Error: not enough memory: 64 GB\n"),
        ("ZeroDivisionError()", 70, "--debug, and report what it prints\n"),
    ],
)
def test_an_error_is_told_when_the_screen_was_left(raised, status, says):
    before = f"""
from attncli.errors import AttncliError
import attncli.walk.terminal as terminal
def press(*_):
    raise {raised}
terminal.press = press
"""
    with Session(*WALK, before=before) as session:
        session.wait_for("step 1 of")
        session.send("n")
        found, error = session.finish()
        assert found == status
        assert error.endswith(says)
        assert session.is_as_it_was


IGNORED = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"  # as nohup does


@pytest.mark.parametrize(("before", "status"), [("", -signal.SIGHUP), (IGNORED, 0)])
def test_the_terminal_goes_away(before, status):
    with Session(*WALK, "--quiz", before=before) as session:
        session.wait_for("step 1 of")
        session.send("\r")
        session.wait_for("Skipped")
        session.hang_up()
        assert session.process.wait(60) in (status, 0)  # the end of the input may be seen first
        assert session.process.stderr.read() == b""


def test_a_wrong_token_is_an_error_before_the_screen_is_taken():
    with Session("step", SENTENCE, "--token", "bird") as session:
        status, error = session.finish()
        assert (status, session.written) == (1, b"")
        assert error.startswith('Error: there is no token "bird"')


# Not in a terminal


def test_in_a_pipe_all_steps_are_printed():
    answer = run("step", SENTENCE, "--token", "it")
    assert (answer.status, answer.err) == (0, "")
    assert "\x1b" not in answer.out
    lines = answer.out.splitlines()
    stops = Mirror().view.stops(Place(1, 0, 7))
    at = 0
    for number, stop in enumerate(stops, start=1):
        at = lines.index(f"step {number} of {len(stops)}", at)
        shown = ["".join(segment.text for segment in line).rstrip() for line in stop.lines]
        assert [line.rstrip() for line in lines[at + 1 : at + 1 + len(shown)]] == shown
    assert max(map(len, lines)) <= 80


def test_a_dumb_terminal_is_a_pipe():
    with Session(*WALK, TERM="dumb") as session:
        assert session.finish() == (0, "")
        assert b"\x1b" not in session.written


def test_in_a_pipe_colour_and_width_are_as_in_explain():
    answer = run("step", SENTENCE, "--token", "it", "--color", "always", "--width", "60")
    assert "\x1b[" in answer.out
    narrow = run("step", SENTENCE, "--token", "it", "--width", "60").out
    assert max(map(len, narrow.splitlines())) <= 60
    chinese = run("step", SENTENCE, "--token", "it", "--lang", "zh").out
    assert "第 1 步，共" in chinese


def test_in_a_pipe_the_answers_are_lines():
    answer = run("step", SENTENCE, "--token", "it", "--quiz", stdin=b"animal\nbird?\n\nwhat\n")
    assert (answer.status, answer.err) == (0, "")
    assert "> animal\nRight: “animal” (1).\n" in answer.out
    assert "> bird?\n“bird?” is no number" in answer.out
    assert answer.out.endswith("Quiz: 1 of 1 answered right, 1 skipped.\n")
    stops = Mirror().view.stops(Place(1, 0, 7))
    assert f"step {len(stops)} of {len(stops)}\n" in answer.out
    asked = answer.out.count("\n> ")
    assert asked == 4  # and when the lines are at an end, nothing more
    assert answer.out.count("A number; fractions") + answer.out.count("by its number") <= 4


def test_an_empty_input_ends_the_quiz_at_its_first_question():
    answer = run("step", SENTENCE, "--token", "it", "--quiz")
    assert answer.status == 0
    assert answer.out.count("Guess first") == 1
    assert "Quiz:" not in answer.out
    assert "step 2 of" in answer.out


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ((), 2, "step needs --token where there is no terminal: give its number or text"),
        (("--token", "the#3"), 1, '"the" stands at 4: give the number'),
        (("--token", "11"), 1, "token 11 does not exist"),
        (("--token", "it", "--head", "8"), 1, "head 8 does not exist"),
        (("--token", "it", "--layer", "2"), 1, "layer 2 does not exist"),
        (("--token", "it", "--quiz-seed", "1"), 2, "--quiz-seed has no effect without --quiz"),
    ],
)
def test_a_wrong_command_line(arguments, status, says):
    answer = run("step", SENTENCE, *arguments)
    assert (answer.status, answer.out) == (status, "")
    assert answer.err.startswith(f"Error: {says}")


def test_a_masked_row():
    mask = ",".join("0" * 11)
    answer = run(
        "step", SENTENCE, "--token", "it", "--attention-mask", mask, "--quiz", stdin=b"\n" * 20
    )
    assert (answer.status, answer.err) == (0, "")
    assert "row 7: every key is masked" in answer.out
    assert "nothing to add: z₇ = 0" in answer.out
    assert "The answer is 0.\nEvery key of this row is masked" in answer.out
    assert "Guess first" not in answer.out


def test_notes_come_after_the_steps():
    answer = run("step", "a b", "--token", "a", "-w", "random", "--d-model", "8", "--n-heads", "2")
    assert answer.status == 0
    assert answer.err.startswith("Note: the weights are random")
