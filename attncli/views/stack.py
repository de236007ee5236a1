"""Which stack of an encoder-decoder is on show."""

from attncli.stack import Stack
from attncli.views.lines import Lines, on_screen, prose
from attncli.views.screen import Screen

_STACKS = {
    Stack.encoder: "the encoder: the tokens of the source look at each other",
    Stack.decoder: "the decoder: the tokens of the target look at each other",
}


def stack_line(stack: Stack, screen: Screen) -> Lines:
    """Who looks at whom."""
    return on_screen(prose(_STACKS[stack], screen), screen)
