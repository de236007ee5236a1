"""Files that are written whole or not at all."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

from attncli.errors import AttncliError
from attncli.exports import files
from attncli.exports.files import check_writable, write_file

ROOT = Path(__file__).parents[1]


def test_a_new_file_has_the_mode_of_any_other(tmp_path):
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "new.json", "ä\n")
    finally:
        os.umask(before)
    assert (tmp_path / "new.json").read_bytes() == "ä\n".encode()
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / "new.json").stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="modes are a Unix matter")
@pytest.mark.parametrize("mode", [0o600, 0o666])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path, mode, monkeypatch):
    path, modes = tmp_path / "a.json", []
    path.write_text("old")
    path.chmod(mode)
    real = Path.replace

    def replace(self, target):
        modes.append(stat.S_IMODE(self.stat().st_mode))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    write_file(path, "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert modes == [mode]


@pytest.mark.skipif(os.name == "nt", reason="modes are a Unix matter")
def test_what_replaces_a_private_file_is_private_from_the_start(tmp_path, monkeypatch):
    path, opened = tmp_path / "a.json", []
    path.write_text("old")
    path.chmod(0o600)
    real = os.open

    def record(name, flags, mode=0o777):
        opened.append(mode)
        return real(name, flags, mode)

    monkeypatch.setattr(files.os, "open", record)
    write_file(path, "new")
    assert opened == [0o600]


def circle(folder):
    link = folder / "circle.json"
    link.symlink_to(link)
    return link


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (circle, "circle.json: Too many levels of symbolic links"),
        (lambda folder: folder / ("n" * 300), "File name too long"),
        (lambda folder: folder / "no" / "a.json", "there is no folder"),
        (lambda folder: folder, "is a folder: name a file"),
    ],
)
def test_a_place_where_no_file_can_be(tmp_path, make, message):
    path = make(tmp_path)
    there = sorted(tmp_path.iterdir())
    with pytest.raises(AttncliError, match=message):
        check_writable(path)
    with pytest.raises(AttncliError, match=r"cannot write|is a folder"):
        write_file(path, "text")
    answer = run("export", "a", "-w", "random", "-o", path)
    assert (answer.status, answer.out, answer.err.count("\n")) == (1, "", 1)
    assert sorted(tmp_path.iterdir()) == there


@pytest.mark.parametrize("failing", ["chmod", "replace"])
def test_a_failure_leaves_the_old_file_alone(tmp_path, failing, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, failing, fail)
    with pytest.raises(AttncliError, match="No space left on device"):
        write_file(path, "new")
    assert (list(tmp_path.iterdir()), path.read_text()) == ([path], "old")


# Children that write the file and signal themselves at their n-th line, until n is past the last.
_AT_EVERY_LINE = """
import os, sys
from itertools import count
from pathlib import Path
from attncli.exports.files import write_file
from attncli.signals import Ended, ended_by_signals
number, path = int(sys.argv[1]), Path(sys.argv[2])
def write(nth):
    seen = 0
    def trace(frame, event, _):
        nonlocal seen
        seen += event == "line"
        if event == "line" and seen == nth:
            os.kill(os.getpid(), number)
        return trace
    with ended_by_signals():
        sys.settrace(trace)
        write_file(path, "new")
        sys.settrace(None)
    return 0
for nth in count(1):
    path.write_text("old")
    child = os.fork()
    if not child:
        try:
            os._exit(write(nth))
        except (Ended, KeyboardInterrupt):
            os._exit(9)
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    print(ended, *sorted(os.listdir(path.parent)), path.read_text())
    if ended == 0:
        break
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are a Unix matter")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_at_any_moment_leaves_no_temporary_file(tmp_path, name):
    number = str(int(getattr(signal, name)))
    done = subprocess.run(
        [sys.executable, "-c", _AT_EVERY_LINE, number, tmp_path / "a.json"],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    *interrupted, last = done.stdout.splitlines()
    assert last == "0 a.json new"
    assert set(interrupted) == {"9 a.json old", "9 a.json new"}
    assert interrupted.count("9 a.json old") > 20
    assert done.stderr == ""


# The program signals itself while it writes.
_WHILE_WRITING = """
import os, sys
from pathlib import Path
number, real = int(sys.argv.pop(1)), Path.replace
def replace(self, target):
    os.kill(os.getpid(), number)
    return real(self, target)
Path.replace = replace
from attncli.cli import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are a Unix matter")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_the_program_ends_as_the_signal_would_have_it(tmp_path, name):
    number = getattr(signal, name)
    small = ["a", "-w", "random", "--d-model", "8", "--show", "A"]
    words = ["export", *small, "-o", str(tmp_path / "a.json")]
    done = subprocess.run(
        [sys.executable, "-c", _WHILE_WRITING, str(int(number)), *words],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-number, b"", b"")
    assert list(tmp_path.iterdir()) == []
