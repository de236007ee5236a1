"""What is in the user's files: arrays under their stored names, and what else the files say."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from attncli.errors import AttncliError
from attncli.files import open_regular, read_json, reporting
from attncli.language import Phrase
from attncli.text.printable import quoted, reason_of
from attncli.weights.file_kinds import KIND_OF_SUFFIX, kind_from_content
from attncli.weights.safetensors_file import open_safetensors
from attncli.weights.stored import widen_bfloat16

Values = npt.NDArray[Any]

NO_ARRAY = "no array"  # the dtype of a list that is none
_LARGEST_JSON = 300_000_000  # bytes
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
_OF_HEADS = ("Q", "K", "V", "S", "A", "Z")


@dataclass(frozen=True, eq=False)  # one array is another only if it is the same one
class StoredArray:
    """One array as it is stored. bfloat16 is widened to float32, which is exact."""

    values: Values
    dtype: str  # float32, bfloat16, bool, ...; json for a list of decimals
    stored_name: str = ""
    names: tuple[str, ...] = ()  # the article's; several where the shape has to decide
    out_in: bool = False  # a parameter kept (out, in), as nn.Linear does


@dataclass(frozen=True)
class FileContents:
    """All arrays by their stored names, and what a file says beside them."""

    arrays: Mapping[str, StoredArray]
    scale: float | None = None
    causal: bool | None = None
    softcap: float | None = None


def _read_npy(path: Path) -> dict[str, StoredArray]:
    with open_regular(path), reporting(path):
        try:
            values = np.lib.format.open_memmap(path, mode="r")
        except OSError:
            raise
        except Exception as error:  # numpy parses Python source here: SyntaxError, TypeError, ...
            if kind := _other_kind(path):
                raise AttncliError("{name} is {kind}", name=quoted(path), kind=kind) from None
            raise AttncliError(
                "{path} is damaged ({reason}): save an array of numbers with numpy.save",
                path=quoted(path),
                reason=Phrase("it holds Python objects, which are never unpickled")
                if "Python objects" in str(error)
                else reason_of(error),
            ) from None
    return {path.stem: StoredArray(values, values.dtype.name)}


def _other_kind(path: Path) -> Phrase | None:
    """What a file called .npy is that is none."""
    with path.open("rb") as file:
        start = file.read(8)
    if start.startswith(b"PK"):
        return Phrase("an archive of arrays: name it .npz")
    return None if start.startswith(b"\x93NUMPY") else kind_from_content(path)


def _read_npz(path: Path) -> dict[str, StoredArray]:
    from attncli.weights.npz_file import open_npz  # zipfile takes 10 ms to import

    read = ((name, tensor.values) for name, tensor in open_npz(path).items())
    return {name: StoredArray(values, values.dtype.name) for name, values in read}


def _read_safetensors(path: Path) -> dict[str, StoredArray]:
    found = {}
    for name, tensor in open_safetensors(path).items():
        if tensor.storage == "BF16":
            found[name] = StoredArray(widen_bfloat16(tensor.values), "bfloat16")
        elif tensor.storage in _FLOATS:
            found[name] = StoredArray(tensor.values, _FLOATS[tensor.storage])
        elif tensor.storage in _INTEGERS:
            values = tensor.values.view(_INTEGERS[tensor.storage]).reshape(tensor.shape)
            found[name] = StoredArray(values, values.dtype.name)
        else:
            raise AttncliError(
                "{name} in {file} is {storage}: save it as float32 or float16",
                name=quoted(name),
                file=quoted(path.name),
                storage=quoted(tensor.storage),
            )
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _array(value: list[Any]) -> StoredArray:
    """A list of decimals; null, which JSON has for -inf, is a masked score.

    A list of anything else is no error yet: it may be a list of tokens beside the arrays.
    """
    try:
        found = np.array(value)
        if found.dtype.kind == "O":  # null, or whole numbers of many digits
            if not all(each is None or _is_number(each) for each in found.flat):
                raise TypeError
            numbers = [-math.inf if each is None else float(each) for each in found.flat]
            found = np.array(numbers).reshape(found.shape)
        if found.dtype.kind == "b":
            return StoredArray(found, "bool")
        if found.dtype.kind not in "fiu":
            raise TypeError
        return StoredArray(found.astype(np.float64), "json")
    except (ValueError, TypeError, OverflowError, RecursionError):
        return StoredArray(np.array(None), NO_ARRAY)


def _read_json(path: Path) -> FileContents:
    document = read_json(path, limit=_LARGEST_JSON)
    if not isinstance(document, dict):
        raise AttncliError(
            '{file} holds no arrays by name: an object is needed, {{"S": [[...]], "A": [[...]]}}',
            file=quoted(path.name),
        )
    facts: dict[str, Any] = {}
    if str(document.get("schema", "")).startswith("attncli.attention/"):
        facts = _facts_of_export(path, document)
        document = _arrays_of_export(path, document)
    lists = {k: v for k, v in document.items() if isinstance(v, list)}
    return FileContents({k: _array(v) for k, v in lists.items()}, **facts)


def _no_export(path: Path, what: Phrase) -> AttncliError:
    return AttncliError(
        "{file} is an export of attncli that was cut or edited: {what}; export it again",
        file=quoted(path.name),
        what=what,
    )


def _facts_of_export(path: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """What an export says beside its arrays. AttncliError for values of another kind."""
    facts = {name: document.get(name) for name in ("scale", "causal", "softcap")}
    for name in ("scale", "softcap"):
        value = facts[name]
        if value is None:
            continue
        if isinstance(value, bool) or not _is_number(value) or not 0 < value < math.inf:
            said = {"name": name, "value": quoted(repr(value))}
            raise _no_export(path, Phrase("{name} is {value}, not a number above 0", said))
    if not (facts["causal"] is None or isinstance(facts["causal"], bool)):
        said = {"name": "causal", "value": quoted(repr(facts["causal"]))}
        raise _no_export(path, Phrase("{name} is {value}, not true or false", said))
    return facts


def _arrays_of_export(path: Path, document: Mapping[str, Any]) -> dict[str, Any]:
    """The arrays of `attncli export` (docs/json.md), its heads put together."""
    arrays = {name: document[name] for name in ("X", "Z_cat", "Y") if document.get(name)}
    heads = document.get("heads") or []
    if not isinstance(heads, list) or not all(isinstance(head, dict) for head in heads):
        raise _no_export(path, Phrase("heads is no list of objects"))
    for name in _OF_HEADS:
        of_heads = [head[name] for head in heads if name in head]
        if of_heads and len(of_heads) < len(heads):
            raise _no_export(
                path, Phrase("some heads have {name}, others have not", {"name": name})
            )
        if of_heads:
            arrays[name] = of_heads
    if document.get("attention_mask"):
        arrays["attention_mask"] = document["attention_mask"]
    model = document.get("model")
    count = model.get("n_heads") if isinstance(model, dict) else None
    if not isinstance(count, int):
        raise _no_export(path, Phrase("model has no n_heads"))
    if len(heads) < count:  # the others' part of Y is not there
        arrays = {k: v for k, v in arrays.items() if k not in ("Z_cat", "Y")}
    return arrays


def _read_file(path: Path) -> FileContents:
    suffix = path.suffix.lower()
    if suffix == ".json":
        return _read_json(path)
    readers = {".npz": _read_npz, ".npy": _read_npy, ".safetensors": _read_safetensors}
    if suffix not in readers:
        raise AttncliError(
            "{file} is {kind}: give .npz, .safetensors, .json, or a folder of .npy",
            file=quoted(path.name),
            kind=KIND_OF_SUFFIX.get(suffix, Phrase("no file of arrays")),
        )
    return FileContents(readers[suffix](path))


def _files(path: Path) -> list[Path]:
    with reporting(path):
        if not path.is_dir():
            return [path]
        files = sorted(path.glob("*.npy"))
    if not files:
        raise AttncliError(
            "{path} has no .npy files: a folder of arrays saved by numpy.save is needed",
            path=quoted(path),
        )
    return files


def read_files(paths: Sequence[Path]) -> FileContents:
    """The arrays of all files together.

    AttncliError for what cannot be read and for one name in two files.
    """
    arrays: dict[str, StoredArray] = {}
    facts: dict[str, Any] = {}
    for file in (file for path in paths for file in _files(path)):
        contents = _read_file(file)
        if twice := sorted(arrays.keys() & contents.arrays.keys()):
            raise AttncliError(
                "{name} is in two of the files: give each array once", name=quoted(twice[0])
            )
        arrays |= contents.arrays
        said = {name: getattr(contents, name) for name in ("scale", "causal", "softcap")}
        facts |= {name: value for name, value in said.items() if value is not None}
    if not arrays:
        raise AttncliError("the files hold no arrays: save X, W_Q, ..., S, A, Z, Y by their names")
    return FileContents(arrays, **facts)
