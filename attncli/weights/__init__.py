"""Where the numbers come from: `sample`, `random`, a checkpoint, a file of matrices."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Self

from attncli.attention import Array
from attncli.errors import UsageError
from attncli.families import read_spec
from attncli.families.encoder import encoder_spec
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.text.tokenizer import Tokenizer, vocabulary_size
from attncli.text.tokenizer import load as load_tokenizer
from attncli.weights.config_file import read_config, refuse_adapter
from attncli.weights.contradictions import refuse_left_out
from attncli.weights.hub import repository_name
from attncli.weights.matrices import WithSeededE, matrices_spec
from attncli.weights.params import Params
from attncli.weights.places import (
    describe_source,
    find_place,
    sample_folder,
    tokenizer_file_beside,
)
from attncli.weights.random_tensors import RandomTensors
from attncli.weights.tensors import open_tensors
from attncli.weights.torch_modules import torch_spec

__all__ = ["Weights", "load_weights", "read_config", "sample_folder"]


@dataclass(frozen=True)
class Weights:
    """A model ready to be run: what it computes, its parameters and its tokenizer.

    Its files stay open, to be read when a tensor is asked for, until the end of a `with` block.
    """

    name: str
    source: Phrase  # where the numbers come from
    spec: Spec
    params: Params
    load_tokenizer: Callable[[], Tokenizer]
    X: Array | None = None  # (n, d_model): vectors that stand in for the sentence's own
    decoder_start: int | None = None  # the id that a decoder's text begins with
    notes: tuple[str, ...] = ()  # what a reader of the numbers must know
    ignored_keys: tuple[str, ...] = ()  # of config.json, that nothing reads

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Read when it is asked for. Raises AttncliError if there is none that can be used."""
        return self.load_tokenizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the files. What was read stays."""
        self.params.tensors.close()


def load_weights(
    weights: str = "sample",
    *,
    seed: int | None = None,
    d_model: int | None = None,
    heads: int | None = None,
    layers: int | None = None,
    norm_first: bool = False,
    activation: str | None = None,
    revision: str | None = None,
    offline: bool = False,
    dtype: str = "float32",
) -> Weights:
    """Opens what `--weights` names; tensors are read only when they are used.

    `seed` (0), `d_model` (512), `heads` (8) and `layers` (1) shape random weights; `seed` (0) and
    `heads` (1) also serve a file of matrices, `norm_first` and `activation` (relu) a file that
    torch's encoder layers were saved to. `revision` is a branch, tag or commit of a model of the
    Hub, which is downloaded if it is not in the local cache, unless `offline`. `dtype` is what is
    computed in, float32 or float64. Raises AttncliError for weights that cannot be used and
    UsageError for a fact about weights that have their own.
    """
    place = find_place(weights, revision=revision, offline=offline)
    if place.is_dir():
        _refuse(weights, norm_first=norm_first or None, activation=activation)
    if weights == "random":
        return _random(seed or 0, d_model or 512, heads or 8, layers or 1, dtype)
    if not place.is_dir():
        _refuse(weights, d_model=d_model, layers=layers)
        return _matrices(place, heads, seed or 0, norm_first, activation, dtype)
    _refuse(weights, seed=seed, d_model=d_model, heads=heads, layers=layers)
    return _checkpoint(weights, place, dtype)


def _refuse(weights: str, **facts: int | str | None) -> None:
    """UsageError for the first fact that was given about weights that say it themselves."""
    for name, value in facts.items():
        if value is not None:
            said = "" if value is True else f" {value}"
            raise UsageError(f"--{name.replace('_', '-')}{said} has no effect on {weights}")


def _checkpoint(weights: str, folder: Path, dtype: str) -> Weights:
    refuse_adapter(folder)
    config = read_config(folder)
    reading = read_spec(config)
    params = Params(reading.spec, open_tensors(folder), dtype)
    refuse_left_out(config, params)
    start = config.get("decoder_start_token_id")
    return Weights(
        name=str(repository_name(folder) or config.get("name") or folder.resolve().name),
        source=describe_source(weights, folder),
        spec=reading.spec,
        params=params,
        load_tokenizer=partial(load_tokenizer, folder / "tokenizer.json"),
        decoder_start=start if isinstance(start, int) else None,
        notes=reading.notes,
        ignored_keys=reading.ignored,
    )


def _random(seed: int, d_model: int, heads: int, layers: int, dtype: str) -> Weights:
    if d_model % heads:
        raise UsageError(f"--d-model {d_model} is not a multiple of --heads {heads}")
    tokenizer = load_tokenizer(sample_folder() / "tokenizer.json")
    spec = encoder_spec(
        n_layers=layers,
        n_heads=heads,
        d_model=d_model,
        d_mlp=4 * d_model,
        n_vocab=vocabulary_size(tokenizer),
    )
    return Weights(
        name="random",
        source=Phrase("weights.random", {"seed": seed}),
        spec=spec,
        params=Params(spec, RandomTensors(spec, seed), dtype),
        load_tokenizer=lambda: tokenizer,
        notes=(
            "the weights are random: the numbers show how attention is computed, not a meaning",
        ),
    )


def _matrices(
    path: Path, heads: int | None, seed: int, norm_first: bool, activation: str | None, dtype: str
) -> Weights:
    tensors = open_tensors(path)
    tokenizer = load_tokenizer(tokenizer_file_beside(path))
    n_vocab = vocabulary_size(tokenizer)
    spec = torch_spec(
        path, tensors, heads, n_vocab, norm_first=norm_first, activation=activation or "relu"
    ) or matrices_spec(path, tensors, heads, n_vocab)
    if not spec.d_mlp:
        _refuse(
            f"attention alone ({path.name})", norm_first=norm_first or None, activation=activation
        )
    has_E, has_X = "E" in tensors.names(), "X" in tensors.names()
    note = f"{path.name} has no E: seeded vectors (seed {seed}) stand in for the tokens' own"
    return Weights(
        name=path.name,
        source=Phrase("weights.matrices", {"place": path}),
        spec=spec,
        params=Params(spec, tensors if has_E else WithSeededE(tensors, spec, seed), dtype),
        load_tokenizer=lambda: tokenizer,
        X=tensors.read("X").astype(dtype, copy=False) if has_X else None,
        notes=() if has_E or has_X else (note,),
    )
