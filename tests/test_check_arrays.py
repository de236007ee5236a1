"""What `check` reads: every kind of file, the names people use, and what it refuses."""

import json

import numpy as np
import pytest
from attention_mistakes import Toy, attention
from safetensors.numpy import save_file

from attncli.check import check_arrays, check_files
from attncli.check.names import ALIASES, ARTICLE
from attncli.errors import AttncliError, UsageError

TOY = Toy()
RIGHT = {
    name: value.astype(np.float32) for name, value in attention(TOY, hidden=TOY.causal).items()
}


def save_npz(folder, arrays):
    np.savez(folder / "mine.npz", **arrays)
    return folder / "mine.npz"


def save_safetensors(folder, arrays):
    save_file({k: np.ascontiguousarray(v) for k, v in arrays.items()}, folder / "mine.safetensors")
    return folder / "mine.safetensors"


def save_json(folder, arrays):
    lists = {k: np.where(np.isneginf(v), None, v).tolist() for k, v in arrays.items()}
    (folder / "mine.json").write_text(json.dumps(lists))
    return folder / "mine.json"


def save_folder(folder, arrays):
    for name, value in arrays.items():
        np.save(folder / f"{name}.npy", value)
    return folder


@pytest.mark.parametrize("save", [save_npz, save_safetensors, save_json, save_folder])
def test_every_kind_of_file_is_read(save, tmp_path):
    report = check_files([save(tmp_path, RIGHT)])
    assert {stage.verdict.value for stage in report.stages} == {"agrees"}
    assert {a.name: a.shape for a in report.arrays} == {k: v.shape for k, v in RIGHT.items()}


def test_bfloat16_of_safetensors_is_read(tmp_path):
    cut = {k: v.view(np.uint32) >> 16 for k, v in RIGHT.items() if k in ("Q", "K", "S", "A")}
    header, data = {}, b""
    for name, bits in cut.items():
        values = bits.astype("<u2").tobytes()
        place = [len(data), len(data) + len(values)]
        header[name] = {"dtype": "BF16", "shape": list(bits.shape), "data_offsets": place}
        data += values
    text = json.dumps(header).encode()
    path = tmp_path / "b.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    report = check_files([path])
    assert {s.name for s in report.stages if s.verdict.value == "agrees"} == {"S", "A"}
    assert {a.dtype for a in report.arrays} == {"bfloat16"}


def test_several_files_are_one(tmp_path):
    (tmp_path / "w").mkdir()
    params = save_npz(tmp_path / "w", {k: v for k, v in RIGHT.items() if k in TOY.params})
    made = save_npz(tmp_path, {k: v for k, v in RIGHT.items() if k not in TOY.params})
    report = check_files([params, made])
    assert {stage.verdict.value for stage in report.stages} == {"agrees"}


def test_torch_names_are_out_in_and_prefixes_do_not_matter():
    names = {"W_Q": "q_proj", "W_K": "k_proj", "W_V": "v_proj", "W_O": "out_proj"}
    stem = "model.layers.3.self_attn."
    torch = {f"{stem}{name}.weight": RIGHT[W].T for W, name in names.items()}
    torch |= {f"{stem}{name}.bias": RIGHT[W.replace("W", "b")] for W, name in names.items()}
    made = {"hidden_states": "X", "query": "Q", "key": "K", "value": "V", "attention_scores": "S"}
    made |= {"attn_weights": "A", "context": "Z", "concat": "Z_cat", "output": "Y"}
    report = check_arrays({**torch, **{name: RIGHT[article] for name, article in made.items()}})
    assert {stage.verdict.value for stage in report.stages} == {"agrees"}
    assert report.unused == ()


def test_the_packed_projections_of_multihead_attention_are_taken_apart():
    packed = {
        "in_proj_weight": np.concatenate([RIGHT[f"W_{letter}"].T for letter in "QKV"]),
        "in_proj_bias": np.concatenate([RIGHT[f"b_{letter}"] for letter in "QKV"]),
        "out_proj.weight": RIGHT["W_O"].T,
        "out_proj.bias": RIGHT["b_O"],
        "attn_output_weights": RIGHT["A"],
        "attn_output": RIGHT["Y"],
        "x": RIGHT["X"],
    }
    report = check_arrays(packed)
    agreeing = {s.name: s.operands for s in report.stages if s.verdict.value == "agrees"}
    assert agreeing.keys() == {"A", "Y"}
    assert {"X", "W_Q", "b_Q", "W_K"} <= set(agreeing["A"])


