"""What is in the user's files: arrays under their stored names, then under the article's."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attncli.check.names import ALIASES, ARTICLE, PACKED, is_out_in, short_name
from attncli.errors import AttncliError, UsageError
from attncli.files import check_regular, reporting
from attncli.weights.file_kinds import KIND_OF_SUFFIX
from attncli.weights.safetensors_file import open_safetensors
from attncli.weights.stored import widen_bfloat16

Values = npt.NDArray[Any]

_FLOATS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
_INTEGERS = {
    "BOOL": "?",
    "I8": "i1",
    "U8": "u1",
    "I16": "<i2",
    "U16": "<u2",
    "I32": "<i4",
    "U32": "<u4",
    "I64": "<i8",
    "U64": "<u8",
}


@dataclass(frozen=True)
class Raw:
    """One array as it is stored. bfloat16 is widened to float32, which is exact."""

    values: Values
    dtype: str  # float32, bfloat16, bool, ...; json for a list of decimals


@dataclass(frozen=True)
class Contents:
    """All arrays by their stored names, and what a file says beside them."""

    arrays: Mapping[str, Raw]
    scale: float | None = None
    causal: bool | None = None
    softcap: float | None = None


@dataclass(frozen=True)
class Named:
    """One array whose name is understood."""

    names: tuple[str, ...]  # the article's; several where the shape has to decide
    stored_name: str
    values: Values
    dtype: str
    out_in: bool = False  # a parameter kept (out, in), as nn.Linear does


@dataclass(frozen=True)
class Found:
    """The arrays that are understood, and the names of the others."""

    arrays: tuple[Named, ...]
    unused: tuple[str, ...]
    notes: tuple[str, ...] = ()


def _read_npy(path: Path) -> dict[str, Raw]:
    check_regular(path)
    with reporting(path):
        try:
            values = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError, SyntaxError):  # numpy parses Python source here
            raise AttncliError(
                f"{path.name} is damaged or holds Python objects, which attncli does not load: "
                "save an array of numbers with numpy.save"
            ) from None
    return {path.stem: Raw(values, values.dtype.name)}


def _read_npz(path: Path) -> dict[str, Raw]:
    from attncli.weights.npz_file import open_npz  # zipfile takes 10 ms to import

    return {k: Raw(t.values, t.values.dtype.name) for k, t in open_npz(path).items()}


def _read_safetensors(path: Path) -> dict[str, Raw]:
    found = {}
    for name, tensor in open_safetensors(path).items():
        if tensor.storage == "BF16":
            found[name] = Raw(widen_bfloat16(tensor.values), "bfloat16")
        elif tensor.storage in _FLOATS:
            found[name] = Raw(tensor.values, _FLOATS[tensor.storage])
        elif tensor.storage in _INTEGERS:
            values = tensor.values.view(_INTEGERS[tensor.storage]).reshape(tensor.shape)
            found[name] = Raw(values, values.dtype.name)
        else:
            raise AttncliError(
                f"{name} in {path.name} is {tensor.storage}: save it as float32 or float16"
            )
    return found


def _numbers(path: Path, name: str, value: Any, nan_is_written: bool) -> Raw:
    """A list of decimals; null, which JSON has for -inf, is a masked score."""
    first = value
    while isinstance(first, list) and first:
        first = first[0]
    try:
        if isinstance(first, bool):
            return Raw(np.array(value, np.bool_), "bool")
        values = np.array(value, np.float64)
    except (ValueError, TypeError):
        raise AttncliError(
            f"{name} in {path.name} is no array: lists of numbers, all of one length, are needed"
        ) from None
    return Raw(values if nan_is_written else np.where(np.isnan(values), -np.inf, values), "json")


def _read_json(path: Path) -> Contents:
    check_regular(path)
    constants: set[str] = set()

    def constant(word: str) -> float:
        constants.add(word)
        return float(word.replace("Infinity", "inf"))

    with reporting(path):
        try:
            document = json.loads(path.read_text("utf-8"), parse_constant=constant)
        except (ValueError, RecursionError) as error:
            raise AttncliError(f"{path.name} is not JSON: {str(error)[:200]}") from None
    if not isinstance(document, dict):
        raise AttncliError(
            f"{path.name} holds no arrays by name: an object is needed, "
            '{"S": [[...]], "A": [[...]]}'
        )
    facts: dict[str, Any] = {}
    if str(document.get("schema", "")).startswith("attncli.attention/"):
        facts = {k: document.get(k) for k in ("scale", "causal", "softcap")}
        document = _of_export(document)
    lists = {k: v for k, v in document.items() if isinstance(v, list)}
    arrays = {k: _numbers(path, k, v, "NaN" in constants) for k, v in lists.items()}
    return Contents(arrays, **facts)


def _of_export(document: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of `attncli export` (docs/json.md), its heads put together."""
    heads = document.get("heads") or []
    arrays = {name: document[name] for name in ("X", "Z_cat", "Y") if document.get(name)}
    for name in heads[0] if heads else ():
        if name in ("Q", "K", "V", "S", "A", "Z"):
            arrays[name] = [head[name] for head in heads]
    if document.get("attention_mask"):
        arrays["attention_mask"] = document["attention_mask"]
    count = document["model"]["n_heads"]
    if len(heads) < count:  # the others' part of Y is not there
        arrays = {k: v for k, v in arrays.items() if k not in ("Z_cat", "Y")}
    return arrays


def _read_file(path: Path) -> Contents:
    suffix = path.suffix.lower()
    if suffix == ".json":
        return _read_json(path)
    readers = {".npz": _read_npz, ".npy": _read_npy, ".safetensors": _read_safetensors}
    if suffix not in readers:
        kind = KIND_OF_SUFFIX.get(suffix, "no file of arrays")
        raise AttncliError(
            f"{path.name} is {kind}: give .npz, .safetensors, .json, or a folder of .npy"
        )
    return Contents(readers[suffix](path))


