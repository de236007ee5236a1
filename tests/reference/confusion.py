"""How often `attncli check` names the right mistake: the confusion matrix of docs/check.md.

    python tests/reference/confusion.py [--write] [--failures] [--keep FOLDER] [--seed SEED]

Makes 1,000 files, right and wrong (tests/check_cases), 200 with a pair of mistakes and 200 with
errors that are no known mistake, and asks `check` about each. Exit 1 if less than 99 % of the
mistakes are named, if a right file is called wrong, or a mistake is named for an unknown error.
"""

import argparse
import os
import re
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each processor has a process of its own
TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from check_cases.cases import Case, pairs, right, singles, unknown  # noqa: E402
from check_cases.saving import write  # noqa: E402
from check_cases.verdicts import Outcome, judge  # noqa: E402

from attncli.check import check_files  # noqa: E402

PAGE = TESTS.parent / "docs" / "check.md"
RIGHT, SINGLES, PAIRS, UNKNOWN = 140, 860, 200, 200
BAR = 0.99
Answers = list[tuple[Case, Outcome]]


def ask(case: Case) -> Outcome:
    """What `check` says of the file of one case; a crash is an answer, too: a wrong one."""
    with tempfile.TemporaryDirectory() as folder:
        path = write(case.file, Path(folder))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                report = check_files([path], mapping=case.file.mapping, **case.file.options)
        except Exception as error:
            return Outcome(False, "error", why=f"{type(error).__name__}: {error}")
    return judge(case, report)


def every(seed: int) -> Iterable[Case]:
    yield from right(seed, RIGHT)
    yield from singles(seed, SINGLES)
    yield from pairs(seed, PAIRS)
    yield from unknown(seed, UNKNOWN)


def ask_some(seed: int, first: int, step: int) -> list[Outcome]:
    """Every `step`-th case from `first` on, made anew: what makes a case cannot be handed over."""
    return [ask(case) for case in islice(every(seed), first, None, step)]


def ask_all(seed: int) -> Answers:
    """All cases, shared among the processors."""
    count = os.cpu_count() or 1
    with ProcessPoolExecutor(count) as pool:
        parts = [pool.submit(ask_some, seed, first, count) for first in range(count)]
        cases = list(every(seed))
        outcomes = [part.result() for part in parts]
    return [(case, outcomes[at % count][at // count]) for at, case in enumerate(cases)]


def share(answers: Answers, *kinds: str) -> tuple[int, int]:
    """How many of these kinds passed, of how many."""
    of_kind = [outcome for case, outcome in answers if case.kind in kinds]
    return sum(outcome.passed for outcome in of_kind), len(of_kind)


def table(answers: Answers) -> str:
    """One line for each thing that was made: what it was called, and how often."""
    made: dict[str, Answers] = defaultdict(list)
    for case, outcome in answers:
        if case.kind in ("right", "harmless", "single"):
            made[case.name].append((case, outcome))
    lines = ["| made | files | named | tied | named otherwise |", "|---|--:|--:|--:|---|"]
    for name, found in made.items():
        alone = sum(o.passed and not o.tied for _, o in found)
        others = Counter(o.named for _, o in found if not o.passed)
        text = ", ".join(f"{other} {count}" for other, count in others.most_common())
        ties = sum(o.tied for _, o in found)
        lines.append(f"| `{name}` | {len(found)} | {alone} | {ties or ''} | {text} |")
    return "\n".join(lines)


def summary(answers: Answers) -> str:
    """The totals, as the lines above the table."""
    counts = {
        "right files, none called wrong": share(answers, "right"),
        "right, though they look odd": share(answers, "harmless"),
        "one mistake, named first or tied": share(answers, "single"),
        "two mistakes, both named and nothing else": share(answers, "pair"),
        "an unknown error, and no mistake is named": share(answers, "unknown"),
    }
    lines = ["| files with | | |", "|---|--:|--:|"]
    for what, (passed, of) in counts.items():
        lines.append(f"| {what} | {passed} of {of} | {passed / of:.1%} |")
    return "\n".join(lines)


def kept(answers: Answers) -> bool:
    """Whether the bar is reached."""
    (named, of), (nothing, errors) = share(answers, "single"), share(answers, "unknown")
    wrongly = [o for c, o in answers if c.kind in ("right", "harmless") and "called" in o.why]
    return named >= BAR * of and nothing == errors and not wrongly


def rewrite(answers: Answers) -> None:
    """Puts the tables between the two marks of docs/check.md."""
    text = PAGE.read_text("utf-8")
    body = f"{summary(answers)}\n\n{table(answers)}\n"
    marks = r"(<!-- confusion -->\n).*?(<!-- end -->)"
    text, found = re.subn(marks, lambda m: m[1] + body + m[2], text, flags=re.DOTALL)
    if found != 1:
        raise ValueError(f"{PAGE} has the two marks {found} times")
    PAGE.write_text(text, "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true", help="rewrite the matrix in docs/check.md")
    parser.add_argument("--failures", action="store_true", help="list what was missed")
    parser.add_argument("--keep", type=Path, help="write the files that were missed to a folder")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    start = time.perf_counter()
    answers = ask_all(options.seed)
    print(summary(answers), table(answers), sep="\n\n")
    print(f"\n{len(answers)} files in {time.perf_counter() - start:.0f} s")
    for number, (case, outcome) in enumerate(answers):
        if options.failures and not outcome.passed:
            print(f"\n{number} {case.kind} {case.name}: {outcome.named} ({outcome.why})")
            print(f"  {case.file.options} {case.file.style}\n  {case.problem}")
        if options.keep and not outcome.passed:
            folder = options.keep / str(number)
            folder.mkdir(parents=True)
            write(case.file, folder)
    if options.write:
        rewrite(answers)
    sys.exit(0 if kept(answers) else 1)


if __name__ == "__main__":
    main()
