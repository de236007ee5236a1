"""Files of tensors that are broken, hostile or merely unusual, byte by byte.

`ODD` are valid safetensors files. `BROKEN` and `BROKEN_NPZ` are refused when they are opened,
each with a part of the message.
"""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np


def entry(shape: list[Any], begin: int, end: int, dtype: str = "F32") -> dict[str, Any]:
    """One tensor of a safetensors header."""
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors(header: Any, data: bytes = b"", length: int | None = None) -> bytes:
    """A safetensors file: 8 bytes of header length (the true one by default), header, data."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + data


def f32(*values: float) -> bytes:
    return np.array(values, "<f4").tobytes()


def bf16(values: Any) -> bytes:
    """float32 rounded to bfloat16, nearest even."""
    bits = np.ascontiguousarray(values, "<f4").view("<u4")
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2").tobytes()


def save(path: Path, **arrays: Any) -> Path:
    """A float32 file by this module alone; contiguous whatever the arrays are (cases.md R-23)."""
    header, data = {}, b""
    for name, array in arrays.items():
        values = np.asarray(array, "<f4", order="C")
        header[name] = entry(list(values.shape), len(data), len(data) + values.nbytes)
        data += values.tobytes()
    path.write_bytes(safetensors(header, data))
    return path


def write_index(folder: Path, weight_map: Any) -> Path:
    folder.mkdir(exist_ok=True)
    text = json.dumps({"metadata": {"total_size": 4}, "weight_map": weight_map})
    (folder / "model.safetensors.index.json").write_text(text, encoding="utf-8")
    return folder


def npy(header: str, data: bytes = b"") -> bytes:
    """An array of format 1.0 with any header."""
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def archive(**members: bytes) -> bytes:
    """An .npz of any bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(f"{name}.npy", data)
    return buffer.getvalue()


