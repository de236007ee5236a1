"""The printed derivation: what stands there, and that a calculator confirms it."""

import math
import re
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from views_fixtures import make_tokens, make_trace, plain, printed_lines

from attncli.analysis.derive import derive
from attncli.attention import causal_mask
from attncli.text.token import Token
from attncli.views.derivation import derivation_view

TOKENS = make_tokens("[CLS]", "the", "cat", special=("[CLS]",))


def lines_of(trace, head=1, token=1, tokens=TOKENS, width=80, **options):
    screen = plain(width)
    d = derive(trace, head, token)
    return printed_lines(derivation_view(d, tokens, screen, **options), screen)


def test_a_row_step_by_step():
    assert lines_of(make_trace(3, causal=True))[:37] == [
        "Row 1, “the”, of head L1H1, step by step",
        "",
        "the → [CLS] the(1.00) ·cat",
        "the number is a, where it is at least 0.05; · masked",
        "",
        "1  Query   q₁ = x₁ W_Q + b_Q   (1 × 6) (6 × 3) → (1 × 3)",
        "   x₁ = [  0.6132 -0.1522 -1.4739  1.0289 -1.9350 … ]  6 numbers, length 2.7261",
        "   q₁ = [  4.2869 -0.0854  1.6121 ]  3 numbers, length 4.5808",
        "   its largest number, q₁[0] = Σ x₁[t] W_Q[t,0] + b_Q[0], written out:",
        "   t = 4    -1.9350 × -0.9217 =  1.7835",
        "   t = 3     1.0289 ×  1.3665 =  1.4059≈",
        "   t = 2    -1.4739 × -0.7323 =  1.0793",
        "   t = 1    -0.1522 × -1.2654 =  0.1926",
        "   2 other products           = -0.0654",
        "   b_Q[0]                     = -0.1089",
        "   sum = q₁[0]                =  4.2869≈",
        "",
        "2–4  Scores, scale, softmax   S₁ⱼ = q₁·kⱼ ÷ √3 + mask",
        "   a₁ⱼ = exp(S₁ⱼ − max) / sum",
        "   j token    q₁·kⱼ mask      S  exp(S−max)  ÷ sum = a",
        "   0 [CLS]   1.9577    0 1.1303      0.0003     0.0003",
        "   1 the    15.7768    0 9.1087      1.0000     0.9997  ████████████████████",
        "   2 cat   -14.3234 -inf   -inf      0.0000     0.0000",
        "                max      9.1087",
        "                sum                  1.0003     1.0000",
        "",
        "5–6  Weighted sum of the values   z₁ = Σ a₁ⱼ vⱼ",
        "                         [0]       [1]       [2]",
        "   v₁ the            -2.7572    0.7325   -3.0506",
        "     0.9997 × v₁     -2.7562≈   0.7322≈  -3.0495≈",
        "   v₀ [CLS]          -5.5679   -1.5200    3.2306",
        "     0.0003 × v₀     -0.0019≈  -0.0005    0.0011≈",
        "   z₁ = sum          -2.7581    0.7317   -3.0484",
        "",
        "Heads side by side   y₁ = z_cat W_O + b_O   (1 × 6) (6 × 6) → (1 × 6)",
        "   z_cat: the 2 heads' z₁, 3 numbers each; y: what each adds to y₁ through its 3",
        "   rows of W_O, and the sum",
    ]


NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?"


def marked(text):
    """The numbers of a line as (text, whether a mark follows)."""
    found = re.findall(rf"(?<![\w.\[])({NUMBER})(≈?)(?![\w\]])", text)
    return [(number, mark == "≈") for number, mark in found]


def section(lines, start):
    """The lines of a step, from its heading to the next empty line."""
    at = next(i for i, line in enumerate(lines) if line.startswith(start))
    return lines[at : lines.index("", at)]


WIDTH = 200
NAME_CELLS = 3 + WIDTH // 5  # before the numbers of steps 5 and 6


