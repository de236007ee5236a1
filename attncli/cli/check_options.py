"""The options that only `attncli check` has, and what their values mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from attncli.errors import UsageError

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[FILES]...",
        help="Your arrays: .npz, .safetensors, .json, .npy or a folder of .npy; several are "
        "read as one.",
        show_default=False,
    ),
]
Map = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="S=scores",
        help="What an array is called in the files: the article's name, =, yours; may be repeated.",
        show_default=False,
    ),
]
Each = Annotated[
    bool, typer.Option("--each", help="Check every file, or every one of a folder, for itself.")
]
Heads = Annotated[
    int | None,
    typer.Option("--heads", min=1, max=8192, help="How many heads.", show_default=False),
]
Causal = Annotated[
    bool | None,
    typer.Option(
        "--causal/--no-causal",
        help="Whether a token may not see what is to its right (as the file's mask says).",
        show_default=False,
    ),
]
Scale = Annotated[
    float | None,
    typer.Option(
        "--scale",
        help="The right factor of q · k, where it is not 1/sqrt(d_k).",
        show_default=False,
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        "--tol", help="The largest difference that is none (by stored type).", show_default=False
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        "-w",
        help="Compare with this model; as --weights of explain.",
        show_default=False,
    ),
]
Sentence = Annotated[
    str | None,
    typer.Option(
        "--sentence", help="What the model reads; - is standard input.", show_default=False
    ),
]
Layer = Annotated[
    int | None,
    typer.Option(
        "--layer",
        "-l",
        help="The model's layer, from 0; negative counts from the end (-1).",
        show_default=False,
    ),
]
Head = Annotated[
    int | None,
    typer.Option(
        "--head", help="The model's head, from 0, that your arrays are of.", show_default=False
    ),
]
Self = Annotated[
    bool,
    typer.Option("--self", help="Check attncli itself: what is installed here, in a second."),
]


def parse_mapping(pairs: Sequence[str]) -> dict[str, str]:
    """{"S": "scores"} of `S=scores`. Raises UsageError for another form and a name given twice."""
    mapping: dict[str, str] = {}
    for pair in pairs:
        name, sign, stored = pair.partition("=")
        if not (name and sign and stored):
            raise UsageError(f"--map {pair}: give the article's name, =, yours, such as S=scores")
        if name in mapping:
            raise UsageError(f"--map {pair}: {name} is {mapping[name]} already")
        mapping[name] = stored
    return mapping
