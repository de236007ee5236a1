"""Draws the pictures of this folder from what the program really prints.

python docs/make_pictures.py
"""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent
SENTENCE = "The animal didn't cross the street because it was too tired"
PICTURES = {
    "overview.svg": ["explain", SENTENCE, "--show", "A"],
    "heatmap.svg": ["explain", SENTENCE, "--show", "Q,A", "--as", "heatmap"],
    "derivation.svg": ["explain", SENTENCE, "--token", "it"],
    "check.svg": ["check", "mine.npz"],
}
WIDTH = 80


def save_homework(path: Path) -> None:
    """Causal attention of seven tokens in three heads of eight, its heads joined wrongly."""
    draw = np.random.default_rng(0).normal
    n, h, d_k = 7, 3, 8
    X, (W_Q, W_K, W_V, W_O) = draw(size=(n, h * d_k)), 0.3 * draw(size=(4, h * d_k, h * d_k))
    Q, K, V = ((X @ W).reshape(n, h, d_k).transpose(1, 0, 2) for W in (W_Q, W_K, W_V))
    S = np.where(np.tri(n, dtype=bool), Q @ K.transpose(0, 2, 1) / np.sqrt(d_k), -np.inf)
    A = np.exp(S) / np.exp(S).sum(axis=-1, keepdims=True)
    Z = A @ V
    Z_cat = Z.reshape(n, h * d_k)
    arrays = {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
    np.savez(path, **arrays, S=S, A=A, Z=Z, Z_cat=Z_cat, Y=Z_cat @ W_O)


def draw(path: Path, command: list[str], folder: Path) -> None:
    """Runs attncli in colour and keeps its screen as an SVG."""
    done = subprocess.run(
        [sys.executable, "-m", "attncli", *command, "--color", "always", "--width", str(WIDTH)],
        capture_output=True,
        cwd=folder,
        env={
            **os.environ,
            "COLORTERM": "truecolor",
            "TERM": "xterm-256color",
            "PYTHONIOENCODING": "utf-8",
        },
    )
    if not done.stdout:
        sys.exit(done.stderr.decode())
    screen = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    screen.print(Text.from_ansi(done.stdout.decode()))
    shown = ["…" if part == SENTENCE else part for part in command]
    path.write_text(screen.export_svg(title=" ".join(["attncli", *shown])), encoding="utf-8")


with tempfile.TemporaryDirectory() as folder:
    save_homework(Path(folder) / "mine.npz")
    for name, command in PICTURES.items():
        draw(HERE / name, command, Path(folder))
