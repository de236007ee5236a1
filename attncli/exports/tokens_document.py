"""JSON of a sentence's tokens and of their tokenizer (docs/json.md)."""

import json
from typing import Any

from attncli import __version__
from attncli.exports.json_document import token_fields
from attncli.text.frame import describe_frame
from attncli.text.normaliser import describe_normaliser
from attncli.text.tokenizer import Encoding, Tokenizer, kind_of, vocabulary_size

SCHEMA = "attncli.tokens/1"


def tokens_to_json(
    tokenizer: Tokenizer, encoding: Encoding, sentence: str, pair: str | None
) -> str:
    """The whole document; it ends with one line feed."""
    document = {
        "schema": SCHEMA,
        "attncli": __version__,
        "tokenizer": tokenizer_fields(tokenizer),
        "notes": [str(note) for note in encoding.notes],
        "sentence": sentence,
        "pair": pair,
        "offset_unit": "codepoint",
        "tokens": [{**token_fields(token), "word": token.word} for token in encoding.tokens],
    }
    return json.dumps(document, indent=1) + "\n"


def tokenizer_fields(tokenizer: Tokenizer) -> dict[str, Any]:
    """What a tokenizer is and does, in words."""
    return {
        "kind": str(kind_of(tokenizer)),
        "vocabulary_size": vocabulary_size(tokenizer),
        "normaliser": str(describe_normaliser(tokenizer.library)),
        "adds": describe_frame(tokenizer.frames[0]),
        "adds_to_pair": describe_frame(tokenizer.frames[1]),
    }
