"""Padding: nobody looks at it, and the positions do not count it."""

import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from command import run

from attncli.errors import AttncliError
from attncli.families import spec_from_config
from attncli.model import embed, forward
from attncli.weights import read_config
from attncli.weights.params import Params
from attncli.weights.tensors import open_tensors

GOLDEN = Path(__file__).parent / "golden"
IDS = [5, 17, 9, 30, 12, 7]
# The choice of the rotary rates follows the length of the whole text, padding included.
BY_LENGTH = {"llama-dynamic", "phi3-longrope", "phi3-longrope-long"}
WITH_CONVOLUTION = {"deberta-v2"}
VARIANTS = sorted(
    folder.name
    for folder in GOLDEN.iterdir()
    if (folder / "config.json").exists() and folder.name not in BY_LENGTH | WITH_CONVOLUTION
)


def last_layer(name, ids, padding):
    """A and Y of the last layer of the first stack."""
    folder = GOLDEN / name
    with closing(open_tensors(folder)) as tensors:
        params = Params(spec_from_config(read_config(folder)), tensors)
        hidden = None if padding is None else np.array(padding, bool)
        last = params.spec.n_layers - 1
        x = embed(params, ids, padding=hidden)
        trace = forward(params, x, keep=[last], padding=hidden).layers[last]
    return trace.A, trace.Y


@pytest.mark.parametrize("name", VARIANTS)
def test_padding_on_either_side_changes_nothing_for_the_text(name):
    pad = spec_from_config(read_config(GOLDEN / name)).pad_id or 0
    A, Y = last_layer(name, IDS, None)
    for before, after in ((2, 0), (0, 3), (1, 2)):
        ids = [pad] * before + IDS + [pad] * after
        padding = [True] * before + [False] * len(IDS) + [True] * after
        text = slice(before, before + len(IDS))
        padded_A, padded_Y = last_layer(name, ids, padding)
        np.testing.assert_allclose(padded_A[:, text, text], A, atol=2e-6)
        np.testing.assert_allclose(padded_Y[text], Y, atol=2e-5)
        outside = np.array(padding)
        assert (padded_A[:, :, outside] == 0).all()
        assert np.isfinite(padded_Y).all()


def test_a_convolution_is_refused_by_name():
    with pytest.raises(AttncliError, match="deberta-v2 with a convolution"):
        last_layer("deberta-v2", IDS, [False] * 5 + [True])


def test_padding_of_the_source_is_hidden_from_the_target():
    options = (
        "--ids",
        "5,7,9,0,0",
        "-w",
        GOLDEN / "t5",
        "--attention",
        "cross",
        "--target-ids",
        "0,4",
    )
    masked = json.loads(run("export", *options, "--attention-mask", "1,1,1,0,0").out)
    short = json.loads(run("export", "--ids", "5,7,9", *options[2:]).out)
    for head, alone in zip(masked["heads"], short["heads"], strict=True):
        A = np.array(head["A"])
        assert (A[:, 3:] == 0).all()
        np.testing.assert_allclose(A[:, :3], alone["A"], atol=2e-6)


def test_a_row_with_nothing_to_look_at_is_named_and_never_nan():
    gpt2 = ("--ids", "5,7", "-w", GOLDEN / "gpt2", "--attention-mask", "0,1")
    document = json.loads(run("export", *gpt2).out)
    assert document["attention_mask"] == [0, 1]
    assert document["fully_masked"] == [0]
    for head in document["heads"]:
        assert head["A"] == [[0, 0], [0, 1]]
        assert head["S"][0] == [None, None]
    screen = run("explain", *gpt2, "--show", "A").out
    assert "row 0: every key is masked" in screen
    row = next(line for line in screen.splitlines() if line.lstrip().startswith("#5 0"))
    assert row.split()[2:4] == ["—", "—"]
    assert "every key is masked" in run("explain", *gpt2, "--token", "0").out


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        ("1,1,1", "--attention-mask has 3 values, the text has 2 tokens"),
        ("1,2", "'2' is neither 0 nor 1"),
        ("", "'' is neither 0 nor 1"),
    ],
)
def test_a_mask_that_does_not_fit_is_a_wrong_command_line(mask, message):
    answer = run("explain", "--ids", "5,7", "-w", GOLDEN / "gpt2", "--attention-mask", mask)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