class Reader:
    """Recomputes what is printed, with a calculator's exact decimals."""

    def __init__(self):
        self.units = [0]

    def check(self, result, recomputed):
        text, is_marked = result
        mantissa, _, exponent = text.partition("e")
        unit = Decimal(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        units = abs(Decimal(recomputed) - Decimal(text)) / unit
        off = max(0, math.ceil(units - Decimal("0.5000001")))
        assert is_marked == (off > 0), (result, recomputed)
        self.units.append(off)


def reread(lines, d_k, has_mask):
    reader = Reader()

    summands = []
    for line in section(lines, "1  Query"):
        numbers = marked(line.partition("=")[2]) if line.startswith("   t = ") else []
        if len(numbers) == 4:  # t, x, W, product
            reader.check(numbers[3], Decimal(numbers[1][0]) * Decimal(numbers[2][0]))
            summands.append(Decimal(numbers[3][0]))
        elif re.match(r"   (\d+ other products|b_Q\[)", line):
            summands.append(Decimal(marked(line.rpartition("=")[2])[0][0]))
        elif line.startswith("   sum = "):
            reader.check(marked(line.rpartition("=")[2])[0], sum(summands))

    table = section(lines, "2–4")
    rows = [line.split() for line in table if re.match(r" +\d+ (?!others)\w", line)]
    others = [line.split() for line in table if " others " in line]
    row_max = next(line.split()[1] for line in table if line.split()[0] == "max")
    sums = next(line.split()[1:] for line in table if line.split()[0] == "sum")
    exps, weights = [], []
    for row in rows:
        dot, *mask, s, e, a = row[2 : 7 if has_mask else 6]
        if mask in ([], ["0"]):
            (score,) = marked(s)
            reader.check(score, Decimal(dot) / Decimal(d_k).sqrt())
            exact = math.exp(float(score[0]) - float(row_max))
        else:
            assert (mask, s) == (["-inf"], "-inf")
            exact = 0
        reader.check(marked(e)[0], exact)
        reader.check(marked(a)[0], Decimal(marked(e)[0][0]) / Decimal(marked(sums[0])[0][0]))
        exps.append(Decimal(marked(e)[0][0]))
        weights.append(Decimal(marked(a)[0][0]))
    for row in others:
        exps.append(Decimal(row[2]))
        weights.append(Decimal(row[3]))
    reader.check(marked(sums[0])[0], sum(exps))
    reader.check(marked(sums[1])[0], sum(weights))

    addends, v = [], []
    for line in section(lines, "5–6")[2:]:
        name, numbers = line[:NAME_CELLS], marked(line[NAME_CELLS:])
        if " × v" in name:
            factor = Decimal(name.split()[0])
            for (value, _), product in zip(v, numbers, strict=True):
                reader.check(product, factor * Decimal(value))
            addends.append([Decimal(product) for product, _ in numbers])
        elif "other tokens" in name:
            addends.append([Decimal(value) for value, _ in numbers])
        elif "= sum" in name:
            for result, column in zip(numbers, zip(*addends, strict=True), strict=True):
                reader.check(result, sum(column))
        else:
            v = numbers

    heads = section(lines, "Heads")
    head = next(i for i, line in enumerate(heads) if "length" in line)
    count = heads[head].count("y[")
    *shares, y = [marked(line)[-count - 1 : -1] for line in heads[head + 1 :]]
    for result, column in zip(y, zip(*shares, strict=True), strict=True):
        reader.check(result, sum(Decimal(text) for text, _ in column))

    note = re.search(r"can differ by up to (\d+) in the last digit", " ".join(lines))
    assert max(reader.units) == (int(note[1]) if note else 0)
    return reader


@pytest.mark.parametrize("digits", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("causal", [False, True])
def test_every_result_follows_from_what_is_printed_or_is_marked(digits, seed, causal):
    words = make_tokens(*"abcdefghi")
    trace = make_trace(9, h=3, d_model=12, d_k=4, causal=causal, seed=seed)
    lines = lines_of(trace, token=6, tokens=words, width=WIDTH, digits=digits)
    reader = reread(lines, d_k=4, has_mask=causal)
    assert len(reader.units) > 50


def test_many_keys_are_told_by_the_largest_and_the_sum_of_the_others():
    trace = make_trace(60, h=2, d_model=12, d_k=4)
    words = make_tokens(*[f"w{i}" for i in range(60)])
    lines = lines_of(trace, token=6, tokens=words, width=WIDTH)
    assert sum(1 for line in section(lines, "2–4") if re.match(r" +\d+ w", line)) == 16
    assert "44 others" in "\n".join(lines)
    reread(lines, d_k=4, has_mask=False)


def test_a_row_with_one_permitted_key_says_so():
    lines = lines_of(make_trace(3, causal=True), token=0)
    assert "   only one permitted key, weight 1.00" in lines


def test_a_fully_masked_row_shows_no_weights():
    mask = np.zeros((3, 3), np.float32)
    mask[1] = -np.inf
    lines = lines_of(make_trace(3, mask=mask))
    table = section(lines, "2–4")
    assert [line.split()[3:] for line in table[3:6]] == [["-inf", "-inf", "—", "—"]] * 3
    assert table[-1] == "   row 1: every key is masked"
    assert "   no weights, nothing to add: z₁ = 0" in lines


def test_without_W_O_the_steps_end_with_z_and_say_why():
    trace = make_trace(3)
    trace = replace(trace, Y=None, params=replace(trace.params, W_O=None, b_O=None))
    text = " ".join(" ".join(lines_of(trace)).split())
    assert "The steps end with z₁: these weights have no W_O, so there is no y₁." in text
    assert "length" not in text.partition("Heads side by side")[2]


def test_the_last_line_compares_with_the_matrix_path():
    trace = make_trace(3)
    line = lines_of(trace)[-1]
    assert re.fullmatch(
        r"row 1 agrees with the matrix path: largest difference \d\.\de-0[678]", line
    )
    wrong = replace(trace, Z=trace.Z + 0.5)
    assert lines_of(wrong)[-1] == ("row 1 DIFFERS from the matrix path: largest difference 5.0e-01")


def test_a_piece_is_shown_with_its_word():
    tokens = [
        Token(0, 0, "[CLS]", "[CLS]", None, None, True),
        Token(1, 1, "un", "un", 0, 2, False, word=0),
        Token(2, 2, "believably", "##believably", 2, 12, False, word=0),
    ]
    lines = lines_of(make_trace(3), token=2, tokens=tokens)
    assert lines[:2] == [
        "Row 2, “believably”, of head L1H1, step by step",
        "token 2 «##believably» of the word «unbelievably»",
    ]


def test_a_scale_other_than_that_of_the_article_is_printed_as_a_factor():
    trace = make_trace(3)
    S = trace.dots * np.float32(0.25)
    text = "\n".join(lines_of(replace(trace, scale=0.25, S=S)))
    assert "S₁ⱼ = q₁·kⱼ × 0.2500" in text
    assert "√" not in text


def test_a_width_that_does_not_hold_the_digits_holds_fewer():
    lines = lines_of(make_trace(3, causal=True), width=60, digits=12)
    assert max(map(len, lines)) <= 60
    note = re.search(r"shown to (\d+) digits", " ".join(lines))
    assert 1 <= int(note[1]) < 12


def test_ascii():
    screen = plain(80, unicode=False)
    d = derive(make_trace(3, mask=causal_mask(3)), 0, 1)
    lines = printed_lines(derivation_view(d, TOKENS, screen), screen)
    assert "\n".join(lines).isascii()
    assert "   S1j = q1.kj / sqrt(3) + mask" in "   " + "   ".join(lines)
