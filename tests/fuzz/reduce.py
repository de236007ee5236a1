"""Makes a case that found something small: fewer words, fewer changes, shorter texts."""

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fuzz.case import Case
from fuzz.mutate import dumps, loads

Test = Callable[[Case], bool]


@dataclass
class Search:
    """Tries cases, until the time is over, and keeps the smallest that still fails."""

    best: Case
    fails: Test
    until: float

    def attempt(self, **changes: Any) -> bool:
        """Whether the case still fails with these fields changed; if so it is kept."""
        if time.monotonic() > self.until:
            return False
        case = replace(self.best, **changes)
        if not self.fails(case):
            return False
        self.best = case
        return True


def minimise(case: Case, fails: Test, seconds: float) -> Case:
    """A smaller case that still fails; the case itself where nothing smaller does."""
    search = Search(case, fails, time.monotonic() + seconds)
    for name in list(case.files):
        _reduce_file(search, name)
    for variable in list(case.environment):
        search.attempt(
            environment={k: v for k, v in search.best.environment.items() if k != variable}
        )
    for name in list(case.replies):
        replies = search.best.replies
        if not search.attempt(replies={k: v for k, v in replies.items() if k != name}):
            search.attempt(replies={**replies, name: case.usual[name]})
    _reduce_args(search)
    if case.stdin and not search.attempt(stdin=b""):
        _shorten(case.stdin, lambda data: search.attempt(stdin=data))
    return search.best


def _reduce_file(search: Search, name: str) -> None:
    """Takes the file away, or its changes back, or its bytes."""
    files, valid = search.best.files, search.best.valid.get(name)
    if search.attempt(files={k: v for k, v in files.items() if k != name}):
        return
    data = files[name]
    if data == valid or not isinstance(data, bytes):
        return
    if valid is not None and search.attempt(files={**files, name: valid}):
        return
    if valid is not None and _is_json(data) and _is_json(valid):
        _revert(search, name, loads(valid))
    elif len(data) < 20_000:
        _shorten(data, lambda smaller: search.attempt(files={**search.best.files, name: smaller}))


def _is_json(data: bytes) -> bool:
    try:
        return dumps(loads(data)) != b""
    except (ValueError, RecursionError):
        return False


def _revert(search: Search, name: str, valid: Any) -> None:
    """Takes back what differs from the valid document, one place after another."""
    document = loads(search.best.files[name])  # type: ignore[arg-type]
    for path, _, _ in differences(valid, document):
        changed = copy.deepcopy(document)
        if not _copy_place(valid, changed, path):
            continue
        if search.attempt(files={**search.best.files, name: dumps(changed)}):
            document = changed


def differences(valid: Any, changed: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """(path, before, after) of each place that differs; `...` stands for nothing."""
    if isinstance(valid, dict) and isinstance(changed, dict):
        keys: list[Any] = [*valid, *(key for key in changed if key not in valid)]
        pairs = [(key, valid.get(key, ...), changed.get(key, ...)) for key in keys]
    elif isinstance(valid, list) and isinstance(changed, list) and len(valid) == len(changed):
        pairs = [(i, *pair) for i, pair in enumerate(zip(valid, changed, strict=True))]
    else:
        return [] if valid == changed else [(path, valid, changed)]
    return [found for key, *pair in pairs for found in differences(*pair, (*path, key))]


def _copy_place(source: Any, target: Any, path: Sequence[Any]) -> bool:
    if not path:
        return False
    for key in path[:-1]:
        source, target = source[key], target[key]
    if isinstance(source, dict) and path[-1] not in source:
        del target[path[-1]]
    else:
        target[path[-1]] = source[path[-1]]
    return True


def _reduce_args(search: Search) -> None:
    for at in reversed(range(len(search.best.args))):
        args = search.best.args
        if search.attempt(args=[*args[:at], *args[at + 1 :]]):
            continue
        if len(args[at]) > 1:

            def shorter(text: Any, at: int = at) -> bool:
                args = search.best.args
                return search.attempt(args=[*args[:at], text, *args[at + 1 :]])

            _shorten(args[at], shorter)


def _shorten(text: Any, works: Callable[[Any], bool]) -> None:
    """Delta debugging: takes pieces out, large ones first (Zeller and Hildebrandt, 2002)."""
    size = len(text) // 2
    while size:
        at = 0
        while at < len(text):
            shorter = text[:at] + text[at + size :]
            if works(shorter):
                text = shorter
            else:
                at += size
        size //= 2
