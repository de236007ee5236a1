"""Which reading of the shapes is meant, where several fit: the numbers decide, or nobody."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from attncli.check.interpretation import Interpretation
from attncli.check.report import Stage, Verdict
from attncli.check.stages import examine

_MOST = 64  # readings that are compared
_FULLY = 8  # readings whose differences are explained


@dataclass(frozen=True)
class Result:
    """One reading and what comes of it."""

    user: Interpretation
    stages: tuple[Stage, ...]
    said: tuple[str, ...]


def _agreeing(stages: Sequence[Stage]) -> int:
    return sum(stage.verdict in (Verdict.agrees, Verdict.odd) for stage in stages)


def _explained(stages: Sequence[Stage]) -> tuple[int, int]:
    """Sorts by how many stages agree, and by how many one mistake explains.

    A pair decides nothing: in a reading of few tokens some pair may fit what is no mistake.
    """
    named = [stage for stage in stages if stage.findings and len(stage.findings[0].keys) == 1]
    return _agreeing(stages), len(named)


def choose(users: Sequence[Interpretation], fixed: float | None) -> Result:
    """The reading whose stages agree best.

    Where several are equally good, a stage that agrees in one and differs in another is unchecked.
    """
    if len(users) == 1:
        return _result(users[0], fixed)
    rough = [(user, _agreeing(examine(user, fixed, explain=False)[0])) for user in users[:_MOST]]
    most = max(agree for _, agree in rough)
    results = [_result(user, fixed) for user, agree in rough if agree == most][:_FULLY]
    scores = [_explained(result.stages) for result in results]
    best = [r for r, score in zip(results, scores, strict=True) if score == max(scores)]
    if len(best) == 1:
        decided = _told(best[0], users, "the numbers agree better so")
        return replace(best[0], said=(*best[0].said, *decided))
    return _undecided(best)


def _result(user: Interpretation, fixed: float | None) -> Result:
    stages, said = examine(user, fixed)
    return Result(user, tuple(stages), tuple(said))


def _ways(users: Sequence[Interpretation]) -> list[tuple[str, list[str]]]:
    """(what is ambiguous, the ways to read it), of the arrays whose layouts differ."""
    found = []
    for i, array in enumerate(users[0].stored):
        layouts = list(dict.fromkeys(user.stored[i].layout for user in users))
        if len(layouts) > 1:
            found.append((f"{array.stored_name} {array.shape}", layouts))
    heads = list(dict.fromkeys(str(user.sizes.get("h")) for user in users))
    if len(heads) > 1:
        found.append(("the number of heads", heads))
    return found


def _told(chosen: Result, users: Sequence[Interpretation], why: str) -> list[str]:
    stored = {f"{a.stored_name} {a.shape}": a.layout for a in chosen.user.stored}
    said = []
    for what, ways in _ways(users):
        way = stored.get(what, str(chosen.user.sizes.get("h")))
        others = " or ".join(other for other in ways if other != way)
        said.append(f"{what} is read as {way}, not {others}: {why}")
    return said


def _in_every_reading(readings: Sequence[Stage]) -> Stage:
    """What holds of a stage however it is read: that it agrees, or that it differs."""
    first = readings[0]
    if len({stage.verdict for stage in readings} - {Verdict.unchecked}) <= 1:
        checked = [stage for stage in readings if stage.verdict is not Verdict.unchecked]
        keys = {tuple(f.keys for f in stage.findings) for stage in checked}
        if not checked or len(keys) == 1:
            return checked[0] if checked else first
        return replace(checked[0], findings=(), apart="", facts=("it differs in every reading",))
    return replace(
        first,
        verdict=Verdict.unchecked,
        findings=(),
        apart="",
        facts=("it agrees in one reading and not in another",),
        needs=("an input of which n, h and d_k are all different",),
    )


def _undecided(best: Sequence[Result]) -> Result:
    """The first of several readings, with what holds in all of them."""
    first = best[0]
    ways = _ways([result.user for result in best])
    if not ways:  # only the masks were read in several ways
        return first
    said = [
        f"{what} can be {' or '.join(layouts)}: the numbers do not tell" for what, layouts in ways
    ]
    every = zip(*(result.stages for result in best), strict=True)
    stages = tuple(_in_every_reading(readings) for readings in every)
    heads = {result.user.sizes.get("h") for result in best}
    sizes = dict(first.user.sizes)
    if len(heads) > 1:
        sizes.pop("h", None)
        sizes.pop("k", None)
    return Result(replace(first.user, sizes=sizes), stages, (*first.said, *said))
