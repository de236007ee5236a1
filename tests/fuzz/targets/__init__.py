"""What is put under mutated input; a new file of targets is imported here."""

from fuzz.targets import (  # noqa: F401
    arrays,
    checkpoints,
    commands,
    hub,
    surroundings,
    text,
    tokenizers,
)
from fuzz.targets.record import TARGETS

__all__ = ["TARGETS"]
