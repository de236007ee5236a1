"""A tokenizer from the files of older models: vocab.txt, or vocab.json and merges.txt.

What these files do not say, the class of the tokenizer does (text/tokenizer_classes.py). Which
tokens are added, and in which order, follows tokenization_utils_tokenizers.py of
https://github.com/huggingface/transformers, version 5.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, models

from attncli.errors import AttncliError
from attncli.files import inside, read_bytes, read_object
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.text.tokenizer_classes import (
    BYTE_PAIRS,
    WORD_PIECE,
    Named,
    TokenizerClass,
    class_of,
    class_of_model,
    post_processor,
    pre_tokenizer,
)

LARGE = 200_000_000  # bytes; a vocabulary of 250,000 pieces has 20 MB as JSON
SAVE = Phrase(
    "save tokenizer.json once with a recent transformers (AutoTokenizer, save_pretrained)"
)
# White space as Unicode has it, which the reference strips at the end of a line.
_WHITE = " \t\n\v\f\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


def has_vocabulary(folder: Path) -> tuple[str, ...]:
    """Of the forms that can be read, the files of the one that a folder holds; () without any."""
    for files in (WORD_PIECE, BYTE_PAIRS):
        if all((folder / name).exists() for name in files):
            return files
    return ()


def _object(folder: Path, name: str) -> dict[str, Any]:
    """A JSON file of the folder, {} where there is none."""
    return read_object(inside(folder, name)) if (folder / name).exists() else {}


def _kind_of(folder: Path, files: tuple[str, ...], config: Mapping[str, Any]) -> TokenizerClass:
    """The class that tokenizer_config.json names, else that of the model, else the first one."""
    named = config.get("tokenizer_class")
    if named is not None:
        found = class_of(str(named))
        what = Phrase(
            "tokenizer_class {name} in {file}",
            {"name": quoted(named), "file": quoted(folder / "tokenizer_config.json")},
        )
    else:
        model_type = _object(folder, "config.json").get("model_type")
        first = "bert" if files == WORD_PIECE else "gpt2"
        found = class_of_model(str(model_type or first))
        what = Phrase(
            "the tokenizer of model_type {name} in {file}",
            {"name": quoted(model_type), "file": quoted(folder / "config.json")},
        )
    if found is None or found.files != files:
        raise AttncliError(
            "{what} cannot be made from {files}: {remedy}",
            what=what,
            files=", ".join(files),
            remedy=SAVE,
        )
    return found


def _token(value: object, *, special: bool) -> AddedToken:
    """A token as JSON has it: its text, or an object with its text and its properties."""
    if isinstance(value, str):
        return AddedToken(value, special=special)
    if not (isinstance(value, dict) and isinstance(value.get("content"), str)):
        raise AttncliError(
            "{value} is no token: give its text, or an object with its content",
            value=quoted(value),
        )
    known = ("single_word", "lstrip", "rstrip", "normalized")
    properties = {key: bool(value[key]) for key in known if key in value}
    return AddedToken(value["content"], special=bool(value.get("special", special)), **properties)


def _special_tokens(kind: TokenizerClass, config: Mapping[str, Any]) -> dict[str, AddedToken]:
    """Those of the class, in its order, as the files say otherwise; None takes one away."""
    order = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")
    values: dict[str, Any] = dict.fromkeys(f"{name}_token" for name in order)
    values |= kind.tokens
    values |= {
        key: value
        for key, value in config.items()
        if key.endswith("_token") and not isinstance(value, bool)
    }
    return {
        name: value if isinstance(value, AddedToken) else _token(value, special=True)
        for name, value in values.items()
        if value is not None
    }


def _added(folder: Path, config: Mapping[str, Any], named: Iterable[str]) -> list[AddedToken]:
    """The tokens outside the vocabulary, in the order of their ids."""
    if isinstance(listed := config.get("added_tokens_decoder"), dict):
        by_id = sorted(listed.items(), key=lambda item: _id(item[0]))
        return [_token(token, special=False) for _, token in by_id]
    older = _object(folder, "added_tokens.json")
    special = set(named)
    return [
        AddedToken(text, special=text in special, normalized=text not in special)
        for text in sorted(older, key=lambda text: _id(older[text]))
    ]


def _id(value: object) -> int:
    if not str(value).isascii() or not str(value).isdigit():
        raise AttncliError(
            "{value} is no id of an added token: give a whole number", value=quoted(value)
        )
    return int(str(value))


def _config(folder: Path) -> dict[str, Any]:
    """tokenizer_config.json, and special_tokens_map.json where that says nothing of tokens."""
    config = _object(folder, "tokenizer_config.json")
    if "added_tokens_decoder" not in config:
        config |= _object(folder, "special_tokens_map.json")
    return config


def _lines(path: Path) -> list[str]:
    try:
        text = read_bytes(path, limit=LARGE).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise AttncliError(
            "{path} is not UTF-8 (byte {place}): copy it again",
            path=quoted(path),
            place=error.start,
        ) from None
    return text.removesuffix("\n").split("\n")


def _word_piece(folder: Path, named: Named) -> models.Model:
    path = inside(folder, "vocab.txt")
    vocabulary = {line.rstrip(_WHITE): i for i, line in enumerate(_lines(path))}
    unknown = named["unk_token"].content if "unk_token" in named else "[UNK]"
    if unknown not in vocabulary:
        raise AttncliError(
            "{path} has no {token}, for unknown words: copy it again",
            path=quoted(path),
            token=quoted(unknown),
        )
    return models.WordPiece(vocabulary, unk_token=unknown)


def _byte_pairs(folder: Path, named: Named, suffix: str) -> models.Model:
    vocabulary = read_object(inside(folder, "vocab.json"), limit=LARGE)
    for piece, number in vocabulary.items():
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**32:
            raise AttncliError(
                "{path}: {piece} has the id {number}, which is none: copy it again",
                path=quoted(folder / "vocab.json"),
                piece=quoted(piece),
                number=quoted(number),
            )
    path = inside(folder, "merges.txt")
    merges = []
    for number, line in enumerate(map(str.rstrip, _lines(path)), start=1):
        if not line or line.startswith("#version"):
            continue
        left, blank, right = line.partition(" ")
        if not (left and blank and right) or " " in right:
            raise AttncliError(
                "{path}, line {number}: {line} is no pair of pieces: copy it again",
                path=quoted(path),
                number=number,
                line=quoted(line),
            )
        merges.append((left, right))
    unknown = {"unk_token": named["unk_token"].content} if suffix else {}
    return models.BPE(
        vocabulary, merges, continuing_subword_prefix="", end_of_word_suffix=suffix, **unknown
    )


def from_vocabulary(folder: Path, files: tuple[str, ...]) -> tokenizers.Tokenizer:
    """The tokenizer of a folder with `files`, one of `WORD_PIECE` and `BYTE_PAIRS`.

    tokenizer_config.json, special_tokens_map.json and added_tokens.json count. Raises AttncliError
    for files that are broken, and for a class of tokenizers that these files do not suffice for;
    the library's own exceptions for a vocabulary that contradicts itself.
    """
    config = _config(folder)
    kind = _kind_of(folder, files, config)
    named = _special_tokens(kind, config)
    extra = config.get("extra_special_tokens") or config.get("additional_special_tokens") or []
    listed = extra.values() if isinstance(extra, dict) else extra
    special = [*named.values(), *(_token(each, special=True) for each in listed)]
    library = tokenizers.Tokenizer(
        _word_piece(folder, named)
        if files == WORD_PIECE
        else _byte_pairs(folder, named, kind.suffix)
    )
    if normalizer := kind.normalizer(config):
        library.normalizer = normalizer
    library.pre_tokenizer = pre_tokenizer(kind, config)
    added = _added(folder, config, [token.content for token in special])
    known = {token.content for token in added}
    library.add_tokens([*added, *(token for token in special if token.content not in known)])
    library.post_processor = post_processor(kind, library, named, config)
    return library
