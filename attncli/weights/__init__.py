"""Where the numbers come from: `sample`, `random`, a checkpoint's folder, a file of matrices."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from attncli.attention import Array
from attncli.errors import AttncliError, UsageError
from attncli.families import spec_from_config
from attncli.families.encoder import encoder_spec
from attncli.families.spec import Spec
from attncli.text.tokenizer import Tokenizer, vocabulary_size
from attncli.text.tokenizer import load as load_tokenizer
from attncli.weights.matrices import WithSeededE, matrices_spec
from attncli.weights.params import Params
from attncli.weights.random_tensors import RandomTensors
from attncli.weights.tensors import open_tensors
from attncli.weights.torch_modules import torch_spec

_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True)
class Weights:
    """A model ready to be run: what it computes, its parameters and its tokenizer.

    Its files stay open, to be read when a tensor is asked for, until the end of a `with` block.
    """

    name: str
    source: str  # where the numbers come from, in words
    spec: Spec
    params: Params
    tokenizer: Tokenizer
    X: Array | None = None  # (n, d_model): vectors that stand in for the sentence's own
    notes: tuple[str, ...] = ()  # what a reader of the numbers must know

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
    activation: str = "relu",
) -> Weights:
    """Opens what `--weights` names; tensors are read only when they are used.

    `seed` (0), `d_model` (512), `heads` (8) and `layers` (1) shape random weights; `seed` (0) and
    `heads` (1) also serve a file of matrices, `norm_first` and `activation` a file that torch's
    encoder layers were saved to. Raises AttncliError for weights that cannot be used and
    UsageError for a fact about weights that have their own.
    """
    if not weights:
        raise UsageError("no weights given: sample, random, or the path of a folder or file")
    if weights == "random":
        return _random(seed or 0, d_model or 512, heads or 8, layers or 1)
    path = Path(weights)
    if weights != "sample" and path.is_file():
        _refuse(weights, d_model=d_model, layers=layers)
        return _matrices(path, heads, seed or 0, norm_first, activation)
    _refuse(weights, seed=seed, d_model=d_model, heads=heads, layers=layers)
    if weights == "sample":
        return _checkpoint(sample_folder(), "the trained sample")
    if path.is_dir():
        return _checkpoint(path, f"the checkpoint in {path}")
    raise AttncliError(
        f"no weights at {weights}: give sample, random, a folder with config.json, "
        f"model.safetensors and tokenizer.json, or a .safetensors or .npz file of matrices; "
        f"attncli downloads nothing"
    )


def _refuse(weights: str, **facts: int | None) -> None:
    """UsageError for the first fact that was given about weights that say it themselves."""
    for name, value in facts.items():
        if value is not None:
            raise UsageError(f"--{name.replace('_', '-')} {value} has no effect on {weights}")


def sample_folder() -> Path:
    """The trained sample: inside an installed package, beside it in a checkout."""
    inside = _PACKAGE / "sample_weights"
    return inside if inside.is_dir() else _PACKAGE.parent / "sample_weights"


def _checkpoint(folder: Path, source: str) -> Weights:
    config = read_config(folder)
    spec = spec_from_config(config)
    return Weights(
        name=str(config.get("name") or folder.resolve().name),
        source=source,
        spec=spec,
        params=Params(spec, open_tensors(folder)),
        tokenizer=load_tokenizer(folder / "tokenizer.json"),
    )


def read_config(folder: Path) -> dict[str, Any]:
    """A checkpoint's config.json. Raises AttncliError if it is missing or is not a JSON object."""
    path = folder / "config.json"
    try:
        config = json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise AttncliError(
            f"{folder} has no config.json: a checkpoint's folder holds config.json, "
            f"model.safetensors and tokenizer.json"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise AttncliError(f"{path} cannot be read: {error}") from None
    if not isinstance(config, dict):
        raise AttncliError(f"{path} holds {type(config).__name__}, not a JSON object")
    return config


def _random(seed: int, d_model: int, heads: int, layers: int) -> Weights:
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
        source=f"random numbers, seed {seed}",
        spec=spec,
        params=Params(spec, RandomTensors(spec, seed)),
        tokenizer=tokenizer,
        notes=(
            "the weights are random: the numbers show how attention is computed, not a meaning",
        ),
    )


def _matrices(
    path: Path, heads: int | None, seed: int, norm_first: bool, activation: str
) -> Weights:
    tensors = open_tensors(path)
    beside = path.parent / "tokenizer.json"
    tokenizer = load_tokenizer(beside if beside.exists() else sample_folder() / "tokenizer.json")
    n_vocab = vocabulary_size(tokenizer)
    spec = torch_spec(
        path, tensors, heads, n_vocab, norm_first=norm_first, activation=activation
    ) or matrices_spec(path, tensors, heads, n_vocab)
    has_E, has_X = "E" in tensors.names(), "X" in tensors.names()
    note = f"{path.name} has no E: seeded vectors (seed {seed}) stand in for the tokens' own"
    return Weights(
        name=path.name,
        source=f"the matrices in {path}",
        spec=spec,
        params=Params(spec, tensors if has_E else WithSeededE(tensors, spec, seed)),
        tokenizer=tokenizer,
        X=tensors.read("X") if has_X else None,
        notes=() if has_E or has_X else (note,),
    )
