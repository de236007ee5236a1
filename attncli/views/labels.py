"""What tokens are called in a view, and in which style."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.medium.names import name_of
from attncli.medium.screen import Screen
from attncli.text.printable import cut, pad
from attncli.text.token import Token
from attncli.views.lines import DIM, Line

SPECIAL = Style(dim=True, italic=True)


def name_segment(token: Token, screen: Screen, cells: int, style: Style | None = None) -> Segment:
    """A token's name in at most `cells` cells, in `style` unless the token is special."""
    name = cut(name_of(token, screen), cells)
    return Segment(name, SPECIAL if token.special else style)


def row_labels(tokens: Sequence[Token] | None, screen: Screen, count: int = 0) -> list[Line]:
    """Name and number of each row's token, right aligned, all equally wide.

    Without tokens the numbers of `count` rows.
    """
    if tokens is None:
        return [[Segment(f"{row:>{len(str(count - 1))}} ", DIM)] for row in range(count)]
    names = [name_of(token, screen) for token in tokens]
    cells = min(max(map(cell_len, names)), max(8, screen.width // 5))
    digits = len(str(tokens[-1].index))
    return [
        [
            Segment(pad(name, cells, "right"), SPECIAL if token.special else None),
            Segment(f" {token.index:>{digits}} ", DIM),
        ]
        for token, name in zip(tokens, names, strict=True)
    ]
