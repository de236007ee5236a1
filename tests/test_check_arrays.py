"""What `check` reads: every kind of file, the names people use, and what it refuses."""

import io
import json
import os
import re

import numpy as np
import pytest
from attention_mistakes import Toy, attention
from broken_files import archive, npy
from command import run
from safetensors.numpy import save_file

from attncli.check import check_arrays, check_files
from attncli.check.names import ALIASES, ARTICLE
from attncli.check.reading import read_files
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
    "unknown": ({"foo": RIGHT["S"]}, "none of the names foo is understood.*`mapping` S=NAME"),
    "twice": (
        {**RIGHT, "q_proj.weight": RIGHT["W_Q"]},
        "W_Q is there twice, as W_Q and q_proj.weight: say which with `mapping` W_Q=q_proj.weight",
    ),
    "packed": ({"in_proj_weight": np.ones((7, 4))}, r"in_proj_weight has the shape \(7, 4\)"),
    "packed scalar": ({"in_proj_weight": np.float32(3)}, r"in_proj_weight has the shape \(\)"),
    "packed columns": ({"c_attn.weight": np.float32(3)}, r"c_attn.weight has the shape \(\)"),
    "scalar": ({"S": np.float32(1)}, r"S has the shape \(\), which fits no reading of S"),
    "bytes of float8": ({"S": np.zeros((3, 3), "V1")}, "S holds records or raw bytes"),
    "dates": ({"S": np.zeros((3, 3), "M8[s]")}, r"S holds datetime64\[s\]: real numbers"),
    "masked": ({"S": np.ma.masked_less(RIGHT["S"], 0)}, "S is a masked array: fill it first"),
    "ragged": ({"S": [[1, 2], [3]]}, "S is no array: setting an array element"),
    "a number for a name": ({0: RIGHT["S"]}, "0 is no name of an array"),
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


def test_the_same_numbers_with_nan_are_the_same():
    S = np.where(TOY.causal, np.nan, RIGHT["S"])
    assert "S and scores hold the same numbers" in check_arrays({"S": S, "scores": S}).assumptions


@pytest.mark.parametrize("dtype", [np.longdouble, ">f4", ">f8"])
def test_wide_and_foreign_floats_are_numbers_like_others(dtype):
    report = check_arrays({k: v.astype(dtype) for k, v in RIGHT.items()})
    assert {stage.verdict.value for stage in report.stages} == {"agrees"}
    wrong = {**RIGHT, "Y": RIGHT["Y"] + 1}
    assert not check_arrays({k: v.astype(dtype) for k, v in wrong.items()}).right


def test_one_array_may_be_mapped_to_two_names(tmp_path):
    arrays = {k: v for k, v in RIGHT.items() if k not in ("X", "S")}
    path = save_npz(tmp_path, {**arrays, "in": RIGHT["X"], "out": RIGHT["S"]})
    report = check_files([path], mapping={"X": "in", "source": "in", "S": "out"})
    assert {array.name for array in report.arrays} >= {"X", "source", "S"}
    assert report.right


def test_the_advice_to_map_leads_to_an_answer(tmp_path):
    """One head's bias beside the matrix of all heads was a traceback."""
    heads = np.split(RIGHT["b_V"], TOY.h)
    arrays = {f"heads.{i}.value.bias": head for i, head in enumerate(heads)}
    arrays |= {"X": RIGHT["X"], "value.weight": RIGHT["W_V"].T, "V": RIGHT["V"]}
    path, given = save_npz(tmp_path, arrays), ["--n-heads", TOY.h]
    answer = run("check", path, *given)
    assert "b_V is there twice" in answer.err
    while advice := re.search(r"--map (\S+)", answer.err):
        given += ["--map", advice[1]]
        answer = run("check", path, *given)
    assert (answer.status, answer.err) == (1, "")
    assert f"b_V has {TOY.d_k} numbers, where W_V has {TOY.h * TOY.d_k} columns" in answer.out


def test_parts_of_a_packed_matrix_are_not_advised():
    packed = np.concatenate([RIGHT[f"W_{letter}"].T for letter in "QKV"])
    with pytest.raises(
        AttncliError, match=r"in_proj_weight\[0\]: say which with `mapping` W_Q=W_Q$"
    ):
        check_arrays({**RIGHT, "in_proj_weight": packed + 1})
    with pytest.raises(AttncliError, match=r"qkv.weight\[0\]: keep one of them$"):
        check_arrays({"X": RIGHT["X"], "in_proj_weight": packed, "qkv.weight": packed + 1})


def test_lists_that_are_no_arrays_may_stand_beside_them(tmp_path):
    (tmp_path / "a.json").write_text(
        json.dumps({"A": RIGHT["A"].tolist(), "words": ["a", "b"], "n": 7, "odd": [[1], [2, 3]]})
    )
    assert check_files([tmp_path / "a.json"]).unused == ("words", "odd")


def test_null_is_a_masked_score_and_nan_is_none(tmp_path):
    (tmp_path / "a.json").write_text('{"S": [[0.5, null], [NaN, 1]], "A": [[1, 0], [0, 1]]}')
    contents = read_files([tmp_path / "a.json"])
    np.testing.assert_array_equal(contents.arrays["S"].values, [[0.5, -np.inf], [np.nan, 1]])


def npy_of(values):
    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=True)
    return buffer.getvalue()


