"""What `check` found: what was read, a line a stage, and what is wrong with the first wrong one."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style

from attncli.check.compare import amount
from attncli.check.names import ARTICLE
from attncli.check.report import Difference, Finding, Report, Stage, Stored, Verdict
from attncli.medium.numbers import counted
from attncli.medium.screen import Screen
from attncli.text.printable import pad
from attncli.views.check_words import (
    VERDICTS,
    cause,
    limit,
    listed,
    mistakes_of,
    named,
    numbers_of,
    place,
    shape_text,
    summary,
    together,
    unexplained,
)
from attncli.views.facts import Fact, fact_lines, safe, title
from attncli.views.lines import BOLD, DIM, Line, Lines, fold, on_screen, prose

WRONG = Style(bold=True, color="red")
RIGHT = Style(color="green")
ODD = Style(color="yellow")
VERDICT_STYLES = {
    Verdict.agrees: RIGHT,
    Verdict.odd: ODD,
    Verdict.differs: WRONG,
    Verdict.consistent: RIGHT,
    Verdict.unchecked: DIM,
}

_GAP = "  "
_SPARE = ("mean", "tolerance", "shape")  # given up in this order where a line is too short


@dataclass(frozen=True)
class _Column:
    title: str
    cells: tuple[str, ...]
    right: bool = False

    @property
    def width(self) -> int:
        return max(map(cell_len, (self.title, *self.cells)))


def check_view(report: Report, screen: Screen) -> Lines:
    """The whole page of one report."""
    lines = title(report.source, _sizes(report), screen)
    lines += _arrays(report, screen)
    if saved := [stage for stage in report.stages if stage.shape is not None]:
        lines += [[], *_table(saved, screen)]
    lines.append([])
    first = report.first_difference
    if first is None:
        lines += prose(f"{summary(saved)}.", screen, style=BOLD)
    else:
        lines += _explained(first, screen)
    remarks = list(_remarks(report))
    if remarks:
        lines += [[], *fact_lines(remarks, screen)]
    return on_screen(lines, screen)


def _sizes(report: Report) -> Iterator[str]:
    if report.n is not None:
        yield f"n {report.n}"
    if report.m is not None and report.m != report.n:
        yield f"m {report.m}"
    if report.d_model is not None:
        yield f"d_model {report.d_model}"
    if report.n_heads is not None:
        yield counted(report.n_heads, "head")
    if report.d_k is not None:
        yield f"d_k {report.d_k}"
    yield _common_type(report)


def _common_type(report: Report) -> str:
    """The type that most arrays are stored in; of the others it is said."""
    return Counter(array.dtype for array in report.arrays).most_common(1)[0][0]


def _place_in_the_article(array: Stored) -> int:
    return ARTICLE.index(array.name) if array.name in ARTICLE else len(ARTICLE)


def _arrays(report: Report, screen: Screen) -> list[Line]:
    """What was read: X (6, 16) as (n, d_model); S, A from scores, attn (4, 6, 6) as (h, n, n)."""
    common_type = _common_type(report)
    alike: dict[tuple[str, str], list[Stored]] = {}
    for array in sorted(report.arrays, key=_place_in_the_article):
        shape = shape_text(array.shape)
        shape += f" {array.dtype}" * (array.dtype != common_type)
        common = _layout(array, report).replace("d_v", "d_k")  # of one shape they are one number
        alike.setdefault((shape, common), []).append(array)
    words: list[Line] = []
    for i, ((shape, common), arrays) in enumerate(alike.items()):
        names = ", ".join(array.name for array in arrays)
        stored = ", ".join(array.stored_name for array in arrays)
        own = {_layout(array, report) for array in arrays}
        layout = own.pop() if len(own) == 1 else common
        said = f"from {stored} {shape}" if stored != names else shape
        said += f" as {layout}" * bool(layout) + ";" * (i + 1 < len(alike))
        words += _array_words(safe(names, screen), safe(said, screen), screen.width - 2)
    return [[Segment("  "), *line] for line in fold(words, screen.width - 2)]


def _layout(array: Stored, report: Report) -> str:
    """How the axes were read; in self-attention keys are counted by n as queries are."""
    alone = report.m in (None, report.n)
    return re.sub(r"\bm\b", "n", array.layout) if alone else array.layout


def _array_words(names: str, said: str, room: int) -> list[Line]:
    """One unit that is not broken, or as many as are needed where no line holds it."""
    if cell_len(f"{names} {said}") <= room:
        return [[Segment(names, BOLD), Segment(f" {said}", DIM)]]
    pairs = [(word, BOLD) for word in names.split()] + [(word, DIM) for word in said.split()]
    return [[Segment(piece, style)] for word, style in pairs for piece in chop_cells(word, room)]


def _table(stages: Sequence[Stage], screen: Screen) -> list[Line]:
    columns = _fitting(_columns(stages, screen), screen.width)
    head = _row([column.title for column in columns], columns)
    lines: list[Line] = [[Segment(head.rstrip(), DIM)]]
    for i, stage in enumerate(stages):
        text = _row([column.cells[i] for column in columns[:-1]], columns[:-1])
        style = DIM if stage.verdict is Verdict.unchecked else None
        verdict = Segment(columns[-1].cells[i], VERDICT_STYLES[stage.verdict])
        lines.append([Segment(text + _GAP, style), verdict])
    return lines


def _columns(stages: Sequence[Stage], screen: Screen) -> list[_Column]:
    def differences(part: str) -> tuple[str, ...]:
        found = [stage.difference for stage in stages]
        return tuple("" if d is None else amount(getattr(d, part), d.rounding) for d in found)

    shapes = tuple("" if stage.shape is None else shape_text(stage.shape) for stage in stages)
    limits = tuple("" if stage.tolerance is None else limit(stage.tolerance) for stage in stages)
    columns = [
        _Column("stage", tuple(safe(stage.formula, screen) for stage in stages)),
        _Column("shape", shapes),
        _Column("largest", differences("largest"), right=True),
        _Column("mean", differences("mean"), right=True),
        _Column("tolerance", limits, right=True),
        _Column("verdict", tuple(map(_verdict, stages))),
    ]
    if _total(columns) > screen.width:
        columns[0] = _Column("stage", tuple(stage.name for stage in stages))
    return columns


def _verdict(stage: Stage) -> str:
    reasons = " or ".join(dict.fromkeys(filter(None, map(numbers_of, mistakes_of(stage)))))
    word = VERDICTS[stage.verdict]
    return f"{word}  {reasons}" if stage.verdict is Verdict.differs and reasons else word


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _fitting(columns: list[_Column], room: int) -> list[_Column]:
    for spare in _SPARE:
        if _total(columns) > room:
            columns = [column for column in columns if column.title != spare]
    return columns


def _row(cells: Sequence[str], columns: Sequence[_Column]) -> str:
    return _GAP.join(
        pad(cell, column.width, "right" if column.right else "left")
        for cell, column in zip(cells, columns, strict=True)
    )


def _explained(stage: Stage, screen: Screen) -> list[Line]:
    """The first wrong stage: which mistake it is and how to fix it, or what the numbers show."""
    found = mistakes_of(stage)
    facts: list[Fact] = []
    if stage.difference:
        facts.append(("differs", _largest(stage.difference, stage.tolerance)))
    if len(found) == 1:
        heading = _heading(f"{stage.name} differs: {named(found[0])}", screen)
        return [*heading, *_finding(found[0], facts, screen)]
    if found:
        lines = _heading(
            f"{stage.name} differs: {len(found)} explanations fit equally well", screen
        )
        lines += fact_lines(facts, screen)
        for number, finding in enumerate(found, 1):
            lines += [[], *prose(f"{number}. {named(finding)}", screen, style=BOLD)]
            lines += _finding(finding, (), screen)
        apart = [("apart", stage.apart)] if stage.apart else []
        return [*lines, *([[]] if apart else []), *fact_lines(apart, screen)]
    facts += [("" if i else "facts", fact) for i, fact in enumerate(stage.facts)]
    return [
        *_heading(f"{stage.name} {unexplained(stage)}", screen),
        *fact_lines(facts, screen),
    ]


def _heading(text: str, screen: Screen) -> list[Line]:
    return prose(text, screen, style=WRONG)


def _finding(finding: Finding, more: Sequence[Fact], screen: Screen) -> list[Line]:
    facts = [("what", finding.explanation), ("seen", finding.evidence), *more]
    width = len("differs")
    shown = [(pad(name, width), value) for name, value in facts if value]
    lines = fact_lines(shown, screen)
    room = screen.width - width - len(_GAP)
    for i, code in enumerate(finding.right_code.splitlines()):
        label = "" if i else "fix"
        for line in _code(safe(code, screen), room):
            lines.append([Segment(pad(label, width) + _GAP, DIM), *line])
            label = ""
    return lines


def _code(code: str, room: int) -> list[Line]:
    """A line of code as it is; where there is no room, its remark stands below it.

    What is still too long is broken at blanks.
    """
    if cell_len(code) <= room:
        return [[Segment(code, RIGHT)]]
    code, _, remark = code.partition("  # ")
    lines = [[Segment(code, RIGHT)]] if cell_len(code) <= room else _folded(code, room)
    return lines + [[Segment("# ", RIGHT), *line] for line in _folded(remark, room - 2)]


def _folded(text: str, room: int) -> list[Line]:
    parts = [part for word in text.split() for part in chop_cells(word, room)]
    return fold([[Segment(part, RIGHT)] for part in parts], room)


def _largest(difference: Difference, tolerance: float | None) -> str:
    """How far the array is from the right one, and where most."""
    largest = amount(difference.largest, difference.rounding)
    if tolerance is not None and difference.largest <= tolerance:
        others = "agree to rounding" if largest == "rounding" else f"differ by {largest}"
        return f"in which entries are numbers or masked; the others {others}"
    where = place(difference.where)
    return f"by {largest} at most" + (f" ({where})" if where else "")


def _remarks(report: Report) -> Iterator[Fact]:
    """What else is to be said: later mistakes, oddities, assumptions, what is missing."""
    first = report.first_difference
    for stage in report.stages:
        if stage.verdict is Verdict.differs and stage is not first:
            yield "then", cause(stage)
    for stage in report.stages:
        for finding in stage.findings:
            if finding.harmless:
                yield "harmless", f"{stage.name}: {finding.title}. {finding.explanation}"
        if stage.verdict is not Verdict.differs:
            for fact in stage.facts:
                yield stage.name, fact
    for assumption in together(report.assumptions):
        yield "assumed", assumption
    for needs, names in _missing(report.stages).items():
        yield "missing", f"{listed(needs)}: to check {listed(names)}"
    if absent := [stage.name for stage in report.stages if stage.shape is None]:
        yield "not saved", f"{listed(absent)}, which could be checked too"
    if report.unused:
        yield "not read", ", ".join(report.unused)


def _missing(stages: Sequence[Stage]) -> dict[tuple[str, ...], list[str]]:
    """What the file lacks, with the stages in it that cannot be checked without."""
    missing: dict[tuple[str, ...], list[str]] = {}
    for stage in stages:
        if stage.verdict is Verdict.unchecked and stage.shape is not None and stage.needs:
            missing.setdefault(stage.needs, []).append(stage.name)
    return missing
