"""The terminal: key by key, window by window. Nothing else of attncli changes how one behaves.

However a walk ends, modes, cursor, screen and signal handlers are what they were. On Windows
keys come from msvcrt by way of typer, and another size shows with the next key.
"""

import codecs
import os
import select
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType

import typer

from attncli.views.lines import Line, width_of
from attncli.walk.frame import Frame, frame
from attncli.walk.keys import is_unfinished, key_of_windows, split_key
from attncli.walk.press import press, start
from attncli.walk.quiz import Score
from attncli.walk.rows import Place
from attncli.walk.state import View

_ENTER = "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J"  # the alternate screen, no cursor
_LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
_CLEAR_REST = "\x1b[K"
_ESCAPE_SECONDS = 0.1  # within which the rest of a sequence arrives, also over a slow line


@dataclass(frozen=True)
class _Keyboard:
    read: Callable[[], str]  # waits for a key, or `resize`; `ctrl-d` at the end of the input
    is_pending: Callable[[], bool]  # whether more was typed already


def _size() -> tuple[int, int]:
    """Cells and lines of the window itself; of COLUMNS and LINES where it does not say."""
    width, height = os.get_terminal_size(sys.stdout.fileno())
    usual = shutil.get_terminal_size()
    return width or usual.columns, height or usual.lines


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """A second Ctrl-C does not interrupt what follows the first."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# Keys


def _windows_keyboard() -> _Keyboard:
    def read() -> str:
        try:
            return key_of_windows(typer.getchar())
        except EOFError:
            return "ctrl-d"

    return _Keyboard(read, lambda: False)


def _keyboard(resized: int) -> _Keyboard:
    """Reads standard input, and a pipe into which a byte is written when the size changes."""
    keys = sys.stdin.fileno()
    decoder = codecs.getincrementaldecoder(sys.stdin.encoding or "utf-8")("replace")
    typed = ""

    def read() -> str:
        nonlocal typed
        while is_unfinished(typed) or not typed:
            ready, _, _ = select.select([keys, resized], [], [], _ESCAPE_SECONDS if typed else None)
            if resized in ready:
                os.read(resized, 4096)
                return "resize"
            if not ready:  # it was the escape key
                break
            try:
                data = os.read(keys, 4096)
            except OSError:  # the terminal is gone
                data = b""
            if not data:
                return "ctrl-d"
            typed += decoder.decode(data)
        key, typed = split_key(typed)
        return key

    def is_pending() -> bool:
        return bool(typed or select.select([keys], [], [], 0)[0])

    return _Keyboard(read, is_pending)


@contextmanager
def _key_by_key() -> Iterator[None]:
    """Keys arrive as they are typed and are not echoed. Only Ctrl-C is still a signal."""
    if sys.platform == "win32":
        yield
        return
    import termios

    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)
    mode = termios.tcgetattr(fd)
    mode[0] &= ~termios.IXON
    mode[3] &= ~(termios.ICANON | termios.ECHO | termios.IEXTEN)
    nothing = bytes([os.fpathconf(fd, "PC_VDISABLE")])
    mode[6][termios.VMIN], mode[6][termios.VTIME] = 1, 0
    mode[6][termios.VSUSP] = mode[6][termios.VQUIT] = nothing
    try:
        # Not tty.setcbreak and not typer.getchar: they throw away what was typed ahead.
        termios.tcsetattr(fd, termios.TCSADRAIN, mode)
        yield
    finally:
        with _undisturbed(), suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(fd, termios.TCSADRAIN, before)


# Signals


@contextmanager
def _resizes() -> Iterator[int]:
    """SIGWINCH writes into the pipe that is handed over."""
    reads, writes = os.pipe()
    if sys.platform == "win32":  # where nothing is written
        yield reads
        return
    os.set_blocking(writes, False)

    def resize(_number: int, _frame: FrameType | None) -> None:
        with suppress(BlockingIOError):  # it is full of sizes that nobody has looked at
            os.write(writes, b"\0")

    before = signal.signal(signal.SIGWINCH, resize)
    try:
        yield reads
    finally:
        signal.signal(signal.SIGWINCH, before)
        os.close(reads)
        os.close(writes)


# The screen


@contextmanager
def _alternate_screen() -> Iterator[None]:
    try:
        _write(_ENTER)
        yield
    finally:
        with _undisturbed():
            try:
                _write(_LEAVE)
            except OSError:  # the terminal is gone; what is still to be written goes nowhere
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _picture(picture: Frame, painted: Sequence[str], width: int) -> str:
    """What draws a frame: every line over the old one, only its rest cleared; the cursor last."""
    parts = [_HIDE, _NO_WRAP]
    for number, (line, text) in enumerate(zip(picture.lines, painted, strict=True), start=1):
        parts += [f"\x1b[{number};1H", text]
        if width_of(line) < width:
            parts.append(_CLEAR_REST)
    parts.append(_WRAP)
    if picture.cursor is not None:
        down, right = picture.cursor
        parts += [f"\x1b[{down + 1};{right + 1}H", _SHOW]
    return "".join(parts)


def _follow(
    keyboard: _Keyboard,
    place: Place,
    make_view: Callable[[int, int], View],
    paint: Callable[[Sequence[Line], View], Sequence[str]],
) -> Score:
    width, height = _size()
    view = make_view(width, height)
    state = start(place, view)
    while not state.over:
        if not keyboard.is_pending():
            picture = frame(state, view, width)
            _write(_picture(picture, paint(picture.lines, view), width))
        key = keyboard.read()
        if key == "resize":
            width, height = _size()
            view = make_view(width, height)
        state = press(state, key, view)
    return state.score


def walk(
    place: Place,
    make_view: Callable[[int, int], View],
    paint: Callable[[Sequence[Line], View], Sequence[str]],
) -> Score:
    """Walks through the steps of a row until the reader quits; returns the score of the quiz.

    `make_view` makes the view for a window of so many cells and lines, `paint` the characters and
    colour codes of lines. Whatever is raised meanwhile, the terminal is put back first.
    """
    with _resizes() as resized, _key_by_key(), _alternate_screen():
        windows = sys.platform == "win32"
        keyboard = _windows_keyboard() if windows else _keyboard(resized)
        return _follow(keyboard, place, make_view, paint)
