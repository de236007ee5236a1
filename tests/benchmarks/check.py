"""How long `attncli check` takes on 2,000 tokens and 16 heads, and how much memory.

    python tests/benchmarks/check.py

Saves all arrays of one attention (float32, 0.6 GB) to a temporary file: right, with a mistake, and
with an error that is no known mistake, for which every mistake and every pair is tried. Exit 1 if
one of them takes more than 20 s or 3 GB.
"""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from speed import Run, measure

N, D_MODEL, H, D_K = 2000, 1024, 16, 64
SECONDS, MEGABYTES = 20, 3000
Arrays = dict[str, np.ndarray]
Change = Callable[[np.ndarray], np.ndarray]


def heads(M: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(M.reshape(N, H, D_K).transpose(1, 0, 2))


def softmax(S: np.ndarray) -> np.ndarray:
    E = np.exp(S - S.max(-1, keepdims=True))
    return E / E.sum(-1, keepdims=True)


def attention(changes: Mapping[str, Change]) -> Arrays:
    """All arrays of a causal attention; what is changed goes into those that follow."""
    rng = np.random.default_rng(0)
    a: Arrays = {"X": rng.normal(size=(N, D_MODEL)).astype(np.float32)}
    for w in "QKVO":
        a[f"W_{w}"] = rng.normal(size=(D_MODEL, D_MODEL)).astype(np.float32) / D_MODEL**0.5

    def put(name: str, array: np.ndarray) -> None:
        a[name] = changes[name](array) if name in changes else array

    for w in "QKV":
        put(w, heads(a["X"] @ a[f"W_{w}"]))
    above = np.triu(np.full((N, N), -np.inf, np.float32), 1)
    put(
        "S", np.stack([q @ k.T / np.float32(D_K**0.5) for q, k in zip(a["Q"], a["K"], strict=True)])
    )
    a["S"] += above
    put("A", np.stack([softmax(S) for S in a["S"]]))
    put("Z", np.stack([A @ V for A, V in zip(a["A"], a["V"], strict=True)]))
    put("Z_cat", a["Z"].transpose(1, 0, 2).reshape(N, D_MODEL))
    put("Y", a["Z_cat"] @ a["W_O"])
    return a


def noisy(M: np.ndarray) -> np.ndarray:
    noise = np.random.default_rng(1).normal(size=M.shape).astype(M.dtype)
    return M * (1 + noise / 4)


CASES: dict[str, dict[str, Change]] = {
    "right": {},
    "no scale": {"S": lambda S: S * np.float32(D_K**0.5)},
    "no known mistake, in S": {"S": noisy},
    "no known mistake, in A": {"A": noisy},
}


def check(name: str) -> Run:
    """The file, made and checked.

    It is made by another process: a child starts with the peak memory of its parent.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "mine.npz")
        subprocess.run([sys.executable, __file__, name, path], check=True)
        return measure([sys.executable, "-m", "attncli", "check", path], statuses=(0, 1))


def main() -> None:
    runs = {name: check(name) for name in CASES}
    for name, run in runs.items():
        print(f"{name:25} {run.seconds:6.1f} s  {run.megabytes:6.0f} MB")
    kept = all(run.seconds <= SECONDS and run.megabytes <= MEGABYTES for run in runs.values())
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        np.savez(sys.argv[2], **attention(CASES[sys.argv[1]]))
    else:
        main()
