"""How much memory a large checkpoint takes: a synthetic one of Llama-1B's shape.

    python tests/benchmarks/memory.py FOLDER [N_TOKENS]

Writes FOLDER (2.5 GB of zeros in bfloat16, in parts, sparse on disk) if it is not there, then
prints the peak of resident memory that is not file cache, for the first and the last layer.
"""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

LAYERS, D, H, KV, D_MLP, VOCAB = 16, 2048, 32, 8, 8192, 128_256
CONFIG = {
    "model_type": "llama",
    "hidden_size": D,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": H,
    "num_key_value_heads": KV,
    "intermediate_size": D_MLP,
    "vocab_size": VOCAB,
    "max_position_embeddings": 131_072,
    "rope_theta": 500_000.0,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
}


def shapes() -> dict[str, tuple[int, ...]]:
    d_kv = D // H * KV
    found: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (VOCAB, D),
        "model.norm.weight": (D,),
    }
    for i in range(LAYERS):
        layer = f"model.layers.{i}."
        found |= {
            layer + "self_attn.q_proj.weight": (D, D),
            layer + "self_attn.k_proj.weight": (d_kv, D),
            layer + "self_attn.v_proj.weight": (d_kv, D),
            layer + "self_attn.o_proj.weight": (D, D),
            layer + "mlp.gate_proj.weight": (D_MLP, D),
            layer + "mlp.up_proj.weight": (D_MLP, D),
            layer + "mlp.down_proj.weight": (D, D_MLP),
            layer + "input_layernorm.weight": (D,),
            layer + "post_attention_layernorm.weight": (D,),
        }
    return found


def write(folder: Path, parts: int = 4) -> None:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(CONFIG))
    every, weight_map = list(shapes().items()), {}
    for part in range(parts):
        header, offset = {}, 0
        name = f"model-{part + 1:05}-of-{parts:05}.safetensors"
        for tensor, shape in every[part::parts]:
            size = 2
            for length in shape:
                size *= length
            header[tensor] = {
                "dtype": "BF16",
                "shape": shape,
                "data_offsets": [offset, offset + size],
            }
            weight_map[tensor], offset = name, offset + size
        text = json.dumps(header).encode()
        with (folder / name).open("wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            file.truncate(8 + len(text) + offset)
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def anonymous() -> int:
    """Resident memory of this process that is not file cache, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("RssAnon:")[1].split()[0]) * 1024


def measure(folder: Path, layer: int, n: int) -> None:
    """Prints the peak while one layer's attention is computed."""
    peak, done = 0, threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.002):
            peak = max(peak, anonymous())

    watcher = threading.Thread(target=watch)
    watcher.start()
    from attncli.families import spec_from_config
    from attncli.model import embed, forward
    from attncli.weights import read_config
    from attncli.weights.params import Params
    from attncli.weights.tensors import open_tensors

    start = time.perf_counter()
    tensors = open_tensors(folder)
    params = Params(spec_from_config(read_config(folder)), tensors)
    forward(params, embed(params, list(range(n))), keep=(layer,))
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    tensors.close()
    print(f"layer {layer}, {n} tokens: {peak / 1e6:.0f} MB, {seconds:.1f} s")


def main() -> None:
    folder, n = Path(sys.argv[1]), int((*sys.argv, "12")[2])
    if len(sys.argv) > 3:
        return measure(folder, int(sys.argv[3]), n)
    if not folder.exists():
        write(folder)
    for layer in (0, LAYERS - 1):
        subprocess.run([sys.executable, __file__, str(folder), str(n), str(layer)], check=True)
    return None


if __name__ == "__main__":
    main()
