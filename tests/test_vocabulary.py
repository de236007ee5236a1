"""Vocabulary files of older models give the ids that tokenizer.json gives."""

import json
import shutil

import pytest
import tokenizers
from command import run
from scripts import WORDS, sentences
from tokenizers import models, normalizers, pre_tokenizers, processors, trainers

from attncli.errors import AttncliError
from attncli.text.tokenizer import encode, kind_of, load, vocabulary_size
from attncli.weights.places import find_tokenizer

SENTENCES = sentences()
BRACKETS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
ANGLES = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>"]


def write(folder, name, value):
    (folder / name).write_text(json.dumps(value), "utf-8")


def whole(made, folder):
    """The same tokenizer in the new form, next to the folder of the old."""
    new = folder / "new"
    new.mkdir()
    made.save(str(new / "tokenizer.json"))
    return load(new)


def assert_same_ids(old, new):
    ids = [[token.id for token in encode(old, text).tokens] for text in SENTENCES]
    assert ids == [[token.id for token in encode(new, text).tokens] for text in SENTENCES]
    assert len({id for each in ids for id in each}) > 150  # not all of them unknown
    old_pair, new_pair = (encode(each, "The cat", "κόσμος 1") for each in (old, new))
    assert [(t.id, t.segment) for t in old_pair.tokens] == [
        (t.id, t.segment) for t in new_pair.tokens
    ]


@pytest.fixture(scope="module")
def word_piece():
    made = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=3000, special_tokens=BRACKETS, show_progress=False
    )
    made.train_from_iterator([*SENTENCES[::2], *(s.lower() for s in SENTENCES[1::2])], trainer)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return made.to_str()


@pytest.fixture(scope="module")
def byte_pairs():
    made = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=1200,
        special_tokens=ANGLES,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(SENTENCES[::2], trainer)
    return made.to_str()


def saved(made, folder):
    """The tokenizer, and its vocabulary in the folder."""
    library = tokenizers.Tokenizer.from_str(made)
    library.model.save(str(folder))
    return library


@pytest.mark.parametrize(
    ("config", "normalizer"),
    [
        (None, normalizers.BertNormalizer(lowercase=True)),
        ({}, normalizers.BertNormalizer(lowercase=True)),
        ({"do_lower_case": False}, normalizers.BertNormalizer(lowercase=False)),
        (
            {"do_lower_case": True, "strip_accents": False},
            normalizers.BertNormalizer(lowercase=True, strip_accents=False),
        ),
        (
            {"tokenizer_class": "DistilBertTokenizer", "tokenize_chinese_chars": False},
            normalizers.BertNormalizer(lowercase=True, handle_chinese_chars=False),
        ),
    ],
)
def test_word_piece(config, normalizer, word_piece, tmp_path):
    made = saved(word_piece, tmp_path)
    made.normalizer = normalizer
    if config is not None:
        write(tmp_path, "tokenizer_config.json", config)
    loaded = load(tmp_path)
    assert kind_of(loaded) == "WordPiece"
    assert (
        vocabulary_size(loaded) == len((tmp_path / "vocab.txt").read_text("utf-8").split("\n")) - 1
    )
    assert_same_ids(loaded, whole(made, tmp_path))


def roberta(**changes):
    return processors.RobertaProcessing(("</s>", 2), ("<s>", 0), **changes)


@pytest.mark.parametrize(
    ("files", "prefix", "processor", "normalizer"),
    [
        ({}, False, None, None),
        ({"tokenizer_config.json": {"tokenizer_class": "GPT2TokenizerFast"}}, False, None, None),
        ({"tokenizer_config.json": {"add_prefix_space": True}}, True, None, None),
        ({"config.json": {"model_type": "roberta"}}, False, roberta(), None),
        ({"config.json": {"model_type": "gpt_neox"}}, False, None, normalizers.NFC()),
        (
            {
                "config.json": {"model_type": "gpt2"},
                "tokenizer_config.json": {
                    "tokenizer_class": "BartTokenizer",
                    "add_prefix_space": True,
                },
            },
            True,
            roberta(add_prefix_space=True),
            None,
        ),
    ],
)
def test_byte_pairs(files, prefix, processor, normalizer, byte_pairs, tmp_path):
    made = saved(byte_pairs, tmp_path)
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    if processor:
        made.post_processor = processor
    if normalizer:
        made.normalizer = normalizer
    for name, content in files.items():
        write(tmp_path, name, content)
    loaded = load(tmp_path)
    assert str(kind_of(loaded)) == "byte-level BPE"
    assert_same_ids(loaded, whole(made, tmp_path))


def test_start_and_end_tokens_where_the_configuration_asks_for_them(byte_pairs, tmp_path):
    saved(byte_pairs, tmp_path)
    config = {"add_bos_token": True, "add_eos_token": True, "bos_token": "<s>"}
    write(tmp_path, "tokenizer_config.json", config)
    names = [token.piece for token in encode(load(tmp_path), "a", "b").tokens]
    assert names == ["<s>", "a", "<|endoftext|>", "<s>", "b", "<|endoftext|>"]


