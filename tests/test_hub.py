"""Models by name: from the cache, and downloaded from a small server on this machine."""

import io
import json
import shutil
from pathlib import Path

import pytest
from broken_files import write_index
from command import run
from hub_fixtures import put
from hub_server import COMMIT, serve

from attncli.errors import AttncliError
from attncli.weights.hub import cache_folder, cached_snapshot, find_snapshot, is_hub_name


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


def test_a_cached_model_needs_no_network(cache, checkpoint, monkeypatch):
    put(cache, "org/m", checkpoint)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert run("explain", "the cat", "-w", "org/m").status == 0
    answer = run("explain", "the cat", "-w", "org/x")
    assert (answer.status, answer.out, answer.err.count("\n")) == (1, "", 1)
    assert "org/x is not in the local cache and cannot be downloaded: no answer from" in answer.err


def test_a_folder_in_the_cache_without_that_revision(cache, checkpoint):
    put(cache, "org/m", checkpoint)
    answer = run("explain", "a", "-w", cache / "models--org--m", "--revision", "v2")
    assert (answer.status, answer.out) == (1, "")
    assert f"has no snapshot of v2; its snapshots are {COMMIT}" in answer.err


def test_only_what_is_needed_is_downloaded_and_only_once(checkpoint, online):
    with serve({"org/m": checkpoint}) as hub:
        first = online(hub, "explain", "the cat", "-w", "org/m")
        assert (first.status, first.err) == (0, "")
        assert "snapshot 0123456789ab" in first.out
        assert sorted(hub.fetched()) == ["config.json", "model.safetensors", "tokenizer.json"]
        hub.requests.clear()
        again = online(hub, "explain", "the cat", "-w", "org/m")
        assert (again.out, hub.requests) == (first.out, [])
    local = run("export", "the cat", "-w", checkpoint, "--show", "A")
    done = run("export", "the cat", "-w", "org/m", "--show", "A", "--offline")
    assert json.loads(done.out)["heads"] == json.loads(local.out)["heads"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.usefixtures("cache")
def test_a_terminal_shows_how_far_a_download_is(checkpoint, monkeypatch):
    terminal = Terminal()
    monkeypatch.delenv("HF_HUB_OFFLINE")
    with serve({"org/m": checkpoint}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.endpoint)
        monkeypatch.setattr("sys.stderr", terminal)
        find_snapshot("org/m", tokenizer_only=True)
    assert "\rtokenizer.json: 100% of" in terminal.getvalue()
    assert terminal.getvalue().rpartition("\r")[2] == ""  # the line is gone
    assert hub.fetched() == ["tokenizer.json"]  # no weights are needed for tokens


def test_parts_are_downloaded_and_what_is_missing_of_them(sharded, cache, online):
    ids = ("explain", "--ids", "2,5,3", "-w", "org/parts", "--revision", COMMIT)
    with serve({"org/parts": sharded}) as hub:
        first = online(hub, *ids)
        assert first.status == 0, first.err
        parts = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
        index = "model.safetensors.index.json"
        assert hub.fetched() == ["config.json", index, *parts]
        assert all(f"/resolve/{COMMIT}/" in path for _, path in hub.requests)
        next(cache.rglob(parts[1])).unlink()
        hub.requests.clear()
        assert online(hub, *ids).status == 0
        assert hub.fetched() == []  # its bytes are still among the blobs
        hub.requests.clear()
        assert online(hub, *ids).status == 0
        assert hub.requests == []  # that there is no tokenizer is remembered


@pytest.mark.parametrize("form", [("vocab.txt",), ("vocab.json", "merges.txt")])
def test_older_forms_of_a_tokenizer_are_downloaded(form, tmp_path, online):
    (tmp_path / "old").mkdir()
    others = ("config.json", "added_tokens.json", "tokenizer_config.json")
    for file in (*form, *others):
        (tmp_path / "old" / file).write_text(f'{{"{file}": 0}}')
    with serve({"org/old": tmp_path / "old"}) as hub:
        online(hub, "tokens", "a", "-w", "org/old")
        assert hub.fetched() == [*form, *others]
        hub.requests.clear()
        online(hub, "tokens", "a", "-w", "org/old")
        assert hub.requests == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("org/none", "org/none is no file or folder here, not in the local cache, and no public"),
        ("org/gated", "org/gated is gated: accept its license on http://127.0.0.1"),
        (
            "org/down",
            "answers with status 501: try again later",
        ),
        ("org/busy", "the Hub got too many requests: try again in 3600 seconds"),
        ("org/barred", "org/barred cannot be downloaded, the Hub forbids it: set HF_TOKEN"),
        ("org/odd", "answers with status 418: check HF_ENDPOINT"),
        ("org/pickle", "org/pickle has no model.safetensors on the Hub"),
        ("org/empty", "org/empty has no config.json on the Hub"),
        ("org/lora", "models--org--lora/snapshots/0123456789abcdef0123456789abcdef01234567 is a"),
        ("org/evil", "the index names a file outside the model directory: '../../x'"),
        ("org/half", "org/half has no part.safetensors on the Hub, which its model.safetensors"),
    ],
)
def test_what_cannot_be_downloaded_is_one_line(name, message, tmp_path, checkpoint, online):
    made = ("pickle", "empty", "lora", "evil", "half")
    for folder in made:
        (tmp_path / folder).mkdir()
    for folder in ("pickle", "evil", "half"):
        shutil.copy(checkpoint / "config.json", tmp_path / folder)
    write_index(tmp_path / "evil", {"w": "../../x"})
    write_index(tmp_path / "half", {"w": "part.safetensors"})
    (tmp_path / "pickle" / "pytorch_model.bin").write_bytes(b"never")
    (tmp_path / "lora" / "adapter_config.json").write_text("{}")
    models = {f"org/{name}": tmp_path / name for name in made}
    models |= {"org/gated": "GatedRepo", "org/down": "Down", "org/busy": "429", "org/odd": "418"}
    with serve({**models, "org/barred": "403"}) as hub:
        done = online(hub, "explain", "a", "-w", name)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert not {"pytorch_model.bin", "x"} & set(hub.fetched())


def test_no_such_revision(checkpoint, online):
    with serve({"org/m": checkpoint}) as hub:
        wrong = online(hub, "explain", "a", "-w", "org/m", "--revision", "v9")
        assert "org/m has no revision v9 on the Hub: give a branch, a tag or a" in wrong.err
        for revision in ("../../x", "/x", "a//b", ""):
            answer = online(hub, "explain", "a", "-w", "org/m", "--revision", revision)
            assert (answer.status, answer.out) == (2, "")
            assert f"--revision '{revision}' cannot be" in answer.err


def test_a_lora_adapter_is_named_with_its_base(tmp_path):
    (tmp_path / "adapter_model.safetensors").write_bytes(b"")
    (tmp_path / "adapter_config.json").write_text(
        json.dumps({"base_model_name_or_path": "org/base\x1b[2J"})
    )
    answer = run("explain", "a", "-w", tmp_path)
    assert (answer.status, answer.out) == (1, "")
    assert r"is a LoRA adapter for org/base\x1b[2J: merge it into its base first" in answer.err