HEAD = "{'descr': '<f4', 'fortran_order': False, 'shape': %s}"
BROKEN = {
    "ragged.json": ('{"S": [[1, 2], [3]]}', "S is no array: lists of numbers, all of one"),
    "words.json": ('{"S": [["1"]]}', "S is no array: lists of numbers"),
    "mixed.json": ('{"S": [[null, "1"]]}', "S is no array: lists of numbers"),
    "object.json": ('{"S": [{}]}', "S is no array: lists of numbers"),
    "list.json": ("[1]", "list.json holds no arrays by name"),
    "cut.json": ('{"S": [[1', "cut.json cannot be read as JSON"),
    "deep.json": ('{"S": ' + "[" * 100_000, "deep.json is nested too deeply"),
    "dimensions.json": ('{"S": ' + "[" * 70 + "1" + "]" * 70 + "}", "S is no array"),
    "digits.json": ('{"S": [[' + "9" * 310 + "]]}", "a whole number has 310 digits"),
    "twice.json": ('{"S": [[1]], "S": [[2]]}', 'duplicate key "S"'),
    "empty.json": ("", "empty.json is empty"),
    "x.npy": ("123", "x.npy is damaged .*: save an array of numbers with numpy.save"),
    "empty.npy": ("", r"empty.npy is empty \(0 bytes\)"),
    "page.npy": ("<html></html>", "page.npy is an HTML page"),
    "bracket.npy": (npy(HEAD % "(3, 3", b"0" * 36), "bracket.npy is damaged"),
    "huge.npy": (npy(HEAD % f"({2**63},)", b"0" * 36), "huge.npy is damaged"),
    "cut.npy": (npy(HEAD % "(3, 3)", b"0" * 30), "cut.npy is damaged"),
    "words.npy": (npy(HEAD % "('a',)", b"0" * 36), "words.npy is damaged"),
    "zip.npy": (
        archive(S=npy(HEAD % "(1,)", b"0" * 4)),
        "zip.npy is an archive of arrays: name it",
    ),
    "objects.npy": (npy_of(np.array([{}, 1], object)), "Python objects, which are never unpickled"),
    "x.txt": ("123", "x.txt is no file of arrays: give .npz, .safetensors, .json, or a folder"),
    "x.pt": ("123", "x.pt is a pickle file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_cannot_be_read_are_refused_in_a_line(name, tmp_path):
    content, line = BROKEN[name]
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    answer = run("check", tmp_path / name)
    assert (answer.status, answer.out, answer.err.count("\n")) == (1, "", 1)
    assert re.search(line, answer.err), answer.err


def test_a_shape_of_bools_is_a_shape(tmp_path):
    (tmp_path / "S.npy").write_bytes(npy(HEAD % "(True, 3)", b"0" * 12))
    assert run("check", tmp_path / "S.npy").err.count("\n") <= 1


@pytest.fixture(scope="module")
def exported():
    return run("export", "The cat sat").out


def without(document, *path):
    *parents, last = path
    for key in parents:
        document = document[key]
    del document[last]


EDITED = {
    "no model": (lambda d: without(d, "model"), "model has no n_heads"),
    "no n_heads": (lambda d: without(d, "model", "n_heads"), "model has no n_heads"),
    "a model in words": (lambda d: d.update(model="bert"), "model has no n_heads"),
    "one head less": (lambda d: without(d, "heads", 1, "S"), "some heads have S, others have not"),
    "heads of numbers": (lambda d: d.update(heads=[1, 2]), "heads is no list of objects"),
    "a scale in words": (lambda d: d.update(scale="half"), "scale is 'half', not a number above 0"),
    "a scale of 0": (lambda d: d.update(scale=0), "scale is 0, not a number above 0"),
    "a scale of true": (lambda d: d.update(scale=True), "scale is True, not a number above 0"),
    "causal in words": (lambda d: d.update(causal="no"), "causal is 'no', not true or false"),
    "a cap in words": (lambda d: d.update(softcap=[1]), r"softcap is \[1\], not a number above 0"),
    "heads not alike": (lambda d: without(d, "heads", 1, "S", 2), "S is no array"),
    "X in words": (lambda d: d.update(X=["a"]), "X is no array"),
}


@pytest.mark.parametrize("edit", EDITED)
def test_an_export_that_was_cut_or_edited_is_refused_in_a_line(edit, exported, tmp_path):
    change, line = EDITED[edit]
    document = json.loads(exported)
    change(document)
    (tmp_path / "e.json").write_text(json.dumps(document))
    answer = run("check", tmp_path / "e.json")
    assert (answer.status, answer.out, answer.err.count("\n")) == (1, "", 1)
    assert re.search(line, answer.err), answer.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders there")
@pytest.mark.parametrize("name", ["S.npy", "a.npz", "a.json", "a.safetensors"])
def test_a_pipe_is_not_waited_for(name, tmp_path):
    os.mkfifo(tmp_path / name)
    with pytest.raises(AttncliError, match="is a pipe: a regular file is needed"):
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
    with pytest.raises(UsageError, match="`mapping` S=mine: there is no mine, but"):
        check_files([path], mapping={"S": "mine"})
    with pytest.raises(UsageError, match="`mapping` T=S: T is none of X, source, W_Q"):
        check_files([path], mapping={"T": "S"})
