"""The options that only `attncli check` has."""

from pathlib import Path
from typing import Annotated

import typer

from attncli.cli.values import decimal, whole

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
        help="The name of an array in your files: the article's name, =, yours; may be repeated.",
        show_default=False,
    ),
]
Each = Annotated[
    bool,
    typer.Option(
        "--each",
        help="Check each file, or each file of a folder, on its own.",
    ),
]
NHeads = Annotated[
    int | None,
    typer.Option(
        "--n-heads",
        parser=whole(1, 8192),
        metavar="<int>",
        help="Number of heads.",
        show_default=False,
    ),
]
Causal = Annotated[
    bool | None,
    typer.Option(
        "--causal/--no-causal",
        help="Whether the tokens to the right are hidden (default: as in your mask).",
        show_default=False,
    ),
]
Scale = Annotated[
    float | None,
    typer.Option(
        "--scale",
        parser=decimal("above 0, such as 0.125", lambda factor: factor > 0),
        metavar="<float>",
        help="Scale of q · k, if not 1/sqrt(d_k).",
        show_default=False,
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        "--tol",
        parser=decimal("of 0 or more, such as 1e-4", lambda difference: difference >= 0),
        metavar="<float>",
        help="Differences up to this count as rounding (default: by dtype).",
        show_default=False,
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        "-w",
        help="Compare with this model; see --weights of explain.",
        show_default=False,
    ),
]
Sentence = Annotated[
    str | None,
    typer.Option(
        "--sentence",
        help="The sentence for the model; - reads it from standard input.",
        show_default=False,
    ),
]
Layer = Annotated[
    str | None,
    typer.Option(
        "--layer",
        "-l",
        metavar="<layer>",
        help="The layer of the model, from 0: 5 or L5; -1 is the last (default).",
        show_default=False,
    ),
]
Head = Annotated[
    str | None,
    typer.Option(
        "--head",
        metavar="<head>",
        help="The head of the model that your arrays are from: 3, H3 or L5H3 (default: all heads).",
        show_default=False,
    ),
]
Self = Annotated[
    bool,
    typer.Option(
        "--self",
        help="Check this installation of attncli itself.",
    ),
]
