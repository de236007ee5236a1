"""Models by their name on the Hugging Face Hub: from the local cache, or downloaded into it.

The cache is laid out as models--ORG--NAME/{refs/REVISION, snapshots/COMMIT/FILES, blobs}, as
huggingface_hub does it, so that both find what the other downloaded
(https://huggingface.co/docs/huggingface_hub/guides/manage-cache).
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

from attncli.errors import AttncliError, UsageError
from attncli.text.printable import quoted
from attncli.weights.file_kinds import KIND_OF_SUFFIX
from attncli.weights.shards import read_index

_NAME = re.compile(r"(?:[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*", re.ASCII)
_COMMIT = re.compile(r"(?!\.+$)[A-Za-z0-9_.-]+")
_FILE_SUFFIXES = (*KIND_OF_SUFFIX, ".safetensors", ".npz", ".json", ".txt")
_SINGLE = "model.safetensors"
_INDEX = "model.safetensors.index.json"
_TOKENIZERS = (("tokenizer.json",), ("vocab.txt",), ("vocab.json", "merges.txt"))  # the forms

Fetch = Callable[[str], Path | None]  # a file's name -> where it is now; None: there is no such


def is_hub_name(text: str) -> bool:
    """Whether this can be a model's name on the Hub, `org/name` or `name`, and is no path."""
    return (
        _NAME.fullmatch(text) is not None
        and not text.lower().endswith(_FILE_SUFFIXES)
        and "--" not in text
        and ".." not in text
    )


def _expanded(path: str) -> str:
    return os.path.expandvars(os.path.expanduser(path))  # noqa: PTH111


def _home() -> str:
    """The folder of the Hub's client: HF_HOME."""
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return os.environ.get("HF_HOME") or f"{caches}/huggingface"


def cache_folder() -> Path:
    """Where the Hub's client keeps what it downloads: HF_HUB_CACHE, or `hub` inside HF_HOME.

    Raises AttncliError where that is in the home folder of somebody whose home is not known.
    """
    cache = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    cache = cache or f"{_home()}/hub"
    if _expanded(cache).startswith("~"):
        raise AttncliError(
            "the cache of the Hub would be in {cache}, and this system knows no such home: set "
            "HF_HOME to a folder",
            cache=quoted(cache),
        )
    return Path(_expanded(cache))


def _token_file() -> Path:
    return Path(_expanded(os.environ.get("HF_TOKEN_PATH") or f"{_home()}/token"))


def is_offline() -> bool:
    """Whether the environment forbids downloads, as the Hub's client reads it."""
    wish = os.environ.get("HF_HUB_OFFLINE") or os.environ.get("TRANSFORMERS_OFFLINE") or ""
    return wish.upper() in ("1", "ON", "YES", "TRUE")


def repository_folder(name: str) -> Path:
    """The folder of a model in the cache, whether or not it is there."""
    return cache_folder() / ("models--" + name.replace("/", "--"))


def repository_name(snapshot: Path) -> str | None:
    """`org/name` of a folder that is a snapshot in a cache; None for any other folder."""
    repository = snapshot.parent.parent.name
    if snapshot.parent.name != "snapshots" or not repository.startswith("models--"):
        return None
    return repository.removeprefix("models--").replace("--", "/")


def cached_snapshot(repository: Path, revision: str | None) -> Path | None:
    """The snapshot that a revision (default: main) names; None if the cache does not have it.

    A commit names itself. Without a revision and without a main, the only snapshot serves.
    """
    snapshots = repository / "snapshots"
    commit = revision or ""
    try:
        commit = (repository / "refs" / (revision or "main")).read_text("utf-8").strip()
    except (OSError, ValueError):
        if not revision and snapshots.is_dir() and len(found := list(snapshots.iterdir())) == 1:
            commit = found[0].name
    if not _COMMIT.fullmatch(commit) or not (snapshots / commit).is_dir():
        return None
    return snapshots / commit


def _is_revision(text: str) -> bool:
    """Whether this can be a branch, a tag or a commit: words between slashes."""
    return all(map(_COMMIT.fullmatch, text.split("/")))


