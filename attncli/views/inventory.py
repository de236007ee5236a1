"""A model as it is stored: its shape, its tensors, its tokenizer."""

from collections.abc import Iterable, Iterator, Sequence

from rich.segment import Segment

from attncli.families.spec import Spec
from attncli.language import Phrase, Text, joined
from attncli.medium.screen import Screen
from attncli.text.printable import without_isolates
from attncli.views.facts import SaidFact, fact_lines, title
from attncli.views.lines import BOLD, Line, Lines, on_screen
from attncli.views.model_facts import decoder_facts, model_facts
from attncli.weights.inventory import SEEDED, Inventory, TensorEntry

_MISSING = 20  # lines about missing tensors


def inventory_view(
    inventory: Inventory, tokenizer: Iterable[SaidFact], screen: Screen, *, unused: bool
) -> Lines:
    """All of it; the tensors that are not used by name where `unused` or nothing else is known."""
    spec = inventory.spec
    lines = title(inventory.name, [inventory.source], screen)
    said = [] if spec is None else [*_family(inventory, spec), *_model(inventory, spec)]
    lines += [[], *fact_lines([*said, *_storage_facts(inventory, screen), *tokenizer], screen)]
    if spec is not None and spec.decoder is not None:
        lines += _section("section.decoder", screen)
        lines += fact_lines(decoder_facts(spec), screen)
    if inventory.missing:
        lines += _section("section.missing", screen)
        for each in _first(inventory.missing):
            lines += fact_lines([("", each)], screen)
    if spec is None or (unused and inventory.unused):
        lines += _section("section.tensors" if spec is None else "section.unused", screen)
        lines += fact_lines(map(_entry, inventory.unused), screen)
    return on_screen(lines, screen)


def _family(inventory: Inventory, spec: Spec) -> Iterator[SaidFact]:
    yield Phrase("fact.family"), spec.family
    if inventory.special:
        yield Phrase("fact.special"), Phrase(inventory.special)


def _model(inventory: Inventory, spec: Spec) -> Iterator[SaidFact]:
    """What the spec says; of the layers, both counts where config.json and the file differ."""
    for name, value in model_facts(spec):
        if name == Phrase("fact.layers") and inventory.layers not in (None, spec.n_layers):
            counts = {"stated": spec.n_layers, "stored": inventory.layers}
            value = Phrase("model.layers_differ", counts)
        yield name, value


def _first(missing: Sequence[Text]) -> Iterator[Text]:
    yield from missing[:_MISSING]
    if (more := len(missing) - _MISSING) > 0:
        yield Phrase("stored.more", {"count": more})


def _storage_facts(inventory: Inventory, screen: Screen) -> Iterator[SaidFact]:
    if inventory.file:
        yield Phrase("fact.file"), _file(inventory.file, inventory.ignored_files)
    count = len(inventory.used if inventory.spec else inventory.unused)
    numbers = {"numbers": inventory.parameters, "tensors": _tensors(count)}
    yield Phrase("fact.parameters"), Phrase("stored.parameters", numbers)
    if count:
        yield Phrase("fact.stored"), _storage(inventory)
    if inventory.spec:
        yield Phrase("fact.computed"), Phrase("stored.computed")
        unused = {"tensors": _tensors(len(inventory.unused))}
        yield Phrase("fact.unused"), Phrase("stored.unused", unused)
        yield Phrase("fact.names"), _names(inventory)
    if inventory.ignored_keys:
        keys = {"keys": _listed(inventory.ignored_keys)}
        yield Phrase("fact.ignored"), Phrase("stored.ignored", keys)
    if inventory.problem:
        problem = without_isolates(screen.text(inventory.problem))
        yield Phrase("fact.not_usable"), problem


def _file(file: str, ignored: Sequence[str]) -> Text:
    if not ignored:
        return file
    return Phrase("stored.file", {"file": file, "others": _listed(ignored)})


def _names(inventory: Inventory) -> Text:
    names = [Phrase("stored.no_prefix")]
    if inventory.prefix:
        names = [Phrase("stored.prefix", {"prefix": inventory.prefix})]
    if inventory.old_norm_names:
        names.append(Phrase("stored.gamma"))
    return joined("list.comma", names)


def _storage(inventory: Inventory) -> Text:
    counts = inventory.storage
    if len(counts) == 1:
        return _format(next(iter(counts)))
    each = [
        Phrase("stored.format", {"storage": _format(storage), "tensors": _tensors(count)})
        for storage, count in counts.items()
    ]
    return joined("list.comma", each)


def _format(storage: str) -> Text:
    """A number format by its name; that of random weights in words."""
    return Phrase("stored.seeded") if storage == SEEDED else storage


def _tensors(count: int) -> Phrase:
    return Phrase("stored.tensors", {"count": count})


def _listed(names: Sequence[str]) -> Text:
    return joined("list.names", names)


def _entry(entry: TensorEntry) -> SaidFact:
    shape = Phrase("stored.shape", {"storage": _format(entry.storage), "shape": list(entry.shape)})
    return shape, entry.name


def _section(name: str, screen: Screen) -> list[Line]:
    return [[], [Segment(screen.say(name), BOLD)]]
