"""The options that commands share, and what their values mean."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from attncli.cli.console import NARROWEST, Color
from attncli.cli.values import whole
from attncli.language import Language
from attncli.matrices import NAMES
from attncli.stack import Stack


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


Sentence = Annotated[
    str | None,
    typer.Argument(
        metavar="SENTENCE",
        help="The sentence, in quotes; - reads it from standard input.",
        show_default=False,
    ),
]
WeightsName = Annotated[
    str,
    typer.Option(
        "--weights",
        "-w",
        help="sample, random, the folder of a checkpoint, a .safetensors or .npz file of matrices, "
        "or the name of a model on the Hub.",
    ),
]
WeightsArgument = Annotated[
    str,
    typer.Argument(metavar="[WEIGHTS]", help="The same as --weights of the other commands."),
]
Unused = Annotated[bool, typer.Option("--unused", help="List the tensors that are not used.")]
Ids = Annotated[
    str | None,
    typer.Option(
        "--ids",
        metavar="<int,int,...>",
        help="Token ids instead of a sentence; no tokenizer is needed.",
        show_default=False,
    ),
]
Pair = Annotated[
    str | None,
    typer.Option("--pair", help="The second text of a pair.", show_default=False),
]
StackName = Annotated[
    Stack | None,
    typer.Option(
        "--stack",
        help="In an encoder-decoder: the encoder (the default), the decoder's self-attention, "
        "or cross, the decoder's attention to the encoder.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        help="The text that the decoder reads; its start token is added.",
        show_default=False,
    ),
]
TargetIds = Annotated[
    str | None,
    typer.Option(
        "--target-ids",
        metavar="<int,int,...>",
        help="Token ids instead of --target, including the start token.",
        show_default=False,
    ),
]
Revision = Annotated[
    str | None,
    typer.Option(
        "--revision", help="Branch, tag or commit of a model on the Hub.", show_default=False
    ),
]
Offline = Annotated[
    bool, typer.Option("--offline", help="Download nothing (as HF_HUB_OFFLINE=1 does).")
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        parser=whole(0),
        metavar="<int>",
        help="Seed of random weights, and of the vectors that replace a missing E (default: 0).",
        show_default=False,
    ),
]
DModel = Annotated[
    int | None,
    typer.Option(
        "--d-model",
        parser=whole(1, 8192),
        metavar="<int>",
        help="Width of random weights, 1 to 8192 (default: 512).",
        show_default=False,
    ),
]
NHeads = Annotated[
    int | None,
    typer.Option(
        "--n-heads",
        parser=whole(1, 8192),
        metavar="<int>",
        help="Number of heads of random weights (default: 8) or of a file of matrices (1).",
        show_default=False,
    ),
]
NLayers = Annotated[
    int | None,
    typer.Option(
        "--n-layers",
        parser=whole(1, 128),
        metavar="<int>",
        help="Number of layers of random weights, 1 to 128 (default: 1).",
        show_default=False,
    ),
]
NormFirst = Annotated[
    bool,
    typer.Option(
        "--norm-first",
        help="For a file of torch's encoder layers that were made with norm_first=True.",
    ),
]
Activation = Annotated[
    str | None,
    typer.Option(
        "--activation",
        help="For a file of torch's encoder layers: their activation (default: relu).",
        show_default=False,
    ),
]
Layer = Annotated[
    str | None,
    typer.Option(
        "--layer",
        "-l",
        metavar="<layer>",
        help="The layer, from 0: 5 or L5; -1 is the last (default).",
        show_default=False,
    ),
]
Head = Annotated[
    str | None,
    typer.Option(
        "--head",
        metavar="<head>",
        help="The head, from 0 (the default): 3, H3, or L5H3 with its layer; -1 is the last.",
        show_default=False,
    ),
]
HeadList = Annotated[
    list[str] | None,
    typer.Option(
        "--head",
        metavar="<heads>",
        help="Heads, from 0: 3, H3, L5H3 with the layer, 0,1, 0-3 or all; may be repeated.",
        show_default=False,
    ),
]
Show = Annotated[
    str | None,
    typer.Option(
        "--show",
        metavar="<name,name,...>",
        help=f"Matrices to show: {', '.join(NAMES)}, or all.",
        show_default=False,
    ),
]
TokenName = Annotated[
    str | None,
    typer.Option(
        "--token",
        "-t",
        help="Derive this token's row step by step: its number, its text, or it#2.",
        show_default=False,
    ),
]
DtypeName = Annotated[
    Dtype,
    typer.Option(
        "--dtype",
        help="Precision of the computation; digits that change with float64 were rounding.",
    ),
]
Causal = Annotated[
    bool,
    typer.Option(
        "--causal",
        help="Hide from each token the tokens to its right.",
    ),
]
AttentionMask = Annotated[
    str | None,
    typer.Option(
        "--attention-mask",
        metavar="1,1,0",
        help="1 for each token of the text, 0 where it is padding.",
        show_default=False,
    ),
]
Digits = Annotated[
    int | None,
    typer.Option(
        "--digits",
        parser=whole(1, 9),
        metavar="<int>",
        help="Decimal places, 1 to 9 (default: S and A 2, other matrices 3, derivations 4).",
        show_default=False,
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Show every column, in blocks.")]
As = Annotated[
    Form | None,
    typer.Option(
        "--as",
        help="Draw matrices as numbers (table) or as colored cells.",
        show_default=False,
    ),
]
FormatName = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="Write the derivation of --token as Markdown or LaTeX; with --full, all its numbers.",
        show_default=False,
    ),
]
Width = Annotated[
    int | None,
    typer.Option(
        "--width",
        parser=whole(NARROWEST, 10_000),
        metavar="<int>",
        help=f"Characters per line, {NARROWEST} or more (default: the terminal's width).",
        show_default=False,
    ),
]
Lang = Annotated[
    Language | None,
    typer.Option(
        "--lang",
        help="Output language (default: from the locale; JSON: en).",
        show_default=False,
    ),
]
ColorWhen = Annotated[
    Color,
    typer.Option(
        "--color",
        help="When to use color.",
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Write JSON instead (see docs/json.md).",
    ),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file to write; - is standard output.")
]
