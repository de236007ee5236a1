"""What a tokenizer adds to a text, and what another file says of it."""

import json
from pathlib import Path

import pytest
import text_fixtures as make
from tokenizers import Tokenizer, processors

from attncli.text.frame import describe_frame, find_frame, keeps_apart
from attncli.text.tokenizer import encode


def roberta() -> Tokenizer:
    made = make.bert()
    made.post_processor = processors.RobertaProcessing(("[SEP]", 2), ("[CLS]", 1))
    return made


@pytest.mark.parametrize(
    ("made", "frame", "pair"),
    [
        (make.bert(), "[CLS] … [SEP]", "[CLS] … [SEP] … [SEP]"),
        (roberta(), "[CLS] … [SEP]", "[CLS] … [SEP] [SEP] … [SEP]"),
        (make.gpt2(), "…", "… …"),
        (make.llama(), "<s> …", "… …"),
        (make.bpe_without_unknown(), "…", "… …"),
    ],
)
def test_what_is_added_around_texts(made: Tokenizer, frame: str, pair: str) -> None:
    assert describe_frame(find_frame(made, 1)) == frame
    assert describe_frame(find_frame(made, 2)) == pair
    assert keeps_apart(find_frame(made, 2)) == (pair != "… …")


@pytest.mark.parametrize(
    ("config", "contradiction"),
    [
        ({"add_bos_token": True, "add_eos_token": False}, None),
        ({}, None),
        ({"add_bos_token": None}, None),
        ({"add_bos_token": False}, "add_bos_token: false, but tokenizer.json adds <s> before"),
        ({"add_eos_token": True}, "add_eos_token: true, but tokenizer.json adds nothing after"),
    ],
)
def test_t09_two_files_that_disagree_about_the_start_token(
    config: dict[str, bool], contradiction: str | None, tmp_path: Path
) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    loaded = make.saved(make.llama(), tmp_path)
    note = f"tokenizer_config.json says {contradiction} the text, and that is what counts"
    assert tuple(map(str, encode(loaded, "cat").notes)) == ((note,) if contradiction else ())
    assert encode(loaded, "cat").tokens[0].piece == "<s>"


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"[" * 100_000])
def test_a_broken_tokenizer_config_says_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_bytes(content)
    assert encode(make.saved(make.llama(), tmp_path), "cat").notes == ()
