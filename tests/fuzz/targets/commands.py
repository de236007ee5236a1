"""Command lines: every command and option of the program, and what they are asked about."""

import os
from random import Random
from typing import Any

from fuzz import seeds
from fuzz.case import CWD, Case, Odd
from fuzz.mutate import mutate_text, odd_text, sentence
from fuzz.targets.arrays import npz
from fuzz.targets.record import target

LONGEST_ARGUMENT = 100_000  # bytes; Linux passes on 131,072
ODD_NUMBERS = (
    "",
    " ",
    "0",
    "-1",
    "-0",
    "+1",
    "1_0",
    "٣",
    "１",
    " 1",
    "1e3",
    "0x1",
    "9" * 5000,
    "-" + "9" * 400,
    "nan",
    "inf",
    "1.5",
    "x",
    "L0H1",
    "H1",
    "0,1",
    "0-3",
    "all",
    "2147483648",
    "9223372036854775808",
)
WRITTEN = "out.json"
USUAL: dict[str, tuple[str, ...]] = {
    "weights": (
        "sample",
        "bert",
        "bert",
        "bert/config.json",
        "bert/model.safetensors",
        "random",
        "weights.npz",
        "t5",
        "nothing",
        "org/name",
    ),
    "files": ("mine.npz", "mine.json", "bert", "weights.npz", ".", "nothing", "bert/config.json"),
    "sentence": ("The cat sat", "the cat", "", "-", "-x", "The animal didn't cross", "it it it"),
    "output": (
        WRITTEN,
        WRITTEN,
        "-",
        "",
        ".",
        "no/such/out.json",
        "loop",
        "x" * 300,
        "bert/out.json",
        "/dev/full",
        "out\n.json",
        "fifo",
    ),
    "token": ("cat", "0", "it#2", "#", "it#0", "-1", "99", "[CLS]", ""),
    "show": ("S", "X,A", "x, y", "S,S", ",", "W", "Z"),
    "ids": ("1,2,3", "1", "", ",", "1,,2", "999999999999", "0", "1,2,x", "-1", "٣"),
    "attention_mask": ("1,1,0", "1", "0,0,0", "", "1,1,2", "1,1,1,1"),
    "mapping": ("S=scores", "S=", "=", "S", "S=A", "W_Q=W_K", "B=b"),
    "head": ("0", "1", "all", "-1", "99"),
    "layer": ("0", "1", "-1", "99"),
    "d_model": ("8", "16", "64", "8193", "0"),
    "n_layers": ("1", "2", "3", "129", "0"),
    "n_heads": ("1", "2", "4", "8192", "8193"),
    "digits": ("1", "4", "9", "10", "0"),
    "width": ("40", "80", "39", "200", "10001"),
    "scale": ("0.5", "0", "-1", "nan", "inf", "1e-320", "1e309"),
    "tol": ("1e-4", "0", "-1", "nan", "inf"),
    "activation": ("relu", "gelu", "x"),
    "revision": ("main", "../x", "", "a/b", "\x1b[31m"),
}
HUGE = ("d_model", "n_layers")  # what is valid there asks for much memory: only what is listed


def usual_folder() -> dict[str, bytes | Odd]:
    """What the commands can be asked about."""
    bert = {**seeds.checkpoint("bert"), **seeds.tokenizer("bert")}
    files: dict[str, bytes | Odd] = {f"bert/{name}": data for name, data in bert.items()}
    files |= {f"t5/{name}": data for name, data in seeds.checkpoint("t5").items()}
    files["mine.npz"] = npz({name: seeds.npy(array) for name, array in seeds.arrays().items()})
    files["weights.npz"] = npz({name: seeds.npy(array) for name, array in seeds.matrices().items()})
    files["mine.json"] = seeds.export()
    files["loop"] = Odd("link", "loop")
    return files


def _commands() -> dict[str, Any]:
    """The parameters of each command, from the program itself."""
    import typer.main

    from attncli.cli import app

    tree: Any = typer.main.get_command(app)
    return {name: command.params for name, command in tree.commands.items()}


