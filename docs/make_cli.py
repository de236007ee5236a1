"""Writes cli.md from what `--help` says.

python docs/make_cli.py
"""

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("cli.md")
COMMANDS = ("explain", "step", "export", "check", "tokens", "info", "families", "selftest")


def help_of(*command: str) -> str:
    """What `attncli COMMAND --help` prints, 80 columns wide."""
    done = subprocess.run(
        [sys.executable, "-m", "attncli", *command, "--help"],
        capture_output=True,
        check=True,
        env={**os.environ, "COLUMNS": "80", "ATTNCLI_LANG": "en", "PYTHONIOENCODING": "utf-8"},
    )
    return done.stdout.decode().replace("\r\n", "\n").strip()


STATUS = """## Exit status

| | |
|--:|---|
| 0 | answered; of `check`: nothing differs; of `selftest`: all proofs hold |
| 1 | not answered, and one line on standard error says why; of `check`: something differs, or nothing could be checked; of `selftest`: a proof fails |
| 2 | the command line is wrong |
| 70 | a fault in attncli itself; `--debug` shows where |
| 128 + n | ended by signal n: 130 by Ctrl-C, 141 because the reader of the output had left |"""  # noqa: E501


LANGUAGE = """## Language

Answers, notes, errors and help are in English or in Chinese: as `--lang` says, else the environment
variable `ATTNCLI_LANG` (`en` or `zh`), else the locale (`LC_ALL`, `LC_MESSAGES`, `LANG`). What
`check` and `selftest` find is in English so far. Help is in the language of `--lang` where that
comes before `--help`. Where the encoding has no Chinese characters, all is in English."""


def page() -> str:
    """The whole of cli.md."""
    parts = ["# The command line\n\nMade by `docs/make_cli.py` from the program's own help."]
    parts += [f"```\n{help_of()}\n```"]
    parts += [f"## {name}\n\n```\n{help_of(name)}\n```" for name in COMMANDS]
    return "\n\n".join([*parts, LANGUAGE, STATUS]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
