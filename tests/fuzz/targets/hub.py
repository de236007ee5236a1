"""A model of the Hub, from a hub that does not answer as it should."""

import hashlib
from dataclasses import replace
from random import Random

from fuzz import seeds
from fuzz.case import HOME, PORT, ROOT, SECRET, Case, Reply
from fuzz.mutate import mutate_bytes, mutate_json_file, odd_text
from fuzz.targets.record import target

COMMIT = "0123456789abcdef0123456789abcdef01234567"
PATHS = (
    "../x",
    "../../../../../../stray",
    f"{ROOT}/stray",
    "..",
    ".",
    "",
    "a/b",
    "x" * 300,
    "a\\b",
    "\x1b[31m",
    "~",
    "CON",
    "a b",
    "é",
)
STATUSES = (200, 204, 206, 301, 302, 400, 401, 403, 404, 416, 418, 429, 500, 502, 503, 600, 999)
HEADERS = (
    ("Retry-After", ("0", "1", "3600", "x", "-1", "Wed, 21 Oct 2099 07:28:00 GMT")),
    (
        "X-Error-Code",
        ("GatedRepo", "RepoNotFound", "RevisionNotFound", "EntryNotFound", "x\x1b[31m"),
    ),
    ("X-Error-Message", ("no\x1b[31m", "x" * 5000, "é")),
    (
        "Location",
        (f"http://127.0.0.1:{PORT}/loop", "/", "http://[", "file:///etc/passwd", "nonsense"),
    ),
    ("X-Linked-Etag", PATHS),
    ("X-Linked-Size", ("x", "-1", "99999999999", "0")),
    ("Content-Type", ("text/html", "application/json", "x")),
    ("Content-Encoding", ("gzip", "br", "x")),
    ("X-Xet-Hash", ("x", "0" * 64)),
    ("Link", ("<x>; rel=xet-auth", "<")),
)


def _right(body: bytes) -> Reply:
    """What the Hub says of a small file."""
    etag = hashlib.sha1(body).hexdigest()
    return Reply(body, headers=(("X-Repo-Commit", COMMIT), ("ETag", f'"{etag}"')))


@target("hub")
def hub(rng: Random) -> Case:
    """Statuses, headers, sizes and bodies of a hub's answers, and slow ones."""
    files = {**seeds.checkpoint("bert"), **seeds.tokenizer("bert")}
    usual = {name: _right(data) for name, data in files.items()}
    replies = dict(usual)
    for name in rng.sample(sorted(replies), rng.choice([1, 1, 1, 2, len(replies)])):
        if rng.random() < 0.1:
            del replies[name]
        else:
            replies[name] = _changed(rng, name, replies[name])
    args = rng.choice(
        [
            ["explain", "the cat", "-w", "org/name"],
            ["info", "org/name"],
            ["tokens", "the cat", "-w", "org/name"],
            [
                "explain",
                "the cat",
                "-w",
                "org/name",
                "--revision",
                rng.choice(["main", "v1", "../x", COMMIT]),
            ],
        ]
    )
    environment: dict[str, str | None] = {
        "HF_ENDPOINT": f"http://127.0.0.1:{PORT}",
        "HF_HUB_OFFLINE": None,
        "HF_HUB_DISABLE_XET": rng.choice(["1", None]),
        "HF_TOKEN": rng.choice([None, SECRET]),
    }
    return Case(
        args,
        environment=environment,
        replies=replies,
        usual=usual,
        writes=(f"{HOME}/.cache/huggingface/",),
    )


def _changed(rng: Random, name: str, reply: Reply) -> Reply:
    kind = rng.randrange(16)
    if kind < 4:
        return _with(reply, "ETag", '"' + rng.choice(PATHS) + '"')
    if kind < 6:
        return _with(reply, "X-Repo-Commit", rng.choice(PATHS))
    if kind == 6:
        without = rng.choice(["ETag", "X-Repo-Commit"])
        return replace(reply, headers=tuple(pair for pair in reply.headers if pair[0] != without))
    if kind < 9:
        return replace(reply, status=rng.choice(STATUSES))
    if kind == 9:
        changed = replace(reply, status=rng.choice([429, 503, 302, 307, 403]))
        header, values = rng.choice(HEADERS)
        return _with(changed, header, rng.choice(values))
    if kind == 10:
        return replace(
            reply,
            size=rng.choice(
                [
                    "0",
                    "1",
                    "x",
                    "-1",
                    "99999999999",
                    str(len(reply.body) + 1),
                    str(len(reply.body) - 1),
                ]
            ),
        )
    if kind == 11:
        return replace(reply, cut=rng.randrange(len(reply.body)))
    if kind == 12:
        body = (
            mutate_json_file(rng, reply.body)
            if name.endswith(".json")
            else mutate_bytes(rng, reply.body)
        )
        return _right(body)
    if kind == 13:
        return replace(reply, body=mutate_bytes(rng, reply.body))  # not what its ETag says
    if kind == 14 and rng.random() < 0.05:
        return replace(reply, delay=rng.choice([3.0, 60.0]))
    header, values = rng.choice(HEADERS)
    value = rng.choice(values) if rng.random() < 0.8 else odd_text(rng, 20)
    return _with(reply, header, value.replace("\r", "").replace("\n", ""))


def _with(reply: Reply, name: str, value: str) -> Reply:
    kept = tuple(pair for pair in reply.headers if pair[0] != name)
    return replace(reply, headers=(*kept, (name, value)))
