"""Which stack of an encoder-decoder is on show."""

from attncli.medium.screen import Screen
from attncli.stack import Stack
from attncli.views.lines import Lines, on_screen, prose


def stack_line(stack: Stack, screen: Screen) -> Lines:
    """Who looks at whom."""
    return on_screen(prose(screen.say(f"stack.{stack}"), screen), screen)
