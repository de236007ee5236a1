"""What is on show: the model, the layer and the heads, the tokens with their numbers."""

from collections.abc import Sequence

from rich.segment import Segment

from attncli.text.printable import cut, printable
from attncli.text.token import Token
from attncli.views.labels import ascii_only, name_segment
from attncli.views.lines import BOLD, DIM, Line, Lines, fold, on_screen, prose
from attncli.views.screen import Screen


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
    *,
    n_layers: int,
    n_heads: int,
    d_model: int,
    d_k: int,
    layer: int,
    heads: Sequence[int],
    tokens: Sequence[Token],
    screen: Screen,
) -> Lines:
    """The lines above everything else. `source` says in a few words where the weights are from."""
    name, source = printable(name), printable(source)
    if not screen.unicode:
        name, source = ascii_only(name), ascii_only(source)
    facts = (f"{n_layers} layers × {n_heads} heads", f"d_model {d_model}", f"d_k {d_k}", source)
    words = [[Segment(cut(name, screen.width), BOLD)]]
    words += [[Segment(cut(f"· {fact}", screen.width - 2), DIM)] for fact in facts]
    return on_screen(
        [
            *fold(words, screen.width, indent=2),
            *prose(_shown(layer, heads, n_heads), screen, style=None),
            *fold([_numbered(token, screen) for token in tokens], screen.width, indent=2, gap=2),
        ],
        screen,
    )
