"""Matrices as pictures: in colour, in shades, in digits."""

import re

import numpy as np
import pytest
from oracle import causal_mask
from views_fixtures import colored, make_shown, make_tokens, plain, printed, printed_lines

from attncli.language import Phrase
from attncli.views import palette
from attncli.views.heatmap import heatmap

TOKENS = make_tokens("[CLS]", "the", "cat", special=("[CLS]",))
A = np.array([[1, 0, 0], [0.25, 0.75, 0], [0.04, 0.06, 0.9]])
S = np.array([[0, -np.inf, -np.inf], [-np.inf] * 3, [1.5, -2.25, 10]])
MASK = np.where(np.isneginf(S), S, 0)


def lines_of(name, M, screen, tokens=TOKENS, full=False, digits=None, **facts):
    shown = make_shown(name, "L1H0", M, tokens, **facts)
    return printed_lines(heatmap(shown, screen, full=full, digits=digits), screen)


def rgb_of(a):
    return ";".join(map(str, palette.weight_rgb(int(palette.weight_levels(np.array(a))))))


def test_A_in_shades():
    assert lines_of("A", A, plain(60), mask=causal_mask(3)) == [
        "A  L1H0  (3 × 3)",
        "query ↓ / key →",
        "        0",
        "[CLS] 0 ██· ·",
        "  the 1 ▒▒██·",
        "  cat 2 ░░░░██",
        "a: blank < 0.04  ░ ≥ 0.04  ▒ ≥ 0.16  ▓ ≥ 0.36  █ ≥ 0.64",
        "· masked",
        "row = the token that looks (query), column = the token",
        "looked at (key); each row sums to 1, columns need not",
    ]


def test_A_in_ascii():
    lines = lines_of("A", A, plain(60, unicode=False), mask=causal_mask(3))
    assert lines[3:6] == ["[CLS] 0 @@x x", "  the 1 ++%%x", "  cat 2 ::::@@"]


def test_S_in_digits_with_masked_cells_and_a_fully_masked_row():
    assert lines_of("S", S, plain(60), mask=MASK) == [
        "S  L1H0  (3 × 3)",
        "query ↓ / key →",
        "        0",
        "[CLS] 0    · ·",
        "  the 1  · · ·",
        "  cat 2  1-2 9",
        "-9 = -10.00  blank = 0  9 = 10.00",
        "in proportion to the value  · masked",
        "row = the token that looks (query), column = the token",
        "looked at (key); the scores as they enter the softmax; row",
        "1: every key is masked",
    ]


def test_A_in_colour_is_fixed_to_0_and_1():
    screen = colored(60)
    text = printed(heatmap(make_shown("A", "L1H0", A / 2, TOKENS), screen), screen).splitlines()
    assert f"48;2;{rgb_of(0.5)}m  \x1b" in text[3]


def test_signed_values_are_shades_of_the_background_in_the_colour_of_their_sign():
    screen = colored(60)
    M = np.array([[0, 8.0, -8], [1.9, -4, 0.1], [0, 0, 0]])
    text = printed(heatmap(make_shown("Q", "L1H0", M, TOKENS), screen), screen).splitlines()
    orange, blue = (";".join(map(str, rgb)) for rgb in (palette.POSITIVE, palette.NEGATIVE))
    assert text[2].endswith(f"\x1b[0m  \x1b[38;2;{orange}m██\x1b[0m\x1b[38;2;{blue}m██\x1b[0m")
    assert text[3].endswith(f"\x1b[38;2;{orange}m░░\x1b[0m\x1b[38;2;{blue}m▒▒\x1b[0m  ")
    assert text[4].endswith("\x1b[0m      ")
    assert "-8.00" in text[5]
    assert "8.00" in text[5]


