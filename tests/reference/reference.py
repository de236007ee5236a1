"""Tiny random models of the reference implementation, and what they compute."""

import copy
import os
import re
from pathlib import Path

import numpy as np

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from recorder import Recorder
from transformers.utils import logging
from variants import VARIANTS, V, Variant

logging.set_verbosity_error()
logging.disable_progress_bar()

EMBEDDING = re.compile("embed|wte|wpe|relative")
SCALED_QUERIES = ("OPT",)  # hands its queries on after the scale


def build(variant: Variant, cls: str, seed: int, dtype: torch.dtype) -> torch.nn.Module:
    """A model of the class `prefix` + `cls` whose every parameter is random."""
    configuration = getattr(transformers, variant.prefix + variant.config)
    config = configuration(**copy.deepcopy(variant.kw))
    torch.manual_seed(seed)
    model = getattr(transformers, variant.prefix + cls)._from_config(
        config, attn_implementation=variant.implementation
    )
    model = model.float().eval()
    randomize(model, seed, variant.fixed)
    return model.to(dtype)


def randomize(model: torch.nn.Module, seed: int, fixed: tuple[str, ...] = ()) -> None:
    """Random values of a realistic size for matrices, biases, norms and tables alike."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(fixed) and fixed:
                continue
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.ndim >= 2:
                parameter.copy_(noise * (0.3 if EMBEDDING.search(name) else 0.14))
            elif name.endswith("bias"):
                parameter.copy_(noise * 0.1)
            else:
                parameter.add_(noise * 0.15)


def inputs(variant: Variant, n: int, seed: int) -> dict[str, np.ndarray]:
    """Ids for a sentence of n tokens, and for a target three shorter.

    Both hold the pad token's id, which some families do not count as a position, and 17.
    """
    generator = np.random.default_rng(seed)
    given = {"ids": generator.integers(5, V - 2, n)}
    pad = variant.kw.get("pad_token_id", 0)
    given["ids"][3:5] = pad, 17
    if variant.segments:
        given["segments"] = (np.arange(n) >= n // 2).astype(int)
    if variant.seq2seq:
        given["target_ids"] = generator.integers(5, V - 2, n - 3)
        given["target_ids"][2:4] = pad, 17
    return given


def run(
    variant: Variant, model: torch.nn.Module, given: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """The model's tensors, by names such as `encoder.X.0`, `cross.A.1` and `decoder.output`."""
    names = {
        "ids": "input_ids",
        "segments": "token_type_ids",
        "target_ids": "decoder_input_ids",
    }
    arguments = {names[key]: torch.tensor(value[None]) for key, value in given.items()}
    model = getattr(model, "text_model", model)  # of a whole CLIP
    with Recorder(model) as recorder, torch.no_grad():
        out = model(**arguments, output_hidden_states=True)
    tensors: dict[str, torch.Tensor] = {}
    if variant.seq2seq:
        _hidden(tensors, "encoder", out.encoder_hidden_states, out.encoder_last_hidden_state)
        last = getattr(out, "last_hidden_state", None)  # not of a model with a head
        last = out.decoder_hidden_states[-1] if last is None else last
        _hidden(tensors, "decoder", out.decoder_hidden_states, last)
        n_encoder = len(out.encoder_hidden_states) - 1
    else:
        last = getattr(out, "last_hidden_state", None)
        _hidden(
            tensors, "encoder", out.hidden_states, out.hidden_states[-1] if last is None else last
        )
        n_encoder = len(out.hidden_states) - 1
    for k, attention in enumerate(recorder.attentions):
        behind = k - n_encoder
        stack, layer = (
            ("encoder", k) if behind < 0 else (("decoder", "cross")[behind % 2], behind // 2)
        )
        if "Q" in attention and variant.prefix in SCALED_QUERIES:
            attention["Q"] = attention["Q"] * attention["Q"].shape[-1] ** 0.5
        tensors |= {f"{stack}.{name}.{layer}": value for name, value in attention.items()}
    return {name: value.numpy() for name, value in tensors.items()}


def _hidden(tensors: dict, stack: str, hidden: tuple, last: torch.Tensor) -> None:
    """What enters every layer, and the output; behind the last layer comes the final norm."""
    for i, state in enumerate(hidden[:-1]):
        tensors[f"{stack}.hidden.{i}"] = state[0]
    tensors[f"{stack}.output"] = last[0]


def save(
    name: str, folder: Path, n: int, seed: int, head: bool = False, dtype=torch.float32
) -> dict[str, np.ndarray]:
    """Saves a fresh model of a variant; returns its inputs and what it computes."""
    variant = VARIANTS[name]
    model = build(variant, variant.head if head else variant.base, seed, dtype)
    model.save_pretrained(folder)
    if dtype != torch.float32:
        return {}
    given = inputs(variant, n, seed)
    return {**given, **run(variant, model, given)}
