"""Makes torch_modules/: state dicts of torch's own modules and what they compute.

pip install torch safetensors
python tests/golden/make_torch_goldens.py
"""

import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "reference"))

from reference import randomize  # noqa: E402

D, H, INNER, N = 24, 4, 20, 7


def layer(**switches) -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(D, H, INNER, dropout=0.0, batch_first=True, **switches)


MODULES = {
    "attention": nn.MultiheadAttention(D, H, batch_first=True),
    "layer": layer(),
    "layer-no-bias": layer(bias=False, activation="gelu"),
    "encoder": nn.TransformerEncoder(layer(), 2, enable_nested_tensor=False),
    "encoder-norm-first": nn.TransformerEncoder(
        layer(norm_first=True, activation="gelu"), 2, nn.LayerNorm(D), enable_nested_tensor=False
    ),
}


def main() -> None:
    folder = HERE / "torch_modules"
    folder.mkdir(exist_ok=True)
    X = torch.randn(1, N, D, generator=torch.Generator().manual_seed(0))
    golden = {"X": X[0].numpy()}
    for name, module in MODULES.items():
        randomize(module, seed=0)
        save_file(module.state_dict(), folder / f"{name}.safetensors")
        attentions = [m for m in module.modules() if isinstance(m, nn.MultiheadAttention)]
        seen = []
        hook = attentions[-1].register_forward_pre_hook(
            lambda _, args, kwargs, seen=seen: seen.append((args[0], kwargs)), with_kwargs=True
        )
        module.train()  # in evaluation a fused kernel passes the hook by; there is no dropout
        with torch.no_grad():
            out = module(X, X, X)[0] if name == "attention" else module(X)
            hook.remove()
            into = seen[0][0]
            A = attentions[-1](into, into, into, average_attn_weights=False)[1]
        golden |= {f"{name}.A": A[0].numpy(), f"{name}.output": out[0].numpy()}
    np.savez_compressed(folder / "golden.npz", **golden)


if __name__ == "__main__":
    main()
