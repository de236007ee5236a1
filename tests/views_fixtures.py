"""Small traces, tokens and consoles for the tests of the views."""

import io
from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
from oracle import causal_mask
from rich.console import Console, RenderableType

from attncli.attention import (
    concat_heads,
    dot_products,
    project,
    scores,
    softmax,
    split_heads,
    weighted_values,
)
from attncli.families import spec_from_config
from attncli.families.spec import Spec
from attncli.matrices import find_matrices
from attncli.medium.screen import Screen
from attncli.model import embed, forward
from attncli.text.token import Token
from attncli.trace import AttentionTrace, Projections
from attncli.views.shown import Shown
from attncli.weights import read_config
from attncli.weights.params import Params
from attncli.weights.tensors import open_tensors

GOLDEN = Path(__file__).parent / "golden"


def make_tokens(*words, special=()):
    return [Token(i, i, word, word, None, None, word in special) for i, word in enumerate(words)]


def make_shown(name, place, M, tokens, *, mask=None, keys=None, origin=None):
    """A matrix on its way to the screen; `keys` where these are other tokens than `tokens`."""
    (matrix,) = find_matrices(name)
    rows = {"queries": tokens, "keys": keys or tokens}.get(matrix.rows)
    return Shown(matrix, place, M, rows, keys or tokens, mask, keys is not None, origin)


def make_spec(n_layers=2, n_heads=2, d_model=6, d_k=3, **switches):
    facts = {"n_kv_heads": n_heads, "d_v": d_k, "d_mlp": 1, "n_vocab": 1, "names": {}} | switches
    return Spec("bert", n_layers, n_heads, d_model=d_model, d_k=d_k, **facts)


def make_trace(n, h=2, d_model=6, d_k=3, *, mask=None, causal=False, biases=True, seed=0, m=None):
    """n tokens that look at each other, or at m others."""
    rng = np.random.default_rng(seed)

    def draw(*shape):
        return rng.normal(size=shape).astype(np.float32)

    width = h * d_k
    params = Projections(
        *[draw(d_model, width) for _ in range(3)],
        draw(width, d_model),
        *([draw(width) for _ in range(3)] + [draw(d_model)] if biases else []),
    )
    X = draw(n, d_model)
    source = X if m is None else draw(m, d_model)
    Q = split_heads(project(X, params.W_Q, params.b_Q), h)
    K = split_heads(project(source, params.W_K, params.b_K), h)
    V = split_heads(project(source, params.W_V, params.b_V), h)
    mask = causal_mask(n) if causal else mask
    scale = d_k**-0.5
    S = scores(dot_products(Q, K), scale, mask)
    A = softmax(S)
    Z = weighted_values(A, V)
    Z_cat = concat_heads(Z)
    Y = project(Z_cat, params.W_O, params.b_O)
    return AttentionTrace(
        layer=1,
        X=X,
        source=source,
        Q_projected=Q,
        Q_unrotated=Q,
        Q=Q,
        K_projected=K,
        K_unrotated=K,
        K=K,
        V=V,
        scale=scale,
        scale_reason=f"1/sqrt(d_k) = 1/sqrt({d_k})",
        softcap=None,
        heads=tuple(range(h)),
        bias=None,
        mask=mask,
        S=S,
        A=A,
        Z=Z,
        Z_cat=Z_cat,
        Y=Y,
        params=params,
    )


@cache
def golden_layers(name):
    """The spec of a family's tiny checkpoint and the attention of its layers, eleven tokens."""
    with closing(open_tensors(GOLDEN / name)) as tensors:
        params = Params(spec_from_config(read_config(GOLDEN / name)), tensors)
        x = embed(params, _golden_ids(name, "ids"))
        return params.spec, forward(params, x, keep=range(params.spec.n_layers)).layers


@cache
def golden_cross(name):
    """The spec of a decoder and its layers' attention, eight target to eleven source tokens."""
    with closing(open_tensors(GOLDEN / name)) as tensors:
        params = Params(spec_from_config(read_config(GOLDEN / name)), tensors)
        memory = forward(params, embed(params, _golden_ids(name, "ids")), keep_hidden=True).output
        decoder = params.decoder()
        x = embed(decoder, _golden_ids(name, "target_ids"))
        every = range(decoder.spec.n_layers)
        return decoder.spec, forward(decoder, x, memory=memory, keep_cross=every).cross


def _golden_ids(name, which):
    with np.load(GOLDEN / name / "golden.npz") as golden:
        return golden[which].tolist()


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
