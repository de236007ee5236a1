"""A folder of weights: model.safetensors, or the parts that model.safetensors.index.json lists.

The index (https://huggingface.co/docs/safetensors/en/index, written by transformers) holds
weight_map, tensor name -> file name. The parts are mapped into memory.
"""

import os
import re
from pathlib import Path

from attncli.errors import AttncliError
from attncli.files import inside, read_object, reporting
from attncli.text.printable import quoted
from attncli.weights.file_kinds import KIND_OF_SUFFIX, PICKLE
from attncli.weights.safetensors_file import open_safetensors
from attncli.weights.stored import Stored

_SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
_PART = re.compile(r".+-\d+-of-\d+\.safetensors")
_NAME_MAX = 255  # characters, of any file system
_LIMIT = 30_000_000  # bytes; the largest published, with 100,000 names, has 10 MB


def _is_plain(name: object) -> bool:
    """A file name that stays in its folder on any system and ends in .safetensors."""
    return (
        isinstance(name, str)
        and name.endswith(".safetensors")
        and len(name) <= _NAME_MAX
        and name.isprintable()
        and not set(name) & set("/\\:")
    )


def read_index(path: Path) -> dict[str, str]:
    """weight_map: tensor -> part. AttncliError if a part is not a plain name in this folder."""
    parts = read_object(path, limit=_LIMIT).get("weight_map")
    if not isinstance(parts, dict):
        raise AttncliError(
            "{file} has no weight_map of tensors to files: download it again",
            file=quoted(path.name),
        )
    for part in parts.values():
        if not _is_plain(part):
            raise AttncliError(
                "the index names a file outside the model directory: '{part}' (only plain names "
                "ending in .safetensors are accepted)",
                part=quoted(part),
            )
    return parts


def _open_parts(folder: Path, parts: dict[str, str]) -> dict[str, Stored]:
    """The tensors of all parts. AttncliError: a part is missing, or is without its tensor."""
    opened: dict[str, dict[str, Stored]] = {}
    for name, part in parts.items():
        if part not in opened:
            path = inside(folder, part)
            if not os.path.lexists(path):
                raise AttncliError(
                    "part {part} is missing: {index} lists it for {name}; put it into {folder}",
                    part=quoted(part),
                    index=INDEX,
                    name=quoted(name),
                    folder=quoted(folder),
                )
            opened[part] = open_safetensors(path)
        if name not in opened[part]:
            raise AttncliError(
                "{name} is listed for {part}, but that file does not contain it: {index} and the "
                "parts are of different checkpoints; download both again",
                name=quoted(name),
                part=quoted(part),
                index=INDEX,
            )
    return {name: opened[part][name] for name, part in parts.items()}


def listed_parts(folder: Path) -> set[str]:
    """The files that the index of a folder lists; none without an index."""
    if not os.path.lexists(folder / INDEX):
        return set()
    return set(read_index(inside(folder, INDEX)).values())


def _no_weights(folder: Path, names: list[str]) -> AttncliError:
    """The error for a folder without weights under the usual names: what it has instead."""
    ours = [name for name in names if name.endswith(".safetensors")]
    if any(name.startswith("adapter_") for name in ours):
        return AttncliError(
            "{folder} has an adapter and not the model that it was made for: merge it into its "
            "base first (merge_and_unload of the library peft), and give that folder",
            folder=quoted(folder),
        )
    if any(_PART.fullmatch(name) for name in ours):
        return AttncliError(
            "{folder} has parts of a model, but no {index}, which lists them: download it into the "
            "same folder",
            folder=quoted(folder),
            index=INDEX,
        )
    if ours:
        named = min(ours, key=lambda name: "model" not in name)
        return AttncliError(
            "{folder} has no {single}: give the file, {file}",
            folder=quoted(folder),
            single=_SINGLE,
            file=quoted(folder / named),
        )
    kinds = {name: KIND_OF_SUFFIX.get(Path(name).suffix.lower()) for name in names}
    foreign = [name for name, kind in kinds.items() if kind]
    # optimizer.pt and training_args.bin often lie next to pytorch_model.bin
    name = min(foreign, key=lambda name: ("model" not in name, kinds[name] != PICKLE), default=None)
    if name:
        return AttncliError("{name} is {kind}", name=quoted(name), kind=kinds[name])
    return AttncliError(
        "{folder} has no weights: {single}, or {index} with its parts, is needed",
        folder=quoted(folder),
        single=_SINGLE,
        index=INDEX,
    )


def _names(folder: Path) -> list[str]:
    with reporting(folder):
        return sorted(path.name for path in folder.iterdir())


def weight_files(place: Path) -> tuple[str, tuple[str, ...]]:
    """The file that is read of a folder, and the other files of weights there, which are not.

    Of a file, itself alone. Raises AttncliError for a folder without weights.
    """
    if not place.is_dir():
        return place.name, ()
    names = _names(place)
    read = next((name for name in (_SINGLE, INDEX) if name in names), None)
    if read is None:
        raise _no_weights(place, names)
    own = {read} if read == _SINGLE else {read, *listed_parts(place)}
    others = (name for name in names if name not in own)
    return read, tuple(filter(_is_model, others))


def _is_model(name: str) -> bool:
    suffix = Path(name).suffix.lower()
    return (
        name == INDEX or suffix == ".safetensors" or (suffix in KIND_OF_SUFFIX and "model" in name)
    )


def open_folder(folder: Path) -> dict[str, Stored]:
    """The tensors of a folder; where both forms are there, those of the single file."""
    read, _ = weight_files(folder)
    if read == _SINGLE:
        return open_safetensors(inside(folder, _SINGLE))
    return _open_parts(folder, read_index(inside(folder, INDEX)))