@target("commands")
def commands(rng: Random) -> Case:
    """Every command and option, with usual values, odd ones and forgotten ones."""
    tree = _commands()
    name = rng.choice(sorted(tree))
    words: list[list[str]] = []
    for parameter in tree[name]:
        if parameter.param_type_name == "argument":
            words += [[_value(rng, parameter)] for _ in range(rng.choice([0, 1, 1, 1, 1, 1, 1, 2]))]
    options = [p for p in tree[name] if p.param_type_name == "option" and p.name != "debug"]
    for option in rng.sample(options, min(len(options), rng.choice([0, 1, 1, 2, 2, 3, 5]))):
        words += [_option(rng, option) for _ in range(rng.choice([1, 1, 1, 1, 1, 1, 1, 2]))]
    if name == "step" and rng.random() < 0.8:
        words.append(["--token", "cat"])
    if name == "export" and rng.random() < 0.8:
        words.append(["-o", rng.choice([WRITTEN, "-"])])
    rng.shuffle(words)
    args = [name, *(word for group in words for word in group)]
    if rng.random() < 0.1:
        args.insert(
            rng.randrange(len(args) + 1),
            rng.choice(["--", "-", "--help", "-h", "--version", ""]),
        )
    if rng.random() < 0.05:
        at = rng.randrange(len(args))
        args[at] = mutate_text(rng, args[at])
    args = [as_argument(text) for text in args]
    stdout = rng.choice(["file"] * 12 + ["full", "closed"])
    stdin = rng.choice([b"", b"The cat sat", b"n\nb\nq\n", b"\xff\x00", b"1\n0.5\n\x1b[A"])
    return Case(
        args,
        usual_folder(),
        stdin=stdin,
        writes=_written(args),
        stdout=stdout,
        environment={"HF_HUB_OFFLINE": rng.choice(["1", None])},
        encoding=rng.choice(["utf-8"] * 6 + ["ascii", "gbk", "cp1252"]),
    )


def _option(rng: Random, option: Any) -> list[str]:
    name = rng.choice([*option.opts, *option.secondary_opts])
    value = _value(rng, option)
    kind = rng.randrange(20)
    if option.is_flag:
        return [f"{name}={value}"] if kind == 0 else [name]
    if kind == 0:
        return [name]
    if kind == 1:
        return [name[:-1] or name, value]
    if kind == 2:
        return [f"{name}s", value]
    return [f"{name}={value}"] if kind < 6 else [name, value]


def _value(rng: Random, parameter: Any) -> str:
    name = parameter.name
    if rng.random() < 0.75 and name in USUAL:
        return rng.choice(USUAL[name])
    choices = getattr(parameter.type, "choices", None)
    if choices and rng.random() < 0.8:
        return str(getattr(rng.choice(list(choices)), "value", rng.choice(list(choices))))
    if getattr(parameter.type, "name", "").startswith(("integer", "float")):
        usual = (str(getattr(parameter.type, "min", None) or 0), "1", "2")
        return rng.choice(
            [*(ODD_NUMBERS if name not in HUGE else ("", "x", "-1", "1_0", "٣")), *usual]
        )
    return rng.choice(
        [odd_text(rng, 12), rng.choice(ODD_NUMBERS), sentence(rng)[:200], *USUAL["sentence"]]
    )


def as_argument(text: str) -> str:
    """The text as a program receives it: no NUL, not too long, bytes that are no UTF-8 escaped."""
    data = text.replace("\x00", "").encode("utf-8", "surrogateescape")[:LONGEST_ARGUMENT]
    return os.fsdecode(data)


def _written(args: list[str]) -> tuple[str, ...]:
    """The file that -o names."""
    found = []
    for at, word in enumerate(args):
        if word in ("-o", "--output", "--outpu") and at + 1 < len(args):
            found.append(args[at + 1])
        elif word.startswith("--output="):
            found.append(word.removeprefix("--output="))
        elif word.startswith("-o"):
            found.append(word[2:])
    return tuple(os.path.normpath(f"{CWD}/{name}") for name in found if name and name != "-")
