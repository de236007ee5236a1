"""What a run must keep, whatever the input: each breach of it has a kind and a place."""

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

import typer

from attncli.cli import app
from fuzz.case import SECRET, Case
from fuzz.child import Limits, Outcome

STATUSES = (0, 1, 2)
HELP = {"-h", "--help", "--version"}
LONGEST_LINE = 1000  # characters of standard error
ERROR, NOTE, USAGE = ("Error: ", "错误："), ("Note: ", "注意："), ("Usage: ", "用法：")
_FRAME = re.compile(r'File ".*?/(attncli/[^"]+)", line (\d+),? in (\S+)')
_SGR = re.compile(r"\x1b\[[0-9;]*m")
_ISOLATES = "\u2068\u2069"  # what keeps a foreign text apart, in pairs
_STEERING = frozenset("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067")


@dataclass(frozen=True)
class Breach:
    """Two breaches that are equal are one fault."""

    kind: str
    place: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.place}" if self.place else self.kind


def find_breaches(case: Case, outcome: Outcome, limits: Limits) -> list[Breach]:
    """What the run broke; empty for a run as it should be."""
    if case.interrupt and outcome.status in (-case.interrupt[0], 128 + case.interrupt[0]):
        found = _crash(outcome.err.decode("utf-8", "replace"))
        return [*([found] if found else []), *_stray_files(case, outcome)]
    if stop := _stopped(outcome, limits):
        return [stop, *_stray_files(case, outcome)]
    err, breaches = _decoded(outcome.err, case.encoding, "standard error")
    if found := _crash(err):
        return [found, *_stray_files(case, outcome)]
    out, more = _decoded(outcome.out, case.encoding, "standard output")
    breaches += more
    breaches += _wrong_status(case, outcome.status)
    breaches += _wrong_lines(err, outcome.status)
    if "write to standard output" in err and case.stdout == "file":
        breaches.append(Breach("standard error", "standard output is blamed, and is in order"))
    if SECRET in out + err:
        breaches.append(Breach("secret", "the token of the Hub is shown"))
    breaches += _wrong_output(case, outcome.status, out, err)
    breaches += _wrong_files(case, outcome)
    breaches += _controls(_without_color(out) if _has_color(case) else out, "standard output")
    breaches += _controls(err, "standard error")
    return breaches + _stray_files(case, outcome)


def _stopped(outcome: Outcome, limits: Limits) -> Breach | None:
    """A run that its limits ended, or that a signal did."""
    if outcome.seconds > limits.seconds:
        return Breach("hang", _innermost(outcome.stuck, newest_first=True))
    if outcome.megabytes > limits.megabytes:
        return Breach("memory", "more than the limit in use")
    if outcome.status < 0:
        place = _innermost(outcome.stuck, newest_first=True)
        return Breach("ended by signal", f"{-outcome.status} in {place}")
    return None


def _crash(err: str) -> Breach | None:
    if "Traceback (most recent call last)" in err:
        raised = re.findall(r"^(?!Error:|Note:)([A-Za-z_][\w.]*)(?:: |$)", err, re.MULTILINE)
        return Breach("traceback", f"{raised[-1] if raised else '?'} in {_innermost(err)}")
    if re.search(r"panicked at", err):
        return Breach("panic", " ".join(re.findall(r"panicked at (\S+)", err)[:1]))
    if found := re.search(r"a fault in attncli \S+ (\w+)", err):
        return Breach("a fault of its own", found[1])
    if re.search("not enough memory|内存不足", err):
        return Breach("memory", "not enough")
    return None


def _innermost(text: str, *, newest_first: bool = False) -> str:
    """The innermost frame of the program itself, without its line: that moves."""
    frames = [f"{file}:{function}" for file, _, function in _FRAME.findall(text)]
    return frames[0 if newest_first else -1] if frames else "?"


def _decoded(data: bytes, encoding: str, stream: str) -> tuple[str, list[Breach]]:
    try:
        return data.decode(encoding), []
    except UnicodeDecodeError:
        return data.decode(encoding, "replace"), [Breach("not in its encoding", stream)]


def _wrong_status(case: Case, status: int) -> list[Breach]:
    if status not in STATUSES:
        return [Breach("exit status", str(status))]
    if status == 0 and case.stdout != "file" and not _writes_a_file(case):
        return [Breach("lost", f"success although standard output is {case.stdout}")]
    return []


def _writes_a_file(case: Case) -> bool:
    return any(not place.endswith("/") for place in case.writes)


