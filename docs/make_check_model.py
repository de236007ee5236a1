"""Runs the example of check_model.md and puts the program's answer into it.

python docs/make_check_model.py
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).with_name("check_model.md")


def attncli(line: str, folder: str) -> str:
    """What a command of the page prints, 80 columns wide."""
    command = [sys.executable, "-m", "attncli", *shlex.split(line)[1:]]
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE)
    return done.stdout.decode().replace("\r\n", "\n")


def page() -> str:
    """The page with the answer of today's program."""
    text = PAGE.read_text(encoding="utf-8")
    export, script, shown = (
        re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)[0]
        for language in ("sh", "python", "console")
    )
    command = shown.partition("\n")[0]
    with tempfile.TemporaryDirectory() as folder:
        attncli(export, folder)
        subprocess.run([sys.executable, "-c", script], cwd=folder, check=True)
        return text.replace(shown, f"{command}\n{attncli(command.removeprefix('$ '), folder)}")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
