"""What a mistake is: a few words, and the wrong function of one or several nodes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from attncli.check.chain import Chain
from attncli.check.nodes import Step
from attncli.check.reading import Values


@dataclass(frozen=True)
class Variant:
    """One way to make a mistake: the wrong functions by node."""

    wrong: Mapping[str, Step]
    which: str = ""  # what it was made with, for {which} in the texts: "Q and K"


@dataclass(frozen=True)
class Mistake:
    """One record of the catalogue.

    A wrong function takes the chain and returns what the node becomes; it raises `Missing` where
    it has nothing to work on. With `fit`, the mistake has a free constant, which is read off the
    user's numbers (`c.target`, an array of the node `c.target_node`) before: None if they show
    none. The wrong function finds it in `c.constant`.
    """

    key: str
    number: str
    title: str
    explanation: str
    right_code: str
    variants: Sequence[Variant]
    harmless: bool = False
    fit: Callable[[Chain], Any] | None = None
    evidence: Callable[[Chain, Values, Any], str] | None = (
        None  # right chain, user's array, constant
    )
    general: bool = False  # fits much: named only where nothing more special does
    lasting: bool = False  # the nodes that come later stay changed in the stages that follow
    mixes_rows: bool = False  # a row of the result needs other rows of queries
    mixes_heads: bool = False


def one(**wrong: Step) -> tuple[Variant, ...]:
    """The variants of a mistake that is made in one way only."""
    return (Variant(wrong),)


def subsets(steps: Mapping[str, tuple[str, Step]]) -> tuple[Variant, ...]:
    """A variant for every choice of names, given {name: (node, wrong function)}."""
    letters = list(steps)
    return tuple(
        Variant(dict(steps[letter] for letter in chosen), ", ".join(chosen))
        for count in range(1, len(letters) + 1)
        for chosen in combinations(letters, count)
    )
