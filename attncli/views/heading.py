"""The lines above everything that is shown of an inspection."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from attncli.inspector import Inspection
from attncli.medium.screen import Screen
from attncli.stack import Stack
from attncli.views.header import header
from attncli.views.stack import stack_line


def heading(
    inspection: Inspection, heads: Sequence[int], screen: Screen
) -> Iterator[RenderableType]:
    """The model, the layer and the heads, the tokens; of an encoder-decoder the stack."""
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
        yield stack_line(inspection.stack, screen)
