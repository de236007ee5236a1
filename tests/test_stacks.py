"""Both stacks of an encoder-decoder, and the attention between them."""

import json
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from command import run
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from attncli.inspector import inspect
from attncli.kind import AttentionKind
from attncli.weights import load_weights

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
SCHEMA = json.loads((ROOT / "docs" / "attention.schema.json").read_text("utf-8"))
PAIRS = sorted(
    path.parent.name
    for path in GOLDEN.glob("*/golden.npz")
    if any(name.startswith("cross.") for name in np.load(path).files)
)


def listed(ids):
    return ",".join(map(str, ids))


def exported(*arguments):
    answer = run("export", *arguments)
    assert answer.status == 0, answer.err
    document = json.loads(answer.out)
    jsonschema.validate(document, SCHEMA)
    return document


@pytest.fixture
def t5(tmp_path):
    """A tiny T5 with a tokenizer of 50 words, of which w1 is the end token that it adds."""
    folder = tmp_path / "t5"
    shutil.copytree(GOLDEN / "t5", folder)
    tokenizer = Tokenizer(models.WordLevel({f"w{i}": i for i in range(50)}, unk_token="w2"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(["w0", "w1"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A w1", special_tokens=[("w1", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


@pytest.mark.parametrize("stack", ["encoder", "decoder", "cross"])
@pytest.mark.parametrize("name", PAIRS)
def test_every_stack_is_the_references(name, stack):
    with np.load(GOLDEN / name / "golden.npz") as golden:
        source, target = golden["ids"], golden["target_ids"]
        reference = {key: golden[f"{stack}.{key}.1"] for key in "XAY"}
    aim = [] if stack == "encoder" else ["--target-ids", listed(target)]
    document = exported(
        "--ids", listed(source), *aim, "-w", GOLDEN / name, "--attention", stack, "--layer", 1
    )
    assert (document["attention"], document["layer"]) == (stack, 1)
    assert document["causal"] == (stack == "decoder")
    rows, columns = (source if stack == "encoder" else target), document.get("columns")
    assert [token["id"] for token in document["tokens"]] == rows.tolist()
    assert (columns is not None) == (stack == "cross")
    assert [token["id"] for token in columns or []] == (source.tolist() if columns else [])
    ours = {
        "X": document["X"],
        "A": [head["A"] for head in document["heads"]],
        "Y": document["Y"],
    }
    for key, values in ours.items():
        np.testing.assert_allclose(values, reference[key], atol=1e-5, err_msg=key)


def test_the_encoder_is_the_default_and_the_screen_says_so(t5):
    answer = run("explain", "w5 w6", "-w", t5)
    assert answer.out == run("explain", "w5 w6", "-w", t5, "--attention", "encoder").out
    assert "the encoder: the tokens of the source look at each other\n" in answer.out
    decoder = run("explain", "w5 w6", "-w", t5, "--attention", "decoder", "--target", "w9")
    assert "the decoder: the tokens of the target look at each other\n" in decoder.out
    assert "0 [w0]  1 w9\n" in decoder.out


def test_a_target_is_read_one_place_to_the_right(t5):
    command = ["w5 w6", "-w", t5, "--attention", "cross", "--show", "A"]
    by_text = exported(*command, "--target", "w9 w8")
    assert [token["id"] for token in by_text["tokens"]] == [0, 9, 8]
    assert [token["index"] for token in by_text["tokens"]] == [0, 1, 2]
    assert [token["start"] for token in by_text["tokens"]] == [None, 0, 3]
    assert [token["special"] for token in by_text["tokens"]] == [True, False, False]
    assert [token["id"] for token in by_text["columns"]] == [5, 6, 1]
    assert (by_text["sentence"], by_text["target"]) == ("w5 w6", "w9 w8")
    by_ids = exported(*command, "--target-ids", "0,9,8")
    assert by_ids["heads"] == by_text["heads"]
    assert by_ids["target"] is None


def test_an_end_token_that_was_typed_stays(t5):
    document = exported(
        "w5", "-w", t5, "--attention", "decoder", "--target", "w9 w1", "--show", "A"
    )
    assert [token["id"] for token in document["tokens"]] == [0, 9, 1]
    assert document["notes"] == [
        "target: the text contains special tokens: w1 (1), counted without added ones"
    ]


def test_the_row_of_a_target_token_over_the_source(t5):
    command = ["w5 w6 w7", "-w", t5, "--attention", "cross", "--target", "w9"]
    (row,) = exported(*command, "--head", "2", "--token", "w9")["derivation"]
    assert (row["token"], row["agrees"], len(row["a"])) == (1, True, 4)


def test_the_library_takes_a_name_too(t5):
    with load_weights(str(t5)) as weights:
        cross = inspect("w5 w6", weights, target=[0, 9], attention="cross")
        same = inspect("w5 w6", weights, target=[0, 9], attention=AttentionKind.cross)
    np.testing.assert_array_equal(cross.attention.A, same.attention.A)
    assert cross.attention.A.shape == (4, 2, 3)
    assert (len(cross.tokens), len(cross.columns)) == (2, 3)


def test_without_a_start_token_the_ids_have_to_be_given(t5):
    config = json.loads((t5 / "config.json").read_text())
    del config["decoder_start_token_id"]
    (t5 / "config.json").write_text(json.dumps(config))
    answer = run("explain", "w5", "-w", t5, "--attention", "decoder", "--target", "w9")
    assert (answer.status, answer.out) == (1, "")
    assert "does not say decoder_start_token_id" in answer.err
    assert "--target-ids" in answer.err


def test_a_target_without_a_tokenizer_names_its_option(t5):
    (t5 / "tokenizer.json").unlink()
    answer = run("export", "--ids", "5", "-w", t5, "--attention", "decoder", "--target", "w9")
    assert answer.err.endswith("save_pretrained), or give token ids (--target-ids)\n")
    document = exported("--ids", "5", "-w", t5, "--attention", "decoder", "--target-ids", "0,9")
    assert len(document["notes"]) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--attention", "cross"],
            "--attention cross needs the text that the decoder reads: give --ta",
        ),
        (["--attention", "decoder"], "--attention decoder needs the text that the decoder reads"),
        (["--target", "w9"], "--target has no effect on an encoder: give --attention decoder or"),
        (["--attention", "encoder", "--target-ids", "1"], "--target has no effect on an encoder"),
        (
            ["--attention", "cross", "--target", "w9", "--target-ids", "1"],
            "--target-ids replaces --target",
        ),
        (
            ["--attention", "cross", "--target", "w9", "--causal"],
            "--causal has no effect on --attention",
        ),
        (["--attention", "cross", "--target-ids", "x"], "--target-ids: 'x' is not a token id"),
        (["-w", "sample", "--attention", "encoder"], "--attention encoder: "),
        (["-w", "sample", "--target", "a"], "--target is for encoder-decoders"),
    ],
)
def test_a_wrong_command_line(arguments, message, t5):
    weights = () if "-w" in arguments else ("-w", t5)
    answer = run("export", "w5", *weights, *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_cross_attention_on_the_screen(t5):
    command = ["explain", "w5 w6 w7", "-w", t5, "--attention", "cross", "--target", "w9"]
    answer = run(*command, "--show", "K,S,A")
    assert (answer.status, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert "layer 1, cross-attention, head L1H0" in lines
    assert {"target:  0 [w0]  1 w9", "source:  0 w5  1 w6  2 w7  3 [w1]"} <= set(lines)
    assert "K  L1H0  (4 × 5)" in lines
    assert "A  L1H0  (2 × 4)" in lines
    assert run(*command, "--as", "heatmap", "--show", "V,A").status == 0


def test_a_row_of_cross_attention_on_the_screen(t5):
    command = ["explain", "w5 w6 w7", "-w", t5, "--attention", "cross", "--target", "w9"]
    answer = run(*command, "--token", "w9")
    assert (answer.status, answer.err) == (0, "")
    assert "row 1 agrees with" in answer.out


@pytest.mark.parametrize(("layer", "message"), [(2, "layer 2"), (-3, "layer -3")])
def test_layers_are_the_stacks_own(layer, message, t5):
    answer = run(
        "export", "w5", "-w", t5, "--attention", "cross", "--target", "w9", "--layer", layer
    )
    assert (answer.status, answer.out) == (1, "")
    assert message in answer.err
