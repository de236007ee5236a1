"""A model as it is stored: its shape, its tensors, its tokenizer."""

from collections.abc import Iterable, Iterator, Sequence

from rich.segment import Segment

from attncli.families.spec import Spec
from attncli.medium.screen import Screen
from attncli.text.printable import without_isolates
from attncli.views.facts import Fact, fact_lines, safe, title
from attncli.views.lines import BOLD, Line, Lines, on_screen
from attncli.views.model_facts import decoder_facts, model_facts
from attncli.weights.inventory import Inventory, TensorEntry

_MISSING = 20  # lines about missing tensors


def inventory_view(
    inventory: Inventory, tokenizer: Iterable[Fact], screen: Screen, *, unused: bool
) -> Lines:
    """All of it; the tensors that are not used by name where `unused` or nothing else is known."""
    spec = inventory.spec
    lines = title(inventory.name, [inventory.source], screen)
    said = [] if spec is None else [*_family(inventory, spec), *_model(inventory, spec)]
    lines += [[], *fact_lines([*said, *_storage_facts(inventory), *tokenizer], screen)]
    if spec is not None and spec.decoder is not None:
        lines += _section("the decoder, where it differs", screen)
        lines += fact_lines(decoder_facts(spec), screen)
    if inventory.missing:
        lines += _section("missing or of the wrong shape", screen)
        for each in _first(inventory.missing):
            lines += fact_lines([("", each)], screen)
    if spec is None or (unused and inventory.unused):
        lines += _section("tensors" if spec is None else "not used by attention", screen)
        lines += fact_lines(map(_entry, inventory.unused), screen)
    return on_screen(lines, screen)


def _family(inventory: Inventory, spec: Spec) -> Iterator[Fact]:
    yield "family", spec.family
    if inventory.special:
        yield "special", inventory.special


def _model(inventory: Inventory, spec: Spec) -> Iterator[Fact]:
    """What the spec says; of the layers, both counts where config.json and the file differ."""
    for name, value in model_facts(spec):
        if name == "layers" and inventory.layers not in (None, spec.n_layers):
            value = f"{spec.n_layers:,} in config.json, {inventory.layers:,} in the file"
        yield name, value


def _first(missing: Sequence[str]) -> Iterator[str]:
    yield from missing[:_MISSING]
    if (more := len(missing) - _MISSING) > 0:
        yield f"and {more:,} more (all of them in JSON)"


def _storage_facts(inventory: Inventory) -> Iterator[Fact]:
    if inventory.file:
        others = f"; not read: {', '.join(inventory.ignored_files)}" * bool(inventory.ignored_files)
        yield "file", inventory.file + others
    count = len(inventory.used if inventory.spec else inventory.unused)
    yield "parameters", f"{inventory.parameters:,} in {_tensors(count)}"
    if count:
        yield "stored as", _storage(inventory)
    if inventory.spec:
        yield "computed in", "float32; dropout is off"
        yield "unused", f"{_tensors(len(inventory.unused))} not used by attention"
        names = [f"prefix {inventory.prefix}" if inventory.prefix else "no prefix"]
        names += ["LayerNorm stored as gamma/beta"] if inventory.old_norm_names else []
        yield "names", ", ".join(names)
    if inventory.ignored_keys:
        yield "ignored", f"of config.json: {', '.join(inventory.ignored_keys)}"
    if inventory.problem:
        yield "not usable", without_isolates(inventory.problem)


def _storage(inventory: Inventory) -> str:
    counts = inventory.storage
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{storage} ({_tensors(count)})" for storage, count in counts.items())


def _tensors(count: int) -> str:
    return "1 tensor" if count == 1 else f"{count} tensors"


def _entry(entry: TensorEntry) -> Fact:
    return f"{entry.storage} {list(entry.shape)}", entry.name


def _section(name: str, screen: Screen) -> list[Line]:
    return [[], [Segment(safe(name, screen), BOLD)]]
