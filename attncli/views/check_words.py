"""What `check` says in a few words: numbers, places, verdicts, mistakes by name."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attncli.check.report import Finding, Report, Stage, Verdict
from attncli.medium.numbers import counted

VERDICTS = {
    Verdict.agrees: "agrees",
    Verdict.odd: "odd but right",
    Verdict.differs: "DIFFERS",
    Verdict.consistent: "consistent",
    Verdict.unchecked: "not checked",
}

UNREAD = "not read"
_TOLD = {
    "agrees": ("agrees", "agree"),
    "odd but right": ("is odd but right", "are odd but right"),
    "DIFFERS": ("differs", "differ"),
    "consistent": ("is consistent", "are consistent"),
    "not checked": ("was not checked", "were not checked"),
    UNREAD: ("could not be read", "could not be read"),
}


def limit(tolerance: float) -> str:
    """A tolerance, which is a round number: 1e-05."""
    return f"{tolerance:.2g}"


def shape_text(shape: tuple[int, ...]) -> str:
    """(4, 6, 6)"""
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"


def place(where: Sequence[int]) -> str:
    """head 1, row 3, column 2; counted from 0."""
    names = ("head", "row", "column")[-len(where) :] if where else ()
    return ", ".join(f"{name} {number}" for name, number in zip(names, where, strict=False))


def mistakes_of(stage: Stage) -> tuple[Finding, ...]:
    """The findings that something is wrong; the others are harmless."""
    return tuple(finding for finding in stage.findings if not finding.harmless)


def numbers_of(finding: Finding) -> str:
    """M-02 + M-08; not every mistake has a number."""
    return " + ".join(dict.fromkeys(filter(None, finding.numbers)))


def named(finding: Finding) -> str:
    """The title and where the list of docs/check.md has it: the scale was left out (M-02)."""
    numbers = numbers_of(finding)
    return f"{finding.title} ({numbers})" if numbers else finding.title


def unexplained(stage: Stage) -> str:
    """That something is wrong with a stage, where no mistake is found; goes on after its name."""
    if stage.operands:
        return "differs: no known mistake reproduces this"
    return "is not the model's" if stage.difference else "cannot be right"


def cause(stage: Stage) -> str:
    """What is wrong with a stage, in one line."""
    found = " or ".join(map(named, mistakes_of(stage)))
    return f"{stage.name}: {found}" if found else f"{stage.name} {unexplained(stage)}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """X, W_Q and b_Q"""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def together(lines: Iterable[str]) -> Iterator[str]:
    """Each of W_Q and W_K is read as ...: lines that differ in their first word alone as one."""
    names: dict[str, list[str]] = {}
    for line in lines:
        name, _, rest = line.partition(" ")
        names.setdefault(rest, []).append(name)
    for rest, same in names.items():
        yield f"{same[0]} {rest}" if len(same) == 1 else f"each of {listed(same)} {rest}"


def told(counts: Mapping[str, int]) -> str:
    """2 agree, 1 differs: how many there are of each verdict, those that there are."""
    words = [(word, counts.get(word, 0)) for word in _TOLD]
    return ", ".join(f"{count} {_TOLD[word][count > 1]}" for word, count in words if count)


def summary(stages: Sequence[Stage]) -> str:
    """How many stages agree, differ, were not checked."""
    if all(stage.verdict is Verdict.unchecked for stage in stages):
        return "Nothing could be checked"
    counts = Counter(VERDICTS[stage.verdict] for stage in stages)
    return f"{counted(len(stages), 'stage')}: {told(counts)}"


def overall(report: Report) -> Verdict:
    """One verdict for all stages: the first that there is of these."""
    found = {stage.verdict for stage in report.stages}
    order = (Verdict.differs, Verdict.odd, Verdict.agrees, Verdict.consistent)
    return next((verdict for verdict in order if verdict in found), Verdict.unchecked)
