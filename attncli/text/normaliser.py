"""What a tokenizer does to a text before it looks for pieces, in words."""

import json
from collections.abc import Iterator
from typing import Any

import tokenizers

from attncli.language import Phrase, Text, joined
from attncli.text.printable import isolated, label

# Any other step, such as NFC, is called by its own name.
_PHRASES = {
    "Lowercase": Phrase("normaliser.lowercase"),
    "StripAccents": Phrase("normaliser.accents"),
    "Strip": Phrase("normaliser.strip"),
    "Nmt": Phrase("normaliser.control"),
    "Precompiled": Phrase("normaliser.table"),
    "ByteLevel": Phrase("normaliser.bytes"),
}


def describe_normaliser(library: tokenizers.Tokenizer) -> Text:
    """`lower-cases, strips accents`, in the order of the steps; `nothing` without any."""
    if library.normalizer is None:
        return Phrase("nothing")
    steps = list(_steps(json.loads(library.normalizer.__getstate__())))
    return joined("list.comma", steps or [Phrase("nothing")])


def _steps(stage: dict[str, Any]) -> Iterator[Text]:
    match stage:
        case {"type": "Sequence", "normalizers": stages}:
            for each in stages:
                yield from _steps(each)
        case {"type": "BertNormalizer"}:
            yield from _bert(stage)
        case {"type": "Replace", "pattern": pattern, "content": content}:
            facts = {"pattern": _shown(*pattern.values()), "content": _shown(content)}
            yield Phrase("normaliser.replace", facts)
        case {"type": "Prepend", "prepend": text}:
            yield Phrase("normaliser.prepend", {"text": _shown(text)})
        case {"type": kind}:
            yield _PHRASES.get(kind, kind)


def _bert(stage: dict[str, Any]) -> Iterator[Text]:
    """Accents go with lower-casing where nothing else is said, as in the first BERT."""
    if stage["lowercase"]:
        yield Phrase("normaliser.lowercase")
    if stage["lowercase"] if stage["strip_accents"] is None else stage["strip_accents"]:
        yield Phrase("normaliser.accents")
    if stage["clean_text"]:
        yield Phrase("normaliser.control")
    if stage["handle_chinese_chars"]:
        yield Phrase("normaliser.chinese")


def _shown(text: str) -> str:
    return isolated(label(text))
