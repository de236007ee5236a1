"""One .safetensors file: 8 bytes of header length, a JSON header, the bytes of the tensors.

The format and what a reader must refuse: https://github.com/huggingface/safetensors#format.
All checks of the safetensors library are made here, with messages that say what to do, and
the rule that no name stands twice, which the library does not enforce.
"""

import io
import json
import math
from collections import Counter
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

from attncli.errors import AttncliError
from attncli.weights.file_kinds import kind_from_content, open_regular, reporting
from attncli.weights.stored import Stored, TensorFile, check_shape, shorten

MAX_HEADER = 100_000_000  # bytes; the limit of the library
_BITS = {
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8,
    "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "BOOL": 8, "I8": 8, "U8": 8, "I16": 16, "U16": 16,
    "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "I64": 64, "U64": 64, "F64": 64,
    "C64": 64,
}  # fmt: skip


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. ValueError if a name stands twice: which of the two counts is anyone's."""
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"{shorten(twice)} stands twice in it")
    return found


def parse_object(text: bytes) -> dict[str, Any]:
    """A JSON object from UTF-8. ValueError if it is anything else, nested too deeply or twisted."""
    try:
        found = json.loads(text.decode(), object_pairs_hook=_without_duplicates)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object")
    for name in found:
        name.encode()  # a lone surrogate is a UnicodeError, which is a ValueError
    return found


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0  # True is an int to isinstance


def _parse_tensor(name: str, entry: Any) -> tuple[int, int, Stored]:
    """begin, end and form of one tensor of the header. ValueError if they contradict each other.

    Python's integers do not overflow, so that a product of huge lengths is what it is.
    """
    match entry:
        case {"dtype": str(storage), "shape": list(shape), "data_offsets": [begin, end]} if (
            all(map(_is_count, shape)) and _is_count(begin) and _is_count(end)
        ):
            pass
        case _:
            raise ValueError(f"{name} has no proper dtype, shape and data_offsets")
    if storage not in _BITS:
        raise ValueError(f"{name} has the unknown number format {shorten(storage)}")
    check_shape(shape)
    if math.prod(shape) * _BITS[storage] != (end - begin) * 8:
        size = f"{math.prod(shape) * _BITS[storage] // 8} bytes"
        what = f"{name} {shape} of {storage} takes {size}"
        raise ValueError(f"{what}, the header gives it {begin} to {end}")
    return begin, end, Stored(storage, tuple(shape), begin)


def _check_metadata(metadata: Any) -> None:
    """ValueError unless it is absent, null or text by text."""
    if not isinstance(metadata, dict | None):
        raise ValueError("__metadata__ must be an object")
    for key, value in (metadata or {}).items():
        if not isinstance(value, str):
            raise ValueError(f"__metadata__ values must be text (key {shorten(key)})")


def _check_cover(ranges: list[tuple[int, int, str]], data_size: int) -> None:
    """ValueError unless the ranges (begin, end, name) cover all the data once, in some order."""
    covered, before = 0, ""
    for begin, end, name in sorted(ranges):
        if begin < covered:
            where = f"bytes {begin} to {end} of {shorten(name)}"
            raise ValueError(f"{where} overlap those of {shorten(before)}, which end at {covered}")
        if begin > covered:
            raise ValueError(
                f"bytes {covered} to {begin}, before {shorten(name)}, are of no tensor"
            )
        covered, before = end, name
    if covered != data_size:
        sizes = f"the header describes {covered} bytes of data, the file has {data_size}"
        cause = "incomplete download" if data_size < covered else "something was appended"
        raise ValueError(f"{sizes}: {cause}?")


def _parse_header(text: bytes, data_size: int) -> dict[str, Stored]:
    """The tensors by name, offsets from the end of the header. ValueError names what is wrong.

    The tensors must cover the `data_size` bytes after the header exactly, in some order.
    """
    header = parse_object(text)
    _check_metadata(header.pop("__metadata__", None))
    tensors, ranges = {}, []
    for name, entry in header.items():
        begin, end, tensors[name] = _parse_tensor(shorten(name), entry)
        ranges.append((begin, end, name))
    _check_cover(ranges, data_size)
    return tensors


def _read_tensors(file: io.FileIO) -> dict[str, Stored]:
    """The tensors of a file, offsets from its start. ValueError names what is wrong.

    No more than the header is read, and that only after its length has been checked.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    start = file.read(9)
    length, available = int.from_bytes(start[:8], "little"), size - 8
    if start[8:] != b"{":
        raise ValueError("no header begins at byte 8")
    if length > available:
        needs = f"the header should have {length} bytes, the file has {available}"
        raise ValueError(f"{needs}: incomplete download?")
    if length > MAX_HEADER:
        sizes = f"{length / 1e6:.0f} MB, the limit is {MAX_HEADER / 1e6:g} MB"
        raise ValueError(f"the header is {sizes}")
    file.seek(8)
    header = _parse_header(file.read(length), available - length)
    return {
        name: Stored(tensor.storage, tensor.shape, tensor.offset + 8 + length)
        for name, tensor in header.items()
    }


def open_safetensors(path: Path) -> TensorFile:
    """Open one file; only its header is read. AttncliError says what the file is or lacks."""
    with reporting(path), ExitStack() as opened:
        file = opened.enter_context(open_regular(path))
        try:
            tensors = _read_tensors(file)
        except ValueError as error:
            what = kind_from_content(file) or f"damaged (download or save it again): {error}"
            raise AttncliError(f"{path.name} is {what}") from None
        return TensorFile(path.name, tensors, lambda _: nullcontext(file), opened.pop_all().close)
