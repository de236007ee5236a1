"""Matrices as tables: exact text, nothing cut, nothing in the wrong place."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracle import causal_mask
from views_fixtures import colored, make_shown, make_tokens, plain, printed, printed_lines

from attncli.attention import softmax
from attncli.language import Phrase
from attncli.views.matrix import matrix

TOKENS = make_tokens("[CLS]", "the", "cat", special=("[CLS]",))
A = np.array([[1, 0, 0], [0.25, 0.75, 0], [0.04, 0.06, 0.9]])
S = np.array([[0, -np.inf, -np.inf], [-np.inf] * 3, [1.5, -2.25, 10]])
MASK = np.where(np.isneginf(S), S, 0)


def lines_of(name, M, tokens=TOKENS, width=60, full=False, digits=None, **facts):
    screen = plain(width)
    shown = make_shown(name, "L1H0", M, tokens, **facts)
    return printed_lines(matrix(shown, screen, full=full, digits=digits), screen)


def test_A():
    assert lines_of("A", A, mask=causal_mask(3)) == [
        "A  L1H0  (3 × 3)",
        "query ↓ / key →",
        "            0    1    2   sum",
        "[CLS] 0  1.00    ·    ·  1.00",
        "  the 1  0.25 0.75    ·  1.00",
        "  cat 2  0.04 0.06 0.90  1.00",
        "row = the token that looks (query), column = the token",
        "looked at (key); each row sums to 1, columns need not;",
        "rounded to 2 places, sums before rounding; · masked",
    ]


def test_S_with_masked_cells_and_a_row_without_any_permitted_key():
    assert lines_of("S", S, mask=MASK) == [
        "S  L1H0  (3 × 3)",
        "query ↓ / key →",
        "             0     1     2",
        "[CLS] 0   0.00     ·     ·",
        "  the 1      —     —     —",
        "  cat 2   1.50 -2.25 10.00",
        "row = the token that looks (query), column = the token",
        "looked at (key); the scores as they enter the softmax; ·",
        "masked; row 1: every key is masked",
    ]


def test_a_wide_matrix_shows_its_ends_and_says_what_is_left_out():
    assert lines_of("Q", np.arange(36.0).reshape(3, 12) - 7) == [
        "Q  L1H0  (3 × 12)",
        "               0       1  … 8 more …      10      11",
        "[CLS] 0   -7.000  -6.000     …         3.000   4.000",
        "  the 1    5.000   6.000     …        15.000  16.000",
        "  cat 2   17.000  18.000     …        27.000  28.000",
        "row = token, column = component of its query q",
    ]


def test_full_shows_every_column_in_blocks():
    assert lines_of("Q", np.arange(36.0).reshape(3, 12) - 7, width=46, full=True)[1:15] == [
        "               0       1       2       3",
        "[CLS] 0   -7.000  -6.000  -5.000  -4.000",
        "  the 1    5.000   6.000   7.000   8.000",
        "  cat 2   17.000  18.000  19.000  20.000",
        "",
        "               4       5       6       7",
        "[CLS] 0   -3.000  -2.000  -1.000   0.000",
        "  the 1    9.000  10.000  11.000  12.000",
        "  cat 2   21.000  22.000  23.000  24.000",
        "",
        "               8       9      10      11",
        "[CLS] 0    1.000   2.000   3.000   4.000",
        "  the 1   13.000  14.000  15.000  16.000",
        "  cat 2   25.000  26.000  27.000  28.000",
    ]


def test_where_the_ends_do_not_fit_there_are_blocks_and_no_number_is_cut():
    M = np.full((3, 6), -12345.678901)
    shown = "\n".join(lines_of("Q", M, width=40, digits=6))
    assert shown.count("-12345.678901") == M.size


def test_one_huge_number_turns_the_whole_matrix_scientific():
    assert lines_of("V", np.array([[1, 2e9], [3, 4], [5, 6]]))[2:5] == [
        "[CLS] 0   1.000e+00  2.000e+09",
        "  the 1   3.000e+00  4.000e+00",
        "  cat 2   5.000e+00  6.000e+00",
    ]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_every_cell_stands_in_its_row_and_column(width):
    n = 15
    A = softmax(np.random.default_rng(0).normal(size=(n, n)))
    tokens = make_tokens(*"abcdefghijklmno")
    found = {}
    columns = []
    for line in lines_of("A", A, tokens, width=width):
        if re.fullmatch(r"[\d ]+(sum)?", line):
            columns = [int(number) for number in line.removesuffix("sum").split()]
        elif re.match(r" *[a-o] +\d", line) and "." in line:
            number, *values = line.split()[1:]
            for column, value in zip(columns, values, strict=False):
                found[int(number), column] = float(value)
    assert len(found) == n * n
    for (row, column), value in found.items():
        assert value == round(A[row, column], 2)


def test_weights_lose_their_leading_zero_where_that_saves_a_block():
    A = np.full((11, 11), 1 / 11)
    assert " .09" * 11 in lines_of("A", A, make_tokens(*"abcdefghijk"), width=55)[3]
    assert " 0.09" * 11 in lines_of("A", A, make_tokens(*"abcdefghijk"), width=80)[3]


def test_the_sum_is_that_of_the_unrounded_weights():
    assert lines_of("A", np.full((3, 3), 1 / 3))[3] == "[CLS] 0  0.33 0.33 0.33  1.00"


def test_a_row_without_any_permitted_key_has_no_weights_and_no_sum():
    lines = lines_of("A", np.array([[1, 0, 0], [0, 0, 0], [0, 0, 1.0]]), mask=MASK)
    assert lines[4] == "  the 1     —    —    —     —"
    assert "row 1: every key is masked" in " ".join(lines)


def test_zeros_without_a_mask_are_zeros():
    lines = lines_of("A", np.array([[1, 0, 0], [0, 0, 0], [0, 0, 1.0]]))
    assert lines[4] == "  the 1  0.00 0.00 0.00  0.00"
    assert "masked" not in " ".join(lines)


def test_a_token_at_which_all_look_is_explained():
    A = np.array([[0.8, 0.1, 0.1]] * 3)
    assert "token 0 receives 0.80 on average: common in trained models" in " ".join(
        lines_of("A", A)
    )


def many(n=64):
    A = softmax(np.random.default_rng(1).normal(size=(n, n)) * 2)
    return A, make_tokens(*[f"w{i}" for i in range(n)])


@pytest.mark.parametrize("width", [60, 80, 200])
def test_many_tokens_are_told_by_their_largest_keys_and_the_rest(width):
    A, tokens = many()
    text = " ".join(" ".join(lines_of("A", A, tokens, width=width, digits=4)[1:]).split())
    rows = text.partition(" row =")[0].split("more (")
    assert len(rows) == len(A) + 1
    first = rows[0].split()[2:-1]  # without the label and the count of the rest
    shown = {int(key): float(value) for key, value in zip(first[1::3], first[2::3], strict=True)}
    assert shown == {int(j): round(A[0, j], 4) for j in np.argsort(-A[0])[:8]}
    rest = float(rows[1].partition(")")[0])
    assert_allclose(sum(shown.values()) + rest, 1, atol=9 * 0.5e-4)
    assert "the 8 largest of 64 keys (--full shows all)" in text


def test_many_tokens_full_has_every_column():
    A, tokens = many()
    text = "\n".join(lines_of("A", A, tokens, full=True))
    assert len(re.findall(r" \d?\.\d\d", text.partition("row =")[0])) >= A.size


def test_masked_keys_are_not_among_the_largest():
    S = np.random.default_rng(2).normal(size=(50, 50)) + causal_mask(50)
    lines = lines_of("S", S, make_tokens(*[f"w{i}" for i in range(50)]), mask=causal_mask(50))
    assert lines[1] == f" w0  0  w0 0 {S[0, 0]:.2f}"
    assert "inf" not in "\n".join(lines)
    assert "+42 more (each ≤ " in "\n".join(lines)


def test_many_tokens_and_many_digits_fit_a_narrow_screen():
    S = np.random.default_rng(2).normal(size=(50, 50)) * 100
    tokens = make_tokens(*[f"word-{i}" for i in range(50)])
    lines = lines_of("S", S, tokens, width=40, digits=9)
    assert max(map(len, lines)) <= 40
    rest = np.sort(S[0])[-9]
    assert f"+42 more (each ≤ {rest:.9f})" in " ".join(" ".join(lines).split())


def test_in_colour_the_digits_stand_on_the_colour_of_their_weight():
    screen = colored(60)
    text = printed(matrix(make_shown("A", "L1H0", A, TOKENS, mask=causal_mask(3)), screen), screen)
    assert "\x1b[38;2;0;0;0;48;2;252;253;191m 1.00\x1b[0m" in text
    assert re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()[3] == "[CLS] 0  1.00    ·    ·  1.00"


SOURCE = make_tokens("le", "chat", "dort", "ici")


def test_rows_are_target_tokens_and_columns_source_tokens():
    M = np.array([[0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.25, 0.25], [0, 0, 0.05, 0.95]])
    assert lines_of("A", M, keys=SOURCE, width=72) == [
        "A  L1H0  (3 × 4)",
        "target ↓ / source →",
        "            0    1    2    3   sum",
        "[CLS] 0  0.10 0.20 0.30 0.40  1.00",
        "  the 1  0.25 0.25 0.25 0.25  1.00",
        "  cat 2  0.00 0.00 0.05 0.95  1.00",
        "row = the target token that looks (query), column = the source token",
        "looked at (key); each row sums to 1, columns need not; rounded to 2",
        "places, sums before rounding; source token 3 receives 0.53 on average:",
        "common in trained models (a resting place), not an error",
    ]


def test_keys_and_values_are_the_source_tokens():
    lines = lines_of("K", np.arange(8.0).reshape(4, 2), keys=SOURCE)
    assert [line.split()[0] for line in lines[2:6]] == ["le", "chat", "dort", "ici"]
    assert lines[6] == "row = source token, column = component of its key k"
    assert lines_of("Q", np.arange(6.0).reshape(3, 2), keys=SOURCE)[2].startswith("[CLS] 0")


def test_the_largest_of_many_source_tokens_have_their_names():
    source = make_tokens(*[f"w{i}" for i in range(50)])
    lines = lines_of("A", np.eye(3, 50, 20), keys=source, width=80)
    assert [line.split()[2:5] for line in lines if "w2" in line] == [
        ["w20", "20", "1.00"],
        ["w21", "21", "1.00"],
        ["w22", "22", "1.00"],
    ]


def test_where_X_comes_from_stands_under_it():
    lines = lines_of("X", np.eye(3), origin=Phrase("origin.layer", {"layer": 0}), width=120)
    assert lines[-1].endswith("what the Q, K, V projections receive: the output of layer 0")
