"""Small models, a cache of the Hub of the test's own, and the program against a local server."""

import shutil
from pathlib import Path

import pytest
import text_fixtures
from broken_files import write_index
from command import run
from hub_server import COMMIT
from safetensors.numpy import load_file, save_file

BERT = Path(__file__).parent / "golden" / "bert"


def put(cache: Path, name: str, files: Path, commit: str = COMMIT, ref: str = "main") -> Path:
    """A snapshot in the cache as the Hub's client leaves it."""
    repository = cache / f"models--{name.replace('/', '--')}"
    snapshot = repository / "snapshots" / commit
    shutil.copytree(files, snapshot)
    (repository / "refs").mkdir(exist_ok=True)
    (repository / "refs" / ref).write_text(commit)
    return snapshot


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "hub"


@pytest.fixture
def online(cache, monkeypatch):  # noqa: ARG001 - no test downloads into another cache
    """Runs the program with a server of the test in place of the Hub."""
    monkeypatch.delenv("HF_HUB_OFFLINE")

    def command(hub, *arguments):
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        return run(*arguments)

    return command


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory):
    """A small BERT with a tokenizer, and files that nobody should download."""
    folder = tmp_path_factory.mktemp("checkpoint")
    for name in ("config.json", "model.safetensors"):
        shutil.copy(BERT / name, folder)
    text_fixtures.bert().save(str(folder / "tokenizer.json"))
    for name in ("pytorch_model.bin", "modeling.py", "consolidated.safetensors"):
        (folder / name).write_bytes(b"never")
    return folder


@pytest.fixture(scope="session")
def sharded(checkpoint, tmp_path_factory):
    """The same in two parts, with no tokenizer."""
    folder = tmp_path_factory.mktemp("sharded")
    shutil.copy(checkpoint / "config.json", folder)
    tensors = load_file(checkpoint / "model.safetensors")
    parts = {name: f"model-0000{1 + i % 2}-of-00002.safetensors" for i, name in enumerate(tensors)}
    for part in set(parts.values()):
        save_file({n: tensors[n] for n, p in parts.items() if p == part}, folder / part)
    return write_index(folder, parts)
