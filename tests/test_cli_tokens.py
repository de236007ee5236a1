"""`attncli tokens`: every token with its id, its pieces, its place."""

import json
import os
from pathlib import Path

import pytest
import text_fixtures as make
from command import run
from rich.cells import cell_len
from tokenizers import AddedToken
from views_fixtures import printed

from attncli.medium.screen import Screen
from attncli.text.token import Token
from attncli.views.token_table import token_table, tokenizer_facts


def folder(made, tmp_path: Path) -> Path:
    made.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def rows(*arguments):
    answer = run("tokens", *arguments)
    assert answer.status == 0, answer.err
    lines = answer.out.splitlines()
    return lines[lines.index("") + 1 : len(lines) - 1 - lines[::-1].index("")]


def document(*arguments):
    answer = run("tokens", *arguments, "--json")
    assert answer.status == 0, answer.err
    return json.loads(answer.out)


def test_the_whole_screen(tmp_path):
    answer = run("tokens", "The Café zebra", "-w", folder(make.bert(), tmp_path) / "tokenizer.json")
    assert answer.err == ""
    assert answer.out.partition("\n\n")[2].splitlines() == [
        "#  id  piece  text           characters  word",
        "0   1  [CLS]  [CLS]                   –     –  special",
        "1   3  the    The                   0–3     0",
        "2   7  cafe   Café                  4–8     1",
        "3   0  [UNK]  [UNK] «zebra»        9–14     2  unknown",
        "4   2  [SEP]  [SEP]                   –     –  special",
        "",
        "normaliser: lower-cases, strips accents, drops control characters, sets Chinese",
        "            characters apart",
        "adds:       [CLS] … [SEP]; to a pair [CLS] … [SEP] … [SEP]",
    ]


def test_t01_t02_byte_level_pieces_are_read_for_the_reader(tmp_path):
    weights = folder(make.gpt2(), tmp_path)
    table = rows(" cat🤗", "-w", weights)
    assert [line.split()[2:4] for line in table[1:]] == [
        ["Ġcat", "␠cat"],
        ["ð", "🤗⟨1/3⟩"],
        ["Ł¤", "🤗⟨2/3⟩"],
        ["Ĺ", "🤗⟨3/3⟩"],
    ]
    assert table[3].endswith("bytes 9F A4")
    assert "\ufffd" not in "\n".join(table)
    tokens = document(" cat🤗", "-w", weights)["tokens"]
    assert (tokens[0]["piece"], tokens[0]["text"]) == ("Ġcat", " cat")
    assert (tokens[2]["text"], tokens[2]["bytes"]) == (None, [0x9F, 0xA4])


def test_t04_places_count_characters(tmp_path):
    text = "café 日本 x"
    found = document(text, "-w", folder(make.llama(), tmp_path))
    assert found["offset_unit"] == "codepoint"
    whole = [t for t in found["tokens"] if t["text"] and t["start"] is not None]
    assert [text[t["start"] : t["end"]] for t in whole] == [t["text"] for t in whole]
    assert len(whole) >= 4


def test_t07_t09_t11_notes_go_to_standard_error(tmp_path):
    weights = folder(make.llama(), tmp_path)
    (tmp_path / "tokenizer_config.json").write_text('{"add_bos_token": false}')
    answer = run("tokens", "cat</s>", "-w", weights)
    first, second = answer.err.splitlines()
    assert first.startswith("Note: tokenizer_config.json says add_bos_token: false, but")
    assert second.startswith("Note: the text contains special tokens: </s> (1), counted without")
    assert document("cat</s>", "-w", weights)["notes"] == [
        line.removeprefix("Note: ") for line in answer.err.splitlines()
    ]


def test_t23_a_pair_shows_its_segments(tmp_path):
    weights = folder(make.bert(), tmp_path)
    table = rows("the cat", "--pair", "a dog", "-w", weights)
    assert table[0].split() == ["#", "id", "piece", "text", "characters", "word", "segment"]
    found = document("the cat", "--pair", "a dog", "-w", weights)
    assert [t["segment"] for t in found["tokens"]] == [0, 0, 0, 0, 1, 1, 1]
    assert [t["word"] for t in found["tokens"]] == [None, 0, 1, None, 0, 1, None]
    assert (found["sentence"], found["pair"]) == ("the cat", "a dog")


