"""What `check` found, as data: the stages in the order of the computation, and the findings."""

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What is to be said of one stage."""

    agrees = "agrees"  # within the tolerance
    odd = "odd"  # other numbers than ours, but equally right (a Finding that is harmless)
    differs = "differs"
    consistent = "consistent"  # from one matrix alone: nothing speaks against it
    unchecked = "unchecked"  # what it is made of is not in the file


@dataclass(frozen=True)
class Stored:
    """One array of the user's, as it was found."""

    name: str  # the article's: S
    stored_name: str  # in the file: attn_scores
    shape: tuple[int, ...]  # in the file
    dtype: str  # in the file
    layout: str  # how the axes were read: (h, n, d_k)


@dataclass(frozen=True)
class Difference:
    """Between two arrays of one shape, over the entries that are finite in both."""

    largest: float  # max |a - b|; inf in a Finding whose array has another shape than the right one
    mean: float  # mean |a - b|
    where: tuple[int, ...]  # of the largest: (head, row, column), or (row, column)
    rounding: float  # what is no larger is rounding: its digits differ between processors


@dataclass(frozen=True)
class Finding:
    """One mistake, or two together, that reproduce the user's numbers; or a harmless oddity."""

    keys: tuple[str, ...]  # of the mistakes (attncli/check/mistakes): ("no_scale",)
    numbers: tuple[str, ...]  # in the list of docs/check.md: ("M-02",)
    title: str  # the scale was left out
    explanation: str  # one sentence
    right_code: str  # the line of code that is right
    evidence: str  # what the arrays show: S / right S is 8.0000 in every entry
    before: Difference  # between the user's array and the right one
    after: Difference  # between the user's array and what the mistake makes of the right operands
    harmless: bool = False


@dataclass(frozen=True)
class Stage:
    """One array of the user's, compared with what their earlier arrays should give."""

    name: str  # S
    formula: str  # S = Q K^T / sqrt(d_k)
    operands: tuple[str, ...]  # the user's arrays that it was computed from: ("Q", "K")
    shape: tuple[int, ...] | None  # in our layout; None if the array is not in the file
    verdict: Verdict
    difference: Difference | None  # None where nothing was compared
    tolerance: float | None
    findings: tuple[Finding, ...] = ()  # best first; several fit equally well: see `apart`
    apart: str = ""  # what would tell several findings from each other
    facts: tuple[str, ...] = ()  # what the array shows where no known mistake fits
    needs: tuple[str, ...] = ()  # what is missing in the file: ("W_Q", "X")


@dataclass(frozen=True)
class Report:
    """All that was found in one file, or in several that were given as one."""

    source: str  # what the user named
    arrays: tuple[Stored, ...]
    unused: tuple[str, ...]  # names in the file that were not recognised
    n: int | None
    m: int | None
    n_heads: int | None
    d_model: int | None
    d_k: int | None
    assumptions: tuple[str, ...]  # what the file does not say: "no mask: none is in the file"
    stages: tuple[Stage, ...]

    @property
    def right(self) -> bool:
        """Whether nothing differs."""
        return all(stage.verdict is not Verdict.differs for stage in self.stages)

    @property
    def first_difference(self) -> Stage | None:
        """The first stage that differs: the one that is explained."""
        return next((s for s in self.stages if s.verdict is Verdict.differs), None)
