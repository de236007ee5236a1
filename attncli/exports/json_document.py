"""JSON: what was computed, every number exactly (docs/json.md)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from attncli import __version__
from attncli.analysis.derive import Component, Derivation
from attncli.inspector import Inspection
from attncli.stack import Stack
from attncli.text.token import Token
from attncli.trace import AttentionTrace

SCHEMA = "attncli.attention/1"


def to_json(
    inspection: Inspection,
    heads: Sequence[int],
    show: Sequence[str],
    derivations: Sequence[Derivation] = (),
) -> str:
    """The matrices named in `show` for the chosen heads, and derivations if any.

    A number is the shortest decimal that parses back to the same float32, or float64 if that is
    what was computed in; a masked score is null. The text ends with one line feed.
    """
    attention, spec = inspection.attention, inspection.spec
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "attncli": __version__,
        "model": {
            "name": inspection.weights.name,
            "family": spec.family,
            "source": inspection.weights.source,
            "n_layers": spec.n_layers,
            "n_heads": spec.n_heads,
            "n_kv_heads": spec.n_kv_heads,
            "d_model": spec.d_model,
            "d_k": spec.d_k,
            "d_v": spec.d_v,
        },
        "notes": list(inspection.notes),
        "sentence": inspection.sentence,
        "pair": inspection.pair,
        "target": inspection.target,
        "offset_unit": "codepoint",
        "tokens": [token_fields(token) for token in inspection.tokens],
        "stack": inspection.stack,
        "layer": attention.layer,
        "causal": inspection.causal,
        "attention_mask": None
        if inspection.attention_mask is None
        else list(inspection.attention_mask),
        "fully_masked": attention.fully_masked,
        "dtype": attention.X.dtype.name,
        "scale": attention.scale,
        "scale_reason": attention.scale_reason,
        "softcap": attention.softcap,
    }
    if inspection.stack is Stack.cross:
        document["columns"] = [token_fields(token) for token in inspection.columns]
    if "X" in show:
        document["X"] = attention.X
    document["heads"] = [
        {"head": head, **{name: attention.of_head(name, head) for name in _names(attention, show)}}
        for head in heads
    ]
    if "Z" in show:
        document["Z_cat"] = attention.Z_cat
    if "Y" in show:
        document["Y"] = attention.Y
    if derivations:
        document["derivation"] = [
            {
                **_fields(derivation, attention.X.dtype),
                "component": _fields(derivation.component, attention.X.dtype),
            }
            for derivation in derivations
        ]
    return _text(document) + "\n"


def _names(attention: AttentionTrace, show: Sequence[str]) -> list[str]:
    """The matrices of a head; before Q and K the stages on the way to them, where they differ."""
    names = []
    for name in show:
        if name in "QK":
            projected, unrotated = f"{name}_projected", f"{name}_unrotated"
            arrays = [getattr(attention, stage) for stage in (projected, unrotated, name)]
            names += [projected] if arrays[2] is not arrays[0] else []
            names += [unrotated] if all(arrays[1] is not other for other in arrays[::2]) else []
        if name in "QKVSAZ":
            names.append(name)
    return names


def token_fields(token: Token) -> dict[str, Any]:
    """A token; one that is only a part of a character has its bytes in place of a text."""
    document: dict[str, Any] = {
        "index": token.index,
        "id": token.id,
        "text": token.text if token.part is None else None,
        "piece": token.piece,
        "start": token.start,
        "end": token.end,
        "special": token.special,
        "unknown": token.unknown,
        "segment": token.segment,
    }
    return document if token.raw is None else {**document, "bytes": list(token.raw)}


def _fields(record: Derivation | Component, dtype: np.dtype[Any]) -> dict[str, Any]:
    """The fields of a record by name; numbers that were computed as float32 are one again."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {k: dtype.type(v) if isinstance(v, float) else v for k, v in values.items()}


def _text(value: Any) -> str:
    """JSON of nested dicts, lists and arrays. ValueError for a nan, which must not get here."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.floating):
        return _array(np.asarray(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(k)}: {_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    return json.dumps(value, allow_nan=False)


def _array(values: np.ndarray[Any, Any]) -> str:
    if values.ndim > 1:
        return "[" + ",\n".join(map(_array, values)) + "]"
    if np.isnan(values).any() or np.isposinf(values).any():
        raise ValueError("a value that is not finite reached the export")
    numbers = values.astype("U")  # numpy writes the shortest digits that are exact
    texts = np.where(np.isneginf(values), "null", numbers).tolist()
    return texts if isinstance(texts, str) else "[" + ", ".join(texts) + "]"
