"""Which layers see the whole sentence and which a window that slides along it."""

from collections.abc import Callable

from attncli.errors import AttncliError
from attncli.families.config import Config, literal

_SLIDES = {"sliding_attention": True, "full_attention": False}


def layer_types(config: Config, n_layers: int, pattern: Callable[[int], bool]) -> list[bool]:
    """For every layer whether it slides: as `layer_types` says, or by the older files' pattern."""
    listed = config.per_layer("layer_types", n_layers)
    if listed is None:
        return [pattern(i) for i in range(n_layers)]
    if unknown := [name for name in listed if not isinstance(name, str) or name not in _SLIDES]:
        raise AttncliError(
            "config.json: layer_types has {value}, which attncli does not compute; it knows "
            "{known}",
            value=literal(unknown[0]),
            known=", ".join(_SLIDES),
        )
    return [_SLIDES[name] for name in listed]
