"""Proofs that this installation computes what it should, made with what ships in the package."""

import importlib.metadata
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from attncli.attention import Array
from attncli.proof import by_loops, goldens, hand_example

ROUNDING = 1e-5  # of float32, in numbers of about 1 and sums of some hundred of them
DEPENDENCIES = ("numpy", "typer", "rich", "tokenizers", "safetensors")

Versions = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Proof:
    """One thing that is computed in two ways, and how far apart the results are."""

    name: str
    largest: float | None  # difference; None: it could not be computed
    tolerance: float
    error: str = ""  # why not

    @property
    def holds(self) -> bool:
        """Whether the two ways agree."""
        return self.largest is not None and self.largest <= self.tolerance


def prove() -> Iterator[Proof]:
    """One proof after the other; what fails in whatever way is a proof that does not hold."""
    yield _proof("three tokens, by hand on paper", hand_example.compared)
    yield _proof("random heads, by loops over plain numbers", by_loops.drawn)
    yield _proof("blocks of rows on threads, by loops", by_loops.in_blocks)
    for family in goldens.FAMILIES:
        yield _proof(f"{family}, one layer, by transformers", partial(goldens.of_family, family))
    yield _proof("the trained sample, one head, by loops", by_loops.of_the_sample)


def versions() -> Versions:
    """Of Python, its platform and the libraries that attncli stands on."""
    return (
        ("Python", platform.python_version()),
        ("machine", f"{platform.system()} {platform.machine()}"),
        *((name, importlib.metadata.version(name)) for name in DEPENDENCIES),
    )


def largest_difference(pairs: Iterable[tuple[Array, Array]]) -> float:
    """max |a - b| / max(1, |b|) over all pairs; two infinities of one sign do not differ.

    inf where shapes differ or only one of two numbers is finite, nan where one is nan.
    """
    gaps = [_difference(ours, theirs) for ours, theirs in pairs]
    return float(np.max(gaps)) if gaps else float("inf")


def _difference(ours: Array, theirs: Array) -> float:
    if ours.shape != theirs.shape:
        return float("inf")
    same = ours == theirs
    finite = np.where(np.isfinite(theirs), theirs, 0)
    gap = np.abs(np.subtract(ours, theirs, out=np.zeros(ours.shape), where=~same))
    return float((gap / np.maximum(1, np.abs(finite))).max(initial=0))


def _proof(name: str, pairs: Callable[[], Iterable[tuple[Array, Array]]]) -> Proof:
    try:
        return Proof(name, largest_difference(pairs()), ROUNDING)
    except Exception as error:  # a broken installation fails in ways that nobody can list
        line = " ".join(f"{type(error).__name__}: {error}".split())
        return Proof(name, None, ROUNDING, line[:200])
