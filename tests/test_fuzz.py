"""The harness of tests/fuzz: what is planted is found, cases repeat, findings get small."""

import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from fuzz.case import SECRET, Case
from fuzz.child import Limits, run
from fuzz.mutate import dumps, loads, mutate_json_file
from fuzz.oracle import find_breaches
from fuzz.reduce import minimise
from fuzz.targets import TARGETS

pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
LIMITS = Limits(seconds=5)


def says(out: str = "", err: str = "", status: int = 0):
    """A program that writes this."""

    def program() -> None:
        sys.stdout.write(out)
        sys.stderr.write(err)
        sys.exit(status)

    return program


def breaches(program, case: Case, folder: Path, limits: Limits = LIMITS) -> list[str]:
    return list(map(str, find_breaches(case, run(case, folder, limits, program), limits)))


@pytest.mark.parametrize(
    "program",
    [
        says("an answer\n"),
        says("an answer\n", "Note: with a note\n"),
        says("", "Error: no such file: give another\n", 1),
        says("", "Usage: attncli tokens\nTry 'attncli -h' for help.\n\nError: no such option\n", 2),
        says("\u2068שלום\u2069\n"),
    ],
)
def test_what_is_right(program, tmp_path):
    assert breaches(program, Case(["tokens", "a"]), tmp_path) == []


def test_colour_is_right_where_it_was_asked_for(tmp_path):
    red = says("\x1b[1;31mred\x1b[0m\n")
    assert breaches(red, Case(["explain", "a", "--color", "always"]), tmp_path) == []
    found = breaches(red, Case(["explain", "a"]), tmp_path)
    assert found == ["control code: U+001B on standard output"]


def traceback() -> None:
    raise ValueError("planted")


def panic() -> None:
    sys.stderr.write("thread '<unnamed>' panicked at src/lib.rs:1:2:\nplanted\n")
    sys.exit(1)


def stray() -> None:
    Path("stray").touch()
    says("an answer\n")()


def left_behind() -> None:
    Path(os.environ["TMPDIR"], "x.tmp").touch()
    says("an answer\n")()


def overwritten() -> None:
    Path("mine.npz").write_bytes(b"other")
    says("an answer\n")()


def abort() -> None:
    os.abort()


def not_utf8() -> None:
    os.write(1, b"\xff\n")


@pytest.mark.parametrize(
    ("program", "breach"),
    [
        (traceback, "traceback: ValueError in ?"),
        (panic, "panic: src/lib.rs:1:2:"),
        (abort, "ended by signal: 6 in ?"),
        (stray, "stray file: cwd/stray"),
        (left_behind, "stray file: tmp/x.tmp"),
        (overwritten, "stray file: cwd/mine.npz"),
        (not_utf8, "not in its encoding: standard output"),
        (says("\x1b]52;c;aGk=\x07\n"), "control code: U+0007 on standard output"),
        (says("\u202ex\n"), "control code: U+202E on standard output"),
        (says("\u2068x\n"), "control code: an isolate that does not end on standard output"),
        (says("", "Error: \x1b[2J\n", 1), "control code: U+001B on standard error"),
        (says("half", "Error: no\n", 1), "answer beside an error: tokens"),
        (says("", "Error: a\nError: b\n", 1), "standard error: more than one error"),
        (says("a\n", "Error: a\n", 0), "standard error: an error, but success"),
        (says("", "Error: a\nmore\n", 1), "standard error: a line of another kind: more"),
        (says("", f"Error: {'_' * 3000}\n", 1), "standard error: an endless line: Error: *"),
        (says("", "", 1), "silent failure: tokens, status 1"),
        (says("", "", 0), "no answer: tokens"),
        (says("a\n", "", 3), "exit status: 3"),
        (says(f"{SECRET}\n"), "secret: the token of the Hub is shown"),
        (
            says("", "Error: cannot write to standard output\n", 1),
            "standard error: standard output is blamed, and is in order",
        ),
    ],
)
def test_what_is_planted_is_found(program, breach, tmp_path):
    found = breaches(program, Case(["tokens", "a"], {"mine.npz": b"mine"}), tmp_path)
    assert breach in found


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1', ""])
def test_what_is_no_json_is_found(text, tmp_path):
    found = breaches(says(text, "Note: a\n"), Case(["tokens", "a", "--json"]), tmp_path)
    assert found
    assert found[0].startswith(("not JSON", "no answer"))


