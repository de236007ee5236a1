"""The same as memory.py with torch and transformers, for comparison.

python tests/benchmarks/memory_transformers.py FOLDER [N_TOKENS]
"""

import sys
import threading
import time

from memory import anonymous


def main() -> None:
    folder, n = sys.argv[1], int((*sys.argv, "12")[2])
    peak, done = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.002):
            peak = max(peak, anonymous())

    watcher = threading.Thread(target=watch)
    watcher.start()
    import torch
    from transformers import AutoModel

    start = time.perf_counter()
    model = AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    with torch.no_grad():
        model(input_ids=torch.arange(n)[None], output_attentions=True)
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    print(f"all layers, {n} tokens: {peak / 1e6:.0f} MB, {seconds:.1f} s")


if __name__ == "__main__":
    main()
