"""What `--weights` names -> where that is on this machine."""

import os
from pathlib import Path

from attncli.errors import AttncliError, UsageError
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.text.vocabulary import has_vocabulary
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
                "`revision` is for models of the Hub: {weights} is none", weights=quoted(weights)
            )
        return place
    if is_hub_name(weights):
        return find_snapshot(
            weights, revision=revision, offline=offline, tokenizer_only=tokenizer_only
        )
    raise AttncliError(
        "no weights at {weights}: give sample, random, a folder with config.json, "
        "model.safetensors and tokenizer.json, a .safetensors or .npz file of matrices, or the "
        "name of a model on the Hub",
        weights=quoted(weights),
    )


def describe_source(weights: str, place: Path) -> Phrase:
    """In words: where the numbers of a folder or file come from."""
    if weights == "sample":
        return Phrase("weights.sample")
    if repository_name(place):
        return Phrase("weights.hub", {"snapshot": place.name[:12]})
    return Phrase("weights.folder" if place.is_dir() else "weights.file", {"place": place})


def find_tokenizer(weights: str, *, revision: str | None = None, offline: bool = False) -> Path:
    """The folder with the tokenizer of `weights`, or the tokenizer.json that it names itself."""
    place = find_place(weights, revision=revision, offline=offline, tokenizer_only=True)
    if place.is_dir():
        return place
    return place if place.suffix == ".json" else tokenizer_beside(place)


def tokenizer_beside(file: Path) -> Path:
    """The folder of a file of matrices if it has a tokenizer, else the sample's."""
    folder = file.parent
    has_one = (folder / "tokenizer.json").exists() or has_vocabulary(folder)
    return folder if has_one else sample_folder()


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
            "{path} has no snapshot of {revision}; its snapshots are {found}: give one of these "
            "folders"
            if found
            else "{path} has no snapshot of {revision}, and no other",
            path=quoted(path),
            revision=quoted(revision or "main"),
            found=quoted(found),
        )
    return snapshot
