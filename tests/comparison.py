"""Running a checkpoint and comparing every number with the reference implementation's."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import numpy as np

from attncli.families import spec_from_config
from attncli.families.spec import Spec
from attncli.model import embed, forward
from attncli.trace import AttentionTrace, Trace
from attncli.weights import read_config
from attncli.weights.params import Params
from attncli.weights.tensors import open_tensors

# Bounds for models of toy size, where float32 rounding is far below an error of substance.
BOUNDS = {"A": 2e-6, "S": 1e-5}
BOUND = 1e-5

Named = tuple[str, np.ndarray]


def run_checkpoint(
    folder: Path, given: Mapping[str, np.ndarray], spec=None, dtype=np.float32
) -> Iterator[Named]:
    """Every tensor of a checkpoint's forward pass with its name, in the order of the computation.

    `given` has `ids` and maybe `segments`, and `target_ids` for the decoder of a pair.
    """
    with closing(open_tensors(folder)) as tensors:
        params = Params(spec or spec_from_config(read_config(folder)), tensors, dtype)
        every = range(params.spec.n_layers)
        segments = given["segments"].tolist() if "segments" in given else None
        x = embed(params, given["ids"].tolist(), segments)
        encoder = forward(params, x, every, keep_hidden=True)
        yield from in_model_order("encoder", encoder)
        if "target_ids" in given:
            decoder = params.decoder()
            every = range(decoder.spec.n_layers)
            x = embed(decoder, given["target_ids"].tolist())
            trace = forward(
                decoder, x, every, memory=encoder.output, keep_cross=every, keep_hidden=True
            )
            yield from in_model_order("decoder", trace)


def in_model_order(stack: str, trace: Trace) -> Iterator[Named]:
    """Every tensor of one stack with its name, in the order of the computation."""
    for i, attention in trace.layers.items():
        yield f"{stack}.hidden.{i}", trace.hidden[i]
        yield from _matrices(stack, attention)
        if i in trace.cross:
            yield from _matrices("cross", trace.cross[i])
    assert trace.output is not None
    yield f"{stack}.output", trace.output


def _matrices(stack: str, attention: AttentionTrace) -> Iterator[Named]:
    for name in "XQKVSAZY":
        yield f"{stack}.{name}.{attention.layer}", getattr(attention, name)


def first_difference(ours: Iterator[Named], reference: Mapping[str, np.ndarray]) -> str | None:
    """The first tensor in model order that differs from the reference, or None.

    A masked score is the reference's large negative number and our -inf. Where the reference
    does not hand out Q, K, V or Z, S and Y speak for them; all else must be there.
    """
    for name, gap, bound in differences(ours, reference):
        if gap > bound:
            return f"{name} differs by {gap:.2e}, allowed {bound:.0e}"
    return None


def differences(
    ours: Iterator[Named], reference: Mapping[str, np.ndarray]
) -> Iterator[tuple[str, float, float]]:
    """(name, largest difference, bound) of every tensor, in model order."""
    for name, values in ours:
        kind = name.split(".")[1]
        if name in reference:
            yield name, difference(kind, values, reference[name]), BOUNDS.get(kind, BOUND)
        elif kind not in "QKVZ":
            yield name, float("inf"), 0.0


def difference(kind: str, ours: np.ndarray, reference: np.ndarray) -> float:
    """The largest difference; of S relative to max(1, |S|), masked scores left out."""
    if ours.shape != reference.shape:
        return float("inf")
    if kind != "S":
        return float(np.abs(ours - reference).max())
    masked = reference < -1e30
    if (np.isneginf(ours) != masked).any():
        return float("inf")
    ours, reference = ours[~masked], reference[~masked]
    return float((np.abs(ours - reference) / np.maximum(1, np.abs(reference))).max())


# How a configuration names the length of its position table.
_LENGTHS = ("max_position_embeddings", "n_positions", "max_seq_len")


def limits_differ(folder: Path, spec: Spec) -> bool:
    """Whether the longest sentence that a model takes is not what config.json says.

    Rotary and relative positions have no end; a table has, less the rows that precede the first
    position in RoBERTa's line. GPT-J and MPT make tables too.
    """
    config = read_config(folder)
    config = config.get("text_config", config)
    says = next((config[key] for key in _LENGTHS if key in config), None)
    if spec.position == "none" and config["model_type"] not in ("gptj", "mpt"):
        says = None
    if spec.pad_id is not None and spec.position == "learned":
        says -= spec.pad_id + 1
    return any(s.n_positions != says for s in (spec, spec.decoder) if s)
