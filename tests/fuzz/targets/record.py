"""What is put under mutated input: a name and a function that draws a case. Add one by `target`."""

from collections.abc import Callable

from fuzz.case import Draw

TARGETS: dict[str, Draw] = {}


def target(name: str) -> Callable[[Draw], Draw]:
    """Registers a function from a Random to a Case."""

    def register(draw: Draw) -> Draw:
        TARGETS[name] = draw
        return draw

    return register
