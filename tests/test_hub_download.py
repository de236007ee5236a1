"""A Hub that lies, breaks off, sends too much or never ends, and surroundings that do not fit."""

import errno
import io
import os
import shutil
from collections import namedtuple
from pathlib import Path

import pytest
from hub_fixtures import put
from hub_server import COMMIT, serve

from attncli.weights import hub_limits

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def _quick(monkeypatch):
    for name, value in {"SILENCE": 0.2, "ANSWER": 0.4, "WINDOW": 0.2, "_TICK": 0.02}.items():
        monkeypatch.setattr(hub_limits, name, value)
    monkeypatch.setitem(hub_limits._LIMITS, "tokenizer.json", hub_limits.Limit(200e6, 0.4))


def files_in(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir())


def refused(answer, message):
    assert (answer.status, answer.out, answer.err.count("\n")) == (1, "", 1)
    assert message in answer.err


def explain(online, hub):
    return online(hub, "explain", "the cat", "-w", "org/m")


@pytest.mark.parametrize("header", ["ETag", "X-Linked-Etag", "X-Repo-Commit"])
@pytest.mark.parametrize(
    "value", ["{tmp}/x", "../../x", "..", ".", "", "a b", "a\\b", "é", "a" * 200]
)
def test_what_becomes_a_file_name_is_plain(header, value, checkpoint, tmp_path, online):
    value = value.format(tmp=tmp_path)

    def lie(answer):
        quotes = '"' if header == "ETag" else ""
        answer.headers[header] = quotes + value.encode().decode("latin-1") + quotes
        if not value:
            answer.headers["ETag"] = None

    with serve({"org/m": checkpoint}, lie) as hub:
        refused(explain(online, hub), "which the Hub never does; check HF_ENDPOINT")
    assert hub.fetched() == []
    assert files_in(tmp_path) == []


def test_a_file_that_is_absent_names_no_path_either(tmp_path, online):
    (tmp_path / "empty").mkdir()
    with serve({"org/m": tmp_path / "empty"}, commit="../../../x") as hub:
        refused(explain(online, hub), "answers with the X-Repo-Commit '../../../x'")
    assert files_in(tmp_path) == []


def test_what_is_not_what_its_sha256_says_is_not_kept(checkpoint, cache, online):
    def lie(answer):
        if answer.file == "model.safetensors" and answer.method == "GET":
            answer.data = answer.data[:-1] + b"!"

    with serve({"org/m": checkpoint}, lie) as hub:
        refused(explain(online, hub), "the sha256 of the downloaded model.safetensors is")
    assert not list(cache.rglob("model.safetensors"))
    assert not list(cache.rglob("*.incomplete"))
    with serve({"org/m": checkpoint}) as hub:
        assert explain(online, hub).status == 0


def test_a_damaged_file_in_the_cache_is_downloaded_again_once_it_is_deleted(
    checkpoint, cache, online
):
    with serve({"org/m": checkpoint}) as hub:
        right = explain(online, hub)
        config = next(cache.rglob("config.json"))
        config.write_text("x" * config.stat().st_size)  # through the link, into the blob
        refused(explain(online, hub), str(config))
        config.unlink()
        assert explain(online, hub).out == right.out
        weights = next(cache.rglob("model.safetensors"))
        with weights.open("r+b") as file:
            file.truncate(100)
        refused(explain(online, hub), str(weights))
        weights.unlink()
        assert explain(online, hub).out == right.out


def test_two_commits_are_not_mixed(checkpoint, online):
    def lie(answer):
        if answer.file == "config.json":
            answer.headers["X-Repo-Commit"] = "f" * 40

    with serve({"org/m": checkpoint}, lie) as hub:
        refused(explain(online, hub), f"asked for commit {COMMIT}, {hub.endpoint} answers with fff")


