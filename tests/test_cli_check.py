"""`attncli check` as a person types it: what it says, where it says it, and its exit status."""

import dataclasses
import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from command import run
from rich.cells import cell_len
from test_check_json import SCHEMA

from attncli.cli.records import AloneOptions, ModelOptions

N, D, H = 5, 12, 3


def right_arrays(seed=0, causal=False, **other):
    """One layer's attention, written out without attncli."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D))
    W = {name: rng.normal(size=(D, D)) / 3 for name in ("W_Q", "W_K", "W_V", "W_O")}
    Q, K, V = (
        (X @ W[f"W_{name}"]).reshape(N, H, D // H).transpose(1, 0, 2) for name in ("Q", "K", "V")
    )
    S = other.get("S", lambda Q, K: Q @ K.transpose(0, 2, 1) / np.sqrt(D // H))(Q, K)
    if causal:
        S = np.where(np.tri(N, dtype=bool), S, -np.inf)
    A = np.exp(S - S.max(-1, keepdims=True))
    A /= A.sum(-1, keepdims=True)
    Z = A @ V
    Z_cat = Z.transpose(1, 0, 2).reshape(N, D)
    arrays = {"X": X, **W, "Q": Q, "K": K, "V": V, "S": S, "A": A, "Z": Z, "Y": Z_cat @ W["W_O"]}
    return {name: values.astype(np.float32) for name, values in arrays.items()}


def without_scale(Q, K):
    return Q @ K.transpose(0, 2, 1)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("right.npz", **right_arrays())
    np.savez("wrong.npz", **right_arrays(S=without_scale))
    return tmp_path


def test_a_right_file():
    answer = run("check", "right.npz")
    assert (answer.status, answer.err) == (0, "")
    assert "DIFFERS" not in answer.out
    assert answer.out.startswith("right.npz · n 5 · d_model 12 · 3 heads · d_k 4 · float32\n")


def test_a_wrong_file():
    answer = run("check", "wrong.npz")
    assert (answer.status, answer.err) == (1, "")
    assert answer.out.count("DIFFERS") == 1
    (heading,) = [line for line in answer.out.splitlines() if line.startswith("S differs: ")]
    assert "(M-02)" in heading
    assert "\nfix " in answer.out


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_as_wide_as_it_is_told(width):
    out = run("check", "wrong.npz", "--width", width).out
    assert max(map(cell_len, out.splitlines())) <= width


def test_colour_where_it_is_wanted():
    assert "\x1b[1;31m" in run("check", "wrong.npz", "--color", "always").out
    assert "\x1b" not in run("check", "wrong.npz").out
    forced = {"FORCE_COLOR": "1"}
    assert "\x1b" in run("check", "wrong.npz", environment=forced).out
    assert "\x1b" not in run("check", "wrong.npz", environment=forced | {"NO_COLOR": "1"}).out


def test_json():
    answer = run("check", "wrong.npz", "--json")
    assert (answer.status, answer.err) == (1, "")
    document = json.loads(answer.out)
    jsonschema.validate(document, SCHEMA)
    assert document["first_difference"] == "S"
    stages = {stage["name"]: stage for stage in document["stages"]}
    assert stages["S"]["findings"][0]["keys"] == ["no_scale"]
    assert run("check", "right.npz", "--json").status == 0


def test_options_reach_the_check():
    arrays = right_arrays()
    np.savez("named.npz", **{k: v for k, v in arrays.items() if k != "S"}, mine=arrays["S"])
    document = json.loads(run("check", "named.npz", "--map", "S=mine", "--json").out)
    assert {"S": "mine"}.items() <= {
        a["name"]: a["stored_name"] for a in document["arrays"]
    }.items()

    assert run("check", "wrong.npz", "--scale", "1").status == 0
    assert run("check", "right.npz", "--scale", "1").status == 1
    assert run("check", "wrong.npz", "--tol", "1e6").status == 0
    assert run("check", "right.npz", "--n-heads", "4").status == 1

    np.savez("causal.npz", **right_arrays(causal=True))
    assert run("check", "causal.npz", "--causal").status == 0
    assert run("check", "causal.npz", "--no-causal").status == 1
    assert run("check", "right.npz", "--causal").status == 1


def test_several_files_are_one():
    arrays = right_arrays(S=without_scale)
    for name, values in arrays.items():
        np.save(f"{name}.npy", values)
    several = run("check", *[f"{name}.npy" for name in arrays], "--json")
    whole = run("check", "wrong.npz", "--json")
    assert several.status == 1
    assert json.loads(several.out)["stages"] == json.loads(whole.out)["stages"]


def test_a_class(folder):
    (folder / "homework" / "folder").mkdir(parents=True)
    for name, arrays in {"b": right_arrays(), "a": right_arrays(S=without_scale)}.items():
        np.savez(f"homework/{name}.npz", **arrays)
    for name, values in right_arrays().items():
        np.save(f"homework/folder/{name}.npy", values)
    (folder / "homework" / "broken.npz").write_bytes(b"PK")
    answer = run("check", "--each", "homework", "--width", 200)
    assert (answer.status, answer.err) == (1, "")
    names = tuple(line.split("  ")[0] for line in answer.out.splitlines()[:4])
    assert names == ("a.npz", "b.npz", "broken.npz", "folder")
    assert "S: " in answer.out.splitlines()[0]
    assert "(M-02)" in answer.out.splitlines()[0]
    assert "broken.npz" in answer.out.splitlines()[2].partition("not read")[2]
    assert answer.out.splitlines()[-1] == "4 files: 2 agree, 1 differs, 1 could not be read"

    answer = run("check", "--each", "homework", "--json")
    assert (answer.status, answer.err) == (1, "")
    document = json.loads(answer.out)
    jsonschema.validate(document, SCHEMA)
    assert [each["error"] is None for each in document] == [True, True, False, True]
    assert [each["source"] for each in document] == [
        str(Path("homework", name)) for name in ("a.npz", "b.npz", "broken.npz", "folder")
    ]

    assert run("check", "--each", "homework/b.npz", "homework/folder").status == 0
    assert run("check", "--each", "homework/b.npz", "homework/broken.npz").status == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no files"),
        (("right.npz", "--map", "S"), "--map S: give the article's name"),
        (("right.npz", "--map", "S=a", "--map", "S=b"), "--map S=b: S is a already"),
        (("right.npz", "--json", "--width", "80"), "--width has no effect on --json"),
        (("right.npz", "-w", "sample"), "-w needs what your arrays were computed for"),
        (("right.npz", "-w", "sample", "--ids", "5", "--no-causal"), "--no-causal has no effect"),
    ],
)
def test_a_wrong_command_line(arguments, message):
    answer = run("check", *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"Error: {message}")
    assert answer.err.count("\n") == 1


VALUES = {"scale": "0.5", "n_heads": "2", "layer": "0", "head": "0", "attention_mask": "1"}


def given(record):
    """Each option of a record as it is typed, with a value that it could have."""
    for field in dataclasses.fields(record):
        name = f"--{field.name.replace('_', '-')}"
        yield (name,) if field.default.default is False else (name, VALUES.get(field.name, "5"))


@pytest.mark.parametrize("option", list(given(ModelOptions)))
def test_what_says_something_of_a_model_needs_one(option):
    answer = run("check", "right.npz", *option)
    message = f"Error: {option[0]} has no effect on a check without a model, which -w names\n"
    assert (answer.status, answer.out, answer.err) == (2, "", message)


@pytest.mark.parametrize("option", list(given(AloneOptions)))
def test_what_a_model_says_is_not_said_beside_it(option):
    answer = run("check", "right.npz", "-w", "sample", "--sentence", "The cat sat", *option)
    message = f"Error: {option[0]} has no effect on -w: the model says it\n"
    assert (answer.status, answer.out, answer.err) == (2, "", message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--scale", "0"), "'0' is not a number above 0, such as 0.125"),
        (("--scale", "nan"), "'nan' is not a number above 0"),
        (("--tol", "-1"), "'-1' is not a number of 0 or more, such as 1e-4"),
        (("--tol", "inf"), "'inf' is not a number of 0 or more"),
        (("--tol", "1e999"), "'1e999' is not a number of 0 or more"),
    ],
)
def test_a_number_out_of_range(arguments, message):
    answer = run("check", "right.npz", *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert f"Invalid value for '{arguments[0]}': {message}" in answer.err


@pytest.mark.parametrize("arguments", [("nowhere.npz",), ("--each", "nowhere"), ("broken.npz",)])
def test_what_cannot_be_read(folder, arguments):
    (folder / "broken.npz").write_bytes(b"no archive")
    answer = run("check", *arguments)
    if "--each" in arguments:
        assert answer.out.splitlines()[-1] == "1 file: 1 could not be read"
        assert (answer.status, answer.err) == (1, "")
    else:
        assert (answer.status, answer.out) == (1, "")
        assert answer.err.startswith("Error: ")
        assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    "arrays",
    [
        {"W_V": (1, 3), "Z": (3, 1)},  # three heads of no width
        {"Q": (1, 2), "V": (2, 2), "K": (2, 2, 1)},
        {"Z": (2, 2, 3), "S": (2, 2, 2), "V": (2, 3, 2, 3)},  # more heads of V than of S
    ],
)
@pytest.mark.parametrize("heads", [(), ("--n-heads", 3)])
def test_odd_shapes_are_one_line_or_an_answer(arrays, heads):
    np.savez("odd.npz", **{name: np.ones(shape, np.float32) for name, shape in arrays.items()})
    answer = run("check", "odd.npz", *heads)
    assert answer.status in (0, 1)
    assert answer.err.count("\n") == (not answer.out)


def test_a_file_in_which_nothing_can_be_checked():
    np.savez("x.npz", X=right_arrays()["X"], Q=right_arrays()["Q"])
    answer = run("check", "x.npz")
    assert (answer.status, answer.err) == (1, "")
    assert "\nNothing could be checked.\n" in answer.out
