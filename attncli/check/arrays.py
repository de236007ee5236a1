"""The user's arrays under the article's names, as numbers to compute with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from attncli.check.names import ALIASES, ARTICLE, PACKED, is_out_in, short_name
from attncli.check.reading import NO_ARRAY, FileContents, StoredArray
from attncli.errors import AttncliError, UsageError
from attncli.language import Phrase
from attncli.text.printable import quoted


@dataclass(frozen=True)
class Found:
    """The arrays that are understood, and the names of the others."""

    arrays: tuple[StoredArray, ...]
    unused: tuple[str, ...]
    notes: tuple[str, ...] = ()


_KINDS = {
    "O": Phrase("Python objects"),
    "c": Phrase("complex numbers"),
    "U": Phrase("text"),
    "S": Phrase("bytes"),
    "V": Phrase("records or raw bytes (numpy saves bfloat16 and float8 as such)"),
}


def _numbers(name: str, raw: StoredArray) -> StoredArray:
    """An array to compute with: in this machine's byte order, and float64 at most.

    AttncliError for an array that is empty or holds no real numbers.
    """
    values = raw.values
    if raw.dtype == NO_ARRAY:
        raise AttncliError(
            "{name} is no array: lists of numbers, all of one length, are needed", name=quoted(name)
        )
    if values.dtype.kind not in "fiub":
        what = _KINDS.get(values.dtype.kind, raw.dtype)
        raise AttncliError(
            "{name} holds {kind}: real numbers are needed, such as float32",
            name=quoted(name),
            kind=what,
        )
    if values.size == 0:
        raise AttncliError(
            "{name} is empty: its shape is {shape}", name=quoted(name), shape=values.shape
        )
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:  # numpy's longdouble
        return StoredArray(values.astype(np.float64), "float64")
    return StoredArray(values.astype(values.dtype.newbyteorder("="), copy=False), raw.dtype)


def _unpacked(stored: str, raw: StoredArray, kind: str) -> list[StoredArray]:
    """W_Q, W_K, W_V (or the b's) out of one array that holds them side by side."""
    values = raw.values
    if kind == "W columns" and values.ndim > 1 and values.shape[0] == 3 * values.shape[-1]:
        kind = "W"  # GPT's name, but an nn.Linear's shape
    out_in = kind == "W"
    axis = values.ndim - 1 if kind == "W columns" else 0
    if values.ndim == 0 or values.shape[axis] % 3:
        raise AttncliError(
            "{name} has the shape {shape}: Q, K and V side by side need an axis {axis} that 3 "
            "divides",
            name=quoted(stored),
            shape=values.shape,
            axis=max(axis, 0),
        )
    parts = np.split(values, 3, axis)
    return [
        StoredArray(part, raw.dtype, f"{stored}[{i}]", (f"{kind[0]}_{letter}",), out_in)
        for i, (letter, part) in enumerate(zip("QKV", parts, strict=True))
    ]


def _understood(stored: str, raw: StoredArray, mapped: Sequence[str]) -> list[StoredArray]:
    """What an array is by its name, or what it is `mapped` to, perhaps several times."""
    names: list[tuple[str, ...]]
    if mapped:
        names = [(name,) for name in mapped]
    elif (short := short_name(stored)) is None:
        return []
    elif short in PACKED:
        return _unpacked(stored, _numbers(stored, raw), PACKED[short])
    else:
        names = [ALIASES[short]]
    raw = _numbers(stored, raw)
    out_in = is_out_in(stored)
    return [
        replace(raw, stored_name=stored, names=each, out_in=each[0][0] == "W" and out_in)
        for each in names
    ]


def _like_its_sister(array: StoredArray, found: Sequence[StoredArray]) -> StoredArray:
    """c_proj.weight, square, kept as c_attn.weight beside it is."""
    sister = any(other.out_in and "c_attn" in other.stored_name for other in found)
    if sister and array.stored_name.endswith("c_proj.weight"):
        return replace(array, out_in=True)
    return array


def _once(
    found: Sequence[StoredArray], stored: Iterable[str]
) -> tuple[list[StoredArray], list[str]]:
    """Each name once. AttncliError for two arrays of one name that are not the same."""
    kept: dict[tuple[str, ...], StoredArray] = {}
    notes = []
    for array in found:
        other = kept.setdefault(array.names, array)
        if other is array:
            continue
        both = f"{quoted(other.stored_name)} and {quoted(array.stored_name)}"
        first = other.values.T if other.out_in != array.out_in else other.values
        if not np.array_equal(first, array.values, equal_nan=True):
            name = array.names[0]
            own = next((a.stored_name for a in (array, other) if a.stored_name in stored), None)
            raise AttncliError(
                "{name} is there twice, as {first} and {second}: say which with `mapping` "
                "{name}={own}"
                if own
                else "{name} is there twice, as {first} and {second}: keep one of them",
                name=name,
                first=quoted(other.stored_name),
                second=quoted(array.stored_name),
                own=quoted(own),
            )
        notes.append(f"{both} hold the same numbers")
    return list(kept.values()), notes


def _check_mapping(mapping: Mapping[str, str], stored: Iterable[str]) -> None:
    for name, own in mapping.items():
        facts = {"name": quoted(name), "own": quoted(own), "article": ", ".join(ARTICLE)}
        if name not in ARTICLE:
            raise UsageError("`mapping` {name}={own}: {name} is none of {article}", **facts)
        if own not in stored:
            there = ", ".join(map(quoted, list(stored)[:12]))
            raise UsageError(
                "`mapping` {name}={own}: there is no {own}, but {there}", **facts, there=there
            )


def name_arrays(contents: FileContents, mapping: Mapping[str, str]) -> Found:
    """The arrays under the article's names.

    `mapping`, {"S": "scores"}, goes before all aliases; one array may have several names in it.
    UsageError for a name in it that does not exist; AttncliError if nothing is understood, if one
    name is there twice, and for arrays that are empty or hold no real numbers.
    """
    _check_mapping(mapping, contents.arrays)
    found: list[StoredArray] = []
    unused = []
    for stored, raw in contents.arrays.items():
        mapped = [name for name, own in mapping.items() if own == stored]
        arrays = _understood(stored, raw, mapped)
        kept = [array for array in arrays if mapped or array.names[0] not in mapping]
        found += kept
        if len(kept) < len(arrays) or not arrays:
            unused.append(stored)
    if not found:
        there = ", ".join(map(quoted, list(contents.arrays)[:12]))
        raise AttncliError(
            "none of the names {there} is understood: the article's are {article}; `mapping` "
            "S=NAME says what yours are",
            there=there,
            article=", ".join(ARTICLE),
        )
    once, notes = _once([_like_its_sister(array, found) for array in found], contents.arrays)
    return Found(tuple(once), tuple(unused), tuple(notes))
