"""Small traces, tokens and consoles for the tests of the views."""

import io
from types import SimpleNamespace

import numpy as np
from rich.console import Console, RenderableType

from attncli.attention import causal_mask
from attncli.families.spec import Spec
from attncli.model import attend
from attncli.text.token import Token
from attncli.trace import Projections
from attncli.views.screen import Screen


def make_tokens(*words, special=()):
    return [Token(i, i, word, word, None, None, word in special) for i, word in enumerate(words)]


def make_spec(n_layers=2, n_heads=2, d_model=6, d_k=3):
    return Spec("bert", n_layers, n_heads, d_model, d_k, d_k, d_mlp=1, n_vocab=1, names={})


def make_trace(n, h=2, d_model=6, d_k=3, *, mask=None, causal=False, biases=True, seed=0):
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return rng.normal(size=shape).astype(np.float32)

    width = h * d_k
    projections = Projections(
        *[draw(d_model, width) for _ in range(3)],
        draw(width, d_model),
        *([draw(width) for _ in range(3)] + [draw(d_model)] if biases else []),
    )
    params = SimpleNamespace(
        spec=make_spec(n_heads=h, d_model=d_model, d_k=d_k), projections=lambda _layer: projections
    )
    return attend(params, 1, draw(n, d_model), causal_mask(n) if causal else mask)


def plain(width=80, *, unicode=True):
    return Screen(width, color=False, unicode=unicode)


def colored(width=80):
    return Screen(width, color=True, unicode=True)


def printed(view: RenderableType, screen: Screen) -> str:
    """What a terminal of the screen's kind gets, escape codes included."""
    console = Console(
        file=io.StringIO(),
        width=screen.width,
        force_terminal=True,
        color_system="truecolor",  # whether codes come out is the view's business
        legacy_windows=False,
        _environ={},
    )
    console.print(view)
    return console.file.getvalue()


def printed_lines(view: RenderableType, screen: Screen) -> list[str]:
    return [line.rstrip() for line in printed(view, screen).splitlines()]
