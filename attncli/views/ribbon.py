"""The sentence itself, each token shaded by the weight that one token gives it."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment

from attncli.attention import Array
from attncli.medium.names import name_of
from attncli.medium.numbers import short_weight
from attncli.medium.screen import Screen
from attncli.medium.signs import spell
from attncli.text.printable import cut
from attncli.text.token import Token
from attncli.views import palette
from attncli.views.labels import name_segment
from attncli.views.lines import BOLD, DIM, Line, Lines, fold, on_screen, prose
from attncli.views.shown import Hidden

_LEGIBLE = 0.05  # smaller weights are shaded but not written


def _word(token: Token, a: float, level: int, hidden: bool, screen: Screen) -> Line:
    cells = screen.width // 3
    if hidden:
        return [
            Segment(palette.masked(screen), DIM),
            name_segment(token, screen, cells, DIM),
        ]
    number = short_weight(f"{a:.2f}") if a >= _LEGIBLE else ""
    name = cut(name_of(token, screen), cells)
    if screen.color:
        return [
            Segment(f" {name} {number} " if number else f" {name} ", palette.weight_style(level))
        ]
    return [Segment(f"{name}({number})" if number else name)]


def ribbon(
    tokens: Sequence[Token],
    a: Array,
    hidden: Hidden,
    query: int,
    screen: Screen,
    *,
    keys: Sequence[Token] | None = None,
) -> Lines:
    """`it → [CLS](.15) the animal(.65) ...`: the row a of `query` in A, (m,).

    `hidden` (m,) marks the masked tokens. `keys` are the tokens looked at where these are others
    than `tokens` (cross-attention).
    """
    looks = f"{cut(name_of(tokens[query], screen), screen.width // 3)} {spell('→', screen)}"
    rows = zip(
        keys or tokens,
        a.tolist(),
        palette.weight_levels(a).tolist(),
        hidden.tolist(),
        strict=True,
    )
    words = [[Segment(looks, BOLD)], *(_word(*row, screen) for row in rows)]
    says = screen.say("ribbon.shade") if screen.color else ""
    says += screen.say("ribbon.number", least=_LEGIBLE)
    if hidden.any():
        says += screen.say("semicolon") + screen.say("masked", mark=palette.masked(screen))
    return on_screen(
        [
            *fold(words, screen.width, indent=cell_len(looks) + 1),
            *prose(says, screen),
        ],
        screen,
    )
