"""State dicts of torch's own modules: goldens, what the file cannot tell, what is refused."""

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from command import run
from comparison import difference
from safetensors.numpy import load_file, save_file

from attncli.errors import AttncliError, UsageError
from attncli.model import forward
from attncli.weights.params import Params
from attncli.weights.tensors import open_tensors
from attncli.weights.torch_modules import torch_spec

GOLDEN = Path(__file__).parent / "golden" / "torch_modules"
CASES = {
    "attention": {},
    "layer": {},
    "layer-no-bias": {"activation": "gelu"},
    "encoder": {},
    "encoder-norm-first": {"norm_first": True, "activation": "gelu"},
}


@pytest.mark.parametrize("name", CASES)
def test_every_module_is_torchs(name):
    path = GOLDEN / f"{name}.safetensors"
    golden = np.load(GOLDEN / "golden.npz")
    with closing(open_tensors(path)) as tensors:
        spec = torch_spec(path, tensors, n_heads=4, n_vocab=9, **CASES[name])
        trace = forward(
            Params(spec, tensors),
            golden["X"],
            range(spec.n_layers),
            keep_hidden=name != "attention",
        )
    last = trace.layers[spec.n_layers - 1]
    assert difference("A", last.A, golden[f"{name}.A"]) < 2e-6
    output = last.Y if name == "attention" else trace.output
    assert difference("Y", output, golden[f"{name}.output"]) < 1e-5


def test_a_module_inside_a_larger_model_is_found(tmp_path):
    inside = {f"model.{{x}}.{k}": v for k, v in load_file(GOLDEN / "encoder.safetensors").items()}
    path = tmp_path / "mine.safetensors"
    save_file({**inside, "classifier.weight": np.zeros((2, 2), np.float32)}, path)
    with closing(open_tensors(path)) as tensors:
        spec = torch_spec(path, tensors, n_heads=2, n_vocab=9)
        assert (spec.n_layers, spec.d_k) == (2, 12)
        assert Params(spec, tensors).get("b_1", 1).shape == (20,)


@pytest.mark.parametrize(
    ("heads", "error"),
    [(None, "does not say how many heads"), (5, "`n_heads` 5 does not divide d_model 24")],
)
def test_what_the_file_cannot_tell_is_asked_for(heads, error):
    path = GOLDEN / "layer.safetensors"
    with closing(open_tensors(path)) as tensors, pytest.raises(UsageError, match=error):
        torch_spec(path, tensors, n_heads=heads, n_vocab=9)


@pytest.mark.parametrize(
    ("extra", "error"),
    [("other.in_proj_weight", "several attention modules"), ("bias_k", "has bias_k")],
)
def test_what_is_not_computed_is_refused(tmp_path, extra, error):
    path = tmp_path / "mine.safetensors"
    shape = (72, 24) if extra.endswith("weight") else (1, 1, 24)
    held = load_file(GOLDEN / "attention.safetensors")
    save_file({**held, extra: np.zeros(shape, np.float32)}, path)
    with closing(open_tensors(path)) as tensors, pytest.raises(AttncliError, match=error):
        torch_spec(path, tensors, n_heads=4, n_vocab=9)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("encoder", []),
        ("encoder-norm-first", ["--norm-first", "--activation", "gelu"]),
        ("layer-no-bias", ["--activation", "gelu"]),
        ("attention", []),
    ],
)
def test_the_switches_on_the_command_line(name, options, tmp_path):
    golden = np.load(GOLDEN / "golden.npz")
    path = tmp_path / "mine.safetensors"
    save_file({**load_file(GOLDEN / f"{name}.safetensors"), "X": golden["X"]}, path)
    ids = ",".join("0" * len(golden["X"]))
    answer = run("export", "--ids", ids, "-w", path, "--n-heads", 4, "--show", "A", *options)
    assert answer.status == 0, answer.err
    A = np.array([head["A"] for head in json.loads(answer.out)["heads"]], np.float32)
    assert difference("A", A, golden[f"{name}.A"]) < 2e-6


def test_info_says_where_the_norms_stand():
    path = GOLDEN / "encoder-norm-first.safetensors"
    options = ("--n-heads", 4, "--norm-first", "--activation", "gelu", "--width", 120)
    out = run("info", path, *options).out
    assert "LayerNorm before the attention" in out
    assert "20 wide, gelu" in out
    assert "missing" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample", "--norm-first"], "--norm-first has no effect on sample"),
        (["random", "--activation", "gelu"], "--activation gelu has no effect on random"),
        ([GOLDEN.parent / "bert", "--norm-first"], "--norm-first has no effect on "),
        ([GOLDEN / "attention.safetensors", "--n-heads", 4, "--norm-first"], "attention alone"),
        (
            [GOLDEN / "attention.safetensors", "--n-heads", 4, "--activation", "relu"],
            "attention al",
        ),
        (
            [GOLDEN / "layer.safetensors", "--n-heads", 4, "--activation", "mish"],
            "mish is not known",
        ),
        ([GOLDEN / "layer.safetensors"], "does not say how many heads it has: give --n-heads"),
    ],
)
def test_switches_without_effect_are_refused(arguments, message):
    answer = run("explain", "a", "-w", *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
