"""Rewrites what stands in check.md as the program's answer.

python docs/make_check.py

The page is the source. Its first Python block is the right program, which saves mine.npz. A `diff`
block changes lines of it, and the `console` block behind it is what `attncli` says then. In a table
of variants the second column has the changed lines and the third is written here: each line takes
the place of the one that assigns to the same name.
"""

import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAGE = Path(__file__).with_name("check.md")
sys.path.insert(0, str(PAGE.parents[1] / "tests"))

from command import run  # noqa: E402

HOMEWORK = {
    "amari": (),
    "chen": ("A = softmax(S, axis=-2)",),
    "dubois": ("scores = Q @ K.transpose(0, 2, 1)", "Z_cat = Z.reshape(n, h * d_k)"),
    "okafor": ("K = (X @ W_K).reshape(n, h, d_k).transpose(1, 0, 2)",),
    "silva": ("Z = (A @ V)[:, ::-1]",),
}

PROGRAM = re.compile(r"```python\n(import numpy.*?)```", re.DOTALL)
EXAMPLE = re.compile(r"(?:```diff\n([^`]*)```\n\n)?```console\n(.*?)```", re.DOTALL)
VARIANT = re.compile(r"^\| `(\w+)` \| (`.+?`) \|(?! *--).*\|$", re.MULTILINE)


def changed(program: str, lines: list[str]) -> str:
    """The program with each line in the place of the one that assigns to the same name."""
    for line in lines:
        start = re.match(r"\w+ = ", line)
        found = [old for old in program.splitlines() if start and old.startswith(start[0])]
        if len(found) != 1:
            raise ValueError(f"{line!r} takes the place of {found}")
        program = program.replace(found[0], line)
    return program


def patched(program: str, diff: str) -> str:
    """The program with the lines of a diff replaced; ValueError if they are not there."""
    for removed, added in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)*)", diff, re.MULTILINE):
        old, new = (re.sub(r"^[-+]", "", part, flags=re.MULTILINE) for part in (removed, added))
        if old not in program:
            raise ValueError(f"not in the program: {old}")
        program = program.replace(old, new)
    return program


@contextmanager
def folder_with(*programs: str) -> Iterator[None]:
    """A folder to work in, where the programs have run: each leaves its file."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what numpy says of the mistakes
        os.chdir(folder)
        try:
            for program in programs:
                exec(compile(program, "check.md", "exec"), {})
            yield
        finally:
            os.chdir(before)


def attncli(command: str) -> str:
    """What one command prints, 100 columns wide."""
    answer = run(*command.split()[1:], environment={"COLUMNS": "100"})
    if answer.status > 1 or answer.err:
        raise ValueError(f"{command}: {answer.err}")
    return answer.out.rstrip()


def finding(answer: str) -> str:
    """The part of an answer that says what is wrong: from `A differs: ...` to the next gap."""
    parts = answer.split("\n\n")
    first = next(i for i, part in enumerate(parts) if re.match(r"\w+ differs: ", part))
    several = [part for part in parts[first + 1 :] if re.match(r"\d\. |apart ", part)]
    return "\n\n".join([parts[first], *several])


def homework(program: str) -> Iterator[str]:
    """The program of each student, which leaves its file in homework/."""
    for student, lines in HOMEWORK.items():
        yield changed(program, list(lines)).replace("mine.npz", f"homework/{student}.npz")


def example(program: str, diff: str | None, block: str) -> str:
    """The command of a console block with what it prints; after `...` only what is wrong."""
    programs = [patched(program, diff or "")]
    if "homework/" in block:
        programs = ["import os; os.mkdir('homework')", *homework(program)]
    with folder_with(*programs):
        command = block.splitlines()[0]
        answer = attncli(command.removeprefix("$ "))
    if f"{command}\n...\n" in block:
        return f"{command}\n...\n{finding(answer)}"
    return f"{command}\n{answer}"


def variant(program: str, key: str, lines: str) -> str:
    """What is said of a variant: stage, title, what shows it, and what fits as well."""
    with folder_with(changed(program, re.findall(r"`([^`]+)`", lines))):
        report = json.loads(attncli("attncli check mine.npz --json"))
    for stage in report["stages"]:
        if findings := stage["findings"]:
            found = next((f for f in findings if f["keys"] == [key]), findings[0])
            seen = re.sub(r"(; )?with it .*", "", found["evidence"])
            others = [f["title"] for f in findings if f is not found]
            words = [found["title"] + (f" ({seen})" if seen else ""), *others]
            return f"{stage['name']}: {'; or '.join(words)}"
    return "all agrees" if report["right"] else "differs, and nothing fits"


def page() -> str:
    """The whole of check.md with every answer made anew."""
    text = PAGE.read_text("utf-8")
    program = PROGRAM.findall(text)[0]
    text = EXAMPLE.sub(
        lambda m: m[0].replace(m[2], example(program, m[1], m[2]) + "\n"),
        text,
    )
    return VARIANT.sub(lambda m: f"| `{m[1]}` | {m[2]} | {variant(program, m[1], m[2])} |", text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
