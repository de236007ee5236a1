"""Sentences."""

from random import Random

from fuzz import seeds
from fuzz.case import Case
from fuzz.mutate import odd_text, sentence
from fuzz.targets.commands import as_argument
from fuzz.targets.record import target

LONGEST = 500  # characters, of 4 tokens each at most, of a text that all heads attend to
COMMANDS = (
    *("tokens", "tokens --json", "tokens --pair ODD", "explain", "explain --token ODD"),
    *("explain --token 0", "explain --token cat", "explain --token it#2", "explain --token -1"),
    *("explain --token 1 --format md", "explain --token 1 --format tex", "explain --pair ODD"),
    *("explain --as heatmap --color always", "explain --full --head 0 --width 60 --color always"),
    *("step --token 0 --lang zh", "step --token 0 --digits 9", "export --head 0 --show A -o -"),
)


@target("text")
def text(rng: Random) -> Case:
    """Sentences of all sorts, as an argument or on standard input."""
    words = rng.choice(COMMANDS).split()
    longest = LONGEST if words[0] != "tokens" else None
    said = sentence(rng)[: 300 if "--full" in words else longest]
    args = [as_argument(odd_text(rng, 8)) if word == "ODD" else word for word in words]
    args += ["-w", rng.choice(["bert", "sample"])]
    stdin = b""
    if rng.random() < 0.2:
        stdin = said.encode("utf-8", "surrogateescape")
        if rng.random() < 0.2:
            stdin = rng.randbytes(rng.choice([10, 3000]))
        elif words[0] == "tokens":
            stdin *= rng.choice([1, 1, 40])
        args.append("-")
    else:
        args += ["--", as_argument(said)]
    files = {**seeds.checkpoint("bert"), **seeds.tokenizer("bert")}
    return Case(
        args,
        {f"bert/{name}": data for name, data in files.items()},
        stdin=stdin,
        encoding=rng.choice(["utf-8"] * 8 + ["gbk", "latin-1", "ascii"]),
    )
