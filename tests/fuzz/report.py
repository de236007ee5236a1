"""A finding in words: what broke, what the input was, how to see it again."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.case import Case, Odd, Reply
from fuzz.child import Outcome
from fuzz.mutate import loads
from fuzz.oracle import Breach
from fuzz.reduce import differences

LONGEST = 160


@dataclass(frozen=True)
class Finding:
    """The first case of a fault, as small as it got."""

    breach: Breach
    target: str
    number: int
    case: Case
    outcome: Outcome


def short(value: Any) -> str:
    """A value on one line."""
    text = ascii(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 40]}... ({len(text):,} characters)"


def tell(finding: Finding, seed: str) -> str:
    """The finding in a few lines."""
    case, outcome = finding.case, finding.outcome
    lines = [
        f"* {finding.breach}",
        f"    python tests/fuzz/run.py --seed {seed} --replay {finding.target}:{finding.number}",
        "    attncli " + " ".join(_quoted(word) for word in case.args),
    ]
    lines += [f"    {name}={short(value)}" for name, value in case.environment.items()]
    if case.stdin:
        lines.append(f"    standard input: {short(case.stdin)}")
    for name in ("stdout", "encoding", "nameless", "interrupt"):
        if getattr(case, name) not in ("file", "utf-8", None, False):
            lines.append(f"    {name}: {getattr(case, name)}")
    for name, content in case.files.items():
        lines += [f"    {name}: {change}" for change in _changes(content, case.valid.get(name))]
    lines += [
        f"    hub, {name}: {_reply(reply)}"
        for name, reply in case.replies.items()
        if reply != case.usual[name]
    ]
    last = outcome.err.decode("utf-8", "replace").rstrip().rpartition("\n")[2]
    lines.append(f"    status {outcome.status}, {outcome.seconds:.1f} s: {short(last)}")
    if outcome.changed:
        lines.append(f"    written: {short(outcome.changed)}")
    return "\n".join(lines)


def _quoted(word: str) -> str:
    return shlex.quote(word) if word.isprintable() and len(word) <= LONGEST else short(word)


def _reply(reply: Reply) -> str:
    told = f"status {reply.status}, {len(reply.body)} bytes, {dict(reply.headers)}"
    odd = {k: getattr(reply, k) for k in ("size", "delay", "cut") if getattr(reply, k)}
    return short(told + (f", {odd}" if odd else ""))


def _changes(content: bytes | Odd, valid: bytes | None) -> list[str]:
    """How a file differs from the valid one."""
    if isinstance(content, Odd):
        return [f"{content.kind} {content.to}"]
    if content == valid:
        return []
    if valid is None:
        return [short(content)] if len(content) <= LONGEST else []
    try:
        documents = [loads(_header(data)) for data in (valid, content)]
        found = differences(*documents)
    except (ValueError, RecursionError):
        found = []
    told = [f"{'.'.join(map(str, path))}: {_value(a)} -> {_value(b)}" for path, a, b in found[:5]]
    return told or [_changed_bytes(valid, content)]


def _header(data: bytes) -> bytes:
    """The part of a file that is JSON."""
    length = int.from_bytes(data[:8], "little")
    return data[8 : 8 + length] if data[8:9] == b"{" and length < len(data) else data


def _value(value: Any) -> str:
    return "nothing" if value is ... else short(value).replace("\\ue000raw\\ue000", "")


def _changed_bytes(valid: bytes, content: bytes) -> str:
    start = _common(valid, content)
    end = _common(valid[start:][::-1], content[start:][::-1])
    before, after = valid[start : len(valid) - end], content[start : len(content) - end]
    return f"byte {start}: {short(before)} -> {short(after)}"


def _common(a: bytes, b: bytes) -> int:
    """How many bytes two texts begin with alike."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))


def save(finding: Finding, folder: Path) -> None:
    """The files of a finding and its command, to be tried by hand."""
    place = folder / f"{finding.target}-{finding.number}"
    for name, content in finding.case.files.items():
        if isinstance(content, bytes):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)
    place.mkdir(parents=True, exist_ok=True)
    (place / "finding.txt").write_text(tell(finding, ""), "utf-8", "backslashreplace")
