"""Layers and heads as people write them: `5`, `-1`, `L5`, `H11`, `L5H11`, `0,1`, `0-3`, `all`.

    selectors = selector ("," selector)*
    selector  = "all" | numbers | "L" numbers | "H" numbers | "L" number "H" numbers
    numbers   = number | number "-" number
    number    = ASCII digits; with a minus before them it counts from the end

What an answer prints (`L5H11`) can be typed again, in options, prompts and Python alike.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Literal

from attncli.errors import AttncliError, UsageError
from attncli.language import Phrase
from attncli.text.printable import quoted

What = Literal["layer", "head"]

_N = "(-?[0-9]{1,9})"
_HEAD = re.compile(rf"(?:(?:L{_N})?H)?{_N}(?:-H?{_N})?", re.IGNORECASE)
_LAYER = re.compile(rf"L?{_N}(?:-L?{_N})?", re.IGNORECASE)


@dataclass(frozen=True)
class Numbers:
    """The numbers from `first` to `last`, both included. Negative ones count from the end."""

    text: str  # as it was written
    first: int
    last: int


@dataclass(frozen=True)
class Selector:
    """What stands between two commas: layers, heads, or heads of a layer. None: it does not say."""

    layers: Numbers | None = None
    heads: Numbers | None = None


@dataclass(frozen=True)
class Selection:
    """The layers and heads selected, ascending. Empty: nothing was said about them."""

    layers: tuple[int, ...]
    heads: tuple[int, ...]


def parse_selectors(text: str, what: What) -> tuple[Selector, ...]:
    """The selectors in `text`, in which a bare number is a `what`.

    Raises UsageError for anything that is not of the form above or names no `what`.
    """
    return tuple(_parse(part, what) for part in text.split(","))


def _parse(text: str, what: What) -> Selector:
    if text.lower() == "all":
        every = Numbers(text, 0, -1)
        return Selector(layers=every) if what == "layer" else Selector(heads=every)
    if what == "layer" and (found := _LAYER.fullmatch(text)):
        return Selector(layers=_numbers(text, found[1], found[2]))
    found = _HEAD.fullmatch(text)
    if found is None or (what == "layer" and found[1] is None):
        raise UsageError(Phrase(f"selector.{what}", {"given": quoted(text)}))
    layers = None if found[1] is None else _numbers(text, found[1], None)
    return Selector(layers=layers, heads=_numbers(text, found[2], found[3]))


def _numbers(text: str, first: str, last: str | None) -> Numbers:
    return Numbers(text, int(first), int(last or first))


def select(layer: str | None, heads: Sequence[str], *, n_layers: int, n_heads: int) -> Selection:
    """The layers and heads that two kinds of text name together, of a model with so many of them.

    `--head L5H11` selects layer 5 by itself. Raises UsageError for text that is no selector, for a
    range that runs backwards, and where `layer` and `heads` contradict each other; AttncliError
    for a layer or a head that does not exist.
    """
    of_layer = () if layer is None else parse_selectors(layer, "layer")
    of_heads = [selector for text in heads for selector in parse_selectors(text, "head")]
    return Selection(
        layers=_agreed("layer", of_layer, of_heads, n_layers),
        heads=_agreed("head", of_layer, of_heads, n_heads),
    )


def only(what: What, numbers: tuple[int, ...], default: int) -> int:
    """The one number, or `default` where there is none. Raises UsageError for several."""
    if len(numbers) > 1:
        listing = ", ".join(map(str, numbers[:8])) + ", …" * (len(numbers) > 8)
        raise UsageError(Phrase(f"selector.one_{what}", {"listing": listing, "first": numbers[0]}))
    return numbers[0] if numbers else default


def _agreed(
    what: What, of_layer: Iterable[Selector], of_heads: Iterable[Selector], count: int
) -> tuple[int, ...]:
    """The numbers that both name, or the only one of them that names any."""
    named = []
    for selectors in (of_layer, of_heads):
        said = [each.layers if what == "layer" else each.heads for each in selectors]
        numbers = _resolve(what, [each for each in said if each is not None], count)
        if numbers:
            named.append(numbers)
    if len(named) == 2 and named[0] != named[1]:
        first, second = (", ".join(map(str, numbers)) for numbers in named)
        raise UsageError(Phrase(f"selector.two_{what}s", {"first": first, "second": second}))
    return named[0] if named else ()


def _resolve(what: What, said: Iterable[Numbers], count: int) -> tuple[int, ...]:
    numbers: set[int] = set()
    for each in said:
        first, last = (find_number(what, end, count) for end in (each.first, each.last))
        if first > last:
            facts = {"given": each.text, "first": last, "last": first}
            raise UsageError(Phrase("selector.backwards", facts))
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))


def find_number(what: What, wanted: int, count: int) -> int:
    """The layer or head with this number; negative numbers count from the end.

    Raises AttncliError that says which there are.
    """
    if not isinstance(wanted, Integral) or isinstance(wanted, bool):
        raise AttncliError(
            "`{what}` is {wanted!r}: a whole number is needed", what=what, wanted=wanted
        )
    if not -count <= wanted < count:
        facts = {"wanted": wanted, "count": count, "last": count - 1}
        raise AttncliError(Phrase(f"absent.{what}", facts))
    return int(wanted) % count