def _wrong_lines(err: str, status: int) -> list[Breach]:
    """Standard error has notes, and at most one error, which says why the status is not 0."""
    lines = err.split("\n")
    if lines.pop():
        return [Breach("standard error", "its last line does not end")]
    if status == 2 and lines and lines[0].startswith(USAGE):
        lines = [
            line for line in lines if not re.match(r"Usage: |用法：|Try '|查看帮助|$| {2,}\S", line)
        ]
    errors = [line for line in lines if line.startswith(ERROR)]
    other = [line for line in lines if not line.startswith((*ERROR, *NOTE))]
    breaches = []
    if len(errors) > 1:
        breaches.append(Breach("standard error", "more than one error"))
    if errors and status == 0:
        breaches.append(Breach("standard error", "an error, but success"))
    if other:
        breaches.append(Breach("standard error", f"a line of another kind: {_plain(other[0])}"))
    if any(len(line) > LONGEST_LINE for line in lines):
        longest = max(lines, key=len)
        breaches.append(Breach("standard error", f"an endless line: {_plain(longest)}"))
    return breaches


def _plain(line: str) -> str:
    """The plain words that a line begins with; what changes from case to case becomes a star."""
    words = [
        word if re.fullmatch(r"[A-Za-z-]+[.,:;]?", word) else "*" for word in line[:200].split()
    ]
    return re.sub(r"(\* )+", "* ", " ".join(words[:8]))


def _wrong_output(case: Case, status: int, out: str, err: str) -> list[Breach]:
    if any(prefix in err for prefix in ERROR):
        return [Breach("answer beside an error", _command(case))] if out else []
    if status and not out:
        return [Breach("silent failure", f"{_command(case)}, status {status}")]
    if case.stdout != "file" or HELP.intersection(case.args):
        return []
    if status == 0 and not out and not _writes_a_file(case):
        return [Breach("no answer", _command(case))]
    if _as_json(case) or (case.args[:1] == ["export"] and out.startswith("{")):
        return _wrong_json(out)
    return []


@cache
def _with_value() -> frozenset[str]:
    """The options of all commands that the next argument belongs to, whatever it looks like."""
    commands: Any = typer.main.get_command(app)
    options = [option for each in commands.commands.values() for option in each.params]
    return frozenset(name for o in options if not getattr(o, "is_flag", True) for name in o.opts)


def _as_json(case: Case) -> bool:
    """Whether --json is among the arguments, and not what another option is given."""
    before = ["", *case.args]
    pairs = zip(before, case.args, strict=False)
    return any(arg == "--json" and first not in _with_value() for first, arg in pairs)


def _command(case: Case) -> str:
    return case.args[0] if case.args and case.args[0].isalpha() else "no command"


def _wrong_json(text: str) -> list[Breach]:
    try:
        json.loads(text, parse_constant=_refuse)
    except ValueError as error:
        return [Breach("not JSON", str(error).partition(":")[0][:60])]
    return []


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _wrong_files(case: Case, outcome: Outcome) -> list[Breach]:
    """What `export` wrote must be JSON."""
    if case.args[:1] != ["export"] or outcome.status:
        return []
    return [found for data in outcome.written for found in _wrong_json(data.decode("utf-8"))]


def _has_color(case: Case) -> bool:
    return any("always" in word for word in case.args) or bool(case.environment.get("FORCE_COLOR"))


def _without_color(text: str) -> str:
    return _SGR.sub("", text)


def _controls(text: str, stream: str) -> list[Breach]:
    """What steers a terminal, but for line feeds, and isolates in pairs on their line."""
    breaches = []
    if text.isascii() and text.replace("\n", "").isprintable():
        return []
    if wild := {c for c in text if c in _STEERING or unicodedata.category(c) == "Cc"} - {"\n"}:
        breaches.append(Breach("control code", f"U+{ord(min(wild)):04X} on {stream}"))
    if any(not _balanced(line) for line in text.split("\n")):
        breaches.append(Breach("control code", f"an isolate that does not end on {stream}"))
    return breaches


def _balanced(line: str) -> bool:
    depth = 0
    for char in line:
        if char in _ISOLATES:
            depth += 1 if char == _ISOLATES[0] else -1
        if depth < 0:
            return False
    return depth == 0


def _stray_files(case: Case, outcome: Outcome) -> list[Breach]:
    """What was written and is not what the case may write: all of it, if the run failed."""
    strays = [path for path in outcome.changed if not _may_change(path, case, outcome.status)]
    return [Breach("stray file", re.sub(r"[\w]{8,}", "*", strays[0]))] if strays else []


def _may_change(path: str, case: Case, status: int) -> bool:
    for place in case.writes:
        is_cache = place.endswith("/")
        if (is_cache and (path + "/").startswith(place)) or place.startswith(path + "/"):
            return True
        if path == place and status == 0:
            return True
    return False
