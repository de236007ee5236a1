"""Models by their name on the Hugging Face Hub: from the local cache, or downloaded into it.

The cache is laid out as models--ORG--NAME/{refs/REVISION, snapshots/COMMIT/FILES, blobs}
(https://huggingface.co/docs/huggingface_hub/guides/manage-cache). It is read here; downloads are
left to huggingface_hub, which comes with tokenizers and is imported only to download.
"""

import logging
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attncli import __version__
from attncli.errors import AttncliError
from attncli.weights.file_kinds import KIND_OF_SUFFIX
from attncli.weights.shards import read_index

_NAME = re.compile(r"(?:[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*", re.ASCII)
_FILE_SUFFIXES = (*KIND_OF_SUFFIX, ".safetensors", ".npz", ".json", ".txt")
_SINGLE = "model.safetensors"
_INDEX = "model.safetensors.index.json"
_PATIENCE = 10  # seconds

Fetch = Callable[[str], Path | None]  # a file's name -> where it is now; None: there is no such


def is_hub_name(text: str) -> bool:
    """Whether this can be a model's name on the Hub, `org/name` or `name`, and is no path."""
    return (
        _NAME.fullmatch(text) is not None
        and not text.lower().endswith(_FILE_SUFFIXES)
        and "--" not in text
        and ".." not in text
    )


def cache_folder() -> Path:
    """Where the Hub's client keeps what it downloads: HF_HUB_CACHE, or `hub` inside HF_HOME."""
    variables = os.environ
    home = variables.get("XDG_CACHE_HOME") or "~/.cache"
    home = variables.get("HF_HOME") or os.path.join(home, "huggingface")  # noqa: PTH118
    cache = variables.get("HF_HUB_CACHE") or variables.get("HUGGINGFACE_HUB_CACHE")
    return Path(os.path.expandvars(cache or os.path.join(home, "hub"))).expanduser()  # noqa: PTH118


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
    if not re.fullmatch(r"\w+", commit) or not (snapshots / commit).is_dir():
        return None
    return snapshots / commit


def find_snapshot(
    name: str, *, revision: str | None = None, offline: bool = False, tokenizer_only: bool = False
) -> Path:
    """The folder with the files of a model of the Hub, downloaded if the cache lacks them.

    Only what attncli reads is downloaded: config.json, tokenizer.json, tokenizer_config.json and
    safetensors; with `tokenizer_only` no more than the tokenizer. Offline, a snapshot is returned
    with whatever it holds.

    Raises AttncliError for a model that is not to be had, and says why.
    """
    repository = repository_folder(name)
    snapshot = cached_snapshot(repository, revision)
    if snapshot and (offline or is_offline() or _is_complete(snapshot, tokenizer_only)):
        return snapshot
    if offline or is_offline():
        raise AttncliError(
            f"no weights at {name}: there is no such file or folder, and {cache_folder()} has "
            f"{f'no revision {revision} of' if revision else 'no'} model {name}; give a path, or "
            f"leave out --offline (and HF_HUB_OFFLINE) to download it"
        )
    return _download(name, _client(name, revision), tokenizer_only)


def _is_complete(snapshot: Path, tokenizer_only: bool) -> bool:
    """Whether no download is needed. A file known to be absent from the Hub is not waited for."""
    absent = snapshot.parent.parent / ".no_exist" / snapshot.name / "tokenizer.json"
    has_tokenizer = (snapshot / "tokenizer.json").exists() or absent.exists()
    if tokenizer_only or not has_tokenizer:
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
    tokenizer = fetch("tokenizer.json")
    if tokenizer:
        fetch("tokenizer_config.json")
    if tokenizer_only:
        if not tokenizer:
            raise AttncliError(
                f"{name} has no tokenizer.json on the Hub: save the tokenizer once with a recent "
                f"library, and give that folder"
            )
        return tokenizer.parent
    config = fetch("config.json")
    if not config:
        adapter = fetch("adapter_config.json")
        if adapter:
            return adapter.parent  # what an adapter is, is said when it is opened
        raise AttncliError(f"{name} has no config.json on the Hub: it is no model of transformers")
    if not fetch(_SINGLE):
        index = fetch(_INDEX)
        if not index:
            raise AttncliError(
                f"{name} has no {_SINGLE} on the Hub, and attncli reads no other form: convert "
                f"the checkpoint once (docs/weights.md), and give that folder"
            )
        for part in _parts(index):
            fetch(part)
    return config.parent


def _client(name: str, revision: str | None) -> Fetch:
    """How files of this model are fetched. A terminal shows how far a large one has come.

    Raises AttncliError at once for a model that the Hub does not give, and if no Hub answers:
    a download alone would try again for half a minute.
    """
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")  # read when it is imported
    try:
        import huggingface_hub as hub
        from huggingface_hub.errors import EntryNotFoundError
        from huggingface_hub.utils.tqdm import disable_progress_bars
    except ImportError:
        raise AttncliError(
            f"{name} is not in {cache_folder()}, and downloading it needs huggingface_hub: "
            f"pip install huggingface_hub, or give a path"
        ) from None
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    if not sys.stderr.isatty():
        disable_progress_bars()
    with suppress(EntryNotFoundError), _failing_in_one_line(name, revision):
        url = hub.hf_hub_url(name, "tokenizer.json", revision=revision)
        hub.get_hf_file_metadata(url, timeout=_PATIENCE)

    def fetch(file: str) -> Path | None:
        try:
            with _failing_in_one_line(name, revision):
                path = hub.hf_hub_download(
                    name,
                    file,
                    revision=revision,
                    cache_dir=cache_folder(),
                    library_name="attncli",
                    library_version=__version__,
                )
        except EntryNotFoundError:
            return None
        return Path(path)

    return fetch


@contextmanager
def _failing_in_one_line(name: str, revision: str | None) -> Iterator[None]:
    """Whatever the client raises as an AttncliError, but for a file that the Hub does not have."""
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    try:
        yield
    except LocalEntryNotFoundError as error:  # its way to say that nothing answered
        raise _failure(name, revision, error.__cause__ or error) from None
    except EntryNotFoundError:
        raise
    except Exception as error:  # of three libraries, and they change
        raise _failure(name, revision, error) from None


def _failure(name: str, revision: str | None, error: BaseException) -> AttncliError:
    """What went wrong on the Hub or on the way there, and what to do."""
    from huggingface_hub import errors

    match error:
        case errors.GatedRepoError():
            problem = "is gated: accept its terms on its page, and set HF_TOKEN or log in with hf"
        case errors.RepositoryNotFoundError():
            problem = (
                "is no file or folder here, not in the local cache, and no public model on the "
                "Hub: check the name; for a private one set HF_TOKEN or log in with hf"
            )
        case errors.RevisionNotFoundError():
            problem = f"has no revision {revision} on the Hub: give a branch, a tag or a commit"
        case errors.HfHubHTTPError():
            status = error.response.status_code
            problem = f"cannot be downloaded, the Hub answers with status {status}: try again later"
        case _:
            reason = f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
            problem = (
                f"is not in the local cache and cannot be downloaded ({reason}): check the "
                f"network, or give a path"
            )
    return AttncliError(f"{name} {problem}")
