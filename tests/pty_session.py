"""A program in a terminal of its own, and what its screen shows."""

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pyte

ROOT = Path(__file__).parents[1]
DEADLINE = 60  # seconds; nothing takes as many that works

# The new session's controlling terminal, so that Ctrl-C and a change of size become signals.
_START = "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
_OF_A_SCREEN = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "COLORTERM", "LANG", "LC_MESSAGES"}
_MAIN = "from attncli.cli import main; main()"


class Session:
    """`attncli ARGUMENTS` in a pseudo-terminal. Whatever is waited for has a generous deadline.

    `before` is Python that runs first. Standard error is kept apart.
    """

    def __init__(self, *arguments, width=80, height=24, before="", **environment):
        self.master, self.slave = os.openpty()
        self._set_size(width, height)
        self.modes = termios.tcgetattr(self.slave)
        self.screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self.screen)
        self.written = b""
        plain = {key: value for key, value in os.environ.items() if key not in _OF_A_SCREEN}
        plain |= {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"{_START}{before}\n{_MAIN}", *arguments],
            stdin=self.slave,
            stdout=self.slave,
            stderr=subprocess.PIPE,
            env=plain | environment,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        for end in (self.master, self.slave):
            os.close(end)

    def _set_size(self, width, height):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def resize(self, width, height):
        """The window gets another size; what it showed is as it was, as far as it goes."""
        self.screen.resize(height, width)
        self._set_size(width, height)

    def send(self, text):
        """Types it."""
        os.write(self.master, text.encode())

    def hang_up(self):
        """The terminal goes away."""
        os.close(self.slave)
        os.close(self.master)
        self.master, self.slave = os.openpty()  # which nobody uses

    @property
    def lines(self):
        """The screen as text."""
        return [line.rstrip() for line in self.screen.display]

    def _read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        data = os.read(self.master, 65536)
        self.written += data
        self._stream.feed(data)
        return True

    def wait_until(self, is_so, what):
        """Waits for something to become true of the screen."""
        end = time.monotonic() + DEADLINE
        while not is_so():
            if not self._read(0.1) and time.monotonic() > end:
                screen = "\n".join(self.lines)
                raise AssertionError(f"{what}\n\nThe screen:\n{screen}")

    def wait_for(self, text):
        """Waits for a text on the screen."""
        self.wait_until(lambda: any(text in line for line in self.lines), f"no {text!r}")

    def wait_for_screen(self, lines):
        """Waits for exactly this screen."""
        wanted = [line.rstrip() for line in lines]
        self.wait_until(lambda: self.lines == wanted, "waited for\n" + "\n".join(wanted))

    def finish(self):
        """Waits for the end: the exit status and standard error."""
        end = time.monotonic() + DEADLINE
        while self.process.poll() is None and time.monotonic() < end:
            self._read(0.05)
        while self._read(0):
            pass
        error = self.process.communicate(timeout=DEADLINE)[1].decode()
        return self.process.returncode, error

    @property
    def is_as_it_was(self):
        """Modes as before, the first screen again, the cursor there, lines that wrap."""
        entered, left = (self.written.rfind(b"\x1b[?1049" + end) for end in (b"h", b"l"))
        return (
            termios.tcgetattr(self.slave) == self.modes
            and entered < left
            and not self.screen.cursor.hidden
            and pyte.modes.DECAWM in self.screen.mode
        )
