"""How a model computes the nodes, where that is not the article's way."""

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from attncli.attention import Array, split_heads
from attncli.attention_layer import clipped_and_normalized
from attncli.check.chain import Chain
from attncli.check.nodes import FORMULAS, Missing, Step
from attncli.rotary import rotate

if TYPE_CHECKING:
    from attncli.inspector import Inspection


def _split(c: Chain, letter: str) -> Array:
    """The heads of Q, K or V. Missing where a mistake has left another number of columns."""
    flat, count = c[f"{letter}_flat"], c.problem.h if letter == "Q" else c.problem.g
    if flat.shape[1] % count:
        raise Missing("heads")
    return split_heads(flat, count)


def steps_of_all(model: "Inspection") -> tuple[dict[str, Step], dict[str, Step]]:
    """What the model does otherwise than the article, and that without one thing."""
    spec, stages = model.spec, model.attention.stages
    rotary = stages.rotary
    normalized = spec.qk_norm != "none"
    steps: dict[str, Step] = {}
    without: dict[str, Step] = {}

    def prepared(letter: str, *, norm: bool = True, turn: bool = True, other: bool = False) -> Step:
        def step(c: Chain) -> Array:
            M = _split(c, letter)
            M = (
                clipped_and_normalized(spec, stages.q_norm if letter == "Q" else stages.k_norm, M)
                if norm
                else M
            )
            if rotary is None or not turn:
                return M
            return rotate(M, replace(rotary, interleaved=rotary.interleaved ^ other))

        return step

    for letter in "QK":
        if rotary or normalized or spec.clip_qkv is not None:
            steps[letter] = prepared(letter)
        if rotary:
            without[f"{letter} unturned"] = prepared(letter, turn=False)
            without[f"{letter} in other pairs"] = prepared(letter, other=True)
        if normalized:
            without[f"{letter} unnormed"] = prepared(letter, norm=False)
        if rotary and normalized:
            without[f"{letter} bare"] = prepared(letter, norm=False, turn=False)
    if (limit := spec.clip_qkv) is not None:
        steps["V"] = lambda c: _split(c, "V").clip(-limit, limit)
    return steps, without


def steps_of_one(model: "Inspection", head: int) -> tuple[dict[str, Step], dict[str, Step]]:
    """Of one head: a norm may need all of them, so what differs is as the model has it."""
    attention = model.attention
    own = attention.kv_head(head)
    steps: dict[str, Step] = {}
    if attention.Q is not attention.Q_projected or attention.K is not attention.K_projected:
        steps |= {"Q": lambda _: attention.Q[[head]], "K": lambda _: attention.K[[own]]}
    if model.spec.clip_qkv is not None:
        steps["V"] = lambda _: attention.V[[own]]
    return steps, {}


def formulas_of(model: "Inspection", operands: Collection[str]) -> dict[str, str]:
    """How this model computes Q, K, V and S, where that is not the article's way."""
    spec, attention = model.spec, model.attention
    formulas = {}
    for letter in "QKV":
        text = f"X W_{letter}" + (f" + b_{letter}" if f"b_{letter}" in operands else "")
        if spec.clip_qkv is not None:
            text = f"clip({text})"
        if spec.qk_norm != "none" and letter != "V":
            text = f"norm({text})"
        if spec.rotary and spec.rotary[attention.layer] and letter != "V":
            text = f"rotary({text})"
        formulas[letter] = f"{letter} = {text}"
    text = f"{attention.scale:.4g} Q K^T" if attention.scale != 1 else "Q K^T"
    if np.isclose(attention.scale, attention.Q.shape[2] ** -0.5):
        text = "Q K^T / sqrt(d_k)"
    if attention.softcap is not None:
        text = f"cap({text})"
    text += " + bias" * (attention.bias is not None) + " + mask" * (attention.mask is not None)
    formulas["S"] = f"S = {text}"
    formulas["Y"] = "Y = Z_cat W_O" + " + b_O" * ("b_O" in operands)
    return FORMULAS | formulas
