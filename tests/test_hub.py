"""Models by name: from the cache, and downloaded from a small server on this machine."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import text_fixtures
from broken_files import write_index
from command import run
from hub_server import COMMIT, serve
from safetensors.numpy import load_file, save_file

from attncli.errors import AttncliError
from attncli.weights.hub import cache_folder, cached_snapshot, find_snapshot, is_hub_name

ROOT = Path(__file__).parents[1]
BERT = ROOT / "tests" / "golden" / "bert"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "hub"


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


def put(cache: Path, name: str, files: Path, commit: str = COMMIT, ref: str = "main") -> Path:
    """A snapshot in the cache as the Hub's client leaves it."""
    repository = cache / f"models--{name.replace('/', '--')}"
    snapshot = repository / "snapshots" / commit
    shutil.copytree(files, snapshot)
    (repository / "refs").mkdir(exist_ok=True)
    (repository / "refs" / ref).write_text(commit)
    return snapshot


def online(
    *arguments: str, home: Path, endpoint: str, stderr: int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, with this server for the Hub."""
    environment = {k: v for k, v in os.environ.items() if k != "HF_HUB_OFFLINE"}
    environment |= {"HF_ENDPOINT": endpoint, "HF_HOME": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "attncli", *arguments],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("name", ["gpt2", "org/name", "BAAI/bge-small-en-v1.5", "a/b_c.d"])
def test_names_of_the_hub(name):
    assert is_hub_name(name)


@pytest.mark.parametrize(
    "path",
    [
        *("./gpt2", "../gpt2", "/gpt2", "~/gpt2", "a/b/c", "a/", ".", "", "a\\b", "a--b", "a/..b"),
        *("m.safetensors", "org/m.NPZ", "pytorch_model.bin", "tokenizer.json", "vocab.txt", "a b"),
    ],
)
def test_what_looks_like_a_path_is_no_name_of_the_hub(path):
    assert not is_hub_name(path)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"HF_HUB_CACHE": "/c", "HF_HOME": "/h"}, "/c"),
        ({"HUGGINGFACE_HUB_CACHE": "/old", "HF_HOME": "/h"}, "/old"),
        ({"HF_HOME": "$HOME/h", "XDG_CACHE_HOME": "/x"}, "/home/me/h/hub"),
        ({"HF_HOME": "~/h"}, "/home/me/h/hub"),
        ({"XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub"),
        ({}, "/home/me/.cache/huggingface/hub"),
    ],
)
def test_where_the_cache_is(variables, expected, monkeypatch):
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **variables}.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == Path(expected)


def test_a_revision_names_a_snapshot(cache, checkpoint):
    main = put(cache, "org/m", checkpoint)
    other = put(cache, "org/m", checkpoint, commit="f" * 40, ref="v2")
    repository = cache / "models--org--m"
    assert cached_snapshot(repository, None) == cached_snapshot(repository, "main") == main
    assert cached_snapshot(repository, "v2") == cached_snapshot(repository, "f" * 40) == other
    assert cached_snapshot(repository, "v3") is None
    assert cached_snapshot(repository, "../refs") is None
    (repository / "refs" / "main").unlink()
    assert cached_snapshot(repository, None) is None  # which of the two?
    shutil.rmtree(other)
    assert cached_snapshot(repository, None) == main


def test_a_model_in_the_cache_is_found_by_its_name(cache, checkpoint):
    snapshot = put(cache, "org/m", checkpoint)
    documents = [
        json.loads(run("export", "the cat", "-w", weights, "--show", "A").out)
        for weights in ("org/m", cache / "models--org--m", snapshot)
    ]
    assert [d["model"]["name"] for d in documents] == ["org/m"] * 3
    source = "snapshot 0123456789ab in the local cache of the Hub"
    assert [d["model"]["source"] for d in documents] == [source] * 3
    assert documents[0]["heads"] == documents[1]["heads"] == documents[2]["heads"]


def test_a_path_comes_before_a_name_of_the_hub(cache, checkpoint, tmp_path, monkeypatch):
    put(cache, "org/m", checkpoint)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(checkpoint, tmp_path / "org" / "m")
    document = json.loads(run("export", "the cat", "-w", "org/m", "--show", "A").out)
    assert document["model"]["source"] == "the checkpoint in org/m"


def test_offline_says_what_the_cache_lacks(cache, checkpoint):
    put(cache, "org/m", checkpoint)
    with pytest.raises(AttncliError, match=f"{cache} has no model org/x; give a path"):
        find_snapshot("org/x", offline=True)
    with pytest.raises(AttncliError, match=r"has no revision v2 of model org/m"):
        find_snapshot("org/m", revision="v2", offline=True)


def test_a_cached_model_is_used_without_the_client_and_without_the_network(
    cache, checkpoint, monkeypatch
):
    put(cache, "org/m", checkpoint)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert run("explain", "the cat", "-w", "org/m").status == 0
    answer = run("explain", "the cat", "-w", "org/x")
    assert (answer.status, answer.out) == (1, "")
    assert "downloading it needs huggingface_hub: pip install" in answer.err


def test_a_folder_in_the_cache_without_that_revision(cache, checkpoint):
    put(cache, "org/m", checkpoint)
    answer = run("explain", "a", "-w", cache / "models--org--m", "--revision", "v2")
    assert (answer.status, answer.out) == (1, "")
    assert f"has no snapshot of v2; its snapshots are {COMMIT}" in answer.err


def test_only_what_is_needed_is_downloaded_and_only_once(checkpoint, tmp_path):
    with serve({"org/m": checkpoint}) as hub:
        first = online("explain", "the cat", "-w", "org/m", home=tmp_path, endpoint=hub.endpoint)
        assert (first.returncode, first.stderr) == (0, "")
        assert "snapshot 0123456789ab" in first.stdout
        assert sorted(hub.fetched()) == ["config.json", "model.safetensors", "tokenizer.json"]
        hub.requests.clear()
        again = online("explain", "the cat", "-w", "org/m", home=tmp_path, endpoint=hub.endpoint)
        assert (again.stdout, hub.requests) == (first.stdout, [])
    local = run("export", "the cat", "-w", checkpoint, "--show", "A")
    done = online(
        *("export", "the cat", "-w", "org/m", "--show", "A", "--offline"),
        home=tmp_path,
        endpoint="http://127.0.0.1:9",
    )
    assert json.loads(done.stdout)["heads"] == json.loads(local.out)["heads"]


@pytest.mark.skipif(os.name == "nt", reason="no terminals of one's own there")
def test_a_terminal_shows_how_far_a_download_is(checkpoint, tmp_path):
    import fcntl
    import struct
    import termios

    reader, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    with serve({"org/m": checkpoint}) as hub:
        arguments = ("tokens", "the", "-w", "org/m")
        done = online(*arguments, home=tmp_path, endpoint=hub.endpoint, stderr=terminal)
    os.close(terminal)
    shown = os.read(reader, 2**16).decode()
    os.close(reader)
    assert done.returncode == 0
    assert "tokenizer.json: 100%" in shown
    assert "%" not in done.stdout
    assert hub.fetched() == ["tokenizer.json"]  # no weights are needed for tokens


def test_parts_are_downloaded_and_what_is_missing_of_them(sharded, tmp_path):
    ids = ("explain", "--ids", "2,5,3", "-w", "org/parts", "--revision", COMMIT)
    with serve({"org/parts": sharded}) as hub:
        first = online(*ids, home=tmp_path, endpoint=hub.endpoint)
        assert first.returncode == 0, first.stderr
        parts = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
        index = "model.safetensors.index.json"
        assert hub.fetched() == ["config.json", index, *parts]
        assert all(f"/resolve/{COMMIT}/" in path for _, path in hub.requests)
        next(tmp_path.rglob(parts[1])).unlink()
        hub.requests.clear()
        assert online(*ids, home=tmp_path, endpoint=hub.endpoint).returncode == 0
        assert set(hub.fetched()) <= {parts[1]}  # its bytes are still among the blobs
        hub.requests.clear()
        assert online(*ids, home=tmp_path, endpoint=hub.endpoint).returncode == 0
        assert hub.requests == []  # that there is no tokenizer.json is remembered


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("org/none", "org/none is no file or folder here, not in the local cache, and no public"),
        ("org/gated", "org/gated is gated: accept its terms on its page"),
        ("org/down", "org/down cannot be downloaded, the Hub answers with status 501"),
        ("org/pickle", "org/pickle has no model.safetensors on the Hub"),
        ("org/empty", "org/empty has no config.json on the Hub"),
        ("org/lora", "models--org--lora/snapshots/0123456789abcdef0123456789abcdef01234567 is a"),
        ("org/evil", "the index names a file outside the model directory: '../../x'"),
    ],
)
def test_what_cannot_be_downloaded_is_one_line(name, message, tmp_path, checkpoint):
    for folder in ("pickle", "empty", "lora", "evil"):
        (tmp_path / folder).mkdir()
    for folder in ("pickle", "evil"):
        shutil.copy(checkpoint / "config.json", tmp_path / folder)
    write_index(tmp_path / "evil", {"w": "../../x"})
    (tmp_path / "pickle" / "pytorch_model.bin").write_bytes(b"never")
    (tmp_path / "lora" / "adapter_config.json").write_text("{}")
    folders = {f"org/{name}": tmp_path / name for name in ("pickle", "empty", "lora", "evil")}
    with serve({**folders, "org/gated": "GatedRepo", "org/down": "Down"}) as hub:
        done = online("explain", "a", "-w", name, home=tmp_path / "h", endpoint=hub.endpoint)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert not {"pytorch_model.bin", "x"} & set(hub.fetched())


def test_no_such_revision_and_no_network(tmp_path, checkpoint):
    with serve({"org/m": checkpoint}) as hub:
        wrong = online(
            *("explain", "a", "-w", "org/m", "--revision", "v9"),
            home=tmp_path,
            endpoint=hub.endpoint,
        )
    assert "org/m has no revision v9 on the Hub: give a branch, a tag or a commit" in wrong.stderr
    down = online("explain", "a", "-w", "org/m", home=tmp_path, endpoint=hub.endpoint)
    for done in (wrong, down):
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "is not in the local cache and cannot be downloaded (Connect" in down.stderr


def test_a_lora_adapter_is_named_with_its_base(tmp_path):
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    (tmp_path / "adapter_config.json").write_text(
        json.dumps({"base_model_name_or_path": "org/base\x1b[2J"})
    )
    answer = run("explain", "a", "-w", tmp_path)
    assert (answer.status, answer.out) == (1, "")
    assert r"is a LoRA adapter for org/base\x1b[2J: merge it into its base first" in answer.err