def test_added_and_special_tokens_are_found_in_the_text(word_piece, tmp_path):
    saved(word_piece, tmp_path)
    size = vocabulary_size(load(tmp_path))
    write(tmp_path, "added_tokens.json", {"zwölf": size + 1, "elf": size})
    write(
        tmp_path,
        "special_tokens_map.json",
        {"mask_token": {"content": "<m>", "lstrip": True}, "additional_special_tokens": ["<x>"]},
    )
    tokens = encode(load(tmp_path), "elf zwölf <m><x>").tokens[1:-1]
    assert [(t.text, t.id - size, t.special) for t in tokens] == [
        ("elf", 0, False),
        ("zwölf", 1, False),
        (" <m>", 2, True),
        ("<x>", 3, True),
    ]
    decoder = {str(size): {"content": "<y>", "special": True}}
    write(tmp_path, "tokenizer_config.json", {"added_tokens_decoder": decoder})
    assert [t.id - size for t in encode(load(tmp_path), "<y>").tokens[1:-1]] == [0]


def test_tokenizer_json_comes_first_and_a_file_of_matrices_has_a_vocabulary_too(
    word_piece, tmp_path
):
    made = saved(word_piece, tmp_path)
    (tmp_path / "mine.npz").touch()
    assert find_tokenizer(str(tmp_path / "mine.npz")) == tmp_path
    made.save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "vocab.txt").write_text("broken")
    assert vocabulary_size(load(tmp_path)) == made.get_vocab_size()
    answer = run("tokens", "The animal", "-w", tmp_path)
    assert answer.status == 0, answer.err


def test_windows_line_ends_and_a_byte_order_mark(word_piece, tmp_path):
    saved(word_piece, tmp_path)
    expected = [t.id for t in encode(load(tmp_path), SENTENCES[0]).tokens]
    text = (tmp_path / "vocab.txt").read_text("utf-8")
    (tmp_path / "vocab.txt").write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    assert [t.id for t in encode(load(tmp_path), SENTENCES[0]).tokens] == expected


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("vocab.txt", b"[CLS]\n[SEP]\nthe\n", r"vocab.txt has no \[UNK\], for unknown words"),
        ("vocab.txt", b"", r"vocab.txt has no \[UNK\]"),
        ("vocab.txt", b"[UNK]\n\xff\n", r"vocab.txt is not UTF-8 \(byte 6\): copy it again"),
        ("tokenizer_config.json", b"{", "tokenizer_config.json cannot be read as JSON"),
        ("tokenizer_config.json", b"[]", "tokenizer_config.json holds list, not a JSON object"),
        (
            "tokenizer_config.json",
            b'{"tokenizer_class": "BertJapaneseTokenizer"}',
            r"tokenizer_class BertJapaneseTokenizer in .* cannot be made from vocab.txt: save tok",
        ),
        (
            "tokenizer_config.json",
            b'{"tokenizer_class": "GPT2Tokenizer"}',
            "GPT2Tokenizer in .* cannot be made from vocab.txt: save tokenizer.json once",
        ),
        ("tokenizer_config.json", b'{"do_lower_case": "yes"}', "cannot read .*vocab.txt with tok"),
        ("tokenizer_config.json", b'{"mask_token": 7}', "7 is no token: give its text"),
        ("tokenizer_config.json", b'{"extra_special_tokens": 7}', "cannot read .*vocab.txt"),
        (
            "tokenizer_config.json",
            b'{"added_tokens_decoder": {"x": "a"}}',
            "x is no id of an added token",
        ),
        ("config.json", b'{"model_type": "albert"}', "model_type albert in .* cannot be made from"),
        ("added_tokens.json", b'{"a": -1}', "-1 is no id of an added token"),
    ],
)
def test_broken_files_of_word_piece(name, content, message, word_piece, tmp_path):
    saved(word_piece, tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(AttncliError, match=message):
        load(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("vocab.json", b'{"a": 1.5}', "vocab.json: a has the id 1.5, which is none"),
        ("vocab.json", b'{"a": 0, "a": 1}', 'duplicate key "a"'),
        ("merges.txt", b"#version: 0.2\na b c\n", "merges.txt, line 2: a b c is no pair of pieces"),
        ("merges.txt", b"a\n", "merges.txt, line 1: a is no pair of pieces"),
        ("merges.txt", "שלום ש\n".encode(), "cannot read .*out of vocabulary"),
        ("config.json", b'{"model_type": "blenderbot-small"}', "from vocab.json, merges.txt"),
        ("config.json", b'{"model_type": "roberta"}', "it has no cls_token"),
    ],
)
def test_broken_files_of_byte_pairs(name, content, message, byte_pairs, tmp_path):
    saved(byte_pairs, tmp_path)
    if "cls_token" in message:
        write(tmp_path, "tokenizer_config.json", {"cls_token": None})
    (tmp_path / name).write_bytes(content)
    with pytest.raises(AttncliError, match=message):
        load(tmp_path)


@pytest.mark.parametrize("name", ["spiece.model", "tokenizer.model", "vocab.json", "merges.txt"])
def test_what_to_do_with_sentencepiece_or_half_a_vocabulary(name, tmp_path):
    (tmp_path / name).touch()
    message = rf"no tokenizer.json in .* \(found {name}\): save tokenizer.json once with a recent "
    with pytest.raises(AttncliError, match=message):
        load(tmp_path)


def test_a_link_out_of_the_folder_is_not_followed(word_piece, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    saved(word_piece, folder)
    shutil.move(folder / "vocab.txt", tmp_path / "secret.txt")
    (folder / "vocab.txt").symlink_to(tmp_path / "secret.txt")
    with pytest.raises(AttncliError, match="is a link that leaves the folder"):
        load(folder)


def test_the_sentences_are_of_ten_scripts():
    assert len(WORDS) == 10
    assert len(set(SENTENCES)) == 200
