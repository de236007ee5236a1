"""The lines above everything that a command shows of an inspection."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attncli.stack import Stack

if TYPE_CHECKING:
    from rich.console import RenderableType

    from attncli.inspector import Inspection
    from attncli.medium.screen import Screen


def heading(
    inspection: "Inspection", heads: Sequence[int], screen: "Screen"
) -> Iterator["RenderableType"]:
    """The model, the layer and the heads, the tokens; of an encoder-decoder the stack."""
    from attncli.views.header import header

    cross = inspection.stack is Stack.cross
    yield header(
        inspection.weights.name,
        screen.say(inspection.weights.source),
        inspection.spec,
        inspection.attention.layer,
        heads,
        inspection.tokens,
        screen,
        keys=inspection.columns if cross else None,
    )
    if inspection.stack is not None and not cross:
        from attncli.views.stack import stack_line

        yield stack_line(inspection.stack, screen)