def find_snapshot(
    name: str, *, revision: str | None = None, offline: bool = False, tokenizer_only: bool = False
) -> Path:
    """The folder with the files of a model of the Hub, downloaded if the cache lacks them.

    Only what attncli reads is downloaded: config.json, the tokenizer and safetensors; with
    `tokenizer_only` no more than the tokenizer. Offline, a snapshot is returned with whatever it
    holds.

    Raises AttncliError for a model that is not to be had, and says why; UsageError for a revision
    that cannot be one.
    """
    if revision is not None and not _is_revision(revision):
        raise UsageError(
            "`revision` {revision} cannot be: give a branch, a tag or a commit",
            revision=quoted(repr(revision)),
        )
    repository = repository_folder(name)
    snapshot = cached_snapshot(repository, revision)
    if snapshot and (offline or is_offline() or _is_complete(snapshot, tokenizer_only)):
        return snapshot
    if offline or is_offline():
        raise AttncliError(
            "no weights at {name}: there is no such file or folder, and {cache} has no revision "
            "{revision} of model {name}; give a path, or leave out `offline` (and HF_HUB_OFFLINE) "
            "to download it"
            if revision
            else "no weights at {name}: there is no such file or folder, and {cache} has no model "
            "{name}; give a path, or leave out `offline` (and HF_HUB_OFFLINE) to download it",
            name=name,
            cache=quoted(cache_folder()),
            revision=revision,
        )
    from attncli.weights.hub_download import Download
    from attncli.weights.hub_http import Hub, read_token  # urllib and ssl take 40 ms to import

    download = Download(Hub(read_token(_token_file())), name, repository, revision)
    return _download(name, download.fetch, tokenizer_only)


def _is_complete(snapshot: Path, tokenizer_only: bool) -> bool:
    """Whether no download is needed. A file known to be absent from the Hub is not asked for."""
    absent = snapshot.parent.parent / ".no_exist" / snapshot.name
    forms = [[(snapshot / file).exists() for file in form] for form in _TOKENIZERS]
    has_tokenizer = any(all(form) for form in forms)
    if not has_tokenizer and not all((absent / form[0]).exists() for form in _TOKENIZERS):
        return False
    if tokenizer_only:
        return has_tokenizer
    has_config = (snapshot / "config.json").exists()
    return has_config and ((snapshot / _SINGLE).exists() or _has_parts(snapshot))


def _has_parts(snapshot: Path) -> bool:
    index = snapshot / _INDEX
    return index.exists() and all((snapshot / part).exists() for part in _parts(index))


def _parts(index: Path) -> list[str]:
    """The file names that an index lists. AttncliError for one that is no plain name."""
    return sorted(set(read_index(index).values()))


def _download(name: str, fetch: Fetch, tokenizer_only: bool) -> Path:
    """The snapshot, small files first, so that what cannot be used is known early."""
    tokenizer = _download_tokenizer(fetch)
    if tokenizer_only:
        if not tokenizer:
            raise AttncliError(
                "{name} has no tokenizer.json on the Hub: save the tokenizer once with a recent "
                "library, and give that folder",
                name=name,
            )
        return tokenizer.parent
    config = fetch("config.json")
    if not config:
        adapter = fetch("adapter_config.json")
        if adapter:
            return adapter.parent  # what an adapter is, is said when it is opened
        raise AttncliError(
            "{name} has no config.json on the Hub: it is no model of transformers", name=name
        )
    if not fetch(_SINGLE):
        index = fetch(_INDEX)
        if not index:
            raise AttncliError(
                "{name} has no {file} on the Hub, and attncli reads no other form: convert the "
                "checkpoint once (docs/weights.md), and give that folder",
                name=name,
                file=_SINGLE,
            )
        for part in _parts(index):
            if not fetch(part):
                raise AttncliError(
                    "{name} has no {part} on the Hub, which its {index} lists: the model there is "
                    "not whole, take another revision",
                    name=name,
                    part=quoted(part),
                    index=_INDEX,
                )
    return config.parent


def _download_tokenizer(fetch: Fetch) -> Path | None:
    """The first form of a tokenizer that the Hub has, with its settings."""
    for first, *others in _TOKENIZERS:
        if found := fetch(first):
            if first != "tokenizer.json":  # what it says itself, others say for the older forms
                others += ["config.json", "added_tokens.json"]
            for file in (*others, "tokenizer_config.json"):
                fetch(file)
            return found
    return None
