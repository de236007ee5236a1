"""Which files of a folder are checked one by one, and what a broken one does."""

from pathlib import Path

import pytest
from check_reports import RIGHT

from attncli.check.batch import Unread, check_each, find_each
from attncli.errors import AttncliError, UsageError


@pytest.fixture(autouse=True)
def homework(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "homework"
    for name in ("b.npz", "a.safetensors", "c.json", "notes.txt", ".hidden.npz", "d/S.npy", "e/x"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_a_folder_of_files_and_of_folders_of_arrays():
    assert find_each([Path("homework")]) == [
        ("a.safetensors", Path("homework/a.safetensors")),
        ("b.npz", Path("homework/b.npz")),
        ("c.json", Path("homework/c.json")),
        ("d", Path("homework/d")),
    ]


def test_several_are_named_as_they_were_given_and_sorted():
    named = [Path("homework/e/x"), Path("homework/d"), Path("homework")]
    assert [name for name, _ in find_each(named)] == [
        "homework/a.safetensors",
        "homework/b.npz",
        "homework/c.json",
        "homework/d",
        "homework/e/x",
    ]


def test_nothing_to_check():
    with pytest.raises(AttncliError, match=r"homework/e has nothing to check: files .npz"):
        find_each([Path("homework/e")])
    with pytest.raises(UsageError, match="`each`: name the files"):
        find_each([])


def test_a_broken_file_does_not_end_the_run():
    def check(path):
        if path.name == "b":
            raise AttncliError("b is no archive")
        if path.name == "c":
            raise MemoryError("6 TB")
        if path.name == "d":
            raise ZeroDivisionError("of\nours")
        return RIGHT

    named = [(name, Path(name)) for name in "abcde"]
    ours = "attncli itself failed here, please report it: "
    assert list(check_each(named, check)) == [
        ("a", RIGHT),
        ("b", Unread("b", "b is no archive")),
        ("c", Unread("c", "not enough memory: 6 TB")),
        ("d", Unread("d", f"{ours}ZeroDivisionError: of ours")),
        ("e", RIGHT),
    ]
