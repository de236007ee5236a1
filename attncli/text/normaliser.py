"""What a tokenizer does to a text before it looks for pieces, in words."""

import json
from collections.abc import Iterator
from typing import Any

import tokenizers

from attncli.text.printable import isolated, label

_PHRASES = {
    "Lowercase": "lower-cases",
    "StripAccents": "strips accents",
    "Strip": "strips blanks at the ends",
    "Nmt": "drops control characters",
    "Precompiled": "maps characters by a table of SentencePiece (much as NFKC)",
    "ByteLevel": "writes bytes as characters",
    "NFC": "NFC",
    "NFD": "NFD",
    "NFKC": "NFKC",
    "NFKD": "NFKD",
}


def describe_normaliser(library: tokenizers.Tokenizer) -> str:
    """`lower-cases, strips accents`, in the order of the steps; `nothing` without any."""
    if library.normalizer is None:
        return "nothing"
    return ", ".join(_steps(json.loads(library.normalizer.__getstate__()))) or "nothing"


def _steps(stage: dict[str, Any]) -> Iterator[str]:
    match stage:
        case {"type": "Sequence", "normalizers": stages}:
            for each in stages:
                yield from _steps(each)
        case {"type": "BertNormalizer"}:
            yield from _bert(stage)
        case {"type": "Replace", "pattern": pattern, "content": content}:
            yield f"replaces {_quoted(*pattern.values())} by {_quoted(content)}"
        case {"type": "Prepend", "prepend": text}:
            yield f"puts {_quoted(text)} in front"
        case {"type": kind}:
            yield _PHRASES.get(kind, kind)


def _bert(stage: dict[str, Any]) -> Iterator[str]:
    """Accents go with lower-casing where nothing else is said, as in the first BERT."""
    if stage["lowercase"]:
        yield "lower-cases"
    if stage["lowercase"] if stage["strip_accents"] is None else stage["strip_accents"]:
        yield "strips accents"
    if stage["clean_text"]:
        yield "drops control characters"
    if stage["handle_chinese_chars"]:
        yield "sets Chinese characters apart"


def _quoted(text: str) -> str:
    return f"«{isolated(label(text))}»"
