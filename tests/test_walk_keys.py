"""From what keyboards send to keys, one at a time."""

import pytest

from attncli.walk.bindings import ACTIONS, BINDINGS, names_of_keys
from attncli.walk.keys import is_unfinished, key_of_windows, split_key


def keys_of(text):
    keys = []
    while text:
        key, text = split_key(text)
        keys.append(key)
    return keys


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ("\x1b[A", "up"),
        ("\x1bOB", "down"),  # with application cursor keys
        ("\x1b[1;5C", "right"),  # with Ctrl
        ("\x1b[D", "left"),
        ("\x1b[H", "home"),
        ("\x1b[1~", "home"),
        ("\x1b[7~", "home"),
        ("\x1bOF", "end"),
        ("\x1b[4~", "end"),
        ("\x1b[5~", "page up"),
        ("\x1b[6;2~", "page down"),
        ("\x1b[3~", "delete"),
        ("\x1bOM", "enter"),
        ("\r", "enter"),
        ("\n", "enter"),
        ("\x7f", "backspace"),
        ("\x08", "backspace"),
        ("\x04", "ctrl-d"),
        ("\x15", "ctrl-u"),
        ("n", "n"),
        ("猫", "猫"),
        ("\x1b", "escape"),
        ("\x1b[15~", "\x1b[15~"),  # F5, which is nothing to us
        ("\x1b[", "escape"),
    ],
)
def test_what_a_key_sends(sent, key):
    assert split_key(sent)[0] == key


def test_keys_typed_ahead_come_one_by_one():
    assert keys_of("nn\x1b[B\x1b[5~猫\x7f?\x1b[15~q") == [
        *("n", "n", "down", "page up", "猫", "backspace", "?", "\x1b[15~", "q")
    ]


@pytest.mark.parametrize("text", ["\x1b", "\x1b[", "\x1b[1;", "\x1b[1;5", "\x1bO"])
def test_a_sequence_may_come_in_parts(text):
    assert is_unfinished(text)


@pytest.mark.parametrize("text", ["n", "\x1b[A", "\x1bn", "\x1bOB", "n\x1b"])
def test_what_is_complete_is_not_waited_for(text):
    assert not is_unfinished(text)


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ("\xe0H", "up"),
        ("\x00P", "down"),
        ("\xe0I", "page up"),
        ("\xe0Q", "page down"),
        ("\xe0S", "delete"),
        ("\r", "enter"),
        ("\x08", "backspace"),
        ("\x1b", "escape"),
        ("à", "à"),
        ("n", "n"),
        ("\xe0\x85", "\xe0\x85"),  # F11
    ],
)
def test_what_windows_sends(sent, key):
    assert key_of_windows(sent) == key


def test_no_key_does_two_things():
    assert len(ACTIONS) == sum(len(keys) for _, keys in BINDINGS)


def test_the_names_of_keys():
    assert names_of_keys((" ", "page down", "ctrl-d", "G", *"0123456789")) == (
        "Space PgDn Ctrl-D G 0–9"
    )
