"""How the program ends where something fails that no command expected."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

from attncli import __version__, inspector
from attncli.errors import AttncliError

ROOT = Path(__file__).parents[1]
SMALL = ("explain", "a b", "-w", "random", "--d-model", "8", "--n-heads", "2", "--show", "A")
PROGRAM = [sys.executable, "-m", "attncli"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def failing(monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(inspector, "inspect", fail)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (KeyError("E"), "KeyError: 'E'"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (ValueError("one\ntwo \x1b[31m"), r"ValueError: one\ntwo \x1b[31m"),
        (RuntimeError("x" * 1_000_000), f"RuntimeError: {'x' * 199}…"),
    ],
)
def test_a_fault_of_our_own_is_one_line(monkeypatch, error, says):
    failing(monkeypatch, error)
    answer = run(*SMALL)
    assert (answer.status, answer.out) == (70, "")
    remedy = "run the command again with --debug, and report what it prints"
    assert answer.err == f"Error: a fault in attncli {__version__}: {says}; {remedy}\n"


@pytest.mark.parametrize("words", [("--debug", *SMALL), (*SMALL, "--debug")])
def test_its_traceback_is_shown_on_request(monkeypatch, words):
    failing(monkeypatch, KeyError("\x1b[31m"))
    answer = run(*words)
    assert (answer.status, answer.out) == (70, "")
    first, *_, last = answer.err.splitlines()
    assert first == "Traceback (most recent call last):"
    assert "in fail" in answer.err
    assert "\x1b" not in answer.err
    assert last.startswith(f"Error: a fault in attncli {__version__}: KeyError: ")
    assert last.endswith("; report what it prints")


def test_debug_alone_changes_nothing():
    assert run("--debug", *SMALL) == run(*SMALL, "--debug") == run(*SMALL)
    assert "Traceback" not in run(*SMALL, "--layer", "7", "--debug").err


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (
            PermissionError(13, "Permission denied", "/home/a\x1bb"),
            r"/home/a\x1bb: Permission denied",
        ),
        (OSError(5, "Input/output error"), "the system says: Input/output error"),
        (OSError("odd"), "the system says: odd"),
    ],
)
def test_what_the_system_refuses_is_told_of_the_file(monkeypatch, error, says):
    failing(monkeypatch, error)
    answer = run(*SMALL)
    assert (answer.status, answer.out, answer.err) == (1, "", f"Error: {says}\n")


@pytest.mark.parametrize(
    "command", [["explain", "a", "-w"], ["tokens", "a", "-w"], ["info"], ["check"]]
)
def test_a_name_that_is_too_long_is_no_fault_of_the_output(command):
    answer = run(*command, "n" * 300)
    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith("Error: ")
    assert answer.err.count("\n") == 1
    assert "nnn" in answer.err
    assert "standard output" not in answer.err


def test_no_message_is_longer_than_a_screen(monkeypatch):
    failing(monkeypatch, AttncliError(f"begin {'x' * 1_000_000} end"))
    answer = run(*SMALL)
    assert answer.status == 1
    assert answer.err.startswith("Error: begin xxx")
    assert answer.err.endswith("xxx end\n")
    assert len(answer.err) < 1_000


@pytest.mark.skipif(os.name == "nt", reason="there a closed pipe is another error")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["explain", "--help"], []])
def test_a_reader_that_left_before_the_answer(arguments):
    reads, writes = os.pipe()
    os.close(reads)
    try:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            stdout=writes,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            check=False,
        )
    finally:
        os.close(writes)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(("arguments", "status"), [(SMALL, 0), (("explain",), 2), (("x",), 2)])
def test_messages_that_cannot_be_written_change_nothing_else(arguments, status):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*PROGRAM, *arguments],
            stdout=subprocess.PIPE,
            stderr=full,
            env=ENVIRONMENT,
            check=False,
        )
    assert done.returncode == status
    assert (done.stdout != b"") == (status == 0)
