"""Options that belong together, as records; a command takes a whole record at once."""

import dataclasses
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attncli.cli import options as opt
from attncli.cli.console import NARROWEST, Color, find_screen
from attncli.cli.options import integer, option
from attncli.cli.values import decimal
from attncli.errors import UsageError
from attncli.kind import AttentionKind
from attncli.language import Language, Phrase

if TYPE_CHECKING:
    from attncli.medium.screen import Screen


@dataclass(frozen=True)
class TextOptions:
    """What is read."""

    sentence: str | None = opt.SENTENCE
    ids: str | None = opt.IDS
    pair: str | None = opt.PAIR
    attention: AttentionKind | None = option(
        "--attention",
        "In an encoder-decoder: the encoder's (the default), the decoder's self-attention, or "
        "cross, the decoder's attention to the encoder.",
    )
    target: str | None = option(
        "--target", "The text that the decoder reads; its start token is added."
    )
    target_ids: str | None = option(
        "--target-ids",
        "Token ids instead of --target, including the start token.",
        metavar=opt.INTEGERS,
    )
    causal: bool = option("--causal", "Hide from each token the tokens to its right.", False)
    attention_mask: str | None = opt.ATTENTION_MASK


@dataclass(frozen=True)
class PlaceOptions:
    """Which part of the computation is shown."""

    layer: str | None = opt.LAYER
    head: list[str] | None = option(
        "--head",
        "Heads, from 0: 3, H3, L5H3 with the layer, 0,1, 0-3 or all; may be repeated.",
        metavar="<heads>",
    )
    token: str | None = opt.TOKEN
    dtype: opt.Dtype = opt.DTYPE


@dataclass(frozen=True)
class HubOptions:
    """How a model on the Hub is found."""

    revision: str | None = option("--revision", "Branch, tag or commit of a model on the Hub.")
    offline: bool = option("--offline", "Download nothing (as HF_HUB_OFFLINE=1 does).", False)


@dataclass(frozen=True)
class OpeningOptions(HubOptions):
    """How weights are opened: the parameters of `load_weights` after the first."""

    seed: int | None = integer(
        "--seed",
        "Seed of random weights, and of the vectors that replace a missing E (default: 0).",
        0,
    )
    d_model: int | None = integer(
        "--d-model", "Width of random weights, 1 to 8192 (default: 512).", 1, 8192
    )
    n_heads: int | None = integer(
        "--n-heads",
        "Number of heads of random weights (default: 8) or of a file of matrices (1).",
        1,
        8192,
    )
    n_layers: int | None = integer(
        "--n-layers", "Number of layers of random weights, 1 to 128 (default: 1).", 1, 128
    )
    norm_first: bool = option(
        "--norm-first",
        "For a file of torch's encoder layers that were made with norm_first=True.",
        False,
    )
    activation: str | None = option(
        "--activation", "For a file of torch's encoder layers: their activation (default: relu)."
    )


@dataclass(frozen=True)
class AloneOptions:
    """What arrays do not say of themselves, and a model would."""

    n_heads: int | None = integer("--n-heads", "Number of heads.", 1, 8192)
    scale: float | None = option(
        "--scale",
        "Scale of q · k, if not 1/sqrt(d_k).",
        parser=decimal(Phrase("above 0, such as 0.125"), lambda factor: factor > 0),
        metavar="<float>",
    )


@dataclass(frozen=True)
class ModelOptions(HubOptions):
    """What arrays were computed for, by the model that they are compared with."""

    sentence: str | None = option(
        "--sentence", "The sentence for the model; - reads it from standard input."
    )
    ids: str | None = opt.IDS
    pair: str | None = opt.PAIR
    layer: str | None = opt.LAYER
    head: str | None = option(
        "--head",
        f"The head that your arrays are from: {opt.ONE_HEAD} (default: all heads).",
        metavar="<head>",
    )
    attention_mask: str | None = opt.ATTENTION_MASK


@dataclass(frozen=True)
class ScreenOptions:
    """How an answer is shown."""

    lang: Language | None = opt.LANG
    width: int | None = integer(
        "--width",
        f"Characters per line, {NARROWEST} or more (default: the terminal's width).",
        NARROWEST,
        10_000,
    )
    color: Color = option("--color", "When to use color.", Color.auto, show_default=True)

    def find_screen(self) -> "Screen":
        """What standard output shows, as these options change it."""
        return find_screen(self.color, self.width, self.lang)


@dataclass(frozen=True)
class AnswerOptions(ScreenOptions):
    """How an answer is shown, or that it is written as JSON."""

    json: bool = option("--json", "Write JSON instead (see docs/json.md).", False)

    def find_screen_or_json(self, *, json_speaks: bool = False) -> "Screen | None":
        """What standard output shows; None: JSON.

        Raises UsageError for a width of JSON, and for its language unless `json_speaks`.
        """
        if not self.json:
            return self.find_screen()
        without_effect = {"width": self.width, "lang": None if json_speaks else self.lang}
        for name, value in without_effect.items():
            if value is not None:
                raise UsageError("`{name}` has no effect on {what}", name=name, what="--json")
        return None


def refuse(record: Any, what: Phrase) -> None:
    """Raises UsageError for the first option of the record that is given: it has no effect."""
    for field in dataclasses.fields(record):
        declared: Any = field.default
        if getattr(record, field.name) != declared.default:
            raise UsageError("`{name}` has no effect on {what}", name=field.name, what=what)


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer reads it: in place of a record, its fields are parameters."""
    records: dict[str, Any] = {}
    spread_out: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        record: Any = parameter.annotation
        if dataclasses.is_dataclass(record):
            records[name] = record
            spread_out += inspect.signature(records[name], eval_str=True).parameters.values()
        else:
            spread_out.append(parameter)

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, record in records.items():
            fields = dataclasses.fields(record)
            given[name] = record(**{field.name: given.pop(field.name) for field in fields})
        command(**given)

    keywords = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in spread_out]
    run.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
    return run
