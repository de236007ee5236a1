"""The options that commands share, and what their values mean."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

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


def option(names: str, says: str, **settings: Any) -> Any:
    """An option by all its names, such as `--layer -l`; its help names the default if need be."""
    return typer.Option(*names.split(), help=says, **{"show_default": False, **settings})


def integer(names: str, says: str, lowest: int, highest: int | None = None) -> Any:
    """An option whose value is a whole number."""
    return option(names, says, parser=whole(lowest, highest), metavar="<int>")


def argument(metavar: str, says: str, **settings: Any) -> Any:
    """What is given without a name."""
    return typer.Argument(metavar=metavar, help=says, **{"show_default": False, **settings})


INTEGERS = "<int,int,...>"

Text = str | None

Sentence = Annotated[
    Text, argument("SENTENCE", "The sentence, in quotes; - reads it from standard input.")
]
WeightsName = Annotated[
    str,
    option(
        "--weights -w",
        "sample, random, the folder of a checkpoint, a .safetensors or .npz file of matrices, "
        "or the name of a model on the Hub.",
        show_default=True,
    ),
]
Ids = Annotated[
    Text,
    option("--ids", "Token ids instead of a sentence; no tokenizer is needed.", metavar=INTEGERS),
]
Pair = Annotated[Text, option("--pair", "The second text of a pair.")]
AttentionMask = Annotated[
    Text,
    option(
        "--attention-mask",
        "1 for each token of the text, 0 where it is padding.",
        metavar="1,1,0",
    ),
]
Layer = Annotated[
    Text,
    option(
        "--layer -l", "The layer, from 0: 5 or L5; -1 is the last (default).", metavar="<layer>"
    ),
]
Token = Annotated[
    Text,
    option("--token -t", "Derive this token's row step by step: its number, its text, or it#2."),
]
DtypeName = Annotated[
    Dtype,
    option(
        "--dtype",
        "Precision of the computation; digits that change with float64 were rounding.",
        show_default=True,
    ),
]
Show = Annotated[
    Text,
    option("--show", f"Matrices to show: {', '.join(NAMES)}, or all.", metavar="<name,name,...>"),
]
Digits = Annotated[
    int | None,
    integer(
        "--digits",
        "Decimal places, 1 to 9 (default: S and A 2, other matrices 3, derivations 4).",
        1,
        9,
    ),
]
Lang = Annotated[
    Language | None, option("--lang", "Output language (default: from the locale; JSON: en).")
]
Json = Annotated[bool, option("--json", "Write JSON instead (see docs/json.md).")]
Output = Annotated[
    Path, option("--output -o", "The file to write; - is standard output.", show_default=True)
]