@pytest.mark.parametrize(
    ("file", "size", "message"),
    [
        ("config.json", "10000000000", "its config.json has 10 GB, and attncli reads up to 10 MB"),
        ("tokenizer.json", "10000000000", "its tokenizer.json has 10 GB"),
        ("model.safetensors", "9" * 17, "is full (model.safetensors has 1e+08 GB"),
        ("model.safetensors", None, "does not say how large model.safetensors is"),
        ("model.safetensors", "-5", "does not say how large model.safetensors is"),
    ],
)
def test_what_is_too_large_is_not_downloaded(file, size, message, checkpoint, cache, online):
    def lie(answer):
        if answer.file == file and answer.method == "HEAD":
            answer.headers["Content-Length"] = None
            answer.headers["X-Linked-Size"] = size

    with serve({"org/m": checkpoint}, lie) as hub:
        refused(explain(online, hub), message)
    assert file not in hub.fetched()
    assert not list(cache.rglob("*.incomplete"))


def test_more_than_was_announced_is_not_written(checkpoint, cache, online):
    def lie(answer):
        if answer.file == "config.json" and answer.method == "GET":
            answer.data = b"x" * 10_000_000
            answer.headers["Content-Length"] = None

    with serve({"org/m": checkpoint}, lie) as hub:
        refused(explain(online, hub), "the Hub sends more than the")
    assert sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) < 1_000_000


def test_a_connection_that_breaks_is_taken_up_where_it_was(checkpoint, cache, online):
    asked = []

    def lie(answer):
        if answer.file == "model.safetensors" and answer.method == "GET":
            asked.append(len(answer.data))
            answer.data = answer.data[: max(len(answer.data) // 3, 20_000)]

    with serve({"org/m": checkpoint}, lie) as hub:
        assert explain(online, hub).status == 0
    assert len(asked) > 2
    assert asked == sorted(asked, reverse=True)
    assert (
        next(cache.rglob("model.safetensors")).read_bytes()
        == (checkpoint / "model.safetensors").read_bytes()
    )


def test_a_connection_that_brings_nothing_is_given_up(checkpoint, cache, online):
    def lie(answer):
        if answer.file == "model.safetensors" and answer.method == "GET":
            answer.data = answer.data[:1000] if answer.status == 200 else b""

    with serve({"org/m": checkpoint}, lie) as hub:
        refused(explain(online, hub), "broke off after 1 kB of")
    assert not list(cache.rglob("*.incomplete"))


@pytest.mark.usefixtures("_quick")
@pytest.mark.parametrize("file", ["tokenizer.json", "model.safetensors"])
def test_a_server_that_trickles_is_given_up(file, checkpoint, cache, online):
    def lie(answer):
        if answer.file == file:
            answer.pause = 0.05

    with serve({"org/m": checkpoint}, lie) as hub:
        refused(explain(online, hub), f"of {file} in 0 seconds; check the network")
    assert not list(cache.rglob("*.incomplete"))


@pytest.mark.usefixtures("_quick")
def test_a_server_that_says_nothing_is_given_up(tmp_path, online):
    with serve({"org/m": tmp_path}, silent=0) as hub:
        refused(explain(online, hub), "no answer from http://127.0.0.1")


@pytest.mark.usefixtures("_quick")
def test_headers_that_never_end_are_given_up(tmp_path, online):
    with serve({"org/m": tmp_path}, silent=0.05) as hub:
        refused(explain(online, hub), "has not answered within 0.4 seconds")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("file:///etc/passwd", "redirects to 'file:///etc/passwd'"),
        ("http://[", "redirects to 'http://['"),
        ("/org/m/resolve/main/tokenizer.json", "redirects in circles"),
    ],
)
def test_redirects_that_lead_nowhere(target, message, checkpoint, online):
    def lie(answer):
        answer.status = 302
        answer.headers["Location"] = target

    with serve({"org/m": checkpoint}, lie) as hub:
        refused(explain(online, hub), message)


