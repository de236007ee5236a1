"""All heads at a glance."""

import re

import numpy as np
import pytest
from oracle import causal_mask
from rich.cells import cell_len
from views_fixtures import colored, make_tokens, plain, printed, printed_lines

from attncli.attention import softmax
from attncli.views.overview import overview

TOKENS = make_tokens("[CLS]", "the", "cat", special=("[CLS]",))
A = np.array(
    [
        [[0.5, 0.25, 0.25], [1 / 3, 1 / 3, 1 / 3], [0.04, 0.06, 0.9]],
        [[1, 0, 0], [0.25, 0.75, 0], [0.04, 0.06, 0.9]],
    ]
)


def lines_of(A, tokens, screen, chosen=(), **options):
    return printed_lines(overview(A, tokens, chosen, screen, **options), screen)


def test_maps_stand_side_by_side_under_their_strongest_links():
    assert lines_of(A, TOKENS, plain(60), chosen=[1], mask=causal_mask(3)) == [
        "H0 the→cat 0.33   ▸H1 cat→the 0.06",
        "▓▓· ·             ██· ·",
        "▒▒▒▒·             ▒▒██·",
        "░░░░██            ░░░░██",
        "a: blank < 0.04  ░ ≥ 0.04  ▒ ≥ 0.16  ▓ ≥ 0.36  █ ≥ 0.64",
        "· masked",
        "title: the strongest link between two different ordinary",
        "tokens; row = the token that looks, column = the token",
        "looked at",
    ]


def heads(n, h, seed=0):
    return softmax(np.random.default_rng(seed).normal(size=(h, n, n)) * 2)


def test_rows_of_maps_are_evenly_filled_and_lined_up():
    tokens = make_tokens(*"abcdefghijkl")
    titles = [line for line in lines_of(heads(12, 12), tokens, plain(80)) if "H" in line]
    assert [line.split()[0] for line in titles] == ["H0", "H4", "H8"]
    starts = {tuple(at for at, char in enumerate(line) if char == "H") for line in titles}
    assert len(starts) == 1


@pytest.mark.parametrize(
    "names", [("extraordinarily", "x"), ("x", "unbelievably"), ("日本語の長い", "動物園の中の")]
)
def test_a_title_is_cut_in_the_names_and_never_in_the_number(names):
    A = np.tile([[0.3, 0.7], [0.1, 0.9]], (4, 1, 1))
    line = lines_of(A, make_tokens(*names), plain(80))[0]
    assert line.count(" 0.70") == 4
    assert line.count("…") >= 4
    assert cell_len(line) <= 80


def test_a_word_that_occurs_twice_is_told_by_its_number():
    A = np.array([[[0.4, 0.3, 0.3], [0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]])
    assert lines_of(A, make_tokens("cat", "dog", "cat"), plain(60))[0] == "H0 dog→cat 2 0.70"
    assert lines_of(A, make_tokens("cat", "dog", "dog"), plain(60))[0] == "H0 dog 1→dog 2 0.70"


def test_a_number_of_a_word_is_never_cut():
    tokens = make_tokens(*["extraordinarily"] * 12)
    titles = "\n".join(lines_of(heads(12, 8), tokens, plain(60)))
    assert len(re.findall(r"H\d e\w*… \d+→e\w*… \d+ 0\.\d\d", titles)) == 8
    lines = lines_of(heads(65, 2), make_tokens(*["word"] * 65), plain(80))
    assert len(re.findall(r"wo\S* \d+→wo\S* \d+ 0\.\d\d", lines[0])) == lines[0].count("→") == 2


def test_a_head_without_links_says_so():
    assert lines_of(np.eye(3)[None], TOKENS, plain(60))[0] == "H0 —"


@pytest.mark.parametrize("n", [65, 90])
def test_too_many_tokens_for_maps_leave_the_strongest_links(n):
    tokens = make_tokens(*[f"w{i}" for i in range(n)])
    A = heads(n, 3)
    lines = lines_of(A, tokens, plain(80), chosen=[2])
    best = np.where(np.eye(n), 0, A[0])
    query, key = divmod(int(best.argmax()), n)
    assert lines[0].startswith(f"H0  w{query}→w{key} {best.max():.2f}")
    assert lines[0].count("→") == 3
    assert lines[2].startswith("▸H2")
    assert f"{n} tokens are too many for maps" in lines[3]


def test_in_colour_two_rows_share_a_line():
    tokens = make_tokens(*"abcdefghijk")
    screen = colored(80)
    lines = printed(overview(heads(11, 2), tokens, [0], screen), screen).splitlines()
    assert sum("▀" in line for line in lines) == 6


def test_links_from_target_to_source_tokens():
    source = make_tokens("le", "chat", "le", "soir")
    A = np.array([[[0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.3, 0.1]]])
    lines = lines_of(A, make_tokens("the", "cat"), plain(60), keys=source)
    assert lines[0] == "H0 cat→le 0 0.50"
    assert len(lines[1].rstrip()) == 2 * 4
    assert " ".join(lines[-3:]) == (
        "title: the strongest link between two ordinary tokens; row = the target token that "
        "looks, column = the source token looked at"
    )


def test_many_source_tokens_leave_the_strongest_links():
    source = make_tokens(*[f"w{i}" for i in range(70)])
    A = softmax(np.random.default_rng(0).normal(size=(1, 3, 70)))
    lines = lines_of(A, TOKENS, plain(80), keys=source)
    query, key = divmod(int(A[0, 1:].argmax()), 70)
    assert lines[0].startswith(f"H0  {TOKENS[1 + query].text}→w{key} {A[0, 1:].max():.2f}")
    assert "70 tokens are too many for maps" in lines[1]
