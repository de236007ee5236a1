"""Makes the small checkpoints that ship with attncli for `selftest`, from the goldens here.

    python tests/golden/make_proof_goldens.py

Of bert, llama and t5-encoder the first layer, the vectors of the ids that the golden's sentence
has, and what transformers computed there. Nothing is computed anew.
"""

import json
import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "attncli" / "proof" / "goldens"
MATRICES = ("X", "Q", "K", "V", "A", "Z", "Y")
SOURCES = {"bert": "bert", "llama": "llama", "t5": "t5-encoder"}
LAYERS = {"bert": "num_hidden_layers", "llama": "num_hidden_layers", "t5": "num_layers"}
EMBEDDINGS = ("word_embeddings.weight", "embed_tokens.weight", "shared.weight")
LEFT_OUT = ("encoder.layer.1.", "layers.1.", "encoder.block.1.", "pooler.")


def cut_tensors(tensors: dict[str, np.ndarray], known: np.ndarray) -> dict[str, np.ndarray]:
    """Those of the first layer; of the vocabulary the `known` ids."""
    return {
        name: np.ascontiguousarray(values[known]) if name.endswith(EMBEDDINGS) else values
        for name, values in tensors.items()
        if not name.startswith(LEFT_OUT)
    }


def cut(family: str) -> None:
    source, target = HERE / SOURCES[family], TARGET / family
    target.mkdir(parents=True)
    with np.load(source / "golden.npz") as file:
        golden = dict(file)
    known, ids = np.unique(golden["ids"], return_inverse=True)
    tensors = cut_tensors(load_file(source / "model.safetensors"), known)
    save_file(tensors, target / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((source / "config.json").read_text("utf-8"))
    config |= {LAYERS[family]: 1, "vocab_size": len(known)}
    (target / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    kept = {"ids": ids, "hidden": golden["encoder.hidden.1"]}
    kept |= {name: golden[f"encoder.{name}.0"] for name in MATRICES}
    if "segments" in golden:
        kept["segments"] = golden["segments"]
    np.savez_compressed(target / "golden.npz", **kept)
    print(family, sum(file.stat().st_size for file in target.iterdir()))


if __name__ == "__main__":
    shutil.rmtree(TARGET, ignore_errors=True)
    for family in SOURCES:
        cut(family)
