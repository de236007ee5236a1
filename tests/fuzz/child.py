"""Runs the command line in a forked child, with limits, and reports what it left behind."""

import contextlib
import faulthandler
import importlib
import io
import os
import pkgutil
import pwd
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from fuzz.case import CWD, HOME, PORT, ROOT, TMP, Case, lay_out, tree
from fuzz.hub import hub

MEGABYTE = 2**20
FILE_LIMIT = 512 * MEGABYTE
# What huggingface_hub imports. It reads the environment when it is imported, so it is left out.
BEHIND_THE_HUB = ("httpx", "httpx2", "fsspec", "yaml", "tqdm.auto", "filelock", "packaging.version")


@dataclass(frozen=True)
class Limits:
    """What a case may use."""

    seconds: float = 20
    megabytes: int = 1024


@dataclass(frozen=True)
class Outcome:
    """What a run left behind. `status` is negative where a signal ended it, as in subprocess."""

    status: int
    out: bytes
    err: bytes
    seconds: float
    megabytes: float
    stuck: str = ""  # where it was when a signal ended it, or its time was nearly up
    changed: list[str] = field(default_factory=list)  # paths in the case's folder
    written: list[bytes] = field(default_factory=list)  # the files that the case may write


def load_program() -> None:
    """Imports all of the program, so that a child starts with it."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy loads, as the program does
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # its threads do not survive a fork
    import attncli

    for module in pkgutil.walk_packages(attncli.__path__, "attncli."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in BEHIND_THE_HUB:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def attncli() -> None:
    """The front door."""
    from attncli.cli import main

    main()


def run(
    case: Case, scratch: Path, limits: Limits, program: Callable[[], None] = attncli
) -> Outcome:
    """The outcome of a case, in a folder of its own inside `scratch`."""
    root = scratch / "root"
    lay_out(case, root)
    streams = {name: scratch / name for name in ("in", "out", "err", "stuck")}
    streams["in"].write_bytes(case.stdin)
    before = tree(root)
    with hub(case.replies) as port:
        started = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            _be_the_program(case, root, streams, limits, port, program)
        status, used = _wait(pid, limits.seconds)
        seconds = time.perf_counter() - started
    after = tree(root)
    written = [root / name for name in case.writes if os.path.isfile(root / name)]  # noqa: PTH113
    changed = sorted(path for path in before | after if before.get(path) != after.get(path))
    return Outcome(
        status=status,
        out=b"" if case.stdout != "file" else streams["out"].read_bytes(),
        err=streams["err"].read_bytes(),
        seconds=seconds,
        megabytes=used.ru_maxrss / (MEGABYTE if sys.platform == "darwin" else 1024),
        stuck=streams["stuck"].read_text("utf-8", "replace"),
        changed=changed,
        written=[path.read_bytes() for path in written],
    )


def _wait(pid: int, seconds: float) -> tuple[int, resource.struct_rusage]:
    """Waits for the child, and ends it when its time is up."""

    def end(*_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)

    usual = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        _, status, used = os.wait4(pid, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
    return os.waitstatus_to_exitcode(status), used


def _be_the_program(
    case: Case,
    root: Path,
    streams: dict[str, Path],
    limits: Limits,
    port: int,
    program: Callable[[], None],
) -> NoReturn:
    status = 70
    try:
        os.setsid()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stuck = os.open(streams["stuck"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        _open_streams(case, streams)
        faulthandler.enable(stuck)
        faulthandler.dump_traceback_later(0.9 * limits.seconds, file=stuck)
        os.environ.clear()
        os.environ.update(_environment(case, root, port))
        os.chdir(root / CWD)
        _limit(limits)
        if case.nameless:
            pwd.getpwuid = _no_such_user
        if case.interrupt:
            _interrupt(*case.interrupt)
        sys.argv = ["attncli", *case.args]
        status = _status(program)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def _open_streams(case: Case, streams: dict[str, Path]) -> None:
    """Puts the streams where the child's are, and makes Python's anew around them."""
    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    out = "/dev/full" if case.stdout == "full" else str(streams["out"])
    for number, path, flags in (
        (0, str(streams["in"]), os.O_RDONLY),
        (1, out, new),
        (2, str(streams["err"]), new),
    ):
        opened = os.open(path, flags, 0o644)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(open(number, mode, closefd=False), case.encoding, errors)  # noqa: SIM115
        for number, mode, errors in (
            (0, "rb", "strict"),
            (1, "wb", "strict"),
            (2, "wb", "backslashreplace"),
        )
    )
    if case.stdout == "closed":
        os.close(1)
        sys.stdout = None  # type: ignore[assignment]
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]


def _environment(case: Case, root: Path, port: int) -> dict[str, str]:
    usual: dict[str, str | None] = {
        "HOME": f"{ROOT}/{HOME}",
        "TMPDIR": f"{ROOT}/{TMP}",
        "PATH": "/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
        "HF_HUB_OFFLINE": "1",
        "HF_ENDPOINT": "http://127.0.0.1:9",  # nobody listens there
        "OPENBLAS_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    return {
        name: value.replace(ROOT, str(root)).replace(PORT, str(port))
        for name, value in (usual | case.environment).items()
        if value is not None
    }


def _limit(limits: Limits) -> None:
    """Memory beyond what the process has already, the length of a file, no core."""
    now = 0
    with contextlib.suppress(OSError):
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = now + (limits.megabytes + 256) * MEGABYTE  # its threads take room, not memory
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _no_such_user(uid: int) -> NoReturn:
    raise KeyError(f"getpwuid(): uid not found: {uid}")


def _interrupt(number: int, at: int) -> None:
    """Sends this process a signal when it opens, moves or removes a file for the `at`-th time."""
    count = 0

    def listen(event: str, _: object) -> None:
        nonlocal count
        if event in ("open", "os.rename", "os.remove"):
            count += 1
            if count == at:
                os.kill(os.getpid(), number)

    sys.addaudithook(listen)


def _status(program: Callable[[], None]) -> int:
    """Runs it as the interpreter does: tracebacks and the last flush included."""
    status = 0
    try:
        program()
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except OSError:
        status = 120
    return status & 0xFF
