"""The judge of `check` is strict: what counts as the right answer, and what does not."""

from dataclasses import replace

from check_cases.cases import Case, pairs, right, singles, unknown
from check_cases.verdicts import judge

from attncli.check.report import Difference, Finding, Report, Stage, Verdict

FIT, NEAR, FAR = (Difference(size, size, (0, 0), 0.0) for size in (1e-7, 1e-3, 1.0))


def finding(*keys: str, after: Difference = FIT, harmless: bool = False) -> Finding:
    return Finding(keys, (), "", "", "", "0.1 0.2 0.3 0.5", FAR, after, harmless)


def report(*stages: tuple[Verdict, tuple[Finding, ...]]) -> Report:
    made = tuple(
        Stage(f"stage {i}", "", (), None, verdict, FAR, 1e-5, findings)
        for i, (verdict, findings) in enumerate(stages)
    )
    return Report("", (), (), None, None, None, None, None, (), made)


def differs(*findings: Finding) -> tuple[Verdict, tuple[Finding, ...]]:
    return Verdict.differs, findings


AGREES = (Verdict.agrees, ())


def case_of(key: str) -> Case:
    return next(case for case in singles(0, 80) if case.name == key)


def test_a_mistake_passes_first_or_tied_and_not_behind_a_better_one():
    case = case_of("softmax_twice")
    own, other = finding("softmax_twice"), finding("no_scale")
    assert judge(case, report(AGREES, differs(own))).passed
    assert not judge(case, report(differs(own))).tied
    assert judge(case, report(differs(other, own))).tied
    better_elsewhere = differs(other, replace(own, after=NEAR))
    for wrong in (differs(other), differs(), better_elsewhere, AGREES):
        assert not judge(case, report(wrong)).passed
    assert not judge(case, report(differs(own), differs(other))).passed


def test_a_mistake_with_a_number_has_to_say_it():
    case = case_of("dropout")
    assert case.mistakes[0].says == "0.1"
    case = replace(case, file=replace(case.file, style=replace(case.file.style, storage="float32")))
    own = finding("dropout")
    assert judge(case, report(differs(own))).passed
    assert not judge(case, report(differs(replace(own, evidence="")))).passed


def test_both_of_a_pair_are_named_and_nothing_else():
    case = next(pairs(0, 1))
    a, b = (m.key for m in case.mistakes)
    assert judge(case, report(differs(finding(a, b)))).passed
    assert judge(case, report(differs(finding(a)), differs(finding(b)))).passed
    for wrong in ((differs(finding(a)),), (differs(finding(a, b)), differs(finding("other")))):
        assert not judge(case, report(*wrong)).passed


def test_of_an_unknown_error_no_mistake_is_named_and_it_is_seen():
    case = next(unknown(0, 1))
    assert judge(case, report(differs())).passed
    assert not judge(case, report(AGREES)).passed
    assert not judge(case, report(differs(finding("no_scale")))).passed


def test_right_files_are_right_and_odd_ones_are_recognised():
    case = next(right(0, 1))
    assert judge(case, report(AGREES)).passed
    assert not judge(case, report(AGREES, differs())).passed
    odd = next(c for c in singles(0, 200) if c.name == "row_constant" and c.shows)
    named = (Verdict.odd, (finding("row_constant", harmless=True),))
    assert judge(odd, report(named)).passed
    assert not judge(odd, report(AGREES)).passed