def _files(path: Path) -> list[Path]:
    with reporting(path):
        if not path.is_dir():
            return [path]
        files = sorted(path.glob("*.npy"))
    if not files:
        raise AttncliError(f"{path} has no .npy files: a folder of arrays saved by numpy.save")
    return files


def read_files(paths: Sequence[Path]) -> Contents:
    """The arrays of all files together.

    AttncliError for what cannot be read and for one name in two files.
    """
    arrays: dict[str, Raw] = {}
    facts: dict[str, Any] = {}
    for file in (file for path in paths for file in _files(path)):
        contents = _read_file(file)
        if twice := sorted(arrays.keys() & contents.arrays.keys()):
            raise AttncliError(f"{twice[0]} is in two of the files: give each array once")
        arrays |= contents.arrays
        said = {name: getattr(contents, name) for name in ("scale", "causal", "softcap")}
        facts |= {name: value for name, value in said.items() if value is not None}
    if not arrays:
        raise AttncliError("the files hold no arrays: save X, W_Q, ..., S, A, Z, Y by their names")
    return Contents(arrays, **facts)


def _check_numbers(name: str, raw: Raw) -> None:
    if raw.values.dtype.kind not in "fiub":
        kinds = {"O": "Python objects", "c": "complex numbers", "U": "text", "S": "bytes"}
        what = kinds.get(raw.values.dtype.kind, raw.dtype)
        raise AttncliError(f"{name} holds {what}: real numbers are needed")
    if raw.values.size == 0:
        raise AttncliError(f"{name} is empty: its shape is {raw.values.shape}")


def _unpacked(stored: str, raw: Raw, kind: str) -> list[Named]:
    """W_Q, W_K, W_V (or the b's) out of one array that holds them side by side."""
    values = raw.values
    if kind == "W columns" and values.shape[0] == 3 * values.shape[-1]:
        kind = "W"  # GPT's name, but an nn.Linear's shape
    out_in = kind == "W"
    axis = raw.values.ndim - 1 if kind == "W columns" else 0
    if raw.values.shape[axis] % 3:
        raise AttncliError(
            f"{stored} has the shape {raw.values.shape}: Q, K and V side by side need "
            f"an axis {axis} that 3 divides"
        )
    parts = np.split(raw.values, 3, axis)
    return [
        Named((f"{kind[0]}_{letter}",), f"{stored}[{i}]", part, raw.dtype, out_in)
        for i, (letter, part) in enumerate(zip("QKV", parts, strict=True))
    ]


def _understood(stored: str, raw: Raw, mapped: Mapping[str, str]) -> list[Named]:
    if stored in mapped:
        names: tuple[str, ...] = (mapped[stored],)
    elif (short := short_name(stored)) is None:
        return []
    elif short in PACKED:
        _check_numbers(stored, raw)
        return _unpacked(stored, raw, PACKED[short])
    else:
        names = ALIASES[short]
    _check_numbers(stored, raw)
    return [Named(names, stored, raw.values, raw.dtype, names[0][0] == "W" and is_out_in(stored))]


def _like_its_sister(array: Named, found: Sequence[Named]) -> Named:
    """c_proj.weight, square, kept as c_attn.weight beside it is."""
    sister = any(other.out_in and "c_attn" in other.stored_name for other in found)
    if sister and array.stored_name.endswith("c_proj.weight"):
        return replace(array, out_in=True)
    return array


def _once(found: Sequence[Named]) -> tuple[list[Named], list[str]]:
    """Each name once. AttncliError for two arrays of one name that are not the same."""
    kept: dict[tuple[str, ...], Named] = {}
    notes = []
    for array in found:
        other = kept.setdefault(array.names, array)
        if other is array:
            continue
        both = f"{other.stored_name} and {array.stored_name}"
        first = other.values.T if other.out_in != array.out_in else other.values
        if first.shape != array.values.shape or not np.array_equal(first, array.values):
            name = array.names[0]
            raise AttncliError(
                f"{name} is there twice, as {both}: say which with --map {name}={array.stored_name}"
            )
        notes.append(f"{both} hold the same numbers")
    return list(kept.values()), notes


def name_arrays(contents: Contents, mapping: Mapping[str, str]) -> Found:
    """The arrays under the article's names.

    `mapping`, {"S": "scores"}, goes before all aliases. UsageError for a name in it that does not
    exist; AttncliError if nothing is understood, if one name is there twice, and for arrays that
    are empty or hold no real numbers.
    """
    for name, stored in mapping.items():
        if name not in ARTICLE:
            raise UsageError(f"--map {name}={stored}: {name} is none of {', '.join(ARTICLE)}")
        if stored not in contents.arrays:
            there = ", ".join(list(contents.arrays)[:12])
            raise UsageError(f"--map {name}={stored}: there is no {stored}, but {there}")
    mapped = {stored: name for name, stored in mapping.items()}
    found: list[Named] = []
    unused = []
    for stored, raw in contents.arrays.items():
        arrays = _understood(stored, raw, mapped)
        shadowed = [a for a in arrays if a.names[0] in mapping and stored not in mapped]
        found += [array for array in arrays if array not in shadowed]
        if not arrays or shadowed:
            unused.append(stored)
    if not found:
        there = ", ".join(list(contents.arrays)[:12])
        raise AttncliError(
            f"none of the names {there} is understood: the article's are {', '.join(ARTICLE)}; "
            "--map S=NAME says what yours are"
        )
    once, notes = _once([_like_its_sister(array, found) for array in found])
    return Found(tuple(once), tuple(unused), tuple(notes))
