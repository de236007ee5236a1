"""`check` names the mistake that a file was made with (all files: tests/reference/confusion.py)."""

from functools import cache

import pytest
from check_cases.cases import Case, pairs, right, singles, unknown
from check_cases.mistakes import MISTAKES
from check_cases.saving import write
from check_cases.verdicts import judge

from attncli.check import check_files

SEED = 1  # others than those of the confusion matrix
KEYS = len({mistake.key for mistake in MISTAKES})


@cache
def cases() -> dict[str, Case]:
    """One file of each mistake, some that are right, some pairs, some with unknown errors."""
    drawn = [*right(SEED, 15), *singles(SEED, KEYS), *pairs(SEED, 8), *unknown(SEED, 8)]
    return {f"{i}: {case.kind}, {case.name}": case for i, case in enumerate(drawn)}


@pytest.mark.parametrize("name", cases())
def test_what_check_says_of_a_file(name, tmp_path):
    case = cases()[name]
    path = write(case.file, tmp_path)
    report = check_files([path], mapping=case.file.mapping, **case.file.options)
    outcome = judge(case, report)
    assert outcome.passed, f"{outcome.named}: {outcome.why}\n{case.file.style}\n{case.problem}"
