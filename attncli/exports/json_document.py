"""JSON: what was computed, every number exactly (docs/json.md)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from attncli import __version__
from attncli.analysis.path import length
from attncli.attention import Array
from attncli.inspector import Inspection
from attncli.kind import AttentionKind
from attncli.language import Language, Phrase
from attncli.matrices import IN_FILES, Matrix
from attncli.narration.page import Page, Voice
from attncli.narration.row import Row
from attncli.narration.steps import steps_of
from attncli.text.token import Token
from attncli.trace import AttentionTrace

SCHEMA = "attncli.attention/2"


def to_json(
    inspection: Inspection,
    heads: Sequence[int],
    show: Sequence[Matrix],
    rows: Sequence[Row] = (),
    language: Language = Language.en,
) -> str:
    """`document` as JSON.

    A number is the shortest decimal that parses back to the same float32, or float64 if that is
    what was computed in; a masked score is null. The text ends with one line feed.
    """
    return _text(document(inspection, heads, show, rows, language)) + "\n"


def document(
    inspection: Inspection,
    heads: Sequence[int],
    show: Sequence[Matrix] = IN_FILES,
    rows: Sequence[Row] = (),
    language: Language = Language.en,
) -> dict[str, Any]:
    """The matrices named in `show` for the chosen heads, and the derivations of `rows`.

    Keys as in docs/json.md; matrices are numpy arrays.
    """
    attention, spec = inspection.attention, inspection.spec
    page: dict[str, Any] = {
        "schema": SCHEMA,
        "attncli": __version__,
        "model": {
            "name": inspection.weights.name,
            "family": spec.family,
            "source": str(inspection.weights.source),
            "n_layers": spec.n_layers,
            "n_heads": spec.n_heads,
            "n_kv_heads": spec.n_kv_heads,
            "d_model": spec.d_model,
            "d_k": spec.d_k,
            "d_v": spec.d_v,
        },
        "notes": [str(note) for note in inspection.notes],
        "sentence": inspection.sentence,
        "pair": inspection.pair,
        "target": inspection.target,
        "offset_unit": "codepoint",
        "tokens": [token_fields(token) for token in inspection.tokens],
        "attention": inspection.kind,
        "layer": attention.layer,
        "causal": inspection.causal,
        "attention_mask": None
        if inspection.attention_mask is None
        else list(inspection.attention_mask),
        "fully_masked": attention.fully_masked,
        "dtype": attention.X.dtype.name,
        "scale": attention.scale,
        "scale_reason": str(attention.scale_reason),
        "softcap": attention.softcap,
    }
    if inspection.kind is AttentionKind.cross:
        page["columns"] = [token_fields(token) for token in inspection.columns]
    of_heads = [each for each in show if each.of != "layer"]
    for each in show:
        if each.of == "layer":
            page[each.name] = each.values(attention, 0)
        else:
            page["heads"] = [
                {"head": head, **_of_head(attention, of_heads, head)} for head in heads
            ]
    page.setdefault("heads", [{"head": head} for head in heads])
    if rows:
        page["derivation"] = [_derivation(row, language) for row in rows]
    return page


def _of_head(
    attention: AttentionTrace, matrices: Sequence[Matrix], head: int
) -> dict[str, Array | None]:
    """The matrices of a head; before Q and K the stages on the way to them, where they differ."""
    found: dict[str, Array | None] = {}
    for each in matrices:
        if each.name in ("Q", "K"):
            found |= {name: attention.of_head(name, head) for name in _stages(attention, each.name)}
        found[each.name] = each.values(attention, head)
    return found


def _stages(attention: AttentionTrace, name: str) -> list[str]:
    projected, unrotated = f"{name}_projected", f"{name}_unrotated"
    first, second, last = (getattr(attention, stage) for stage in (projected, unrotated, name))
    names = [projected] if last is not first else []
    return [*names, unrotated] if second is not first and second is not last else names


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


def _derivation(row: Row, language: Language) -> dict[str, Any]:
    """A derivation and its steps in words; the matrices W_Q and W_O are the checkpoint's."""
    steps = steps_of(Page(row, Voice(language)))
    d, dtype = row.d, row.d.x.dtype
    values: dict[str, Any] = _fields(d, dtype)
    for name in ("q", "component", "biased", "exp_sum", "share_norms", "agrees"):
        values[name] = _fields(getattr(d, name), dtype)
    for name in ("x", "q", "b_O", "y"):
        vector = values[name]
        values[f"{name}_norm"] = None if vector is None else dtype.type(length(vector))
    del values["W_Q"], values["W_O"]
    return {**values, "steps": [_fields(step, dtype) for step in steps]}


def _fields(value: Any, dtype: np.dtype[Any]) -> Any:
    """The fields of a record by name; numbers that were computed as float32 are one again."""
    if isinstance(value, Phrase):
        return str(value)
    if is_dataclass(value):
        return {field.name: _fields(getattr(value, field.name), dtype) for field in fields(value)}
    return dtype.type(value) if isinstance(value, float) else value


def _text(value: Any) -> str:
    """JSON of nested dicts, lists and arrays. ValueError for a nan, which must not get here."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.floating):
        return _array(np.asarray(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(k)}: {_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
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
