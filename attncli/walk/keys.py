"""From what a keyboard sends to the names of keys.

A key is called by its character (`n`, `?`), or by a name: `up`, `page down`, `enter`, `ctrl-d`.
Sequences: ECMA-48, and those of xterm for the keys that it leaves open.
"""

import re

_NAMES = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x1b": "escape",
    "\x04": "ctrl-d",
    "\x15": "ctrl-u",
}
_BY_LETTER = {
    "A": "up",
    "B": "down",
    "C": "right",
    "D": "left",
    "H": "home",
    "F": "end",
    "M": "enter",  # of the number pad
}
_BY_NUMBER = {
    "1": "home",
    "3": "delete",
    "4": "end",
    "5": "page up",
    "6": "page down",
    "7": "home",
    "8": "end",
}
_OF_WINDOWS = {
    "G": "home",
    "H": "up",
    "I": "page up",
    "K": "left",
    "M": "right",
    "O": "end",
    "P": "down",
    "Q": "page down",
    "S": "delete",
}
_SEQUENCE = re.compile(r"\x1b(?:\[([0-?]*)[ -/]*([@-~])|O([ -~]))")
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?")


def is_unfinished(text: str) -> bool:
    """Whether the rest of an escape sequence may be on its way; or it was the escape key."""
    return _UNFINISHED.fullmatch(text) is not None


def split_key(text: str) -> tuple[str, str]:
    """The first key of a text that is not empty, and the rest of the text.

    A sequence that stands for no key we know is called by its characters.
    """
    sequence = _SEQUENCE.match(text)
    if sequence is None:
        return _NAMES.get(text[0], text[0]), text[1:]
    numbers, final, letter = sequence.groups()
    if letter or final != "~":
        name = _BY_LETTER.get(letter or final)
    else:
        name = _BY_NUMBER.get(numbers.partition(";")[0])
    return name or sequence.group(), text[sequence.end() :]


def key_of_windows(text: str) -> str:
    """The key for what msvcrt reads: a character, or two of which the first is NUL or à."""
    if len(text) == 2 and text[0] in "\x00\xe0":
        return _OF_WINDOWS.get(text[1], text)
    return _NAMES.get(text, text)
