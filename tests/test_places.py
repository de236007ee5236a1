"""What a path given as weights means: a checkpoint by its folder or by one of its files."""

import json
import os
import re
import shutil
from pathlib import Path

import broken_files as files
import numpy as np
import pytest
import text_fixtures
from command import run
from safetensors.numpy import load_file, save_file

from attncli.errors import AttncliError
from attncli.inspector import inspect
from attncli.weights import load_weights
from attncli.weights.inventory import take_inventory

BERT = Path(__file__).parent / "golden" / "bert"
W_K = "encoder.layer.1.attention.self.key.weight"
posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes in the file system")


@pytest.fixture
def bert(tmp_path):
    folder = tmp_path / "bert"
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        shutil.copy(BERT / name, folder)
    text_fixtures.bert().save(str(folder / "tokenizer.json"))
    return folder


def in_parts(folder):
    """The single file of a folder as two parts and their index."""
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    parts = {"model-00001-of-00002.safetensors": names[::2],
             "model-00002-of-00002.safetensors": names[1::2]}  # fmt: skip
    for part, own in parts.items():
        save_file({name: tensors[name] for name in own}, folder / part)
    files.write_index(folder, {name: part for part, own in parts.items() for name in own})
    return list(parts)


def is_bert(path):
    """Whether it is the golden BERT, its tokenizer included; closes it."""
    with load_weights(str(path)) as weights:
        assert weights.tokenizer is not None
        np.testing.assert_array_equal(
            weights.params.get("W_K", 1).T, load_file(BERT / "model.safetensors")[W_K]
        )
        return weights.spec.family == "bert"


def refusal(path) -> str:
    with pytest.raises(AttncliError) as caught:
        load_weights(str(path))
    return str(caught.value)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json"])
def test_a_file_of_a_checkpoint_means_the_checkpoint(bert, name):
    assert is_bert(bert / name)
    assert run("explain", "the", "-w", bert / name).status == 0


def test_the_index_or_a_part_means_all_parts(bert):
    for name in [*in_parts(bert), "model.safetensors.index.json", "config.json"]:
        assert is_bert(bert / name)


@posix
def test_a_link_that_is_named_is_followed_and_its_folder_has_the_other_files(bert, tmp_path):
    """As in the cache of the Hub, or where weights are kept on another disk."""
    disk = tmp_path / "disk"
    disk.mkdir()
    (bert / "model.safetensors").rename(disk / "0a1b")
    (bert / "model.safetensors").symlink_to(disk / "0a1b")
    assert "is a link that leaves the folder" in refusal(bert)
    assert is_bert(bert / "model.safetensors")


@posix
@pytest.mark.parametrize("name", ["config.json", "model.safetensors.index.json"])
def test_a_folder_cannot_make_a_small_file_be_read_elsewhere(bert, tmp_path, name):
    in_parts(bert)
    (bert / name).rename(tmp_path / "secret.json")
    (bert / name).symlink_to(tmp_path / "secret.json")
    assert f"{name} is a link that leaves the folder" in refusal(bert)


@posix
@pytest.mark.parametrize("name", ["config.json", "model.safetensors.index.json"])
def test_a_pipe_or_an_endless_file_in_the_place_of_a_small_file(bert, name):
    in_parts(bert)
    (bert / name).unlink()
    os.mkfifo(bert / name)
    assert f"{name} is a pipe" in refusal(bert)
    (bert / name).unlink()
    (bert / name).symlink_to("/dev/zero")
    assert "zero" in refusal(bert)


@pytest.mark.parametrize(
    "name", ["pytorch_model.safetensors", "model.fp16.safetensors", "other.safetensors"]
)
def test_weights_of_another_name_are_read_by_the_path_that_the_error_gives(bert, name):
    (bert / "model.safetensors").rename(bert / name)
    before, path = refusal(bert).split(": give the file, ")
    assert before == f"{bert} has no model.safetensors"
    assert is_bert(path)


