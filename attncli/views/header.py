"""What is on show: the model, the layer and the heads, the tokens with their numbers."""

from collections.abc import Sequence

from rich.segment import Segment

from attncli.families.spec import Spec
from attncli.medium.screen import Screen
from attncli.medium.signs import foreign
from attncli.text.printable import cut, printable
from attncli.text.token import Token
from attncli.views.labels import name_segment
from attncli.views.lines import BOLD, DIM, Line, Lines, fold, on_screen, pieces, prose


def _shown(layer: int, heads: Sequence[int], n_heads: int, cross: bool, screen: Screen) -> str:
    names = screen.say("between_names").join(f"L{layer}H{head}" for head in heads)
    which = screen.say("some_heads", count=len(heads), names=names)
    if len(heads) == n_heads > 1:
        which = screen.say("all_heads", count=n_heads)
    return screen.say("layer_heads_cross" if cross else "layer_heads", layer=layer, heads=which)


def _numbered(token: Token, screen: Screen) -> Line:
    number = f"{token.index} "
    return [Segment(number, DIM), name_segment(token, screen, screen.width - len(number) - 2)]


def _list(name: str, tokens: Sequence[Token], screen: Screen) -> list[Line]:
    """The tokens with their numbers, after the name of the list if it has one."""
    words = [_numbered(token, screen) for token in tokens]
    if name:
        words.insert(0, [Segment(name, BOLD)])
    return fold(words, screen.width, indent=2, gap=2)


def header(
    name: str,
    source: str,
    spec: Spec,
    layer: int,
    heads: Sequence[int],
    tokens: Sequence[Token],
    screen: Screen,
    *,
    keys: Sequence[Token] | None = None,
) -> Lines:
    """The lines above everything else. `source` says in a few words where the weights are from.

    `keys` are the tokens looked at where these are others than `tokens` (cross-attention).
    """
    layers, heads_of_each = (
        screen.say("layers", count=spec.n_layers),
        screen.say("heads", count=spec.n_heads),
    )
    sizes = f"{layers} × {heads_of_each}"
    if spec.n_kv_heads != spec.n_heads:
        sizes += screen.say("comma") + screen.say("kv_heads", count=spec.n_kv_heads)
    lists = [tokens] if keys is None else [tokens, keys]
    names = [""] if keys is None else [screen.say("target"), screen.say("source")]
    words: list[Line] = [[Segment(cut(foreign(printable(name), screen), screen.width), BOLD)]]
    for fact in (
        sizes,
        f"d_model {spec.d_model}",
        f"d_k {spec.d_k}",
        foreign(printable(source), screen),
    ):
        words += pieces(f"· {fact}", screen.width - 2, DIM)
    return on_screen(
        [
            *fold(words, screen.width, indent=2),
            *prose(
                _shown(layer, heads, spec.n_heads, keys is not None, screen), screen, style=None
            ),
            *(
                line
                for name, each in zip(names, lists, strict=True)
                for line in _list(name, each, screen)
            ),
        ],
        screen,
    )
