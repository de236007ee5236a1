"""Draws the pictures of this folder from what the program really prints.

python docs/make_pictures.py
"""

import io
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
SENTENCE = "The animal didn't cross the street because it was too tired"
PICTURES = {
    "overview.svg": ["--show", "A"],
    "heatmap.svg": ["--show", "Q,A", "--as", "heatmap"],
    "derivation.svg": ["--token", "it"],
}
WIDTH = 80


def draw(path: Path, options: list[str]) -> None:
    """Runs `attncli explain` in colour and keeps its screen as an SVG."""
    command = ["explain", SENTENCE, *options]
    done = subprocess.run(
        [sys.executable, "-m", "attncli", *command, "--color", "always", "--width", str(WIDTH)],
        capture_output=True,
        check=True,
        env={
            **os.environ,
            "COLORTERM": "truecolor",
            "TERM": "xterm-256color",
            "PYTHONIOENCODING": "utf-8",
        },
    )
    screen = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    screen.print(Text.from_ansi(done.stdout.decode()))
    title = " ".join(["attncli explain …", *options])
    path.write_text(screen.export_svg(title=title), encoding="utf-8")


for name, options in PICTURES.items():
    draw(HERE / name, options)