@pytest.mark.parametrize("turned", [False, True], ids=["Conv1D", "Linear"])
def test_c_attn_is_read_by_its_shape(turned):
    W = np.concatenate([RIGHT[f"W_{letter}"] for letter in "QKV"], axis=1)
    arrays = {k: v for k, v in RIGHT.items() if k[0] != "W"}
    arrays["c_attn.weight"] = W.T if turned else W
    arrays["c_proj.weight"] = RIGHT["W_O"].T if turned else RIGHT["W_O"]
    assert {s.verdict.value for s in check_arrays(arrays).stages} == {"agrees"}


def test_every_name_of_the_article_is_understood_in_any_case():
    for name in ARTICLE:
        assert name in ALIASES[name.lower()]


def test_a_map_goes_before_all_names(tmp_path):
    path = save_npz(tmp_path, {"S": RIGHT["A"], "mine": RIGHT["S"], "A": RIGHT["A"]})
    assert not check_files([path]).right
    report = check_files([path], mapping={"S": "mine"})
    assert report.right
    assert report.unused == ("S",)


def test_names_that_are_not_understood_are_listed():
    assert check_arrays({**RIGHT, "loss": np.ones(3)}).unused == ("loss",)


REFUSED = {
    "complex": (
        {"S": RIGHT["S"].astype(complex)},
        "S holds complex numbers: real numbers are needed",
    ),
    "text": ({"S": np.array([["a"]])}, "S holds text: real numbers are needed"),
    "objects": ({"S": np.array([{}], object)}, "S holds Python objects: real numbers are needed"),
    "empty": ({"S": np.zeros((0, 3))}, r"S is empty: its shape is \(0, 3\)"),
    "unknown": ({"foo": RIGHT["S"]}, "none of the names foo is understood.*--map S=NAME"),
    "twice": (
        {**RIGHT, "q_proj.weight": RIGHT["W_Q"]},
        "W_Q is there twice, as W_Q and q_proj.weight: say which with --map W_Q=q_proj.weight",
    ),
    "packed": ({"in_proj_weight": np.ones((7, 4))}, r"in_proj_weight has the shape \(7, 4\)"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_arrays_that_cannot_be_used_are_refused_in_a_line(what):
    arrays, line = REFUSED[what]
    with pytest.raises(AttncliError, match=line):
        check_arrays(arrays)


def test_two_names_for_the_same_numbers_are_one_array():
    report = check_arrays({**RIGHT, "q_proj.weight": RIGHT["W_Q"].T})
    assert report.right
    assert "W_Q and q_proj.weight hold the same numbers" in report.assumptions


BROKEN = {
    "ragged.json": ('{"S": [[1, 2], [3]]}', "S in ragged.json is no array"),
    "words.json": ('{"S": [["a"]]}', "S in words.json is no array"),
    "list.json": ("[1]", "list.json holds no arrays by name"),
    "cut.json": ('{"S": [[1', "cut.json is not JSON"),
    "x.npy": ("123", "x.npy is damaged or holds Python objects"),
    "x.txt": ("123", "x.txt is no file of arrays: give .npz, .safetensors, .json, or a folder"),
    "x.pt": ("123", "x.pt is a pickle file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_cannot_be_read_are_refused_in_a_line(name, tmp_path):
    text, line = BROKEN[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(AttncliError, match=line):
        check_files([tmp_path / name])


def test_objects_are_never_unpickled(tmp_path):
    np.savez(tmp_path / "o.npz", S=np.array([{}, 1], object))
    np.save(tmp_path / "o.npy", np.array([{}, 1], object))
    for name in ("o.npz", "o.npy"):
        with pytest.raises(AttncliError, match=f"{name} is"):
            check_files([tmp_path / name])


def test_what_is_not_there_or_there_twice_is_said(tmp_path):
    path = save_npz(tmp_path, RIGHT)
    (tmp_path / "none").mkdir()
    with pytest.raises(AttncliError, match=r"gone\.npz does not exist"):
        check_files([tmp_path / "gone.npz"])
    with pytest.raises(AttncliError, match=r"none has no \.npy files"):
        check_files([tmp_path / "none"])
    with pytest.raises(AttncliError, match="is in two of the files"):
        check_files([path, path])
    with pytest.raises(UsageError, match="--map S=mine: there is no mine, but"):
        check_files([path], mapping={"S": "mine"})
    with pytest.raises(UsageError, match="--map T=S: T is none of X, source, W_Q"):
        check_files([path], mapping={"T": "S"})
