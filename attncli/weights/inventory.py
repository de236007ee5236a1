"""What a checkpoint holds, and what of it attncli uses: from the headers of its files alone."""

import math
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from attncli.errors import AttncliError, UsageError
from attncli.families import records
from attncli.families.spec import Spec
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.text.tokenizer import Tokenizer
from attncli.weights import Weights, load_weights
from attncli.weights.audit import audit
from attncli.weights.hub import repository_name
from attncli.weights.places import describe_source, find_place
from attncli.weights.shards import weight_files
from attncli.weights.stored import FLOATS
from attncli.weights.tensors import Tensors, open_tensors

_HINTS = 3
SEEDED = "seeded random"


@dataclass(frozen=True)
class TensorEntry:
    """A tensor by its name in the file; `storage` is its number format, such as BF16."""

    name: str
    shape: tuple[int, ...]
    storage: str


@dataclass(frozen=True)
class Inventory:
    """A model as it is stored.

    `file` is what was read of a folder, `ignored_files` are its other files of weights. `layers`
    counts those in the file, where layers have tensors of their own. `problem` says why attncli
    cannot compute with it; `spec` is None where not even the arithmetic is known, and then no
    tensor counts as used. `missing` has a line for each tensor that is not there or has the wrong
    shape. `tokenizer` says what is wrong where there is none. `ignored_keys` are those of
    config.json that nothing reads.
    """

    name: str
    source: Phrase
    spec: Spec | None
    special: str | None  # what sets the family apart
    problem: Phrase | None
    file: str | None
    ignored_files: tuple[str, ...]
    layers: int | None
    prefix: str
    used: tuple[TensorEntry, ...]
    unused: tuple[TensorEntry, ...]
    missing: tuple[Phrase, ...]
    tokenizer: Tokenizer | Phrase | None
    notes: tuple[Phrase, ...]
    ignored_keys: tuple[str, ...]

    @property
    def parameters(self) -> int:
        """How many numbers the used tensors hold; all tensors where the arithmetic is not known."""
        return sum(math.prod(entry.shape) for entry in self._counted)

    @property
    def storage(self) -> Mapping[str, int]:
        """How many of these are stored in each number format, the most frequent first."""
        return dict(Counter(entry.storage for entry in self._counted).most_common())

    @property
    def old_norm_names(self) -> bool:
        """Whether a LayerNorm's weight and bias are called gamma and beta."""
        return any(entry.name.endswith((".gamma", ".beta")) for entry in self.used)

    @property
    def _counted(self) -> tuple[TensorEntry, ...]:
        return self.unused if self.spec is None else self.used


def take_inventory(weights: str, **options: Any) -> Inventory:
    """What `weights` names, with the options of `load_weights`; no values are read.

    A checkpoint of an unknown family, or one that cannot be computed with, is listed all the
    same. Raises AttncliError where there is nothing to list.
    """
    try:
        loaded = load_weights(weights, **options)
    except UsageError:
        raise
    except AttncliError as error:
        return _listing(weights, options, error)
    with loaded:
        return _inventory(loaded)


def _listing(weights: str, options: Mapping[str, Any], error: AttncliError) -> Inventory:
    """All tensors of a checkpoint that cannot be opened as a model, and why it cannot."""
    place = find_place(
        weights, revision=options.get("revision"), offline=options.get("offline", False)
    )
    try:
        tensors = open_tensors(place)
    except AttncliError:
        raise error from None
    file, ignored = weight_files(place)
    with closing(tensors):
        return Inventory(
            name=repository_name(place) or place.resolve().name,
            source=describe_source(weights, place),
            spec=None,
            special=None,
            problem=error.phrase,
            file=file,
            ignored_files=ignored,
            layers=None,
            prefix="",
            used=(),
            unused=_entries(tensors, list(tensors.names())),
            missing=(),
            tokenizer=None,
            notes=(),
            ignored_keys=(),
        )


def _inventory(weights: Weights) -> Inventory:
    tensors = weights.params.tensors
    found = audit(weights.params, hints=_HINTS)
    vectors = [] if weights.X is None else ["X"]
    used = _entries(tensors, [*vectors, *found.used])
    file, ignored = weight_files(weights.place) if weights.place else (None, ())
    try:
        tokenizer: Tokenizer | Phrase = weights.tokenizer
    except AttncliError as error:
        tokenizer = error.phrase
    return Inventory(
        name=weights.name,
        source=weights.source,
        spec=weights.spec,
        special=record.special if (record := records().get(weights.spec.family)) else None,
        problem=next(iter(found.missing), None) or _storage_problem(used),
        file=file,
        ignored_files=ignored,
        layers=found.layers,
        prefix=weights.params.prefix,
        used=used,
        unused=_entries(tensors, [name for name in found.unused if name not in vectors]),
        missing=found.missing,
        tokenizer=tokenizer,
        notes=weights.notes,
        ignored_keys=weights.ignored_keys,
    )


def _entries(tensors: Tensors, names: list[str]) -> tuple[TensorEntry, ...]:
    return tuple(TensorEntry(name, tensors.shape(name), tensors.storage(name)) for name in names)


def _storage_problem(used: tuple[TensorEntry, ...]) -> Phrase | None:
    """The first tensor whose numbers are not of a kind that can be computed with."""
    for entry in used:
        if entry.storage not in FLOATS and entry.storage != SEEDED:
            return Phrase(
                "{name} is {storage}: quantised checkpoints are not supported",
                {"name": quoted(entry.name), "storage": entry.storage},
            )
    return None