def test_many_rows_share_lines_by_half_blocks():
    n = 43
    A = np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]
    tokens = make_tokens(*[f"w{i}" for i in range(n)])
    screen = colored(80)
    text = printed(heatmap(make_shown("A", "L1H0", A, tokens, mask=causal_mask(n)), screen), screen)
    rows = [
        re.sub(r"\x1b\[[\d;]*m", "", line)
        for line in text.splitlines()
        if "▀" in line or "▄" in line
    ]
    assert len(rows) == 22
    assert rows[1] == " w2  2 ▀▀▀▄" + "·" * 39
    assert rows[-1].startswith("w42 42 ▀▀▀")
    upper, lower = (rgb_of(a) for a in (1, 1 / 2))  # a_00 and a_10
    assert f"\x1b[38;2;{upper};48;2;{lower}m▀\x1b" in text
    upper, lower = (rgb_of(a) for a in (1 / 3, 1 / 4))  # a_20 and a_30
    assert f"\x1b[38;2;{upper};48;2;{lower}m▀▀▀\x1b" in text


def legend(view, start):
    (line,) = [line for line in view.lines if line[0].text == start]
    return [(segment.text, segment.style) for segment in line]


def test_the_legend_of_A_goes_from_0_to_1():
    shown = legend(heatmap(make_shown("A", "L1H0", A, TOKENS), colored(80)), "a = ")
    assert shown[1:7] == [
        (f" {a:.2f} ", palette.weight_style(int(palette.weight_levels(np.array(a)))))
        for a in (0, 0.05, 0.1, 0.25, 0.5, 1)
    ]


def test_the_legend_of_signed_values_goes_from_negative_to_positive():
    view = heatmap(make_shown("Q", "L1H0", np.array([[0, 8.0, -8]] * 3), TOKENS), colored(80))
    assert legend(view, "-8.00 ")[:5] == [
        ("-8.00 ", None),
        ("█▓▒░", palette.sign_style(True)),
        (" 0 ", None),
        ("░▒▓█", palette.sign_style(False)),
        (" 8.00", None),
    ]


@pytest.mark.parametrize(("width", "expected"), [(60, 3), (80, 2), (160, 1)])
def test_columns_that_do_not_fit_are_drawn_in_blocks(width, expected):
    lines = lines_of("Q", np.ones((3, 64)), plain(width))
    rows = [line for line in lines if line.startswith("  the 1")]
    assert len(rows) == expected
    assert sum(line.count("9") for line in rows) == 64


def test_a_very_wide_matrix_is_cut_and_says_so_unless_full():
    lines = lines_of("Y", np.ones((3, 512)), plain(80))
    assert lines[3] == "  the 1 " + " 9" * 36
    assert "columns 0 to 35 of 512, 476 left out (--full shows all)" in " ".join(lines)
    full = lines_of("Y", np.ones((3, 512)), plain(80), full=True)
    assert sum(line.count("9") for line in full if line.startswith("  the 1")) == 512


def test_ticks_number_the_columns():
    lines = lines_of("A", np.eye(12), plain(60), make_tokens(*"abcdefghijkl"))
    assert lines[2] == "     0         5         10"
    assert lines[13].index("█") == lines[2].index("10")


def test_a_matrix_of_zeros_is_blank():
    assert lines_of("V", np.zeros((3, 4)), plain(60))[2:5] == ["[CLS] 0", "  the 1", "  cat 2"]


def test_a_picture_of_target_and_source_tokens():
    source = make_tokens("le", "chat")
    A = np.array([[1, 0], [0.25, 0.75], [0.5, 0.5]])
    lines = lines_of("A", A, plain(80), keys=source)
    assert lines[1] == "target ↓ / source →"
    assert [line[:8] for line in lines[3:6]] == ["[CLS] 0 ", "  the 1 ", "  cat 2 "]
    assert "column = the source token" in " ".join(lines)
    assert [line.split()[0] for line in lines_of("V", A[:2], plain(80), keys=source)[2:4]] == [
        "le",
        "chat",
    ]


def test_where_X_comes_from_stands_under_the_picture():
    lines = lines_of("X", np.eye(3), plain(120), origin=Phrase("origin.layer", {"layer": 0}))
    assert lines[-1].endswith("what the Q, K, V projections receive: the output of layer 0")
