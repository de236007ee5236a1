"""Numbers as people type them: 0.125, 1/8, 1/sqrt(64), 2 × 3, e^0.5."""

import math
import re
import unicodedata

_TOKEN = re.compile(r"\s*([0-9]+(?:[.,][0-9]*)?(?:e[+-]?[0-9]+)?|[.,][0-9]+|sqrt|exp|e\^|.)")
_LONGEST = 80  # characters


class _Unreadable(Exception):
    pass


def _take(words: list[str], *wanted: str) -> str | None:
    return words.pop(0) if words and words[0] in wanted else None


def _in_brackets(words: list[str]) -> float:
    value = _product(words)
    if _take(words, ")") is None:
        raise _Unreadable
    return value


def _factor(words: list[str]) -> float:
    if _take(words, "-"):
        return -_factor(words)
    if _take(words, "+"):
        return _factor(words)
    if _take(words, "("):
        return _in_brackets(words)
    if _take(words, "sqrt", "√"):
        return math.sqrt(_factor(words))
    if _take(words, "exp", "e^"):
        return math.exp(_factor(words))
    if not words:
        raise _Unreadable
    return float(words.pop(0).replace(",", "."))


def _product(words: list[str]) -> float:
    value = _factor(words)
    while sign := _take(words, "*", "×", "·", "/", "÷"):
        factor = _factor(words)
        value = value / factor if sign in "/÷" else value * factor
    return value


def read_number(text: str) -> float | None:
    """The number that the text says; None for what says none.

    Products, fractions, roots and powers of e are worked out; a comma is a decimal point.
    """
    plain = unicodedata.normalize("NFKC", text).strip().lower().replace("−", "-")
    percent = plain.endswith("%")
    words = _TOKEN.findall(plain.removesuffix("%")[:_LONGEST])
    try:
        value = _product(words)
    except (_Unreadable, ValueError, ZeroDivisionError, OverflowError):
        return None
    if words or len(plain) > _LONGEST or not math.isfinite(value):
        return None
    return value / 100 if percent else value
