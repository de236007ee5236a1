"""One row of A as the sentence itself."""

import re

import numpy as np
from views_fixtures import colored, make_tokens, plain, printed, printed_lines

from attncli.narration.blocks import Ribbon
from attncli.views.palette import weight_levels, weight_rgb
from attncli.views.ribbon import ribbon

TOKENS = make_tokens("[CLS]", "the", "cat", "sat", special=("[CLS]",))
ROW = np.array([0.04, 0.06, 0.9, 0])
NONE = np.zeros(4, dtype=bool)


def test_the_larger_weights_follow_their_tokens():
    assert printed_lines(ribbon(Ribbon(TOKENS, ROW, NONE, 2), plain()), plain()) == [
        "cat → [CLS] the(.06) cat(.90) sat",
        "the number is a, where it is at least 0.05",
    ]


def test_masked_tokens_are_marked():
    masked = np.array([0, 0, 0, 1], dtype=bool)
    assert printed_lines(ribbon(Ribbon(TOKENS, ROW, masked, 1), plain()), plain()) == [
        "the → [CLS] the(.06) cat(.90) ·sat",
        "the number is a, where it is at least 0.05; · masked",
    ]


def test_lines_break_between_tokens_with_a_hanging_indent():
    screen = plain(30)
    assert printed_lines(ribbon(Ribbon(TOKENS, ROW, NONE, 2), screen), screen)[:2] == [
        "cat → [CLS] the(.06) cat(.90)",
        "      sat",
    ]


def test_in_colour_each_token_is_shaded():
    screen = colored()
    text = printed(ribbon(Ribbon(TOKENS, ROW, NONE, 2), screen), screen)
    rgb = ";".join(map(str, weight_rgb(int(weight_levels(np.array(0.9))))))
    assert f"48;2;{rgb}m cat .90 \x1b" in text
    assert re.sub(r"\x1b\[[\d;]*m", "", text).splitlines() == [
        "cat →  [CLS]   the .06   cat .90   sat ",
        "shade grows with √a; the number is a, where it is at least 0.05",
    ]


def test_ascii():
    screen = plain(unicode=False)
    assert printed_lines(ribbon(Ribbon(TOKENS, ROW, NONE, 2), screen), screen)[0].startswith(
        "cat -> [CLS]"
    )


def test_a_target_token_looks_at_source_tokens():
    view = ribbon(Ribbon(make_tokens("the", "cat"), ROW, NONE, 1, TOKENS), plain())
    assert printed_lines(view, plain())[0] == "cat → [CLS] the(.06) cat(.90) sat"
