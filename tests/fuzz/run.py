"""Mutated input for every command: what breaks?

    python tests/fuzz/run.py [--seconds N | --cases N] [--seed S] [--target NAME]... [--save FOLDER]
    python tests/fuzz/run.py --seed S --replay TARGET:NUMBER

Each case is made from the seed, its target and its number alone, and runs in a forked child with
limits. What it must keep is in oracle.py. A fault is printed once, made small, with the command
that shows it again. Exit 1 if there was any.
"""

import argparse
import gc
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.case import Case
from fuzz.child import Limits, Outcome, load_program, run
from fuzz.oracle import Breach, find_breaches
from fuzz.reduce import minimise
from fuzz.report import Finding, save, tell
from fuzz.targets import TARGETS

INTERNAL = 70  # the exit status of a fault of the program's own; --debug says where it is
PATIENCE = 10  # seconds to make one finding small


@dataclass
class Tally:
    """What became of a target's cases."""

    cases: int = 0
    seconds: float = 0.0
    share: float = 0.0  # the same, but a case that hangs does not use up its target's time
    statuses: Counter[int] = field(default_factory=Counter)
    findings: Counter[Breach] = field(default_factory=Counter)


@dataclass
class Session:
    """A run over some targets: what was found, and where the work is done."""

    seed: str
    scratch: Path
    limits: Limits
    tallies: dict[str, Tally] = field(default_factory=dict)
    findings: dict[Breach, Finding] = field(default_factory=dict)

    def draw(self, target: str, number: int) -> Case:
        return TARGETS[target](Random(f"{self.seed}/{target}/{number}"))

    def judge(self, case: Case) -> tuple[Outcome, list[Breach]]:
        outcome = run(case, self.scratch, self.limits)
        if outcome.status != INTERNAL:
            return outcome, find_breaches(case, outcome, self.limits)
        told = run(
            replace(case, args=[*case.args[:1], "--debug", *case.args[1:]]),
            self.scratch,
            self.limits,
        )
        return outcome, find_breaches(case, told, self.limits)

    def step(self, target: str) -> list[Finding]:
        """Runs the next case of a target; the faults that were not seen before."""
        tally = self.tallies.setdefault(target, Tally())
        number, started = tally.cases, time.perf_counter()
        case = self.draw(target, number)
        outcome, breaches = self.judge(case)
        if any(breach.kind == "hang" and breach not in self.findings for breach in breaches):
            outcome, breaches = self.judge(case)  # the machine may have been busy
        tally.cases += 1
        tally.statuses[outcome.status] += 1
        tally.findings.update(breaches)
        took = time.perf_counter() - started
        tally.seconds += took
        tally.share += min(took, 1)
        new = [breach for breach in breaches if breach not in self.findings]
        for breach in new:
            self.findings[breach] = self._small(breach, target, number, case)
        return [self.findings[breach] for breach in new]

    def _small(self, breach: Breach, target: str, number: int, case: Case) -> Finding:
        if breach.kind not in ("hang", "memory"):  # each attempt would take as long
            case = minimise(case, lambda one: breach in self.judge(one)[1], PATIENCE)
        return Finding(breach, target, number, case, self.judge(case)[0])


def table(tallies: dict[str, Tally]) -> str:
    """Counts for each target."""
    heads = ("cases", "per s", "exit 0", "exit 1", "exit 2", "other", "findings", "kinds")
    lines = [f"{'target':<14}" + "".join(f"{head:>9}" for head in heads)]
    for name, tally in tallies.items():
        usual = [tally.statuses[status] for status in (0, 1, 2)]
        other = tally.cases - sum(usual)
        counts = [tally.cases, round(tally.cases / (tally.seconds or 1)), *usual, other]
        counts += [sum(tally.findings.values()), len(tally.findings)]
        lines.append(f"{name:<14}" + "".join(f"{count:>9}" for count in counts))
    return "\n".join(lines)


def replay(session: Session, name: str) -> int:
    """Shows one case and what it does."""
    target, _, number = name.partition(":")
    case = session.draw(target, int(number))
    outcome, breaches = session.judge(case)
    for stream, data in (("output", outcome.out), ("error", outcome.err)):
        print(f"--- standard {stream}\n{data.decode('utf-8', 'backslashreplace')[:20_000]}")
    for breach in breaches or [Breach("nothing")]:
        print(tell(Finding(breach, target, int(number), case, outcome), session.seed))
    return int(bool(breaches))


def _turns(session: Session, targets: list[str], asked: argparse.Namespace) -> Iterator[str]:
    """Whose turn it is: each target has as many cases as was asked for, or the same time."""
    if asked.cases is not None:
        yield from targets * asked.cases
        return
    end = time.monotonic() + asked.seconds
    while time.monotonic() < end:
        yield min(targets, key=lambda name: session.tallies[name].share)


def fuzz(session: Session, targets: list[str], asked: argparse.Namespace) -> int:
    """Runs cases and prints what they find; the exit status."""
    gc.collect()
    gc.freeze()  # what is there already is not looked at, nor copied, in the children
    session.tallies = {name: Tally() for name in targets}
    for target in _turns(session, targets, asked):
        for finding in session.step(target):
            print(tell(finding, session.seed), flush=True)
            if asked.save:
                save(finding, asked.save)
    print(
        f"\n{table(session.tallies)}\n{len(session.findings)} kinds of fault, seed {session.seed}"
    )
    return int(bool(session.findings))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--cases", type=int, help="of each target, in place of --seconds")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--target", action="append", choices=sorted(TARGETS))
    parser.add_argument("--limit", type=float, default=Limits.seconds, help="seconds a case")
    parser.add_argument("--save", type=Path, metavar="FOLDER")
    parser.add_argument("--replay", metavar="TARGET:NUMBER")
    asked = parser.parse_args()
    os.nice(10)
    load_program()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as scratch:
        Path(scratch).chmod(0o755)
        session = Session(asked.seed, Path(scratch), Limits(asked.limit))
        if asked.replay:
            return replay(session, asked.replay)
        return fuzz(session, asked.target or list(TARGETS), asked)


if __name__ == "__main__":
    sys.exit(main())