def test_the_tokenizer_in_json(tmp_path):
    assert document("the", "-w", folder(make.llama(), tmp_path))["tokenizer"] == {
        "kind": "BPE with byte fallback",
        "vocabulary_size": 268,
        "normaliser": "puts «▁» in front, replaces «␠» by «▁»",
        "adds": "<s> …",
        "adds_to_pair": "… …",
    }


@pytest.mark.parametrize(
    ("made", "kind"),
    [(make.gpt2(), "byte-level BPE"), (make.unigram(), "Unigram"), (make.bert(), "WordPiece")],
)
def test_kinds_of_tokenizers(made, kind, tmp_path):
    assert document("the", "-w", folder(made, tmp_path))["tokenizer"]["kind"] == kind


def test_r26_a_token_beyond_the_table_is_shown(tmp_path):
    made = make.bert()
    made.add_tokens([AddedToken("<new>")])
    (token,) = document("<new>", "-w", folder(made, tmp_path))["tokens"][1:-1]
    assert (token["id"], token["text"]) == (19, "<new>")


@pytest.mark.parametrize("width", [40, 59, 60, 80])
def test_no_line_is_wider_than_the_screen_and_columns_are_straight(width, tmp_path):
    made = make.bert()
    made.add_tokens(["supercalifragilistic" * 5, "日本語" * 9])
    text = f"{'supercalifragilistic' * 5} {'日本語' * 9} the 日本\u202e \x1b[2J"
    out = run(
        "tokens", "-", "-w", folder(made, tmp_path), "--width", width, stdin=text.encode()
    ).out
    lines = out.splitlines()
    assert max(map(cell_len, lines)) <= width
    head = next(line for line in lines if line.startswith("#"))
    assert ("characters" in head) == (width >= 60)
    (the,) = [line for line in lines if line.split()[2:4] == ["the", "the"]]
    assert the.index("the") == head.index("piece")
    assert the.rindex("the") == head.index("text")


def test_matrices_and_random_weights_have_the_tokenizer_that_they_are_used_with(tmp_path):
    (tmp_path / "m.npz").write_bytes(b"not looked at")
    expected = document("The cat")["tokens"]
    assert document("The cat", "-w", "random")["tokens"] == expected
    assert document("The cat", "-w", tmp_path / "m.npz")["tokens"] == expected
    folder(make.bert(), tmp_path)
    assert document("The cat", "-w", tmp_path / "m.npz")["tokens"] != expected


def test_t19_no_tokenizer(tmp_path):
    (tmp_path / "spiece.model").write_text("the")
    answer = run("tokens", "the", "-w", tmp_path)
    assert (answer.status, answer.out) == (1, "")
    assert answer.err == (
        f"Error: no tokenizer.json in {tmp_path} (found spiece.model): "
        "save tokenizer.json once with a recent transformers (AutoTokenizer, save_pretrained)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ([], 2, "no text given (use - to read standard input)"),
        ([""], 1, "the text gives no tokens"),
        (["a", "-w", "nope"], 1, "no weights at nope"),
        (["a", "--json", "--width", "80"], 2, "--width has no effect on --json"),
    ],
)
def test_what_cannot_be_split(arguments, status, message):
    answer = run("tokens", *arguments)
    assert (answer.status, answer.out) == (status, "")
    assert message in answer.err


@pytest.mark.parametrize("text", [b"the cat", b"the cat\n", b"\xef\xbb\xbfthe cat\r\n"])
def test_c09_standard_input(text, tmp_path):
    weights = folder(make.bert(), tmp_path)
    answer = run("tokens", "-", "-w", weights, "--json", stdin=text)
    assert json.loads(answer.out)["sentence"] == "the cat"


def test_a_screen_without_unicode():
    tokens = [Token(0, 1, "é ", "Ã©Ġ", 0, 2, special=False, word=0)]
    screen = Screen(80, color=False, unicode=False)
    facts = tokenizer_facts("replaces «␠» by «▁»", (("<s>", None), (None, None)))
    lines = printed(token_table(tokens, facts, screen), screen).splitlines()
    assert "\n".join(lines).isascii()
    assert lines[1].split() == ["0", "1", r"\xc3\xa9\u0120", r"\xe9_", "0-2", "0"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders there")
def test_a_tokenizer_that_is_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "tokenizer.json")
    assert "is a pipe: a regular file is needed" in run("tokens", "a", "-w", tmp_path).err
