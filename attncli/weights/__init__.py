"""Where the numbers come from: `sample`, `random`, a checkpoint, a file of matrices."""

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Self

from attncli.attention import Array
from attncli.errors import AttncliError, UsageError
from attncli.families import read_spec
from attncli.families.encoder import encoder_spec
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.text.tokenizer import Tokenizer, vocabulary_size
from attncli.text.tokenizer import load as load_tokenizer
from attncli.weights.audit import audit
from attncli.weights.config_file import read_config, refuse_adapter
from attncli.weights.contradictions import refuse_left_out
from attncli.weights.hub import repository_name
from attncli.weights.matrices import WithSeededE, holds_matrices, matrices_spec
from attncli.weights.params import Params
from attncli.weights.places import (
    describe_source,
    find_place,
    sample_folder,
    tokenizer_beside,
)
from attncli.weights.random_tensors import RandomTensors
from attncli.weights.tensors import open_tensors
from attncli.weights.torch_modules import holds_torch_module, torch_spec

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
    place: Path | None = None  # the folder or file that the tensors are in
    X: Array | None = None  # (n, d_model): vectors that stand in for the sentence's own
    decoder_start: int | None = None  # the id that a decoder's text begins with
    notes: tuple[Phrase, ...] = ()  # what a reader of the numbers must know
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
    weights: str | os.PathLike[str] = "sample",
    *,
    seed: int | None = None,
    d_model: int | None = None,
    n_heads: int | None = None,
    n_layers: int | None = None,
    norm_first: bool = False,
    activation: str | None = None,
    revision: str | None = None,
    offline: bool = False,
    dtype: str = "float32",
) -> Weights:
    """Opens `sample`, `random`, a checkpoint or file by its path, or a model of the Hub by name.

    Tensors are read only when they are used, until the end of the `with` block.

    `seed` (0), `d_model` (512), `n_heads` (8) and `n_layers` (1) shape random weights; `seed` (0)
    and `n_heads` (1) also serve a file of matrices, `norm_first` and `activation` (relu) a file
    that torch's encoder layers were saved to. `revision` is a branch, tag or commit of a model on
    the Hub, which is downloaded if it is not in the local cache, unless `offline`. `dtype` is what
    is computed in, float32 or float64. Raises AttncliError for weights that cannot be used and
    UsageError for a fact about weights that have their own.
    """
    weights = _name(weights)
    place = find_place(weights, revision=revision, offline=offline)
    if weights == "random":
        _refuse(weights, norm_first=norm_first or None, activation=activation)
        return _random(seed or 0, d_model or 512, n_heads or 8, n_layers or 1, dtype)
    _refuse(weights, d_model=d_model, n_layers=n_layers)
    if _is_checkpoint(place):
        _refuse(
            weights,
            seed=seed,
            n_heads=n_heads,
            norm_first=norm_first or None,
            activation=activation,
        )
        return _checkpoint(weights, place, dtype)
    return _matrices(place, n_heads, seed or 0, norm_first, activation, dtype)


def _name(weights: object) -> str:
    if isinstance(weights, str | os.PathLike) and isinstance(name := os.fspath(weights), str):
        return name
    raise AttncliError(
        "`weights` is a {kind}: give sample, random, a path or the name of a model, or what "
        "load_weights returned",
        kind=type(weights).__name__,
    )


def _refuse(what: str | Phrase, **facts: int | str | None) -> None:
    """UsageError for the first fact that was given about weights that say it themselves."""
    for name, value in facts.items():
        if value is not None:
            raise UsageError(
                "`{name}` has no effect on {what}"
                if value is True
                else "`{name}` {value} has no effect on {what}",
                name=name,
                value=value,
                what=what,
            )


def _is_checkpoint(place: Path) -> bool:
    """A folder, or a file of one; a file of matrices may lie next to a config.json as well."""
    if place.is_dir():
        return True
    if place.suffix.lower() != ".safetensors" or not (place.parent / "config.json").exists():
        return False
    with closing(open_tensors(place)) as tensors:
        return not holds_matrices(tensors) and not holds_torch_module(tensors)


def _checkpoint(weights: str, place: Path, dtype: str) -> Weights:
    """`place` is a folder, or the file of weights to be used with the other files of its folder."""
    folder = place if place.is_dir() else place.parent
    if folder == place:
        refuse_adapter(folder)
    config = read_config(folder)
    reading = read_spec(config)
    params = Params(reading.spec, open_tensors(place), dtype)
    refuse_left_out(config, params)
    start = config.get("decoder_start_token_id")
    return Weights(
        name=str(repository_name(folder) or config.get("name") or folder.resolve().name),
        source=describe_source(weights, place),
        spec=reading.spec,
        params=params,
        load_tokenizer=partial(load_tokenizer, folder),
        place=place,
        decoder_start=start if isinstance(start, int) else None,
        notes=(*reading.notes, *audit(params).notes),
        ignored_keys=reading.ignored,
    )


def _random(seed: int, d_model: int, n_heads: int, n_layers: int, dtype: str) -> Weights:
    if d_model % n_heads:
        raise UsageError(
            "`d_model` {d_model} is not a multiple of `n_heads` {n_heads}",
            d_model=d_model,
            n_heads=n_heads,
        )
    tokenizer = load_tokenizer(sample_folder() / "tokenizer.json")
    spec = encoder_spec(
        n_layers=n_layers,
        n_heads=n_heads,
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
            Phrase(
                "the weights are random: the numbers show how attention is computed, not a meaning"
            ),
        ),
    )


def _matrices(
    path: Path, n_heads: int | None, seed: int, norm_first: bool, activation: str | None, dtype: str
) -> Weights:
    tensors = open_tensors(path)
    has_E, has_X = "E" in tensors.names(), "X" in tensors.names()
    read_tokenizer = cache(partial(load_tokenizer, tokenizer_beside(path)))
    n_vocab = 0 if has_E else vocabulary_size(read_tokenizer())  # E says it itself
    spec = torch_spec(
        path, tensors, n_heads, n_vocab, norm_first=norm_first, activation=activation or "relu"
    ) or matrices_spec(path, tensors, n_heads, n_vocab)
    if not spec.d_mlp:
        alone = Phrase("attention alone ({file})", {"file": quoted(path.name)})
        _refuse(alone, norm_first=norm_first or None, activation=activation)
    note = Phrase(
        "{file} has no E: seeded vectors (seed {seed}) stand in for the tokens' own",
        {"file": path.name, "seed": seed},
    )
    return Weights(
        name=path.name,
        source=Phrase("weights.matrices", {"place": path}),
        spec=spec,
        params=Params(spec, tensors if has_E else WithSeededE(tensors, spec, seed), dtype),
        load_tokenizer=read_tokenizer,
        place=path,
        X=tensors.read("X").astype(dtype, copy=False) if has_X else None,
        notes=() if has_E or has_X else (note,),
    )
