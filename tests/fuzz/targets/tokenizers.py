"""Tokenizers: tokenizer.json with its settings, and the older forms."""

import json
from random import Random

from fuzz import seeds
from fuzz.case import Case, Odd
from fuzz.mutate import dumps, loads, mutate_bytes, mutate_json, mutate_json_file, mutate_text
from fuzz.targets.checkpoints import Changed, case, odd_place
from fuzz.targets.record import target


def ask_tokenizer(rng: Random, weights: str) -> list[str]:
    """A command that reads this checkpoint's tokenizer."""
    text = rng.choice(["the cat saw", "hi", "The café\u0301 is 👩‍🚀", "<mask> <s> [CLS]", ""])
    return rng.choice(
        [
            ["tokens", text, "-w", weights],
            ["tokens", text, "--json", "-w", weights],
            ["tokens", text, "--pair", "dog", "-w", weights],
            ["explain", text, "-w", weights],
            ["info", weights],
            ["explain", "--ids", "1,2", "-w", weights],
        ]
    )


@target("tokenizer")
def tokenizer(rng: Random) -> Case:
    """tokenizer.json of each kind, with tokenizer_config.json, beside a model or alone."""
    valid = seeds.tokenizer(rng.choice(seeds.TOKENIZERS))
    changed: Changed = {}
    for name in ["tokenizer.json", "tokenizer_config.json"][rng.randrange(2) :: rng.choice([1, 2])]:
        changed[name] = (
            odd_place(rng) if rng.random() < 0.05 else _mutate_tokenizer(rng, valid[name])
        )
    beside = seeds.checkpoint("bert") if rng.random() < 0.8 else {}
    return case(ask_tokenizer(rng, "model"), {**beside, **valid}, changed)


def _mutate_tokenizer(rng: Random, data: bytes) -> bytes:
    """Also with a part of another kind put in, which the library has many of."""
    if rng.random() < 0.6:
        return mutate_json_file(rng, data)
    document = loads(data)
    part = rng.choice(["normalizer", "pre_tokenizer", "post_processor", "decoder", "model"])
    document[part] = mutate_json(rng, _odd_part(rng, part), rng.choice([1, 1, 2]))
    return dumps(document)


_SEQUENCES = [{"Sequence": {"id": letter, "type_id": 0}} for letter in "AB"]
_SPECIAL = {"SpecialToken": {"id": "x", "type_id": 0}}
_TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [_SPECIAL, _SEQUENCES[0]],
    "pair": [_SPECIAL, *_SEQUENCES],
    "special_tokens": {"x": {"id": "x", "ids": [0], "tokens": ["x"]}},
}
_PARTS: dict[str, list[object]] = {
    "post_processor": [
        _TEMPLATE,
        {**_TEMPLATE, "single": [*_SEQUENCES]},
        {**_TEMPLATE, "single": []},
        {"type": "Sequence", "processors": [_TEMPLATE, _TEMPLATE]},
        {"type": "BertProcessing", "sep": ["[SEP]", 99], "cls": ["[CLS]", 0]},
        {
            "type": "RobertaProcessing",
            "sep": ["a", 1],
            "cls": ["b", 2],
            "trim_offsets": True,
            "add_prefix_space": False,
        },
    ],
    "decoder": [{"type": "WordPiece", "prefix": "##", "cleanup": True}, {"type": "Fuse"}],
    "model": [
        {
            "type": "BPE",
            "vocab": {"a": 0, "b": 1, "ab": 2},
            "merges": [["a", "b"]],
            "unk_token": "x",
        },
        {
            "type": "WordPiece",
            "vocab": {"a": 0},
            "unk_token": "b",
            "max_input_chars_per_word": 9,
        },
        {
            "type": "Unigram",
            "vocab": [["a", -1.0], ["b", -2.0]],
            "unk_id": 0,
            "byte_fallback": True,
        },
        {"type": "WordLevel", "vocab": {"a": 0, "b": 7}, "unk_token": "a"},
    ],
}


def _odd_part(rng: Random, part: str) -> object:
    """A part of a tokenizer as the library writes it, of a kind that a child may stumble on."""
    patterns = [{"Regex": "(a+)+$"}, {"Regex": "(?=x)*"}, {"String": ""}, {"Regex": "("}]
    pattern = rng.choice([*patterns, {"Regex": r"\p{L}"}])
    split = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    grow = {"type": "Replace", "pattern": pattern, "content": "0123456789"}
    parts: dict[str, list[object]] = {
        **_PARTS,
        "normalizer": [
            grow,
            {"type": "Sequence", "normalizers": [{**grow, "pattern": {"String": "0"}}] * 9},
            {"type": "Precompiled", "precompiled_charsmap": "AAAA"},
            {"type": "Prepend", "prepend": ""},
            {"type": "Strip", "strip_left": True, "strip_right": True},
            {"type": "NFKD"},
        ],
        "pre_tokenizer": [
            split,
            {
                "type": "Sequence",
                "pretokenizers": [split, {"type": "Digits", "individual_digits": True}],
            },
            {
                "type": "Metaspace",
                "replacement": "\u2581",
                "prepend_scheme": "always",
                "split": True,
            },
            {
                "type": "ByteLevel",
                "add_prefix_space": True,
                "trim_offsets": True,
                "use_regex": True,
            },
        ],
    }
    return loads(json.dumps(rng.choice(parts[part])))


@target("vocab")
def vocab(rng: Random) -> Case:
    """The older tokenizer files: vocab.txt, vocab.json, merges.txt."""
    family = rng.choice(["bert", "gpt2"])
    valid = {**seeds.checkpoint(family), **seeds.old_tokenizer(family)}
    name = rng.choice(sorted(seeds.old_tokenizer(family)))
    if rng.random() < 0.05:
        changed: bytes | Odd = odd_place(rng)
    elif name.endswith(".json"):
        changed = mutate_json_file(rng, valid[name])
    elif rng.random() < 0.5:
        changed = mutate_bytes(rng, valid[name])
    else:
        changed = mutate_text(rng, valid[name].decode()).encode("utf-8", "surrogateescape")
    return case(ask_tokenizer(rng, "model"), valid, {name: changed})
