"""Lists of `check`: a line a file, and a line a proof of the installation."""

from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len, chop_cells
from rich.segment import Segment
from rich.style import Style

from attncli.check.batch import Unread
from attncli.check.compare import amount
from attncli.check.report import Report, Verdict
from attncli.medium.numbers import counted
from attncli.medium.screen import Screen
from attncli.proof import Proof, Versions
from attncli.text.printable import pad
from attncli.views.check import RIGHT, VERDICT_STYLES, WRONG
from attncli.views.check_words import UNREAD, VERDICTS, cause, limit, overall, told
from attncli.views.facts import Fact, fact_lines, folded, safe
from attncli.views.lines import BOLD, DIM, Line, Lines, on_screen, prose

_GAP = "  "


def batch_view(entries: Sequence[tuple[str, Report | Unread]], screen: Screen) -> Lines:
    """A line a file: its name, the verdict, the first wrong stage and the mistake; then a count."""
    names = [safe(name, screen) for name, _ in entries]
    said = [_said(entry) for _, entry in entries]
    name_width = min(max(map(cell_len, names), default=0), screen.width // 2)
    verdict_width = max((len(verdict) for verdict, _, _ in said), default=0)
    lines: list[Line] = []
    for name, (verdict, reason, style) in zip(names, said, strict=True):
        if cell_len(name) > name_width:
            lines += [[Segment(piece)] for piece in chop_cells(name, screen.width)]
            name = ""
        start = [Segment(pad(name, name_width) + _GAP), Segment(pad(verdict, verdict_width), style)]
        used = name_width + verdict_width + 2 * len(_GAP)
        lines += _hanging(start, reason, used, screen)
    return on_screen([*lines, [], *prose(_count(entries), screen, style=BOLD)], screen)


def proofs_view(proofs: Sequence[Proof], versions: Versions, screen: Screen) -> Lines:
    """A line a proof, the versions, and whether all of them hold."""
    names = max(len(proof.name) for proof in proofs)
    lines: list[Line] = []
    for proof in proofs:
        held = "holds" if proof.holds else "FAILS"
        text = proof.error
        if proof.largest is not None:
            found = "to rounding" if proof.holds else f"{amount(proof.largest)} apart"
            text = f"{found}, {limit(proof.tolerance)} allowed"
        style = RIGHT if proof.holds else WRONG
        start = [Segment(pad(proof.name, names) + _GAP), Segment(held, style)]
        lines += _hanging(start, text, names + len(held) + 2 * len(_GAP), screen)
    facts: list[Fact] = [("versions", ", ".join(f"{name} {number}" for name, number in versions))]
    failed = sum(not proof.holds for proof in proofs)
    end = (
        f"{counted(failed, 'proof')} of {len(proofs)} {'fail' if failed > 1 else 'fails'}: "
        "do not trust this installation"
        if failed
        else f"All {len(proofs)} proofs hold."
    )
    lines += [[], *fact_lines(facts, screen), *prose(end, screen, style=WRONG if failed else BOLD)]
    return on_screen(lines, screen)


def _hanging(start: Line, text: str, used: int, screen: Screen) -> list[Line]:
    """The text after `start`, which is `used` cells wide; on a line of its own if that is short."""
    room, text = screen.width - used, safe(text, screen)
    if room >= 24 or not text:
        first, *others = folded(text, room, DIM) or [[]]
        return [
            [*start, Segment(_GAP), *first] if first else start,
            *([Segment(" " * used), *line] for line in others),
        ]
    return [start, *([Segment("    "), *line] for line in folded(text, screen.width - 4, DIM))]


def _said(entry: Report | Unread) -> tuple[str, str, Style]:
    if isinstance(entry, Unread):
        return UNREAD, entry.error, WRONG
    first = entry.first_difference
    if first is not None:
        return VERDICTS[Verdict.differs], cause(first), WRONG
    verdict = overall(entry)
    reasons = [
        f"{stage.name}: {finding.title}" for stage in entry.stages for finding in stage.findings
    ]
    return VERDICTS[verdict], "; ".join(reasons), VERDICT_STYLES[verdict]


def _count(entries: Sequence[tuple[str, Report | Unread]]) -> str:
    counts = Counter(
        UNREAD if isinstance(entry, Unread) else VERDICTS[overall(entry)] for _, entry in entries
    )
    return f"{counted(len(entries), 'file')}: {told(counts)}"
