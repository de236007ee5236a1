"""The lines above everything that is shown of an inspection."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType

from attncli.inspector import Inspection
from attncli.kind import AttentionKind
from attncli.medium.screen import Screen
from attncli.views.header import header
from attncli.views.lines import on_screen, prose


def heading(
    inspection: Inspection, heads: Sequence[int], screen: Screen
) -> Iterator[RenderableType]:
    """The model, the layer and the heads, the tokens; of an encoder-decoder who looks at whom."""
    cross = inspection.kind is AttentionKind.cross
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
    if inspection.kind is not None and not cross:
        yield on_screen(prose(screen.say(f"kind.{inspection.kind}"), screen), screen)
