"""Standard output and standard error: how wide, in colour or not, and what if they close."""

import errno
import io
import os
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, TextIO, TypedDict

import typer

from attncli.errors import AttncliError
from attncli.language import Language, Phrase, say, usual_language
from attncli.medium.screen import Screen, can_encode
from attncli.medium.signs import foreign, spell
from attncli.text.printable import FSI, PDI, printable_message, quoted

if TYPE_CHECKING:
    from rich.console import RenderableType


PIPE_CLOSED = 141  # what a shell reports of a program that SIGPIPE ended
NARROWEST = 40  # cells per line
_SIMPLIFIED = "注意力权重这个"  # Big5 and Shift-JIS lack some of these
_DUMB = ("dumb", "unknown")
_PIECE = 2**16  # characters
_LONGEST = 900  # characters of a line on standard error


class Color(StrEnum):
    """When to write colour codes."""

    auto = "auto"
    always = "always"
    never = "never"


def prepare_streams() -> None:
    """Characters that the encoding of a stream lacks are written as \\u65e5, not raised.

    Closed standard input is empty, closed standard error silent; raises AttncliError if standard
    output is closed.
    """
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())
    sys.stderr = sys.stderr or io.StringIO()
    if sys.stdout is None:
        raise AttncliError("standard output is closed: there is nowhere to write the answer")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def has_keys_and_screen() -> bool:
    """Whether there is a keyboard to read keys from, and a screen whose cursor can be moved."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") in _DUMB:
        return False
    return not _is_legacy_windows()


def find_screen(color: Color, width: int | None, language: Language | None = None) -> Screen:
    """What standard output shows.

    Without `width`: the terminal's, else COLUMNS, else 80. `auto` colours a terminal, and a pipe
    if FORCE_COLOR is set; NO_COLOR (https://no-color.org) and TERM=dumb switch it off. Without
    `language`: the user's, or English where the encoding lacks its characters. Raises AttncliError
    if it lacks those of the language that was asked for.
    """
    return Screen(
        width=width or max(shutil.get_terminal_size().columns, NARROWEST),
        color=color is Color.always or (color is Color.auto and _wants_color()),
        language=_find_language(language),
        **_characters(sys.stdout),
    )


class _Characters(TypedDict):
    unicode: bool
    encoding: str


def _characters(stream: TextIO) -> _Characters:
    """Which characters can be written to a stream."""
    encoding = stream.encoding or "ascii"
    return _Characters(unicode=can_encode(f"░▒▓█▀→√·{FSI}{PDI}", encoding), encoding=encoding)


def _find_language(asked: Language | None) -> Language:
    language = asked or usual_language(os.environ)
    if language is Language.en or can_encode(_SIMPLIFIED, sys.stdout.encoding or "ascii"):
        return language
    if asked:
        raise AttncliError(
            "--lang {lang}: standard output's encoding, {encoding}, lacks simplified Chinese "
            "characters; set PYTHONIOENCODING=utf-8, or take --lang en",
            lang=asked,
            encoding=sys.stdout.encoding,
        )
    return Language.en


def message_language(asked: Language | None) -> Language:
    """That of standard error: the one asked for, else the user's; English where it lacks it."""
    return _language_on(sys.stderr, asked)


def help_language(asked: Language | None) -> Language:
    """That of help on standard output, which is English where the encoding lacks Chinese."""
    return _language_on(sys.stdout, asked)


def _language_on(stream: TextIO, asked: Language | None) -> Language:
    language = asked or usual_language(os.environ)
    encoding = getattr(stream, "encoding", None) or "ascii"
    return language if can_encode(_SIMPLIFIED, encoding) else Language.en


def render(renderables: Iterable["RenderableType"], screen: Screen) -> str:
    """The text of rich renderables, complete before any of it is written."""
    from rich.console import Console

    text = io.StringIO()
    console = Console(
        file=text,
        width=screen.width,
        color_system=_color_depth() if screen.color else None,
        force_terminal=screen.color,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
    )
    for renderable in renderables:
        console.print(renderable, crop=False)
    return text.getvalue()


def write_answer(text: str) -> None:
    """Writes the answer to standard output. A closed pipe is not an error."""
    try:
        for start in range(0, len(text), _PIECE):  # unbuffered, a long write may end unnoticed
            sys.stdout.write(text[start : start + _PIECE])
        sys.stdout.flush()
    except OSError as error:
        if give_up_output(error):
            raise typer.Exit(PIPE_CLOSED) from None
        raise AttncliError(
            "cannot write to standard output: {reason}", reason=quoted(error.strerror or error)
        ) from None


def give_up_output(error: OSError) -> bool:
    """After a failed write: the flush at exit goes nowhere. True if the reader has left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return isinstance(error, BrokenPipeError) or (os.name == "nt" and error.errno == errno.EINVAL)


def give_up_what_is_unwritten() -> None:
    """If what is left of the answer cannot be written, nothing tries again at exit."""
    try:
        sys.stdout.flush()
    except OSError as error:
        give_up_output(error)


def write_message(message: str) -> None:
    """Writes one printable line of bounded length to standard error, if anybody can read it."""
    if len(message) > _LONGEST:
        message = f"{message[: _LONGEST // 2]} … {message[-_LONGEST // 2 :]}"
    screen = Screen(0, color=False, **_characters(sys.stderr))
    shown = printable_message(message)
    with suppress(OSError):
        print(foreign(spell(shown, screen), screen), file=sys.stderr, flush=True)


def write_notes(notes: Iterable[Phrase], asked: Language | None) -> None:
    """Writes what a reader must know besides the answer, one line each, to standard error."""
    language = message_language(asked)
    for note in notes:
        write_message(say(language, "note", text=note))


def _wants_color() -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and not _is_legacy_windows()


def _is_legacy_windows() -> bool:
    from rich.console import detect_legacy_windows

    return detect_legacy_windows()


def _color_depth() -> Literal["256", "truecolor"]:
    """256 colours, or true colour where the terminal says so: 16 cannot carry a scale."""
    from rich.console import Console

    depth = Console(force_terminal=True).color_system
    return "truecolor" if depth == "truecolor" else "256"
