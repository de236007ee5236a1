"""The options that commands share, and what their values mean."""

import re
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from attncli.cli.console import NARROWEST, Color
from attncli.errors import UsageError
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
        metavar="SENTENCE", help="The sentence; - reads it from standard input.", show_default=False
    ),
]
WeightsName = Annotated[
    str,
    typer.Option(
        "--weights",
        "-w",
        help="sample, random, a checkpoint's folder, a .safetensors or .npz file of matrices, or "
        "the name of a model on the Hub.",
    ),
]
WeightsArgument = Annotated[
    str,
    typer.Argument(metavar="[WEIGHTS]", help="As --weights of the other commands."),
]
Unused = Annotated[bool, typer.Option("--unused", help="List the tensors that are not used.")]
Ids = Annotated[
    str | None,
    typer.Option(
        "--ids",
        metavar="<int,int,...>",
        help="Token ids in place of a sentence; no tokenizer is needed.",
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
        help="Of an encoder-decoder: the encoder (the default), the decoder's attention to "
        "itself, or cross, the decoder's to the encoder.",
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
        help="Token ids in place of --target, start token and all.",
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
        min=0,
        help="Seed (0) of random weights, and of vectors that stand in for E.",
        show_default=False,
    ),
]
DModel = Annotated[
    int | None,
    typer.Option(
        "--d-model", min=1, max=8192, help="Width of random weights (512).", show_default=False
    ),
]
Heads = Annotated[
    int | None,
    typer.Option(
        "--heads",
        min=1,
        max=8192,
        help="Heads of random weights (8) or of a file of matrices (1).",
        show_default=False,
    ),
]
Layers = Annotated[
    int | None,
    typer.Option(
        "--layers", min=1, max=128, help="Layers of random weights (1).", show_default=False
    ),
]
NormFirst = Annotated[
    bool,
    typer.Option(
        "--norm-first",
        help="Of torch's encoder layers in a file: norms before attention and MLP.",
    ),
]
Activation = Annotated[
    str | None,
    typer.Option(
        "--activation", help="Of torch's encoder layers in a file (relu).", show_default=False
    ),
]
Layer = Annotated[
    int, typer.Option("--layer", "-l", help="The layer, from 0; negative counts from the end.")
]
Head = Annotated[
    int, typer.Option("--head", help="The head, from 0; negative counts from the end.")
]
HeadList = Annotated[
    list[str] | None,
    typer.Option("--head", help="A head, from 0, or all; may be repeated.", show_default=False),
]
Show = Annotated[
    str | None,
    typer.Option(
        "--show", help=f"Matrices to show: {', '.join(NAMES)}, or all.", show_default=False
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
        "--dtype", help="What is computed in; float64 shows what of a difference is rounding."
    ),
]
Causal = Annotated[bool, typer.Option("--causal", help="Mask what lies to the right of a token.")]
AttentionMask = Annotated[
    str | None,
    typer.Option(
        "--attention-mask",
        metavar="1,1,0",
        help="For each token of the text 1, or 0 where it is padding.",
        show_default=False,
    ),
]
Digits = Annotated[
    int | None,
    typer.Option(
        "--digits",
        min=1,
        max=9,
        help="Decimal places (2 of S and A, 3 of others, 4 of a row).",
        show_default=False,
    ),
]
Full = Annotated[bool, typer.Option("--full", help="Show every column, in blocks.")]
As = Annotated[
    Form | None,
    typer.Option(
        "--as", help="Draw matrices as numbers (table) or colour cells.", show_default=False
    ),
]
FormatName = Annotated[
    Format | None,
    typer.Option(
        "--format",
        help="Write the derivation of --token as Markdown or LaTeX; with --full all numbers.",
        show_default=False,
    ),
]
Width = Annotated[
    int | None,
    typer.Option(
        "--width",
        min=NARROWEST,
        max=10_000,
        help="Cells per line (the terminal's).",
        show_default=False,
    ),
]
Quiz = Annotated[bool, typer.Option("--quiz", help="Ask before a step is shown.")]
QuizSeed = Annotated[
    int | None,
    typer.Option("--quiz-seed", min=0, help="Which questions are asked (0).", show_default=False),
]
Lang = Annotated[
    Language | None,
    typer.Option(
        "--lang",
        help="The language of what is told (the locale's, else en; in JSON en).",
        show_default=False,
    ),
]
ColorWhen = Annotated[Color, typer.Option("--color", help="When to write colour.")]
Json = Annotated[bool, typer.Option("--json", help="Write JSON (docs/json.md) instead.")]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="The file to write; - is standard output.")
]


def parse_ids(ids: str, option: str = "--ids") -> tuple[int, ...]:
    """Token ids with commas between. Raises UsageError for what is no whole number from 0 up."""
    words = [word.strip() for word in ids.split(",")]
    if wrong := [word for word in words if not re.fullmatch(r"[0-9]{1,12}", word)]:
        raise UsageError(
            f"{option}: {wrong[0]!r} is no token id; give whole numbers from 0, with commas between"
        )
    return tuple(map(int, words))


def parse_attention_mask(mask: str) -> tuple[int, ...]:
    """Zeros and ones with commas between. Raises UsageError for anything else."""
    words = [word.strip() for word in mask.split(",")]
    if wrong := [word for word in words if word not in ("0", "1")]:
        raise UsageError(f"--attention-mask: {wrong[0]!r} is neither 0 nor 1")
    return tuple(map(int, words))


def parse_heads(heads: Sequence[str], n_heads: int) -> tuple[int, ...]:
    """The numbers of the heads that were asked for, ascending; `all` is every head.

    Raises UsageError for what is no number, AttncliError for a head that does not exist.
    """
    from attncli.inspector import find_number

    numbers: set[int] = set()
    for head in heads:
        if head == "all":
            numbers.update(range(n_heads))
        elif head.removeprefix("-").isdecimal():
            numbers.add(find_number("head", int(head), n_heads))
        else:
            raise UsageError(f"--head {head}: give a head's number, or all")
    return tuple(sorted(numbers))
