"""What is around a command: environment variables, signals."""

import signal
from random import Random

from fuzz.case import CWD, HOME, ROOT, SECRET, Case
from fuzz.mutate import odd_text
from fuzz.targets.commands import WRITTEN, as_argument, usual_folder
from fuzz.targets.record import target

VARIABLES: dict[str, tuple[str, ...]] = {
    "HOME": ("", "/nonexistent", "~", "~nosuchuser", "relative", f"{ROOT}/{CWD}/file"),
    "HF_HOME": (
        "",
        "~nosuchuser",
        "~",
        "$HOME/x",
        "/dev/null",
        "a\nb",
        "x" * 400,
        f"{ROOT}/{HOME}/hf",
    ),
    "HF_HUB_CACHE": ("~nosuchuser/x", "/proc/x", f"{ROOT}/{HOME}/hub", "\udcff"),
    "XDG_CACHE_HOME": ("~nosuchuser", "", f"{ROOT}/{HOME}/xdg"),
    "HF_ENDPOINT": (
        "http://[",
        "nonsense",
        "http://127.0.0.1:99999",
        "ftp://x",
        "http://127.0.0.1:9/\x1b[31m",
        "file:///etc",
    ),
    "HF_HUB_OFFLINE": ("0", "1", "x", ""),
    "HF_HUB_DOWNLOAD_TIMEOUT": ("x", "-1", "1e9", "", "0"),
    "HF_HUB_ETAG_TIMEOUT": ("x", "", "nan"),
    "HF_TOKEN": (SECRET, "a\nb", "\udcff", "é"),
    "HF_HUB_VERBOSITY": ("nonsense",),
    "HTTPS_PROXY": ("nonsense", "http://[", "socks5://127.0.0.1:9"),
    "HTTP_PROXY": ("nonsense", "http://[", "socks5://127.0.0.1:9"),
    "SSL_CERT_FILE": ("/nonexistent", "/dev/zero"),
    "COLUMNS": ("0", "1", "-1", "x", "9" * 30, "٣", "100000", "39"),
    "LINES": ("0", "x", "-5"),
    "TERM": ("dumb", "", "xterm-256color", "\x1b", "unknown"),
    "COLORTERM": ("truecolor", "x", ""),
    "NO_COLOR": ("1", ""),
    "FORCE_COLOR": ("1", "0", "x"),
    "LC_ALL": ("C", "zh_CN.UTF-8", "zh", "nonsense", "", "\udcff", "zh_TW.Big5"),
    "LANG": ("zh_CN", "zh", "\x1b[31m"),
    "LANGUAGE": ("zh:en", ":", "xx"),
    "TMPDIR": ("/nonexistent", "/dev/null", ""),
    "OPENBLAS_NUM_THREADS": ("0", "x", "99999"),
    "TYPER_USE_RICH": ("1", "x"),
    "PYTHONIOENCODING": ("x",),
}


@target("environment")
def environment(rng: Random) -> Case:
    """Environment variables that the program and its libraries read."""
    names = rng.sample(sorted(VARIABLES), rng.choice([1, 1, 2, 3, 6]))
    variables: dict[str, str | None] = {}
    for name in names:
        if rng.random() < 0.15 and name != "HF_ENDPOINT":
            variables[name] = None
        else:
            value = rng.choice(VARIABLES[name]) if rng.random() < 0.9 else odd_text(rng, 10)
            variables[name] = as_argument(value)
    if rng.random() < 0.6:
        variables.setdefault("HF_HUB_OFFLINE", None)
    weights = rng.choice([[], ["-w", "org/name"], ["-w", "org/name"], ["-w", "bert"]])
    args = rng.choice(
        [
            ["explain", "The cat", *weights],
            ["tokens", "cat", *weights],
            ["info", *weights[1:]],
            ["families"],
            ["--help"],
            ["explain", "The cat", "--token", "cat", *weights],
            ["export", "The cat", "-o", WRITTEN, *weights],
        ]
    )
    writes = (
        f"{HOME}/.cache/huggingface/",
        f"{CWD}/{WRITTEN}",
        f"{HOME}/hf/",
        f"{HOME}/hub/",
        f"{HOME}/xdg/",
    )
    return Case(
        args,
        {**usual_folder(), "file": b""},
        environment=variables,
        nameless=rng.random() < 0.1,
        writes=writes,
    )


@target("interrupt")
def interrupt(rng: Random) -> Case:
    """A signal while `export` writes its file: at the n-th opening or renaming of one."""
    number = rng.choice([signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
    args = ["export", "The cat", "-w", "bert", "-o", WRITTEN]
    return Case(
        args, usual_folder(), writes=(f"{CWD}/{WRITTEN}",), interrupt=(number, rng.randrange(1, 30))
    )
