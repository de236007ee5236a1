"""A folder of weights: model.safetensors, or the parts that model.safetensors.index.json lists.

The index (https://huggingface.co/docs/safetensors/en/index, written by transformers) holds
weight_map, tensor name -> file name. Parts are opened when one of their tensors is asked for.

Links: in a folder of the user's choice a file of weights may be a link, but it has to end in
this folder or, as in the cache of the Hub, in the `blobs` beside the `snapshots` that the folder
lies in. A downloaded folder cannot make attncli read elsewhere. A file that the user names
is followed wherever it leads.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attncli.attention import Array
from attncli.errors import AttncliError
from attncli.weights.file_kinds import KIND_OF_SUFFIX, PICKLE, open_regular, reporting
from attncli.weights.safetensors_file import MAX_HEADER, open_safetensors, parse_object
from attncli.weights.stored import TensorFile, missing, shorten

_SINGLE = "model.safetensors"
_INDEX = "model.safetensors.index.json"


def _inside(folder: Path, name: str) -> Path:
    """The path of a file of this folder. AttncliError if it is a link that leads elsewhere."""
    home, target = Path(os.path.realpath(folder)), Path(os.path.realpath(folder / name))
    blobs = [parent.parent / "blobs" for parent in home.parents if parent.name == "snapshots"]
    if not any(target.is_relative_to(allowed) for allowed in [home, *blobs]):
        raise AttncliError(
            f"{folder / name} is a link that leaves the folder, to {target}: "
            "give that path itself if you trust it"
        )
    return folder / name


def _is_plain(name: object) -> bool:
    """A file name that stays in its folder on any system and ends in .safetensors."""
    return (
        isinstance(name, str)
        and name.endswith(".safetensors")
        and name.isprintable()
        and not set(name) & set("/\\:")
    )


def _read_index(path: Path) -> dict[str, str]:
    """weight_map: tensor -> part. AttncliError if a part is not a plain name in this folder."""
    with open_regular(path) as file, reporting(path):
        text = file.read(MAX_HEADER + 1)
    try:
        if len(text) > MAX_HEADER:
            raise ValueError(f"it is larger than {MAX_HEADER / 1e6:g} MB")
        parts = parse_object(text).get("weight_map")
    except ValueError as error:
        raise AttncliError(f"{path.name} is damaged (download it again): {error}") from None
    if not isinstance(parts, dict):
        raise AttncliError(f"{path.name} has no weight_map of tensors to files: download it again")
    for part in parts.values():
        if not _is_plain(part):
            raise AttncliError(
                f"the index names a file outside the model directory: '{shorten(str(part))}' "
                "(only plain names ending in .safetensors are accepted)"
            )
    return parts


@dataclass(frozen=True)
class Shards:
    """The tensors of several files in one folder; a `Tensors`."""

    folder: Path
    parts: Mapping[str, str]
    opened: dict[str, TensorFile] = field(default_factory=dict)

    def names(self) -> Collection[str]:
        return self.parts.keys()

    def shape(self, name: str) -> tuple[int, ...]:
        return self.part(name).shape(name)

    def storage(self, name: str) -> str:
        return self.part(name).storage(name)

    def read(self, name: str, rows: Sequence[int] | None = None) -> Array:
        """As `TensorFile.read`."""
        return self.part(name).read(name, rows)

    def part(self, name: str) -> TensorFile:
        """The file that holds a tensor. AttncliError: not listed, part missing, not in its part."""
        if name not in self.parts:
            raise missing(name, self.names(), f"the index {_INDEX}")
        part = self.parts[name]
        if part not in self.opened:
            path = _inside(self.folder, part)
            if not os.path.lexists(path):
                raise AttncliError(
                    f"part {part} is missing: {_INDEX} lists it for {shorten(name)}; "
                    f"put it into {self.folder}"
                )
            self.opened[part] = open_safetensors(path)
        if name not in self.opened[part].names():
            raise AttncliError(
                f"{shorten(name)} is listed for {part}, but that file does not contain it: "
                f"{_INDEX} and the parts are of different checkpoints; download both again"
            )
        return self.opened[part]

    def close(self) -> None:
        for file in self.opened.values():
            file.close()


def _no_weights(folder: Path, names: list[str]) -> AttncliError:
    """The error for a folder without safetensors under the usual name: what it has instead."""
    others = [name for name in names if name.endswith((".safetensors", ".npz"))]
    if others:
        listed = ", ".join(others[:3])
        return AttncliError(
            f"{folder} has no {_SINGLE}; it has {listed}: give the path of the file"
        )
    kinds = {name: KIND_OF_SUFFIX.get(Path(name).suffix.lower()) for name in names}
    foreign = [name for name, kind in kinds.items() if kind]
    # optimizer.pt and training_args.bin often lie beside pytorch_model.bin
    name = min(foreign, key=lambda name: ("model" not in name, kinds[name] != PICKLE), default=None)
    if name:
        return AttncliError(f"{name} is {kinds[name]}")
    return AttncliError(
        f"{folder} has no weights: {_SINGLE}, or {_INDEX} with its parts, is needed"
    )


def open_folder(folder: Path) -> TensorFile | Shards:
    """Open the weights of a folder; where both forms are there, the single file."""
    with reporting(folder):
        names = sorted(path.name for path in folder.iterdir())
    if _SINGLE in names:
        return open_safetensors(_inside(folder, _SINGLE))
    if _INDEX in names:
        return Shards(folder, _read_index(_inside(folder, _INDEX)))
    raise _no_weights(folder, names)
