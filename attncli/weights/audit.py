"""What a model needs compared with what its file holds, by names and shapes alone.

Nothing here loops over a number that only config.json states: of layers, and of the experts or
heads with tensors of their own, those in the file are gone through and the first that is not.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from attncli.errors import AttncliError
from attncli.language import Phrase
from attncli.text.printable import quoted
from attncli.weights.params import Params

_LISTED = 3  # names in a note
_NUMBER = "(0|[1-9][0-9]{0,8})"
# What published files hold besides and nothing reads: buffers of older versions (causal masks,
# positions, rotary tables, sinusoids), and what transformers itself does not expect
# (_keys_to_ignore_on_load_unexpected).
_USUAL = re.compile(
    r"(?:^|\.)(?:position_ids|token_type_ids|(?:original_)?inv_freq|(?:cos|sin)_cached"
    r"|causal_mask|masked_bias|(?:attn|attention)\.bias|embed_positions\.weights?|version"
    r"|position_embeddings\.weight|EncDecAttention\.relative_attention_bias\.weight)$"
)


@dataclass(frozen=True)
class Audit:
    """`used` and `unused` are names of the file; `missing` has a line for each tensor that is
    not there or has the wrong shape; `layers` counts those in the file, where that can be done.
    """

    used: tuple[str, ...]
    unused: tuple[str, ...]
    missing: tuple[Phrase, ...]
    layers: int | None
    notes: tuple[Phrase, ...]


@dataclass
class _Found:
    """What was found so far of both stacks."""

    used: dict[str, None] = field(default_factory=dict)
    tied: set[str] = field(default_factory=set)  # all names of tensors that have several
    layers: set[str] = field(default_factory=set)  # what the names of used layers begin with
    modules: set[str] = field(default_factory=set)  # what has tables and norms outside layers
    missing: list[Phrase] = field(default_factory=list)


def _numbers(template: str, names: Collection[str]) -> set[int]:
    """The numbers that the file's names have in the place of the NUL of a template."""
    wanted = re.escape(template).replace("\0", _NUMBER, 1).replace("\1", "[0-9]+")
    pattern = re.compile(wanted)
    return {int(match[1]) for name in names if (match := pattern.fullmatch(name))}


def _and_first_absent(found: set[int], declared: int) -> list[int]:
    """The numbers below the one that is declared, and the first that is not found."""
    absent = next(i for i in range(len(found) + 1) if i not in found)
    return sorted(i for i in {*found, absent} if i < declared)


def _layers(params: Params) -> tuple[list[int], int | None]:
    """The layers to look at, and how many the file has; None where layers share tensors."""
    spec, names = params.spec, params.tensors.names()
    template = spec.names["W_QKV" if "W_QKV" in spec.names else "W_Q"]
    if "{i}" not in template:
        return [0], None
    if spec.layer_names:
        first = {spec.layer_names[i]: i for i in reversed(range(spec.n_layers))}
        there = {i for name, i in first.items() if params.prefix + template.format(i=name) in names}
        absent = sorted({*first.values()} - there)[:1]
        return sorted([*there, *absent]), None
    stored = _numbers(params.prefix + template.format(i="\0"), names)
    return _and_first_absent(stored, spec.n_layers), len(stored)


def _roles(params: Params, layers: list[int]) -> Iterator[tuple[str, int | None, int | None]]:
    """The tensors that a stack needs: role, its layer, its expert or head, where it has these."""
    spec, names = params.spec, params.tensors.names()
    for role, template in spec.names.items():
        items: list[int | None] = [None]
        if "{item}" in template:
            own = role.endswith((".weight", ".bias"))
            numbers = _numbers(params.prefix + template.format(i="\1", item="\0"), names)
            items = [*_and_first_absent(numbers, spec.shape(role)[0] if own else spec.n_experts)]
        for layer in layers if "{i}" in template else (None,):
            if (role, layer) not in spec.absent:
                for item in items:
                    yield role, layer, item


def _parent(name: str) -> str:
    """The module that a tensor's own module is part of: `model` for model.norm.weight."""
    return name.removesuffix(".weight").removesuffix(".bias").rpartition(".")[0]


def _look(params: Params, layers: list[int], found: _Found, hints: int, *, decoder: bool) -> None:
    """Adds one stack to what was found."""
    spec = params.spec
    for role in spec.aliases or ():
        found.tied.update(params.candidates(role))
    for role, layer, item in _roles(params, layers):
        try:
            name = params.find(role, layer, item, neighbours=len(found.missing) < hints)
        except AttncliError as error:
            found.missing.append(_of_stack(error.phrase, decoder=decoder))
            continue
        found.used[name] = None
        if layer is None:
            found.modules.add(_parent(name))
        else:
            before = spec.names[role].split("{i}")[0].format()
            number = spec.layer_names[layer] if spec.layer_names else layer
            found.layers.add(f"{params.prefix}{before}{number}")


def _strays(names: Collection[str], found: _Found, wrapper: str) -> list[str]:
    """Tensors in a layer, or next to a table or final norm, which config.json does not ask for.

    What is elsewhere belongs to a head, a pooler or a part for images.
    """
    modules = found.modules - {"", wrapper.removesuffix(".")}

    def belongs(name: str) -> bool:
        parts = name.split(".")
        above = {".".join(parts[:end]) for end in range(1, len(parts))}
        return _parent(name) in modules or not found.layers.isdisjoint(above)

    return [n for n in names if n not in found.tied and not _USUAL.search(n) and belongs(n)]


def _notes(found: _Found, names: Collection[str], wrapper: str) -> Iterator[Phrase]:
    if wrapper:
        yield Phrase(
            'the tensor names begin with "{prefix}", which is taken off',
            {"prefix": quoted(wrapper)},
        )
    if strays := _strays(names, found, wrapper):
        listed = ", ".join(map(quoted, strays[:_LISTED])) + ", …" * (len(strays) > _LISTED)
        yield Phrase(
            "{count} tensor{s} of the layers and tables that config.json does not ask for: "
            "{names}; without them the numbers may not be those of the model",
            {"count": len(strays), "names": listed},
        )


def _layers_note(stated: int, stored: int) -> Phrase:
    return Phrase(
        "config.json says {stated} layers, the weights hold {stored}: the others are not used"
        if stored > stated
        else "config.json says {stated} layers, the weights hold {stored}: the others are missing",
        {"stated": stated, "stored": stored},
    )


def _of_stack(text: Phrase, *, decoder: bool) -> Phrase:
    return Phrase("decoder: {text}", {"text": text}) if decoder else text


def audit(params: Params, *, hints: int = 0) -> Audit:
    """All stacks of a model. Reads no values.

    The first `hints` missing tensors are named with their nearest neighbours in the file, for
    each of which all names are gone through.
    """
    found, notes = _Found(), []
    stacks = [params] if params.spec.decoder is None else [params, params.decoder()]
    for decoder, each in zip((False, True), stacks, strict=False):
        layers, stored = _layers(each)
        if stored and stored != each.spec.n_layers:
            note = _layers_note(each.spec.n_layers, stored)
            notes.append(_of_stack(note, decoder=decoder))
        _look(each, layers, found, hints, decoder=decoder)
    unused = tuple(name for name in params.tensors.names() if name not in found.used)
    return Audit(
        used=tuple(found.used),
        unused=unused,
        missing=tuple(found.missing),
        layers=_layers(params)[1] or None,
        notes=(*notes, *_notes(found, unused, params.wrapper)),
    )
