"""The options that commands share, and what their values mean."""

from enum import StrEnum
from typing import Any

import typer

from attncli.cli.commands import Run
from attncli.cli.values import whole
from attncli.language import Language
from attncli.matrices import NAMES


class Form(StrEnum):
    """How a matrix is drawn."""

    table = "table"
    heatmap = "heatmap"


class Format(StrEnum):
    """How a derivation is written for others to read."""

    md = "md"
    tex = "tex"


class Dtype(StrEnum):
    """What is computed in."""

    float32 = "float32"
    float64 = "float64"


def option(names: str, says: str, default: Any = None, **settings: Any) -> Any:
    """An option by all its names, such as `--layer -l`; `says` tells the default if need be."""
    return typer.Option(default, *names.split(), help=says, **{"show_default": False, **settings})


def integer(names: str, says: str, lowest: int, highest: int | None = None) -> Any:
    """An option whose value is a whole number."""
    return option(names, says, parser=whole(lowest, highest), metavar="<int>")


def argument(metavar: str, says: str, default: Any = None, **settings: Any) -> Any:
    """What is given without a name."""
    settings = {"show_default": False, **settings}
    return typer.Argument(default, metavar=metavar, help=says, **settings)


INTEGERS = "<int,int,...>"
ONE_HEAD = "3, H3, or L5H3 with its layer; -1 is the last"

SENTENCE = argument("SENTENCE", "The sentence, in quotes; - reads it from standard input.")
WEIGHTS = option(
    "--weights -w",
    "sample, random, the folder of a checkpoint, a .safetensors or .npz file of matrices, "
    "or the name of a model on the Hub.",
    "sample",
    show_default=True,
)
IDS = option("--ids", "Token ids instead of a sentence; no tokenizer is needed.", metavar=INTEGERS)
PAIR = option("--pair", "The second text of a pair.")
ATTENTION_MASK = option(
    "--attention-mask", "1 for each token of the text, 0 where it is padding.", metavar="1,1,0"
)
LAYER = option(
    "--layer -l", "The layer, from 0: 5 or L5; -1 is the last (default).", metavar="<layer>"
)
TOKEN = option("--token -t", "Derive this token's row step by step: its number, its text, or it#2.")
DTYPE = option(
    "--dtype",
    "Precision of the computation; digits that change with float64 were rounding.",
    Dtype.float32,
    show_default=True,
)
SHOW = option("--show", f"Matrices to show: {', '.join(NAMES)}, or all.", metavar="<name,name,...>")
DIGITS = integer(
    "--digits",
    "Decimal places, 1 to 9 (default: S and A 2, other matrices 3, derivations 4).",
    1,
    9,
)


def _remember_language(ctx: typer.Context, value: Language | None) -> Language | None:
    run = ctx.find_object(Run)
    if run is not None:  # there is none while a shell completes the line
        run.language = value
    return value


LANG = option(
    "--lang",
    "Output language (default: from the locale; JSON: en).",
    is_eager=True,  # errors in other options are told in it
    callback=_remember_language,
)
