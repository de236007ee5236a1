"""The sentence itself, each token shaded by the weight that one token gives it."""

from rich.cells import cell_len
from rich.segment import Segment

from attncli.medium.names import name_of
from attncli.medium.screen import Screen
from attncli.medium.signs import spell
from attncli.narration.blocks import LEGIBLE, Ribbon
from attncli.text.printable import cut
from attncli.text.token import Token
from attncli.views import palette
from attncli.views.labels import name_segment
from attncli.views.lines import BOLD, DIM, Line, Lines, fold, on_screen, prose


def _word(token: Token, number: str, hidden: bool, level: int, screen: Screen) -> Line:
    cells = screen.width // 3
    if hidden:
        return [
            Segment(palette.masked(screen), DIM),
            name_segment(token, screen, cells, DIM),
        ]
    name = cut(name_of(token, screen), cells)
    if screen.color:
        return [
            Segment(f" {name} {number} " if number else f" {name} ", palette.weight_style(level))
        ]
    return [Segment(f"{name}({number})" if number else name)]


def ribbon(block: Ribbon, screen: Screen) -> Lines:
    """`it → [CLS](.15) the animal(.65) ...`: one row of A."""
    query = name_of(block.tokens[block.query], screen)
    looks = f"{cut(query, screen.width // 3)} {spell('→', screen)}"
    levels = palette.weight_levels(block.a).tolist()
    words = [_word(*word, level, screen) for word, level in zip(block.words(), levels, strict=True)]
    says = screen.say("ribbon.shade") if screen.color else ""
    says += screen.say("ribbon.number", least=LEGIBLE)
    if block.hidden.any():
        says += screen.say("semicolon") + screen.say("masked", mark=palette.masked(screen))
    return on_screen(
        [
            *fold([[Segment(looks, BOLD)], *words], screen.width, indent=cell_len(looks) + 1),
            *prose(says, screen),
        ],
        screen,
    )
