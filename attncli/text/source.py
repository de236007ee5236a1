"""Where the sentence comes from: the command line or standard input."""

import re
from typing import BinaryIO

from attncli.errors import AttncliError, UsageError
from attncli.language import Phrase
from attncli.text.printable import printable

MOST_CHARACTERS = 200_000  # the matrices of a text so long fit into no memory
_MOST_BYTES = 4 * MOST_CHARACTERS
_SURROGATE = re.compile("[\ud800-\udfff]")


def check_length(text: str) -> None:
    """AttncliError for a text that is too long to be a sentence."""
    if len(text) > MOST_CHARACTERS:
        raise AttncliError(
            "the text has {length:,} characters, more than {most:,}: give a part",
            length=len(text),
            most=MOST_CHARACTERS,
        )


def without_surrogates(text: str) -> str:
    """The text itself, if it can be written as UTF-8.

    Python hands over an argument that is not valid UTF-8 with lone surrogates in it.
    Raises AttncliError that names the first one and its position.
    """
    if found := _SURROGATE.search(text):
        raise AttncliError(
            "the text holds a lone surrogate {character} at {place}: it is no valid Unicode; give "
            "it as UTF-8, or through standard input with -",
            character=printable(found.group()),
            place=found.start(),
        )
    return text


def decode(data: bytes, name: Phrase) -> str:
    """The sentence in `data`, which is UTF-8; a leading BOM and one final line end go.

    `name` says in errors where the data comes from. Raises AttncliError for UTF-16 and for
    invalid UTF-8.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise AttncliError("{name} is UTF-16: save it as UTF-8", name=name)
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise AttncliError(
            "{name} is not UTF-8: byte 0x{byte:02X} at position {place}; save it as UTF-8",
            name=name,
            byte=data[error.start],
            place=error.start,
        ) from None
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text


def read_text(argument: str | None, stdin: BinaryIO) -> str:
    """The sentence for a command: the argument, or all of standard input for `-`.

    Standard input is read for `-` only, so that a forgotten argument never waits for the
    keyboard, and up to a limit. Raises UsageError without an argument, AttncliError for text that
    is too long or not UTF-8.
    """
    if argument is None:
        raise UsageError("no text given (use - to read standard input)")
    if argument == "-":
        data = stdin.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise AttncliError(
                "standard input has more than {most:,} bytes: give a sentence, or a part",
                most=_MOST_BYTES,
            )
        return decode(data, Phrase("standard input"))
    return without_surrogates(argument)
