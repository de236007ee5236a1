"""How much memory a large checkpoint takes: a synthetic one of Llama-1B's shape.

    python tests/benchmarks/memory.py FOLDER [N_TOKENS]

Writes FOLDER (2.5 GB of zeros in bfloat16, in parts, sparse on disk) if it is not there, then
prints the peak of resident memory that is not file cache, for the first and the last layer.
"""

import json
import subprocess
import sys
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


def anonymous(pid: int) -> int:
    """Resident memory of a process that is not file cache, in bytes; 0 if it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return int(status.split("RssAnon:")[1].split()[0]) * 1024 if "RssAnon:" in status else 0


def measure(folder: Path, layer: int, n: int) -> None:
    """Runs `attncli explain` on n tokens and prints its peak and its time."""
    ids = ",".join(map(str, range(n)))
    command = [sys.executable, "-m", "attncli", "explain", "--ids", ids, "-w", str(folder)]
    start, peak = time.perf_counter(), 0
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([*command, "-l", str(layer)], **quiet) as child:
        while child.poll() is None:
            peak = max(peak, anonymous(child.pid))
            time.sleep(0.002)
    seconds = time.perf_counter() - start
    print(f"explain -l {layer}, {n} tokens: {peak / 1e6:.0f} MB, {seconds:.1f} s")


def main() -> None:
    folder, n = Path(sys.argv[1]), int((*sys.argv, "12")[2])
    if not folder.exists():
        write(folder)
    for layer in (0, LAYERS - 1):
        measure(folder, layer, n)


if __name__ == "__main__":
    main()
