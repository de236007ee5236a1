"""The arrays under the names and in the layouts that people use, written to a file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from check_cases.attention import Array, Arrays, Problem

HALF = ("float16", "bfloat16")
WEIGHTS = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V")
OUTPUT = ("W_O", "b_O", "Y")
# What an author keeps: of the arrays, "Q" for Q, K and V.
PROFILES: dict[str, tuple[str, ...]] = {
    "everything": ("X", *WEIGHTS, "QKV", "S", "A", "Z", "Z_cat", *OUTPUT),
    "no Z_cat": ("X", *WEIGHTS, "QKV", "S", "A", "Z", *OUTPUT),
    "no S": ("X", *WEIGHTS, "QKV", "A", "Z", *OUTPUT),
    "no Q K V": ("X", *WEIGHTS, "S", "A", "Z", *OUTPUT),
    "Q K V to Y": ("QKV", "S", "A", "Z", *OUTPUT),
    "X W A Y": ("X", *WEIGHTS, "A", *OUTPUT),
    "X W Y": ("X", *WEIGHTS, *OUTPUT),
    "X W S A": ("X", *WEIGHTS, "S", "A"),
    "Q K V A Z": ("QKV", "A", "Z"),
    "Q K V Z": ("QKV", "Z"),
    "Z_cat for Z": ("X", *WEIGHTS, "QKV", "S", "A", "Z_cat", *OUTPUT),
}
ARTICLE = {
    name: name for name in ("X", *WEIGHTS, "Q", "K", "V", "S", "A", "Z", "Z_cat", *OUTPUT, "mask")
}
TORCH = {
    "X": "x",
    **{f"W_{letter}": f"{letter.lower()}_proj.weight" for letter in "QKV"},
    **{f"b_{letter}": f"{letter.lower()}_proj.bias" for letter in "QKV"},
    "W_O": "out_proj.weight",
    "b_O": "out_proj.bias",
    "Q": "q",
    "K": "k",
    "V": "v",
    "S": "scores",
    "A": "attn_weights",
    "Z": "context",
    "Z_cat": "concat",
    "Y": "output",
    "mask": "mask",
}
ODD = {name: f"array_{i}" for i, name in enumerate(ARTICLE)}  # told by --map


@dataclass(frozen=True)
class Style:
    """How one author saves."""

    profile: str
    names: str  # article, torch or odd
    storage: str  # float32, float16 or bfloat16
    format: str  # npz, safetensors, json or folder
    batch: int  # 0: no batch axis
    heads: str  # (h, n, d), (n, h, d) or (n, h d)
    weights: str  # (in, out), (out, in) or (h, in, out)
    scores: str  # S: saved before the mask; S_in: behind it
    mask: str  # additive, keep, hide; option: told with --causal; untold


@dataclass(frozen=True)
class File:
    """What `check` is called with."""

    arrays: Arrays
    mapping: dict[str, str]
    options: dict[str, object]
    style: Style


def chosen(style: Style, a: Mapping[str, Array]) -> Arrays:
    """The arrays that are saved, under the names of the steps: Q or Q_wide, S or S_in."""
    names: list[str] = []
    for name in PROFILES[style.profile]:
        if name == "QKV":
            wide = "_wide" if style.heads == "(n, h d)" else ""
            names += [letter + wide for letter in "QKV"]
        elif name == "S":
            names.append(style.scores)
        elif name == "Z" and style.heads == "(n, h d)" and a["Z"].ndim == 3:
            names.append("Z_cat")
        else:
            names.append(name)
    found = {k: a[k] for k in names if k in a}
    if "X" in found:
        found["X_kv"] = a["X_kv"]
    if "keep" in a:
        found["keep"] = a["keep"]
    return found


def _weight(name: str, W: Array, p: Problem, layout: str) -> Array:
    """One matrix; the small ones of project_after_split have no heads."""
    if layout == "(out, in)":
        return W.T
    if layout == "(h, in, out)" and len(W) in (p.d_model, p.h * p.d_v):
        if name == "W_O":
            return W.reshape(p.h, -1, W.shape[1])
        return W.reshape(len(W), p.h, -1).transpose(1, 0, 2)
    return W


def _mask(style: Style, p: Problem, keep: Array) -> tuple[str, Array] | None:
    """The mask and its name; a padding mask is a vector, whose name says what True means."""
    if style.mask in ("option", "untold"):
        return None
    if style.mask == "additive":
        return "mask", np.where(keep, 0, p.hidden).astype(np.float32)
    if p.mask == "padding":
        if style.mask == "keep":
            return "attention_mask", keep[0].astype(np.int64)
        return "key_padding_mask", ~keep[0]
    return "mask", keep if style.mask == "keep" else ~keep


def _laid_out(name: str, M: Array, p: Problem, style: Style) -> Array:
    """One array of one text, as this author lays it out."""
    heads_last = style.heads == "(n, h, d)" and name in ("Q", "K", "V", "Z")
    return M.transpose(1, 0, 2) if heads_last and M.ndim == 3 and len(M) == p.h else M


def as_file(p: Problem, texts: Sequence[Mapping[str, Array]], style: Style) -> File:
    """What one author saves of what the program computed, for each text of a batch."""
    each = [chosen(style, a) for a in texts]
    names = {"article": ARTICLE, "torch": TORCH, "odd": ODD}[style.names]
    arrays, mapping = {}, {}
    for name in [name for name in each[0] if name not in ("keep", "X_kv")]:
        article = {"S_in": "S"}.get(name, name.removesuffix("_wide"))
        if name.startswith("b_"):
            array = each[0][name]
        elif name.startswith("W_"):
            array = _weight(name, each[0][name], p, style.weights)
        else:
            laid_out = [_laid_out(name, a[name], p, style) for a in each]
            array = np.stack(laid_out) if style.batch else laid_out[0]
        arrays[names[article]] = array
        if names is ODD:
            mapping[article] = names[article]
    if "keep" in each[0] and (mask := _mask(style, p, each[0]["keep"])):
        arrays[mask[0]] = mask[1]
    options: dict[str, object] = {}
    if style.mask == "option":
        options["causal"] = True
    heads_show = any(len(each[0].get(k, ())) == p.h for k in ("Q", "Z", "A", "S", "S_in"))
    if not heads_show or p.seed % 2:
        options["heads"] = p.h
    return File(arrays, mapping, options, style)


def bfloat16_bits(M: Array) -> Array:
    """Rounded to the nearest, ties to even."""
    bits = np.ascontiguousarray(M, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(M), 0x7FC0, rounded).astype(np.uint16)


def stored(M: Array, storage: str) -> tuple[str, bytes, Array]:
    """Name of the type in safetensors, its bytes, and the values that numpy can hold."""
    if M.dtype == bool:
        return "BOOL", M.tobytes(), M
    if M.dtype.kind == "i":
        return "I64", M.astype(np.int64).tobytes(), M
    if storage == "bfloat16":
        return "BF16", bfloat16_bits(M).tobytes(), M.astype(np.float32)
    with np.errstate(over="ignore"):
        M = np.ascontiguousarray(M.astype(storage))
    return {"float32": "F32", "float16": "F16"}[storage], M.tobytes(), M


def _safetensors(arrays: Mapping[str, Array], storage: str) -> bytes:
    header, body = {}, b""
    for name, array in arrays.items():
        kind, content, _ = stored(array, storage)
        offsets = [len(body), len(body) + len(content)]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": offsets}
        body += content
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + body


def write(file: File, folder: Path) -> Path:
    """Writes the file, or a folder of .npy, and returns its path."""
    kind, storage = file.style.format, file.style.storage
    values = {name: stored(array, storage)[2] for name, array in file.arrays.items()}
    path = folder / f"mine.{kind}"
    if kind == "npz":
        np.savez(path, **values)
    elif kind == "safetensors":
        path.write_bytes(_safetensors(file.arrays, storage))
    elif kind == "json":
        path.write_text(json.dumps({name: array.tolist() for name, array in values.items()}))
    else:
        path = folder / "mine"
        path.mkdir()
        for name, array in values.items():
            np.save(path / f"{name}.npy", array)
    return path
