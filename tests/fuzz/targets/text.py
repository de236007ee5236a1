"""Sentences."""

from random import Random

from fuzz.case import Case
from fuzz.mutate import odd_text, sentence
from fuzz.targets.commands import as_argument, usual_folder
from fuzz.targets.record import target


@target("text")
def text(rng: Random) -> Case:
    """Sentences of all sorts, as an argument or on standard input."""
    said = sentence(rng)
    stdin, environment = b"", {}
    if rng.random() < 0.2:
        data = (
            said.encode("utf-8", "surrogateescape")
            if rng.random() < 0.8
            else rng.randbytes(rng.choice([10, 5000]))
        )
        stdin, said = data * rng.choice([1, 1, 1, 40]), "-"
    said = as_argument(said)
    tail = [] if said == "-" else ["--", said]
    head = [said] if said == "-" else []
    weights = ["-w", rng.choice(["bert", "sample"])]
    args = rng.choice(
        [
            ["tokens", *head, *weights],
            ["tokens", *head, "--json"],
            ["tokens", *head, "--pair", as_argument(sentence(rng)[:300]), *weights],
            ["explain", *head, *weights],
            [
                "explain",
                *head,
                "--full",
                "--head",
                "0",
                "--width",
                "60",
                "--color",
                "always",
                *weights,
            ],
            ["explain", *head, "--token", rng.choice(["0", "cat", "-1", "it#2"]), *weights],
            ["explain", *head, "--token", as_argument(odd_text(rng, 3)), *weights],
            ["explain", *head, "--token", "1", "--format", rng.choice(["md", "tex"]), *weights],
            ["explain", *head, "--as", "heatmap", "--color", "always", *weights],
            ["step", *head, "--token", "0", "--lang", rng.choice(["en", "zh"]), *weights],
            ["export", *head, "--head", "0", "--show", "A", *weights],
        ]
    )
    encoding = rng.choice(["utf-8"] * 8 + ["gbk", "latin-1", "ascii"])
    return Case(
        [*args, *tail],
        usual_folder() if "bert" in args else {},
        stdin=stdin,
        environment=environment,
        encoding=encoding,
    )
