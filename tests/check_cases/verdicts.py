"""Whether `check` said what it has to say of a case."""

from dataclasses import dataclass

from attncli.check.report import Finding, Report, Stage, Verdict
from check_cases.cases import Case
from check_cases.mistakes import Mistake


@dataclass(frozen=True)
class Outcome:
    """One case: what was named, and whether that is right."""

    passed: bool
    named: str  # right, harmless, nothing known, or keys
    tied: bool = False  # named among others that fit as well
    why: str = ""


def _wrong(report: Report) -> list[Stage]:
    return [stage for stage in report.stages if stage.verdict is Verdict.differs]


def _odd(report: Report) -> set[str]:
    """Keys of the harmless findings."""
    odd = [s for s in report.stages if s.verdict is Verdict.odd]
    return {key for stage in odd for finding in stage.findings for key in finding.keys}


def named(report: Report) -> str:
    """The one answer for the confusion matrix: the best finding of each wrong stage."""
    wrong = _wrong(report)
    if not wrong:
        return "harmless" if _odd(report) else "right"
    keys = list(dict.fromkeys(k for s in wrong for f in s.findings[:1] for k in f.keys))
    return " + ".join(keys) or "nothing known"


def tied(stage: Stage) -> tuple[Finding, ...]:
    """The findings that fit as well as the first: within the tolerance, and as short."""
    first = stage.findings[0]
    bound = max(2 * first.after.largest, stage.tolerance or 0)
    return tuple(
        f
        for f in stage.findings
        if f.after.largest <= bound and len(f.keys) <= len(first.keys) and not f.harmless
    ) or (first,)


def _is(mistake: Mistake, finding: Finding) -> bool:
    """Whether a finding is this mistake, or one that makes the same numbers."""
    return bool({mistake.key, *mistake.same} & set(finding.keys))


def _single(case: Case, report: Report) -> Outcome:
    """Every stage that differs names the mistake, first or tied."""
    (mistake,), wrong, answer = case.mistakes, _wrong(report), named(report)
    if not wrong:
        same = mistake.same & _odd(report)
        return Outcome(bool(same), next(iter(same), answer), why="" if same else "not seen")
    several = False
    for stage in wrong:
        if not stage.findings:
            return Outcome(False, answer, why=f"{stage.name}: nothing fits")
        fitting = [f for f in tied(stage) if len(f.keys) == 1 and _is(mistake, f)]
        if not fitting:
            return Outcome(False, answer, why=f"{stage.name}: {stage.findings[0].keys}")
        several |= not _is(mistake, stage.findings[0])
        text = " ".join((fitting[0].title, fitting[0].evidence, fitting[0].explanation))
        if mistake.says not in text and case.file.style.storage == "float32":
            return Outcome(False, answer, why=f"{stage.name}: does not say {mistake.says}")
    return Outcome(True, mistake.key if several else answer, tied=several)


def _pair(case: Case, report: Report) -> Outcome:
    """Both are named, in one stage or in two, and nothing else."""
    wrong, answer = _wrong(report), named(report)
    seen: set[str] = set()
    for stage in wrong:
        if not stage.findings:
            return Outcome(False, answer, why=f"{stage.name}: nothing fits")
        for finding in tied(stage):
            own = [{m.key for m in case.mistakes if {m.key, *m.same} & {k}} for k in finding.keys]
            if all(own):
                seen |= set().union(*own)
                break
        else:
            return Outcome(False, answer, why=f"{stage.name}: {stage.findings[0].keys}")
    missing = {m.key for m in case.mistakes} - seen
    return Outcome(not missing, answer, why=f"not named: {sorted(missing)}" if missing else "")


def judge(case: Case, report: Report) -> Outcome:
    """What is to be said of one case's report."""
    answer = named(report)
    if case.kind == "single":
        return _single(case, report)
    if case.kind == "pair":
        return _pair(case, report)
    if case.kind == "unknown":
        found = [f.keys for stage in _wrong(report) for f in stage.findings if not f.harmless]
        passed = bool(_wrong(report)) and not found
        return Outcome(passed, answer, why="" if passed else f"named {found} {_odd(report)}")
    if not report.right:
        stages = [(s.name, [f.keys for f in s.findings]) for s in _wrong(report)]
        return Outcome(False, answer, why=f"called wrong: {stages}")
    if case.kind == "harmless" and case.shows and not case.mistakes[0].silent:
        mistake = case.mistakes[0]
        passed = bool({mistake.key, *mistake.same} & _odd(report))
        return Outcome(passed, answer, why="" if passed else f"only {sorted(_odd(report))}")
    return Outcome(True, answer)
