"""What `--weights` names -> where that is on this machine."""

import os
from pathlib import Path

from attncli.errors import AttncliError, UsageError
from attncli.language import Phrase
from attncli.weights.hub import cached_snapshot, find_snapshot, is_hub_name, repository_name
from attncli.weights.shards import INDEX, listed_parts

_PACKAGE = Path(__file__).parents[1]


def sample_folder() -> Path:
    """The trained sample: inside an installed package, beside it in a checkout."""
    inside = _PACKAGE / "sample_weights"
    return inside if inside.is_dir() else _PACKAGE.parent / "sample_weights"


def find_place(
    weights: str,
    *,
    revision: str | None = None,
    offline: bool = False,
    tokenizer_only: bool = False,
) -> Path:
    """The folder or file that `weights` names; `random` has the tokenizer of the sample.

    What stands here comes before what the Hub may have under that name. Raises AttncliError for
    what is nowhere to be found, UsageError for no name and for a revision of what is not from the
    Hub.
    """
    if not weights:
        raise UsageError("no weights given: sample, random, a path, or the name of a model")
    path = Path(weights)
    built_in = weights in ("sample", "random")
    if built_in or os.path.lexists(path):  # False also where the way there is barred
        place = sample_folder() if built_in else _snapshot_or_self(_whole(path), revision)
        if revision and not repository_name(place):
            raise UsageError(
                "`revision` is for models of the Hub: {weights} is none", weights=weights
            )
        return place
    if is_hub_name(weights):
        return find_snapshot(
            weights, revision=revision, offline=offline, tokenizer_only=tokenizer_only
        )
    raise AttncliError(
        f"no weights at {weights}: give sample, random, a folder with config.json, "
        f"model.safetensors and tokenizer.json, a .safetensors or .npz file of matrices, or the "
        f"name of a model on the Hub"
    )


def describe_source(weights: str, place: Path) -> Phrase:
    """In words: where the numbers of a folder or file come from."""
    if weights == "sample":
        return Phrase("weights.sample")
    if repository_name(place):
        return Phrase("weights.hub", {"snapshot": place.name[:12]})
    return Phrase("weights.folder" if place.is_dir() else "weights.file", {"place": place})


def find_tokenizer_file(
    weights: str, *, revision: str | None = None, offline: bool = False
) -> Path:
    """The tokenizer.json that belongs to `weights`, which may name that file itself."""
    place = find_place(weights, revision=revision, offline=offline, tokenizer_only=True)
    if place.is_dir():
        return place / "tokenizer.json"
    return place if place.suffix == ".json" else tokenizer_file_beside(place)


def tokenizer_file_beside(file: Path) -> Path:
    """The tokenizer.json beside a file of matrices, or the sample's if there is none."""
    beside = file.parent / "tokenizer.json"
    return beside if beside.exists() else sample_folder() / "tokenizer.json"


def _whole(path: Path) -> Path:
    """The folder of a checkpoint where one of the files that describe it, or a part, is named."""
    folder = path.parent
    if path.is_dir():
        return path
    if path.name in ("config.json", INDEX):
        return folder
    is_part = path.suffix == ".safetensors" and path.name in listed_parts(folder)
    return folder if is_part else path


def _snapshot_or_self(path: Path, revision: str | None) -> Path:
    """A model's folder in a cache of the Hub stands for its snapshot; any other for itself."""
    if not (path / "snapshots").is_dir() or (path / "config.json").exists():
        return path
    snapshot = cached_snapshot(path, revision)
    if not snapshot:
        found = ", ".join(sorted(each.name for each in (path / "snapshots").iterdir()))
        raise AttncliError(
            f"{path} has no snapshot of {revision or 'main'}; its snapshots are "
            f"{found or 'none'}: give one of these folders"
        )
    return snapshot
