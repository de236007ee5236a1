"""Writes into the tutorial and the README, English and Chinese, what their commands print.

python docs/make_tutorial.py

A page is run from top to bottom in an empty folder. Three kinds of blocks are run:

python   a script; it prints nothing
pycon    one session with Python for the whole page: what follows `>>> ` is run
console  one `$ attncli ...`, before it perhaps `printf "..." |`, its standard input

What stands in a block below a command is replaced. A comment above a console block says which lines
of a long answer are shown; `...` stands for the others:

<!-- show "Scores" to "sum"; "length" -->

That is: from the first line with Scores up to the next with sum, and the next after it with length.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PAGE = Path(__file__).with_name("tutorial.md")
README = Path(__file__).parents[1] / "README.md"
CHINESE_PAGE, CHINESE_README = (PAGE.parent / "zh" / each.name for each in (PAGE, README))
PAGES = (PAGE, README, CHINESE_PAGE, CHINESE_README)
BLOCK = re.compile(
    r"(?P<comment><!-- show (?P<spans>[^\n]*) -->\n)?"
    r"```(?P<kind>python|pycon|console)\n(?P<body>.*?)```\n",
    re.DOTALL,
)

Attncli = Callable[[Sequence[str], bytes], str]  # arguments, standard input -> all that is printed


def parse_spans(spans: str) -> list[tuple[str, str]]:
    """Of `"a" to "b"; "c"`: the text in the first and in the last line of each span."""
    found = []
    for span in spans.split("; "):
        match = re.fullmatch(r'"([^"]+)"(?: to "([^"]+)")?', span)
        if not match:
            raise ValueError(f"not a span of lines: {span}")
        found.append((match[1], match[2] or match[1]))
    return found


def cut(lines: Sequence[str], spans: Sequence[tuple[str, str]]) -> list[str]:
    """The lines of the spans, with `...` where lines are left out.

    ValueError if no line holds the text that a span starts or ends with.
    """

    def find(text: str, start: int) -> int:
        for i in range(start, len(lines)):
            if text in lines[i]:
                return i
        raise ValueError(f"no line with {text!r} in or below line {start + 1}")

    shown, end = [], 0
    for first, last in spans:
        start = find(first, end)
        shown += ["..."] * (start > end)
        end = find(last, start) + 1
        shown += lines[start:end]
    return shown + ["..."] * (end < len(lines))


def parse_command(line: str) -> tuple[list[str], bytes]:
    """Of `printf "1\\n" | attncli tokens -`: the arguments and standard input."""
    words, stdin = shlex.split(line), b""
    if words[0] == "printf":
        stdin = words[1].replace("\\n", "\n").encode()
        words = words[3:]
    if not words or words[0] != "attncli":
        raise ValueError(f"not a command that this script can run: {line}")
    return words[1:], stdin


def console(body: str, spans: str | None, attncli: Attncli) -> list[str]:
    """The lines of a console block as they are now."""
    prompt = body.splitlines()[0]
    lines = [line.rstrip() for line in attncli(*parse_command(prompt[2:])).splitlines()]
    return [prompt, *(cut(lines, parse_spans(spans)) if spans else lines)]


def session(body: str, names: dict[str, Any]) -> list[str]:
    """The lines of a pycon block as they are now; `names` is what the session knows."""
    shown = []
    for statement in re.findall(r"^>>> (.*)$", body, re.MULTILINE):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(statement, "<tutorial>", "single"), names)
        shown += [f">>> {statement}", *printed.getvalue().splitlines()]
    return shown


def page(text: str, attncli: Attncli) -> str:
    """The page with all that its blocks print now."""
    names: dict[str, Any] = {}

    def rerun(block: re.Match[str]) -> str:
        kind, body = block["kind"], block["body"]
        if kind == "python":
            exec(compile(body, "<tutorial>", "exec"), {})
            return block[0]
        lines = session(body, names) if kind == "pycon" else console(body, block["spans"], attncli)
        return f"{block['comment'] or ''}```{kind}\n" + "\n".join(lines) + "\n```\n"

    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        return BLOCK.sub(rerun, text)


def in_a_process(arguments: Sequence[str], stdin: bytes) -> str:
    """What `attncli ARGUMENTS` writes to a terminal 80 columns wide: the answer, then the notes."""
    done = subprocess.run(
        [sys.executable, "-m", "attncli", *arguments],
        input=stdin,
        capture_output=True,
        env={
            **os.environ,
            "COLUMNS": "80",
            "NO_COLOR": "1",
            "ATTNCLI_LANG": "en",
            "LC_ALL": "C.UTF-8",
        },
    )
    return (done.stdout + done.stderr).decode().replace("\r\n", "\n")


if __name__ == "__main__":
    for each in PAGES:
        each.write_text(page(each.read_text("utf-8"), in_a_process), encoding="utf-8")