def test_a_hang_is_found_where_it_is(tmp_path):
    def wait() -> None:
        time.sleep(60)

    limits = Limits(seconds=0.3)
    assert breaches(wait, Case(["tokens"]), tmp_path, limits) == ["hang: ?"]


def test_memory_over_the_limit_is_found(tmp_path):
    def fill() -> None:
        sys.stdout.write(f"{sum(bytearray(500 * 2**20)[::4096])}\n")

    limits = Limits(megabytes=400)
    assert breaches(fill, Case(["tokens"]), tmp_path, limits)[0].startswith("memory")


def test_the_named_file_alone_may_be_written(tmp_path):
    def write() -> None:
        Path("out.json").write_text("[1]")

    assert breaches(write, Case(["export"], writes=("cwd/out.json",)), tmp_path) == []


def test_json_is_not_asked_for_where_it_is_what_an_option_is_given(tmp_path):
    for args, found in ((["--pair", "--json"], False), (["--pair", "b", "--json"], True)):
        said = breaches(says("x\n", ""), Case(["tokens", "a", *args]), tmp_path)
        assert any("not JSON" in each for each in said) == found


def test_a_written_file_that_is_no_json_is_found(tmp_path):
    def write() -> None:
        Path("out.json").write_text("[1")

    found = breaches(write, Case(["export"], writes=("cwd/out.json",)), tmp_path)
    assert found == ["not JSON: Expecting ',' delimiter"]


def test_a_file_of_a_run_that_failed_is_found(tmp_path):
    def write() -> None:
        Path("out.json").write_text("[1]")
        says("", "Error: no\n", 1)()

    found = breaches(write, Case(["export"], writes=("cwd/out.json",)), tmp_path)
    assert found == ["stray file: cwd/out.json"]


@pytest.mark.parametrize("target", TARGETS)
def test_a_case_follows_from_seed_target_and_number(target):
    cases = [TARGETS[target](Random(f"1/{target}/{number}")) for number in (0, 0, 1, 2, 3)]
    assert cases[0] == cases[1]
    assert any(case != cases[0] for case in cases[2:])


def test_numbers_keep_the_form_they_are_written_in():
    text = b'{"a": 1e999, "b": [-0, 1.50], "c": "1"}'
    assert dumps(loads(text)) == text


def test_changed_json_differs():
    data = b'{"a": {"b": [1, 2, 3]}, "c": true}'
    assert any(mutate_json_file(Random(i), data) != data for i in range(3))


def test_a_finding_is_made_small():
    valid = b'{"a": 1, "b": 2, "c": {"d": 3}}'
    changed = b'{"a": 9, "b": 8, "c": {"d": 7}}'
    case = Case(
        ["tokens", "the cat sat", "--json"], {"x": changed, "y": b""}, {"x": valid}, stdin=b"abc"
    )

    def fails(case: Case) -> bool:
        return b'"d": 7' in case.files.get("x", b"") and any("cat" in word for word in case.args)

    small = minimise(case, fails, 5)
    assert small.args == ["cat"]
    assert small.files == {"x": b'{"a": 1, "b": 2, "c": {"d": 7}}'}
    assert small.stdin == b""


def test_nothing_breaks_in_a_few_cases_of_each_target():
    command = [sys.executable, "tests/fuzz/run.py", "--cases", "5", "--seed", "1"]
    root = Path(__file__).parents[1]
    found = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
