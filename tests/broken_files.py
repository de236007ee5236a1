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
    "no_bytes": safetensors({"e": entry([0, 4], 0, 0), "n": entry([0], 0, 0, "BF16")}),
    "meta_null": safetensors({"__metadata__": None, "w": entry([1], 0, 4)}, ONE),
    "meta_empty": safetensors({"__metadata__": {}, "w": entry([1], 0, 4)}, ONE),
    "padded_header": safetensors(json.dumps({"w": entry([1], 0, 4)}).encode() + b"   ", ONE),
    "unordered": safetensors({"b": entry([1], 4, 8), "w": entry([1], 0, 4)}, f32(1, 2)),
    "evil_names": safetensors({"../../x": entry([1], 0, 4), EVIL: entry([1], 4, 8)}, f32(1, 2)),
}

BROKEN = {
    "zero_bytes": (b"", "is empty (0 bytes)"),
    "five_bytes": (b"hello", "is damaged (download or save it again): "),
    "lfs_pointer": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:%b\nsize 438000000\n"
        % (b"0" * 64),
        "is a Git LFS pointer, not the file itself: run git lfs pull",
    ),
    "html": (b"<!DOCTYPE html><html><body>404</body></html>", "is an HTML page"),
    "html_late": (b"\xef\xbb\xbf\n  <HTML lang=en><body>404</body></html>", "is an HTML page"),
    "answer": (b'{"error":"Repository not found"}', "is JSON, a server's answer perhaps"),
    "old_pickle": (b"\x80\x02}q\x00X\x01\x00\x00\x00wq\x01K\x01s.", "is a pickle file, which can"),
    "torch_zip": (torch_zip(), "is a pickle file, which can run code"),
    "gguf": (b"GGUF\x03\x00\x00\x00\x00\x00", "is in GGUF format"),
    "hdf5": (b"\x89HDF\r\n\x1a\n\x00\x00", "is in HDF5 (Keras) format"),
    "npy": (npy("{}"), "is a single array without a name"),
    "other_zip": (archive(w=b""), "is damaged"),
    "truncated": (
        safetensors({"w": entry([4], 0, 16)}, f32(1, 2, 3)),
        "the header describes 86 bytes, the file has 82: incomplete download?",
    ),
    "trailing": (
        safetensors({"w": entry([1], 0, 4)}, ONE + b"junk"),
        "the header describes 73 bytes, the file has 77: something was appended?",
    ),
    "header_len_past_end": (
        safetensors(b"{}", length=5000),
        "the header describes 5008 bytes, the file has 10: incomplete download?",
    ),
    # the length is 640, which begins as a pickle does: 80 02
    "truncated_header": (
        safetensors(b"{" + b" " * 638, length=640),
        "the header describes 648 bytes, the file has 647: incomplete download?",
    ),
    "header_len_huge": (safetensors(b"{}", length=2**63 - 1), "is damaged"),
    "overlap": (
        safetensors({"a": entry([2], 0, 8), "b" * 9999: entry([2], 4, 12)}, f32(1, 2, 3)),
        "is damaged",
    ),
    "hole": (
        safetensors({"a": entry([1], 0, 4), "b": entry([1], 8, 12)}, f32(1, 2, 3)),
        "is damaged",
    ),
    "shape_lies": (safetensors({"w": entry([3, 3], 0, 16)}, f32(1, 2, 3, 4)), "is damaged"),
    "shape_overflow": (safetensors({"w": entry([2**32, 2**32], 0, 0)}), "is damaged"),
    "negative": (safetensors({"w": entry([-1, -1], 0, 4)}, ONE), "is damaged"),
    "unknown_dtype": (safetensors({"w": entry([4], 0, 4, "Q4_0")}, ONE), "is damaged"),
    "meta_int": (safetensors({"__metadata__": {"step": 3}}), "is damaged"),
    "nested": (safetensors(b'{"w":' + b"[" * 100_000), "is damaged"),
    # valid for the library, but no array of numpy has such a shape
    "shape_huge_but_empty": (safetensors({"w": entry([0, 2**62], 0, 0)}), "is damaged"),
    "many_axes": (safetensors({"w": entry([1] * 70, 0, 4)}, ONE), "is damaged"),
    "not_utf8": (safetensors(b'{"\xff": 1}'), "is damaged"),
}

FLOAT_HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (%s)}"

BROKEN_NPZ = {
    "not_a_zip": (b"some text", "not usable"),
    "html": (b"<!DOCTYPE html><html></html>", "is an HTML page"),
    "empty": (b"", "is empty (0 bytes)"),
    "no_arrays": (archive(), "it holds no arrays"),
    "torch_zip": (torch_zip(), "is a pickle file"),
    "cut_short": (archive(w=npy(FLOAT_HEADER % "1,", ONE))[:-30], "not usable"),
    "shape_lies": (archive(w=npy(FLOAT_HEADER % "2,", ONE)), "w: "),
    "shape_overflow": (archive(w=npy(FLOAT_HEADER % "2**40,")), "w: "),
    "shape_huge": (archive(w=npy(FLOAT_HEADER % f"{2**40}, {2**40}")), "w: "),
    "negative": (archive(w=npy(FLOAT_HEADER % "-1, -1", ONE)), "w: "),
    "not_npy": (archive(w=b"something else"), "w: "),
    "version": (archive(w=npy("{}").replace(b"\x01\x00", b"\x09\x00", 1)), "w: "),
    "nested": (archive(w=npy("(" * 9000)), "w: "),
    "long_header": (archive(w=npy("(" * 20_000)), "w: "),
}
