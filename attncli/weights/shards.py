"""A folder of weights: model.safetensors, or the parts that model.safetensors.index.json lists.

The index (https://huggingface.co/docs/safetensors/en/index, written by transformers) holds
weight_map, tensor name -> file name. The parts are mapped into memory.
"""

import os
from pathlib import Path

from attncli.errors import AttncliError
from attncli.files import inside, read_object, reporting
from attncli.weights.file_kinds import KIND_OF_SUFFIX, PICKLE
from attncli.weights.safetensors_file import open_safetensors
from attncli.weights.stored import Stored

_SINGLE = "model.safetensors"
_INDEX = "model.safetensors.index.json"
_INDEX_LIMIT = 30_000_000  # bytes; the largest published, with 100,000 names, has 10 MB


def _is_plain(name: object) -> bool:
    """A file name that stays in its folder on any system and ends in .safetensors."""
    return (
        isinstance(name, str)
        and name.endswith(".safetensors")
        and name.isprintable()
        and not set(name) & set("/\\:")
    )


def read_index(path: Path) -> dict[str, str]:
    """weight_map: tensor -> part. AttncliError if a part is not a plain name in this folder."""
    parts = read_object(path, limit=_INDEX_LIMIT).get("weight_map")
    if not isinstance(parts, dict):
        raise AttncliError(f"{path.name} has no weight_map of tensors to files: download it again")
    for part in parts.values():
        if not _is_plain(part):
            raise AttncliError(
                f"the index names a file outside the model directory: '{str(part)[:200]}' "
                "(only plain names ending in .safetensors are accepted)"
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
                    f"part {part} is missing: {_INDEX} lists it for {name}; put it into {folder}"
                )
            opened[part] = open_safetensors(path)
        if name not in opened[part]:
            raise AttncliError(
                f"{name} is listed for {part}, but that file does not contain it: "
                f"{_INDEX} and the parts are of different checkpoints; download both again"
            )
    return {name: opened[part][name] for name, part in parts.items()}


def _no_weights(folder: Path, names: list[str]) -> AttncliError:
    """The error for a folder without safetensors under the usual name: what it has instead."""
    ours = [name for name in names if name.endswith((".safetensors", ".npz"))]
    if ours:
        return AttncliError(f"{folder} has no {_SINGLE}; it has {ours[0]}: give the path of a file")
    kinds = {name: KIND_OF_SUFFIX.get(Path(name).suffix.lower()) for name in names}
    foreign = [name for name, kind in kinds.items() if kind]
    # optimizer.pt and training_args.bin often lie beside pytorch_model.bin
    name = min(foreign, key=lambda name: ("model" not in name, kinds[name] != PICKLE), default=None)
    if name:
        return AttncliError(f"{name} is {kinds[name]}")
    return AttncliError(
        f"{folder} has no weights: {_SINGLE}, or {_INDEX} with its parts, is needed"
    )


def open_folder(folder: Path) -> dict[str, Stored]:
    """The tensors of a folder; where both forms are there, those of the single file."""
    with reporting(folder):
        names = sorted(path.name for path in folder.iterdir())
    if _SINGLE in names:
        return open_safetensors(inside(folder, _SINGLE))
    if _INDEX in names:
        return _open_parts(folder, read_index(inside(folder, _INDEX)))
    raise _no_weights(folder, names)
