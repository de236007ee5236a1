"""Makes the golden files of this folder with the reference implementation.

    pip install torch transformers
    python tests/golden/make_goldens.py

For every tiny model: `NAME/config.json` and `NAME/model.safetensors` as transformers saves them,
and `NAME/golden.npz` with what it computes for one sentence. The weights are random but nothing
is trivial: every bias, norm and table is perturbed, and n, d_model, h and d_k all differ.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from transformers import BertConfig, BertModel

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "reference"))

from recorder import Recorder  # noqa: E402

BERT = {
    "vocab_size": 60,
    "hidden_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 3,
    "intermediate_size": 40,
    "max_position_embeddings": 16,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-3,  # far from any default, so that a wrong one shows
}
IDS = [2, 17, 40, 9, 17, 59, 31, 0, 23, 3, 11]
SEGMENTS = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]


def perturb(model: torch.nn.Module, seed: int) -> None:
    """Gives every parameter random values of a realistic size."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.ndim == 2:
                parameter.copy_(noise * (0.5 if "embeddings" in name else 0.3))
            else:
                parameter.add_(noise * 0.2)


def make(name: str, config: BertConfig) -> None:
    torch.manual_seed(0)
    model = BertModel._from_config(config, attn_implementation="eager").float().eval()
    perturb(model, seed=0)
    folder = HERE / name
    model.save_pretrained(folder)
    with Recorder(model) as recorder, torch.no_grad():
        out = model(
            input_ids=torch.tensor([IDS]),
            token_type_ids=torch.tensor([SEGMENTS]),
            output_hidden_states=True,
        )
    golden = {"ids": np.array(IDS), "segments": np.array(SEGMENTS)}
    for i, layer in enumerate(recorder.layers):
        golden |= {f"{key}.{i}": value.numpy() for key, value in layer.items()}
    golden |= {f"hidden.{i}": state[0].numpy() for i, state in enumerate(out.hidden_states)}
    np.savez_compressed(folder / "golden.npz", **golden)


def main() -> None:
    make("bert", BertConfig(**BERT))
    make("bert-decoder", BertConfig(**BERT, is_decoder=True, hidden_act="gelu_new"))


if __name__ == "__main__":
    main()
