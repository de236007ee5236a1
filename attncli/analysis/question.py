"""A question about one row and the answers that are right, as data."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    """A number is asked for; `tolerance` is how far from it an answer may be."""

    value: float
    tolerance: float = 0.0


@dataclass(frozen=True)
class YesNo:
    """Yes or no is asked for."""

    value: bool


@dataclass(frozen=True)
class OneOf:
    """A key or a head is asked for, one of `choices`; several may be `right`."""

    what: str  # "key" or "head"
    right: tuple[int, ...]
    choices: tuple[int, ...]


@dataclass(frozen=True)
class Question:
    """In the catalogue `quiz.KIND` asks it, `quiz.WHY.why` says why the answer is what it is."""

    step: str  # asked before the step with this key is shown
    kind: str
    answer: Number | YesNo | OneOf
    facts: Mapping[str, float]  # what the sentences speak of; j, k, best and second are numbered
    why: str
