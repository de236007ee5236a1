"""What holds for every view: any token, any width, with and without colour or Unicode."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import causal_mask
from rich.cells import cell_len
from views_fixtures import make_shown, make_spec, make_tokens, make_trace, printed

from attncli.analysis.derive import derive
from attncli.medium.screen import Screen
from attncli.narration.blocks import Ribbon
from attncli.narration.row import Row
from attncli.position_bias import Alibi
from attncli.trace import AlibiBias
from attncli.views.derivation import derivation_view
from attncli.views.header import header
from attncli.views.heatmap import heatmap
from attncli.views.matrix import matrix
from attncli.views.overview import overview
from attncli.views.ribbon import ribbon

TEXTS = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "[/]",
            "[bold]hi[/]",
            ":smile:",
            "\x1b]52;c;aGk=\x07b",
            "\x9b31m",
            "日本語のとても長い文字列です",
            "👨‍👩‍👧",
            "é",
            "​",
            "",
            "  ",
            "\ud800",
            "x" * 200,
        ]
    ),
)
SCREENS = st.builds(Screen, st.sampled_from([40, 60, 80, 120, 200]), st.booleans(), st.booleans())


def views(tokens, screen, mask):
    trace = make_trace(len(tokens), mask=mask, d_model=40, d_k=5)
    spec = make_spec(d_model=40, d_k=5)
    yield header(tokens[0].text, f"from /a/{tokens[-1].text}/b", spec, 1, [0], tokens, screen)
    yield overview(trace.A, tokens, [1], screen, mask=mask)
    row = Row(derive(trace, 0, len(tokens) - 1), tokens)
    yield ribbon(Ribbon(tokens, row.d.a, row.d.hidden, 0), screen)
    for draw in (matrix, heatmap):
        for name, M in [("X", trace.X), ("Q", trace.Q[0]), ("S", trace.S[0]), ("A", trace.A[0])]:
            yield draw(make_shown(name, "L1H0", M, tokens, mask=mask), screen)
            large = make_shown(name, "L1H0", M * 1e9, tokens)
            yield draw(large, screen, digits=5, full=True)
    yield derivation_view(row, screen)
    yield derivation_view(row, screen, digits=9)
    every_term = derive(with_every_term(trace), 0, 0)
    yield derivation_view(Row(every_term, tokens, spec=EVERYTHING), screen)
    yield from cross_views([*tokens[1:], *tokens[:1], tokens[0]], tokens, screen)


EVERYTHING = make_spec(
    n_heads=2,
    n_kv_heads=1,
    d_model=40,
    d_k=5,
    names={"pre_attention_norm.weight": "norm"},
    position_bias=Alibi("absolute"),
    qk_norm="full",
    clip_qkv=1.5,
    window=(None, 4),
)


def with_every_term(trace):
    """More than any family has: how the numbers go together does not matter here."""
    alibi = AlibiBias(Alibi("absolute"))
    return replace(
        trace, K=trace.K + 1, K_unrotated=trace.K + 2, scale=0.3, softcap=3.5, position=alibi
    )


def cross_views(keys, tokens, screen):
    trace = make_trace(len(tokens), m=len(keys))
    yield header("t5", "x", EVERYTHING, 1, [0], tokens, screen, keys=keys)
    yield overview(trace.A, tokens, [1], screen, keys=keys)
    for draw in (matrix, heatmap):
        for name, M in [("K", trace.K[0]), ("A", trace.A[0])]:
            yield draw(make_shown(name, "L1H0", M, tokens, keys=keys), screen)
    yield derivation_view(Row(derive(trace, 0, 0), tokens, keys, make_spec()), screen)


def check(tokens, screen, mask):
    for view in views(tokens, screen, mask):
        text = printed(view, screen)
        if not screen.color:
            assert "\x1b" not in text
        if not screen.unicode:
            assert text.isascii()
        bare = re.sub(r"\x1b\[[\d;]*m", "", text)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]", bare)
        for line in bare.splitlines():
            assert cell_len(line) <= screen.width


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=9), SCREENS, st.booleans(), st.data())
def test_lines_fit_and_steer_nothing(texts, screen, causal, data):
    special = data.draw(st.sets(st.sampled_from(texts)))
    tokens = make_tokens(*texts, special=special)
    check(tokens, screen, causal_mask(len(texts)) if causal else None)


@pytest.mark.parametrize("color", [False, True])
@pytest.mark.parametrize(("n", "width"), [(41, 40), (41, 200), (65, 80), (130, 40)])
def test_many_tokens_fit_too(n, width, color):
    tokens = make_tokens(*["word", "日本", "a"] * n)[:n]
    check(tokens, Screen(width, color, True), causal_mask(n))


@given(st.lists(TEXTS, min_size=2, max_size=6))
def test_columns_are_straight(texts):
    tokens = make_tokens(*texts)
    screen = Screen(80, False, True)
    n = len(texts)
    A = np.full((n, n), 1 / n)
    lines = printed(matrix(make_shown("A", "L1H0", A, tokens), screen), screen).splitlines()
    head = next(i for i, line in enumerate(lines) if line.endswith("sum"))
    assert len({cell_len(line) for line in lines[head : head + n + 1]}) == 1