def torch_zip() -> bytes:
    """The beginning of what torch.save writes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("archive/data.pkl", b"\x80\x02}q\x00.")
    return buffer.getvalue()


ONE = f32(1)
EVIL = "a\x1b]52;c;aGk=\x07b"

ODD = {
    "bf16": safetensors({"w": entry([2, 2], 0, 8, "BF16")}, bf16([1, -2, 0.5, 3.140625])),
    "scalar": safetensors({"w": entry([], 0, 4)}, f32(7)),
    "empty_tensor": safetensors({"e": entry([0, 4], 0, 0), "w": entry([1], 0, 4)}, ONE),
    "no_tensors": safetensors({}),
    "meta_null": safetensors({"__metadata__": None, "w": entry([1], 0, 4)}, ONE),
    "meta_empty": safetensors({"__metadata__": {}, "w": entry([1], 0, 4)}, ONE),
    "padded_header": safetensors(json.dumps({"w": entry([1], 0, 4)}).encode() + b"   ", ONE),
    "unordered": safetensors({"b": entry([1], 4, 8), "w": entry([1], 0, 4)}, f32(1, 2)),
    "evil_names": safetensors({"../../x": entry([1], 0, 4), EVIL: entry([1], 4, 8)}, f32(1, 2)),
}

BROKEN = {
    "zero_bytes": (b"", "zero_bytes.safetensors is empty (0 bytes)"),
    "five_bytes": (b"hello", "damaged"),
    "lfs_pointer": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:%b\nsize 438000000\n"
        % (b"0" * 64),
        "is a Git LFS pointer (134 bytes), not the weights: run git lfs pull",
    ),
    "html": (b"<!DOCTYPE html><html><body>404</body></html>", "html.safetensors is an HTML page"),
    "html_late": (b"\n  <HTML lang=en><body>404</body></html>", "is an HTML page"),
    "answer": (b'{"error":"Repository not found"}', "is a JSON text (32 bytes)"),
    "old_pickle": (b"\x80\x02}q\x00X\x01\x00\x00\x00wq\x01K\x01s.", "is a pickle file, which can"),
    "torch_zip": (torch_zip(), "is a pickle file, which can run code"),
    "gguf": (b"GGUF\x03\x00\x00\x00\x00\x00", "is a GGUF file"),
    "hdf5": (b"\x89HDF\r\n\x1a\n\x00\x00", "is an HDF5 file"),
    "npy": (npy("{}"), "is a single array without a name"),
    "other_zip": (archive(w=b""), "no header begins at byte 8"),
    "truncated": (
        safetensors({"w": entry([4], 0, 16)}, f32(1, 2, 3)),
        "the header describes 16 bytes of data, the file has 12: incomplete download?",
    ),
    "trailing": (
        safetensors({"w": entry([1], 0, 4)}, ONE + b"junk"),
        "the header describes 4 bytes of data, the file has 8: something was appended?",
    ),
    "header_len_huge": (
        safetensors(b"{}", length=2**63 - 1),
        "the header should have 9223372036854775807 bytes, the file has 2",
    ),
    "header_len_past_end": (
        safetensors(b"{}", length=5000),
        "the header should have 5000 bytes, the file has 2: incomplete download?",
    ),
    # the length is 640, which begins as a pickle does: 80 02
    "truncated_header": (
        safetensors(b"{" + b" " * 638, length=640),
        "the header should have 640 bytes, the file has 639",
    ),
    "overlap": (
        safetensors({"a": entry([2], 0, 8), "b": entry([2], 4, 12)}, f32(1, 2, 3)),
        "bytes 4 to 12 of b overlap those of a, which end at 8",
    ),
    "same_range": (
        safetensors({"a": entry([1], 0, 4), "b": entry([1], 0, 4)}, ONE),
        "bytes 0 to 4 of b overlap those of a",
    ),
    "hole": (
        safetensors({"a": entry([1], 0, 4), "b": entry([1], 8, 12)}, f32(1, 2, 3)),
        "bytes 4 to 8, before b, are of no tensor",
    ),
    "shape_lies": (
        safetensors({"w": entry([3, 3], 0, 16)}, f32(1, 2, 3, 4)),
        "w [3, 3] of F32 takes 36 bytes, the header gives it 0 to 16",
    ),
    "shape_overflow": (
        safetensors({"w": entry([2**32, 2**32], 0, 0)}),
        "shape [4294967296, 4294967296] is impossible",
    ),
    "shape_huge_but_empty": (safetensors({"w": entry([0, 2**62], 0, 0)}), "is impossible"),
    "shape_long": (safetensors({"w": entry([2**62] * 100_000, 0, 4)}, ONE), "is impossible"),
    "negative": (safetensors({"w": entry([-1, -1], 0, 4)}, ONE), "no proper dtype, shape"),
    "backwards": (
        safetensors({"w": entry([1], 0, 4), "v": entry([0], 4, 0)}, ONE),
        "the header gives it 4 to 0",
    ),
    "true_length": (safetensors({"w": entry([True], 0, 4)}, ONE), "no proper dtype, shape"),
    "float_length": (safetensors({"w": entry([1.0], 0, 4)}, ONE), "no proper dtype, shape"),
    "no_shape": (safetensors({"w": {"dtype": "F32", "data_offsets": [0, 4]}}, ONE), "no proper"),
    "not_an_entry": (safetensors({"w": 3}), "w has no proper dtype, shape and data_offsets"),
    "unknown_dtype": (safetensors({"w": entry([4], 0, 4, "Q4_0")}, ONE), "unknown number format"),
    "half_a_byte": (
        safetensors({"w": entry([3], 0, 1, "F4")}, b"\0"),
        "the header gives it 0 to 1",
    ),
    "meta_int": (
        safetensors({"__metadata__": {"step": 3}, "w": entry([1], 0, 4)}, ONE),
        "__metadata__ values must be text (key step)",
    ),
    "meta_list": (safetensors({"__metadata__": []}), "__metadata__ must be an object"),
    "twice": (
        safetensors(
            b'{"w":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},'
            b'"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}',
            f32(1, 2),
        ),
        "w stands twice in it",
    ),
    "nested": (safetensors(b'{"w":' + b"[" * 100_000), "nested too deeply"),
    "many_digits": (safetensors(b'{"w":' + b"9" * 5000 + b"}"), "damaged"),
    "not_json": (safetensors(b"{w: 1}"), "damaged"),
    "not_utf8": (safetensors(b'{"\xff": 1}'), "damaged"),
    "lone_surrogate": (safetensors({"\ud800": entry([1], 0, 4)}, ONE), "damaged"),
}

FLOAT_HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s)}"

BROKEN_NPZ = {
    "not_a_zip": (b"some text", "not usable"),
    "html": (b"<!DOCTYPE html><html></html>", "is an HTML page"),
    "empty": (b"", "is empty (0 bytes)"),
    "no_arrays": (archive(), "it holds no arrays"),
    "torch_zip": (torch_zip(), "is a pickle file"),
    "cut_short": (archive(w=npy(FLOAT_HEADER % "1,", ONE))[:-30], "not usable"),
    "shape_lies": (archive(w=npy(FLOAT_HEADER % "2,", ONE)), "w: the archive has 4 bytes for"),
    "shape_overflow": (archive(w=npy(FLOAT_HEADER % "2**40,")), "w: "),
    "shape_huge": (archive(w=npy(FLOAT_HEADER % f"{2**40}, {2**40}")), "is impossible"),
    "negative": (archive(w=npy(FLOAT_HEADER % "-1, -1", ONE)), "is impossible"),
    "not_npy": (archive(w=b"something else"), "w: "),
    "version": (archive(w=npy("{}").replace(b"\x01\x00", b"\x09\x00", 1)), "w: "),
    "nested": (archive(w=npy("(" * 9000)), "w: "),
}
