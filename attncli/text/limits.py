"""Limits on what a tokenizer may make of a text: its steps can multiply, and fill the memory."""

import json
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

import tokenizers

from attncli.errors import AttncliError

_LONGEST = 500_000  # characters after a step of the normaliser; a token of each takes 1 kB
_MOST_WORK = 5_000_000  # characters, those after each step added up
_MOST_ADDED = 10_000  # tokens around a text
# A prefix that is not empty, or letters of its key in escapes.
_HAS_PREFIX = re.compile(rb'continuing_subword_prefix"(?!\s*:\s*(?:null|""))|\\u00[5-7]')


def _stages(stage: dict[str, Any], key: str) -> Iterator[dict[str, Any]]:
    if stage["type"] == "Sequence":
        for each in stage[key]:
            yield from _stages(each, key)
    else:
        yield stage


def _most_after(stage: dict[str, Any], length: int) -> int:
    """The most characters that a stage of the normaliser makes of so many."""
    if stage["type"] == "Prepend":
        return length + len(stage["prepend"])
    if stage["type"] != "Replace":
        return length
    pattern, content = stage["pattern"].get("String"), len(stage["content"])
    if pattern:
        return length + length // len(pattern) * max(content - len(pattern), 0)
    return length + (length + 1) * content  # a regular expression may match between characters


def _normalised(stage: dict[str, Any], text: str) -> str:
    normaliser = tokenizers.normalizers.Lowercase()
    normaliser.__setstate__(json.dumps(stage).encode())
    return str(normaliser.normalize_str(text))


def check_growth(library: tokenizers.Tokenizer, text: str) -> None:
    """AttncliError if the normaliser would make the text enormous.

    What its steps can do at most is computed first; only if that is too much, what they do, one
    by one.
    """
    if library.normalizer is None:
        return
    stages = list(_stages(json.loads(library.normalizer.__getstate__()), "normalizers"))
    most = list(accumulate(stages, lambda n, stage: _most_after(stage, n), initial=len(text)))
    if max(most) <= _LONGEST and sum(most) <= _MOST_WORK:
        return
    work = 0
    for stage in stages:
        most_here = _most_after(stage, len(text))
        work += most_here
        if most_here > _LONGEST or work > _MOST_WORK:
            raise AttncliError(
                "the tokenizer's normaliser may make over {most:,} characters of this text: give "
                "a shorter one",
                most=_LONGEST,
            )
        text = _normalised(stage, text)


def check_template(library: tokenizers.Tokenizer) -> None:
    """ValueError for a template that adds too many tokens, or ids without names."""
    if library.post_processor is None:
        return
    for stage in _stages(json.loads(library.post_processor.__getstate__()), "processors"):
        if stage["type"] == "TemplateProcessing":
            _check_template(stage)


def check_merges(data: bytes) -> None:
    """ValueError for a tokenizer.json whose merges do not have its prefix of continued words.

    The library cuts the prefix off unseen, and where that splits a character, it ends the whole
    process.
    """
    if not _HAS_PREFIX.search(data):
        return
    model = json.loads(data)["model"]
    prefix, merges = model.get("continuing_subword_prefix"), model.get("merges")
    if not isinstance(prefix, str) or not isinstance(merges, list):
        return
    for merge in merges:
        second = merge.partition(" ")[2] if isinstance(merge, str) else merge[1]
        if not second.startswith(prefix):
            raise ValueError(
                f"its continuing_subword_prefix is {prefix!r}, but {second!r} in its merges does "
                "not begin with that"
            )


def _check_template(template: dict[str, Any]) -> None:
    tokens = template["special_tokens"]
    for name, token in tokens.items():
        if len(token["ids"]) != len(token["tokens"]):
            raise ValueError(
                f"its template has {len(token['ids'])} ids and {len(token['tokens'])} names "
                f"for {name}"
            )
    for pieces in (template["single"], template["pair"]):
        names = [piece["SpecialToken"]["id"] for piece in pieces if "SpecialToken" in piece]
        if sum(len(tokens[name]["ids"]) for name in names if name in tokens) > _MOST_ADDED:
            raise ValueError(f"its template adds more than {_MOST_ADDED:,} tokens")
