"""One .safetensors file: 8 bytes of header length, a JSON header, the bytes of the tensors.

The safetensors library checks the file (https://github.com/huggingface/safetensors#format); then
its header can be trusted, and numpy maps it into memory. The library's own way to the values
takes twice the time, and numpy alone gives it no bfloat16.
"""

import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from attncli.errors import AttncliError
from attncli.files import check_regular, open_regular, parse_json, reporting
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.weights.file_kinds import kind_from_content
from attncli.weights.stored import FLOATS, Stored


def _read_header(path: Path) -> tuple[int, dict[str, Any]]:
    """Where the data begin; the tensors by name (dtype, shape, data_offsets).

    AttncliError for a name that is there twice, of which the library takes one.
    """
    with open_regular(path) as file:
        length = int.from_bytes(file.read(8), "little")
        header = parse_json(
            file.read(length), Phrase("the header of {file}", {"file": quoted(path.name)})
        )
    header.pop("__metadata__", None)
    return 8 + length, header


def _own(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values


def _map(path: Path) -> dict[str, Stored]:
    """The tensors of a file that the library has checked. ValueError: not a shape for numpy."""
    start, header = _read_header(path)
    data = np.asarray(np.memmap(path, np.uint8, "r"))[start:]
    tensors = {}
    for name, entry in header.items():
        storage, shape, (begin, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
        values = data[begin:end]
        if storage in FLOATS:
            values = values.view(FLOATS[storage]).reshape(shape)
        tensors[name] = Stored(storage, tuple(shape), partial(_own, values))
    return tensors


def _problem(path: Path, sentence: str) -> Phrase | str:
    """What the library says; of a file that is cut short or too long, both sizes."""
    found = path.stat().st_size
    if re.search("header ?length", sentence, re.IGNORECASE):  # InvalidHeaderLength before 0.6
        with open_regular(path) as file:
            expected = 8 + int.from_bytes(file.read(8), "little")
    elif re.search("incomplete ?(metadata|buffer)", sentence, re.IGNORECASE):  # a right header
        start, header = _read_header(path)
        expected = start + max((entry["data_offsets"][1] for entry in header.values()), default=0)
    else:
        if "offset" in sentence:
            _read_header(path)  # of a name that is there twice, which explains it
        return quoted(sentence.removeprefix("Error while deserializing header: "))
    return Phrase(
        "the header describes {expected} bytes, the file has {found}: incomplete download?"
        if found < expected
        else "the header describes {expected} bytes, the file has {found}: something was appended?",
        {"expected": expected, "found": found},
    )


def open_safetensors(path: Path) -> dict[str, Stored]:
    """The tensors of one file. AttncliError says what the file is or lacks."""
    check_regular(path)
    with reporting(path):
        try:
            with safe_open(path, framework="numpy"):
                return _map(path)
        except (SafetensorError, ValueError) as error:
            if kind := kind_from_content(path):
                raise AttncliError("{name} is {kind}", name=quoted(path), kind=kind) from None
            raise AttncliError(
                "{path} is damaged (download or save it again): {reason}",
                path=quoted(path),
                reason=_problem(path, str(error)),
            ) from None