def test_the_token_goes_to_the_hub_and_nowhere_else(checkpoint, online, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    with serve({"org/m": checkpoint}) as other:

        def lie(answer):
            if answer.method == "GET":
                answer.status, answer.data = 302, b""
                answer.headers["Content-Length"] = "0"
                answer.headers["Location"] = f"{other.endpoint}/org/m/resolve/main/{answer.file}"

        with serve({"org/m": checkpoint}, lie) as hub:
            assert explain(online, hub).status == 0
    assert set(hub.tokens) == {"Bearer hf_secret"}
    assert other.fetched()
    assert set(other.tokens) == {None}


def test_the_token_of_a_login_is_used_and_a_broken_one_not_repeated(
    checkpoint, cache, online, monkeypatch
):
    cache.parent.mkdir()
    (cache.parent / "token").write_text("hf_login\n")
    with serve({"org/m": "401"}) as hub:
        refused(explain(online, hub), "does not accept the token: check the name and HF_TOKEN")
    assert set(hub.tokens) == {"Bearer hf_login"}
    monkeypatch.setenv("HF_TOKEN", "hf_broken\nhf_secret")
    with serve({"org/m": checkpoint}) as hub:
        answer = explain(online, hub)
    refused(answer, "HF_TOKEN holds no token of the Hub")
    assert "secret" not in answer.err


@pytest.mark.parametrize(
    "value",
    [
        "huggingface.co",
        "http://[::1",
        "ftp://x",
        "http://h:port",
        "http://",
        "http://a b",
        "file:///etc",
    ],
)
def test_an_endpoint_that_is_none(value, online):
    answer = online(namedtuple("Hub", "endpoint")(value), "explain", "a", "-w", "org/m")
    refused(answer, f"HF_ENDPOINT is '{value}', which is no address of a server")


@pytest.mark.parametrize("variable", ["HF_HUB_DOWNLOAD_TIMEOUT", "HF_HUB_ETAG_TIMEOUT"])
def test_variables_of_the_library_do_not_matter(variable, checkpoint, online, monkeypatch):
    monkeypatch.setenv(variable, "soon")
    with serve({"org/m": checkpoint}) as hub:
        assert explain(online, hub).status == 0


@pytest.mark.skipif(os.name == "nt", reason="homes by name")
@pytest.mark.parametrize("variables", [{"HF_HOME": "~nosuchuser"}, {}])
def test_a_home_that_nobody_knows(variables, checkpoint, online, monkeypatch):
    for name in ("HOME", "HF_HOME", "XDG_CACHE_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    def nobody(uid):
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", nobody)
    with serve({"org/m": checkpoint}) as hub:
        refused(explain(online, hub), "this system knows no such home: set HF_HOME to a folder")


def test_a_cache_that_cannot_be_written(checkpoint, cache, online):
    cache.parent.mkdir()
    cache.write_text("a file, where a folder has to be")
    with serve({"org/m": checkpoint}) as hub:
        refused(explain(online, hub), "set HF_HOME to a folder that can")


def test_a_full_disk_is_no_fault_of_the_network(checkpoint, online, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1000, 990, 10))
    with serve({"org/m": checkpoint}) as hub:
        refused(explain(online, hub), "is full (tokenizer.json has")


def test_a_disk_that_is_full_in_the_middle(checkpoint, cache, online, monkeypatch):
    class Full(io.RawIOBase):
        def write(self, _):
            raise OSError(errno.ENOSPC, "No space left on device")

    usual = Path.open

    def opened(path, *arguments, **options):
        return Full() if ".incomplete" in path.name else usual(path, *arguments, **options)

    monkeypatch.setattr(Path, "open", opened)
    with serve({"org/m": checkpoint}) as hub:
        refused(explain(online, hub), " is full: free space on it, or set HF_HOME to another disk")
    monkeypatch.undo()
    assert not list(cache.rglob("*.incomplete"))


def test_a_server_that_cannot_resume(checkpoint, online):
    def lie(answer):
        if answer.file == "model.safetensors" and answer.method == "GET":
            answer.status, answer.data = 200, answer.data[:1000]

    with serve({"org/m": checkpoint}, lie) as hub:
        refused(explain(online, hub), "the server sends files from the beginning only")


@pytest.mark.parametrize("ways", [("symlink_to",), ("symlink_to", "hardlink_to")])
def test_a_system_without_links(ways, checkpoint, online, monkeypatch):
    def without(*_):
        raise OSError(errno.EPERM, "no links here")

    for way in ways:
        monkeypatch.setattr(Path, way, without)
    with serve({"org/m": checkpoint}) as hub:
        assert explain(online, hub).status == 0
        hub.requests.clear()
        assert explain(online, hub).status == 0
        assert hub.requests == []


def test_what_huggingface_hub_left_is_used(checkpoint, cache, online):
    put(cache, "org/m", checkpoint)
    with serve({"org/m": checkpoint}) as hub:
        assert explain(online, hub).status == 0
    assert hub.requests == []
