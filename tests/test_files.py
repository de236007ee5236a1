"""The guarded reader: nothing but regular files of a limited size, and strict JSON."""

import os
import socket
from pathlib import Path

import pytest

from attncli import files
from attncli.errors import AttncliError

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices in the file system")


def refusal(path: Path, **options) -> str:
    """The one line with which a file is refused as JSON."""
    with pytest.raises(AttncliError) as caught:
        files.read_object(path, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "x.json"
    path.write_bytes(content)
    return path


@posix
def test_pipes_devices_sockets_and_folders_are_not_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.json")
    assert "pipe.json is a pipe: a regular file is needed" in refusal(tmp_path / "pipe.json")
    (tmp_path / "zero.json").symlink_to("/dev/zero")
    assert "zero.json is a device" in refusal(tmp_path / "zero.json")
    (tmp_path / "folder.json").mkdir()
    assert "folder.json is a folder" in refusal(tmp_path / "folder.json")
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.json")
        assert "s.json is a socket" in refusal(Path("s.json"))


@posix
def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(tmp_path, monkeypatch):
    """What is there when it is opened counts, not what was there when it was looked at."""
    os.mkfifo(tmp_path / "x.json")
    monkeypatch.setattr(files, "check_regular", lambda _: None)
    assert "x.json is a pipe" in refusal(tmp_path / "x.json")


def test_files_that_cannot_be_opened(tmp_path):
    assert "x.json does not exist" in refusal(tmp_path / "x.json")
    (tmp_path / "x.json").symlink_to("nowhere")
    assert "x.json is a link to a file that is not there" in refusal(tmp_path / "x.json")
    assert "cannot be read: File name too long" in refusal(tmp_path / ("n" * 300))
    (tmp_path / "loop").symlink_to("loop")
    assert "loop cannot be read: " in refusal(tmp_path / "loop")


def test_a_file_over_the_limit_is_not_read_to_its_end(tmp_path):
    path = written(tmp_path, b"{}")
    assert files.read_bytes(path, limit=2) == b"{}"
    with path.open("ab") as file:
        file.truncate(2**40)  # a hole, which no memory holds
    assert "x.json is larger than 10 MB" in refusal(path)
    assert "x.json is larger than 3 MB" in refusal(path, limit=3_000_000)


def test_what_is_read(tmp_path):
    path = written(tmp_path, b'\xef\xbb\xbf{"a": [1, "\xc3\xa9"], "b": {"a": NaN}}')
    found = files.read_object(path)
    assert found["a"] == [1, "é"]
    assert found["b"]["a"] != found["b"]["a"]  # a NaN
    words = []
    files.read_json(path, constant=words.append)
    assert words == ["NaN"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n", "is empty"),
        (b"\xff\xfe{\0}\0", "is UTF-16: save it as UTF-8"),
        (b'{"a": "\xe9"}', "is not UTF-8 (byte 0xE9 at position 7)"),
        (b"[1]", "holds list, not a JSON object"),
        (b"{", "cannot be read as JSON (Expecting property name"),
        (b'{"a": 1, "b": {"c": 1, "d": 2, "c": 1}}', '(duplicate key "c")'),
        (b'{"a": ' + b"9" * 301 + b"}", "(a whole number has 301 digits)"),
        (b'{"a": ' + b"9" * 9999 + b"}", "(a whole number has 9999 digits)"),
        (b"[" * 200_000, "is nested too deeply"),
        (b"<!DOCTYPE html><html></html>", "is an HTML page, not the file itself"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "is a Git LFS pointer"),
    ],
)
def test_what_is_refused_is_named_with_the_reason(tmp_path, content, message):
    path = written(tmp_path, content)
    text = refusal(path)
    assert text.startswith(f"{path} ")
    assert message in text


def test_a_name_that_is_repeated_is_cut_and_printable(tmp_path):
    name = b"\\u001b" + b"n" * 9999
    text = refusal(written(tmp_path, b'{"%b": 1, "%b": 2}' % (name, name)))
    assert r'duplicate key "\x1bnnn' in text
    assert len(text) < 400 + len(str(tmp_path))
