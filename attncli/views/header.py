"""What is on show: the model, the layer and the heads, the tokens with their numbers."""

from collections.abc import Sequence

from rich.segment import Segment

from attncli.families.spec import Spec
from attncli.text.printable import cut, printable
from attncli.text.token import Token
from attncli.views.labels import name_segment
from attncli.views.lines import BOLD, DIM, Line, Lines, fold, on_screen, pieces, prose
from attncli.views.numbers import counted
from attncli.views.screen import Screen
from attncli.views.signs import foreign


def _shown(layer: int, heads: Sequence[int], n_heads: int) -> str:
    if len(heads) == n_heads > 1:
        return f"layer {layer}, all {n_heads} heads"
    names = ", ".join(f"L{layer}H{head}" for head in heads)
    return f"layer {layer}, head{'s' * (len(heads) > 1)} {names}"


def _numbered(token: Token, screen: Screen) -> Line:
    number = f"{token.index} "
    return [Segment(number, DIM), name_segment(token, screen, screen.width - len(number) - 2)]


def header(
    name: str,
    source: str,
    spec: Spec,
    layer: int,
    heads: Sequence[int],
    tokens: Sequence[Token],
    screen: Screen,
) -> Lines:
    """The lines above everything else. `source` says in a few words where the weights are from."""
    words: list[Line] = [[Segment(cut(foreign(printable(name), screen), screen.width), BOLD)]]
    for fact in (
        f"{counted(spec.n_layers, 'layer')} × {counted(spec.n_heads, 'head')}",
        f"d_model {spec.d_model}",
        f"d_k {spec.d_k}",
        foreign(printable(source), screen),
    ):
        words += pieces(f"· {fact}", screen.width - 2, DIM)
    return on_screen(
        [
            *fold(words, screen.width, indent=2),
            *prose(_shown(layer, heads, spec.n_heads), screen, style=None),
            *fold([_numbered(token, screen) for token in tokens], screen.width, indent=2, gap=2),
        ],
        screen,
    )
