"""What the values of options mean: numbers, lists of numbers, names."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import typer

from attncli.errors import UsageError
from attncli.language import Phrase
from attncli.text.printable import quoted

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def bad_value(template: str, **facts: object) -> typer.BadParameter:
    """The error for the value of an option, whose name is added to it."""
    says: Any = Phrase(template, facts)  # str of it is English
    return typer.BadParameter(says)


def whole(lowest: int, highest: int | None = None) -> Callable[[str], int]:
    """A parser of whole numbers from `lowest` to `highest`: ASCII digits, nothing else.

    Python's int also takes 1_0, blanks and the digits of every script. The parser raises
    BadParameter, which names the option.
    """

    def parse(text: str) -> int:
        number = int(text) if _WHOLE.fullmatch(text) else None
        if number is None or number < lowest or (highest is not None and number > highest):
            raise bad_value(
                "'{text}' is not a whole number {lowest} or more."
                if highest is None
                else "'{text}' is not a whole number from {lowest} to {highest}.",
                text=quoted(text),
                lowest=lowest,
                highest=highest,
            )
        return number

    return parse


def decimal(wanted: Phrase, is_wanted: Callable[[float], bool]) -> Callable[[str], float]:
    """A parser of finite decimal numbers, such as 0.125 or 1e-4, that are as `wanted` says."""

    def parse(text: str) -> float:
        number = float(text) if _DECIMAL.fullmatch(text) else math.nan
        if not (math.isfinite(number) and is_wanted(number)):
            raise bad_value("'{text}' is not a number {wanted}.", text=quoted(text), wanted=wanted)
        return number

    return parse


def parse_ids(ids: str, name: str = "ids") -> tuple[int, ...]:
    """Token ids separated by commas. Raises UsageError for what is no whole number from 0 up."""
    words = [word.strip() for word in ids.split(",")]
    if wrong := [word for word in words if not re.fullmatch(r"[0-9]{1,12}", word)]:
        raise UsageError(
            "`{name}`: '{word}' is not a token id; give whole numbers from 0, separated by commas",
            name=name,
            word=quoted(wrong[0]),
        )
    return tuple(map(int, words))


def parse_attention_mask(mask: str | None) -> tuple[int, ...] | None:
    """Zeros and ones separated by commas, if any. Raises UsageError for anything else."""
    if mask is None:
        return None
    words = [word.strip() for word in mask.split(",")]
    if wrong := [word for word in words if word not in ("0", "1")]:
        raise UsageError("`attention_mask`: '{word}' is neither 0 nor 1", word=quoted(wrong[0]))
    return tuple(map(int, words))


def parse_mapping(pairs: Sequence[str]) -> dict[str, str]:
    """{"S": "scores"} of `S=scores`. Raises UsageError for another form and a name given twice."""
    mapping: dict[str, str] = {}
    for pair in pairs:
        name, sign, stored = pair.partition("=")
        if not (name and sign and stored):
            raise UsageError(
                "`mapping` {pair}: give the article's name, =, yours, such as S=scores",
                pair=quoted(pair),
            )
        if name in mapping:
            raise UsageError(
                "`mapping` {pair}: {name} is {own} already",
                pair=quoted(pair),
                name=quoted(name),
                own=quoted(mapping[name]),
            )
        mapping[name] = stored
    return mapping