def test_parts_without_an_index_are_read_once_it_is_there(bert):
    parts = in_parts(bert)
    index = bert / "model.safetensors.index.json"
    saved = index.read_bytes()
    index.unlink()
    text = refusal(bert)
    assert "has parts of a model, but no model.safetensors.index.json" in text
    assert all((bert / part).exists() for part in parts)
    index.write_bytes(saved)
    assert is_bert(bert)


def test_an_adapter_alone_is_no_model(bert):
    (bert / "model.safetensors").rename(bert / "adapter_model.safetensors")
    assert "merge it into its base first" in refusal(bert)


def test_matrices_and_torchs_modules_are_themselves_next_to_any_config(bert):
    W = {f"W_{x}": np.ones((4, 4)) for x in "QKV"}
    path = files.save(bert / "mine.safetensors", **W)
    with load_weights(str(path)) as weights:
        assert weights.spec.family == "matrices"
    module = {"in_proj_weight": np.ones((12, 4)), "out_proj.weight": np.ones((4, 4))}
    path = files.save(bert / "trained.safetensors", **module)
    with load_weights(str(path), n_heads=2) as weights:
        assert weights.spec.family == "torch"


def test_a_fact_about_weights_that_have_their_own_is_refused_for_a_file_too(bert):
    answer = run("info", bert / "model.safetensors", "--n-heads", "2")
    assert (answer.status, answer.out) == (2, "")
    assert "has no effect" in answer.err


def test_what_is_read_and_what_is_not(bert):
    shutil.copy(bert / "model.safetensors", bert / "model.fp16.safetensors")
    (bert / "pytorch_model.bin").write_bytes(b"\x80\x02.")
    (bert / "optimizer.pt").write_bytes(b"\x80\x02.")
    inventory = take_inventory(str(bert))
    assert inventory.file == "model.safetensors"
    assert inventory.ignored_files == ("model.fp16.safetensors", "pytorch_model.bin")
    fact = "file         model.safetensors; not read: model.fp16.safetensors, pytorch_model.bin\n"
    assert fact in run("info", bert, "--width", "120").out
    document = json.loads(run("info", bert, "--json").out)
    assert document["ignored_files"] == ["model.fp16.safetensors", "pytorch_model.bin"]
    files.write_index(bert, {"w": "model-00001-of-00001.safetensors"})
    assert "model.safetensors.index.json" in take_inventory(str(bert)).ignored_files
    named = take_inventory(str(bert / "model.fp16.safetensors"))
    assert (named.file, named.ignored_files) == ("model.fp16.safetensors", ())


def test_parts_are_read_and_not_ignored(bert):
    in_parts(bert)
    shutil.copy(BERT / "model.safetensors", bert / "extra.safetensors")
    inventory = take_inventory(str(bert))
    assert inventory.file == "model.safetensors.index.json"
    assert inventory.ignored_files == ("extra.safetensors",)


# Empty tensors

MATRICES = {"W_Q": (4, 4), "W_K": (4, 4), "W_V": (4, 4), "E": (3142, 4)}
MODULE = {
    "self_attn.in_proj_weight": (12, 4),
    "self_attn.out_proj.weight": (4, 4),
    "linear1.weight": (8, 4),
    "linear2.weight": (4, 8),
    "norm1.weight": (4,),
    "norm1.bias": (4,),
    "norm2.weight": (4,),
    "norm2.bias": (4,),
}


@pytest.mark.parametrize("shape", [(), (0, 4), (4, 0), (2, 0, 2)])
@pytest.mark.parametrize(
    ("shapes", "name"),
    [*((MATRICES, name) for name in MATRICES), *((MODULE, name) for name in MODULE)],
)
def test_an_empty_tensor_is_named(tmp_path, shapes, name, shape):
    arrays = {k: np.zeros(shape if k == name else s) for k, s in shapes.items()}
    path = str(files.save(tmp_path / "w.safetensors", **arrays))
    problem = str(take_inventory(path, n_heads=2).problem)
    assert re.match(rf"{re.escape(name)} (in w.safetensors )?has the shape", problem)
    if "norm" not in name and "linear" not in name:  # which come after the attention
        with (
            pytest.raises(AttncliError, match=rf"^{re.escape(name)} .*has the shape"),
            load_weights(path, n_heads=2) as weights,
        ):
            inspect("the cat", weights)
