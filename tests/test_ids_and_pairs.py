"""Token ids in place of a sentence, and pairs of sentences."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import text_fixtures
from broken_files import save
from command import run
from safetensors.numpy import load_file
from tokenizers import processors

BERT = Path(__file__).parent / "golden" / "bert"


@pytest.fixture
def bert(tmp_path):
    """A small BERT with two segments, and a tokenizer that has [CLS] and [SEP]."""
    for name in ("config.json", "model.safetensors"):
        shutil.copy(BERT / name, tmp_path)
    text_fixtures.bert().save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def exported(*arguments):
    answer = run("export", *arguments, "--layer", "0", "--show", "X,A")
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def test_ids_give_the_numbers_of_their_sentence(bert):
    by_text = exported("the cat", "-w", bert)
    by_ids = exported("--ids", "1, 3,4,2", "-w", bert)
    assert [token["id"] for token in by_text["tokens"]] == [1, 3, 4, 2]
    assert (by_ids["X"], by_ids["heads"]) == (by_text["X"], by_text["heads"])
    assert by_ids["sentence"] is None
    assert [token["text"] for token in by_ids["tokens"]] == ["[CLS]", "the", "cat", "[SEP]"]
    assert [token["special"] for token in by_ids["tokens"]] == [True, False, False, True]


def test_ids_need_no_tokenizer(bert):
    with_names = exported("--ids", "1,3,4,3", "-w", bert)
    (bert / "tokenizer.json").rename(bert / "vocab.json")
    answer = run("export", "--ids", "1,3,4,3", "-w", bert, "--layer", "0", "--show", "X,A")
    note = f"{bert.name} has no tokenizer that can be read: ids stand for the tokens"
    assert answer.err == f"Note: {note}\n"
    document = json.loads(answer.out)
    assert document["notes"] == [note]
    assert (document["X"], document["heads"]) == (with_names["X"], with_names["heads"])
    assert [token["text"] for token in document["tokens"]] == ["#1", "#3", "#4", "#3"]
    assert (
        "row 2 agrees with" in run("explain", "--ids", "1,3,4,3", "-w", bert, "--token", "#4").out
    )
    assert (
        '"#3" stands at 1 and 3' in run("explain", "--ids", "1,3,4,3", "-w", bert, "-t", "#3").err
    )
    sentence = run("explain", "the cat", "-w", bert)
    assert (sentence.status, sentence.out) == (1, "")
    assert f"no tokenizer.json in {bert} (found vocab.json): save " in sentence.err
    assert sentence.err.endswith("save_pretrained), or give token ids (--ids)\n")


def test_ids_go_past_a_tokenizer_that_cannot_be_read(bert):
    (bert / "tokenizer.json").write_text('{"version": "9.0"}')
    assert run("explain", "--ids", "1,3", "-w", bert).status == 0
    sentence = run("explain", "the", "-w", bert)
    assert sentence.err.endswith("or update the tokenizers package, or give token ids (--ids)\n")


def test_ids_with_a_file_of_matrices(tmp_path):
    rng = np.random.default_rng(0)
    W = {f"W_{x}": rng.normal(size=(6, 3)) for x in "QKV"}
    save(tmp_path / "m.safetensors", **W, E=rng.normal(size=(9, 6)))
    E = load_file(tmp_path / "m.safetensors")["E"]
    document = exported("--ids", "8,0", "-w", tmp_path / "m.safetensors")
    np.testing.assert_array_equal(np.array(document["X"], np.float32), E[[8, 0]])
    beyond = run("explain", "--ids", "9", "-w", tmp_path / "m.safetensors")
    assert (beyond.status, beyond.out) == (1, "")
    assert "token 0 has id 9, the embedding table has 9 rows (0 to 8)" in beyond.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ids", "1,x"], "--ids: 'x' is not a token id; give whole numbers from 0"),
        (["--ids", "-1"], "--ids: '-1' is not a token id"),
        (["--ids", "1,,2"], "--ids: '' is not a token id"),
        (["--ids", ""], "--ids: '' is not a token id"),
        (["a", "--ids", "1"], "--ids replaces the sentence and --pair: give one or the other"),
        (["--ids", "1", "--pair", "b"], "--ids replaces the sentence and --pair"),
        (["a", "--pair", "b"], "--pair: encoder reads no pairs: it has no segments"),
    ],
)
def test_a_wrong_command_line(arguments, message):
    answer = run("explain", *arguments)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1


def test_t23_a_pair_reaches_the_model_with_its_segments(bert):
    document = exported("the cat", "--pair", "a dog", "-w", bert)
    assert (document["sentence"], document["pair"]) == ("the cat", "a dog")
    assert [token["segment"] for token in document["tokens"]] == [0, 0, 0, 0, 1, 1, 1]
    assert [token["start"] for token in document["tokens"]] == [None, 0, 4, None, 0, 2, None]
    ids = ",".join(str(token["id"]) for token in document["tokens"])
    X, one_segment = np.array(document["X"]), np.array(exported("--ids", ids, "-w", bert)["X"])
    np.testing.assert_array_equal(X[:4], one_segment[:4])
    assert (np.abs(X[4:] - one_segment[4:]).max(axis=1) > 1e-3).all()


def test_segments_tell_two_texts_apart_where_the_tokenizer_puts_nothing_between(bert):
    made = text_fixtures.bert()
    made.post_processor = processors.TemplateProcessing(single="$A", pair="$A $B:1")
    made.save(str(bert / "tokenizer.json"))
    document = exported("the cat", "--pair", "a dog", "-w", bert)
    assert [token["segment"] for token in document["tokens"]] == [0, 0, 1, 1]


def test_a_second_text_that_is_not_utf8_is_refused(bert):
    answer = run("explain", "the", "--pair", "caf\udce9", "-w", bert)
    assert (answer.status, answer.out) == (1, "")
    assert "lone surrogate" in answer.err
