"""A model as it is stored: its shape, its tensors, its tokenizer."""

from collections.abc import Callable, Iterable, Iterator

from rich.segment import Segment

from attncli.families.spec import Spec
from attncli.views.facts import Fact, fact_lines, safe, title
from attncli.views.lines import BOLD, Line, Lines, on_screen
from attncli.views.screen import Screen
from attncli.weights.inventory import Inventory, TensorEntry

_POSITIONS = {
    "learned": "a learned table",
    "sinusoidal": "sinusoids",
    "none": "none are added",
}
_NO_MASK = "none: every token sees every token"


def _positions(spec: Spec) -> str:
    limit = f"at most {spec.n_positions:,} tokens" if spec.n_positions else "any number of tokens"
    return f"{_POSITIONS.get(spec.position, spec.position)}; {limit}"


# What a spec says of a model, one line each; None: it does not apply.
_SPEC_FACTS: tuple[tuple[str, Callable[[Spec], str | None]], ...] = (
    ("family", lambda s: s.family),
    ("layers", lambda s: str(s.n_layers)),
    ("heads", lambda s: f"{s.n_heads}, with d_k {s.d_k} and d_v {s.d_v}"),
    ("d_model", lambda s: str(s.d_model)),
    ("vocabulary", lambda s: f"{s.n_vocab:,} vectors"),
    ("positions", _positions),
    ("segments", lambda s: str(s.n_segments) if s.n_segments else None),
    (
        "mask",
        lambda s: "causal: a token sees itself and what is before it" if s.causal else _NO_MASK,
    ),
    ("norm", lambda s: f"LayerNorm, epsilon {s.norm_eps:g}" if s.d_mlp else None),
    ("MLP", lambda s: f"{s.d_mlp} wide, {s.activation}" if s.d_mlp else None),
)


def inventory_view(
    inventory: Inventory, tokenizer: Iterable[Fact], screen: Screen, *, unused: bool
) -> Lines:
    """All of it; the tensors that are not used by name where `unused` or nothing else is known."""
    spec = inventory.spec
    lines = title(inventory.name, [inventory.source], screen)
    facts = [] if spec is None else [(name, say(spec)) for name, say in _SPEC_FACTS]
    said = [(name, value) for name, value in facts if value is not None]
    lines += [[], *fact_lines([*said, *_storage_facts(inventory), *tokenizer], screen)]
    if inventory.missing:
        lines += _section("missing or of the wrong shape", screen)
        lines += [line for each in inventory.missing for line in fact_lines([("", each)], screen)]
    if spec is None or (unused and inventory.unused):
        lines += _section("tensors" if spec is None else "not used by attention", screen)
        lines += fact_lines(map(_entry, inventory.unused), screen)
    return on_screen(lines, screen)


def _storage_facts(inventory: Inventory) -> Iterator[Fact]:
    count = len(inventory.used if inventory.spec else inventory.unused)
    yield "parameters", f"{inventory.parameters:,} in {_tensors(count)}"
    yield "stored as", _storage(inventory)
    if inventory.spec:
        yield "computed in", "float32; dropout is off"
        yield "unused", f"{_tensors(len(inventory.unused))} not used by attention"
        names = [f"prefix {inventory.prefix}" if inventory.prefix else "no prefix"]
        names += ["LayerNorm stored as gamma/beta"] if inventory.old_norm_names else []
        yield "names", ", ".join(names)
    if inventory.problem:
        yield "not usable", inventory.problem


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
