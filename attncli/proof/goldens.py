"""attncli's matrices beside the reference implementation's, of small checkpoints that ship here.

goldens/FAMILY holds a checkpoint of one layer and `golden.npz`, what transformers computes with it
for eleven ids (tests/golden/make_proof_goldens.py).
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from attncli.attention import Array
from attncli.families import spec_from_config
from attncli.model import embed, forward
from attncli.weights import read_config
from attncli.weights.params import Params
from attncli.weights.tensors import open_tensors

FOLDER = Path(__file__).with_name("goldens")
MATRICES = ("X", "Q", "K", "V", "A", "Z", "Y")
FAMILIES = ("bert", "llama", "t5")


def of_family(family: str) -> Iterator[tuple[Array, Array]]:
    """X, Q, K, V, A, Z and Y of the layer and what the layer hands on, each with its golden."""
    folder = FOLDER / family
    with np.load(folder / "golden.npz", allow_pickle=False) as file:
        golden = {name: file[name] for name in file.files}
    with closing(open_tensors(folder)) as tensors:
        params = Params(spec_from_config(read_config(folder)), tensors)
        segments = golden["segments"].tolist() if "segments" in golden else None
        x = embed(params, golden["ids"].tolist(), segments)
        trace = forward(params, x, (0,), keep_hidden=True)
    for name in MATRICES:
        yield getattr(trace.layers[0], name), golden[name]
    yield trace.hidden[1], golden["hidden"]
