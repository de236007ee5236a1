"""The printed derivation: what stands there, and that a calculator confirms it."""

import math
import re
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from oracle import causal_mask
from rich.cells import cell_len
from views_fixtures import (
    golden_cross,
    golden_layers,
    make_spec,
    make_tokens,
    make_trace,
    plain,
    printed_lines,
)

from attncli.analysis.derive import derive
from attncli.narration.row import Row
from attncli.text.token import Token
from attncli.views.derivation import derivation_view

TOKENS = make_tokens("[CLS]", "the", "cat", special=("[CLS]",))
FIVE = make_tokens("[CLS]", "the", "cat", "sat", "down", special=("[CLS]",))


def lines_of(trace, head=1, token=1, tokens=TOKENS, width=80, *, digits=None, **options):
    screen = plain(width)
    row = Row(derive(trace, head, token), tokens, **options)
    return printed_lines(derivation_view(row, screen, digits=digits), screen)


def test_a_row_step_by_step():
    assert lines_of(make_trace(5, causal=True, seed=15), token=3, tokens=FIVE) == [
        "Row 3, “sat”, of head L1H1, step by step",
        "",
        "sat → [CLS](.13) the(.07) cat(.25) sat(.55) ·down",
        "the number is a, where it is at least 0.05; · masked",
        "",
        "1  Query   q₃ = x₃ W_Q + b_Q   (1 × 6) (6 × 3) → (1 × 3)",
        "   x₃ = [  1.5186 -0.4298 -0.6199 -1.7719  0.0214 … ]  6 numbers, length 2.5299",
        "   q₃ = [ -0.0839  0.4099 -1.4312 ]  3 numbers, length 1.4911",
        "   the largest in absolute value is q₃[2] = Σ x₃[t] W_Q[t,2] + b_Q[2]:",
        "   t = 0   1.5186 ×  0.8073 =  1.2260",
        "   t = 3  -1.7719 ×  0.6910 = -1.2243≈",
        "   t = 2  -0.6199 ×  1.6606 = -1.0295≈",
        "   t = 5   0.6204 × -1.3142 = -0.8154≈",
        "   2 other products         =  0.1829",
        "   b_Q[2]                   =  0.2290",
        "   sum = q₃[2]              = -1.4312≈",
        "",
        "2–4  Scores, scale, softmax   S₃ⱼ = q₃·kⱼ ÷ √3 + mask",
        "   a₃ⱼ = exp(S₃ⱼ − max) / sum",
        "   j token  q₃·kⱼ mask      S  exp(S−max)  ÷ sum = a",
        "   0 [CLS] 4.0189    0 2.3203      0.2424     0.1331  ███",
        "   1 the   2.9586    0 1.7081      0.1314     0.0722  █",
        "   2 cat   5.0796    0 2.9327      0.4471     0.2456≈ █████",
        "   3 sat   6.4737    0 3.7376      1.0000     0.5492  ███████████",
        "   4 down  0.1713 -inf   -inf      0.0000     0.0000",
        "     max               3.7376",
        "     sum                           1.8209     1.0000≈",
        "",
        "5–6  Weighted sum of the values   z₃ = Σ a₃ⱼ vⱼ",
        "                        [0]       [1]      [2]",
        "   v₃ sat            0.5081   -0.7070   1.6605",
        "     0.5492 × v₃     0.2790   -0.3883   0.9119",
        "   v₂ cat           -0.5173   -2.5816   2.0855",
        "     0.2456 × v₂    -0.1270   -0.6339≈  0.5121≈",
        "   v₀ [CLS]         -0.7838   -1.5396   1.8780",
        "     0.1331 × v₀    -0.1043   -0.2049   0.2500",
        "     1 other token  -0.2960   -0.2294   0.2502",
        "   z₃ = sum         -0.2484≈  -1.4566≈  1.9242",
        "",
        "Heads side by side   y₃ = z_cat W_O + b_O   (1 × 6) (6 × 6) → (1 × 6)",
        "            z[0]     z[1]        y[0]      y[1]      y[2]      y[3]          |y|",
        "    H0   -3.2203   2.0717  …  10.1741   -0.6345   -6.9587    2.7777   …  14.6346",
        "   ▸H1   -0.2484  -1.4566  …  -0.1072    3.0050   -1.8267    0.3048   …   3.7195",
        "    b_O                        0.9747   -0.1802   -0.2421   -0.0119   …   2.8401",
        "    y₃                        11.0416    2.1904≈  -9.0275    3.0706   …  16.4502",
        "   z_cat: z₃ of 2 heads, 3 numbers each; y: what each adds to y₃ through its 3",
        "   rows of W_O, |y| how long that is; then the sum",
        "",
        "≈ rounded to 4 digits; redone from these, off by up to 1 in the last digit",
        "",
        "row 3 agrees with the matrix path, to rounding",
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
NOISE = Decimal("1e-5")  # float32
BOUND = Decimal("0.5000001")
ROW = re.compile(r"   (v[₀-₉]+ \w+|  [\d.]+ × v[₀-₉]+|  \d+ other tokens?|z[₀-₉]+ = sum) +(.*)")


def unit(text):
    mantissa, _, exponent = text.partition("e")
    return Decimal(10) ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


class Reader:
    """Recomputes what is printed, with a calculator's exact decimals.

    A result may be off by what the rounding of its operands and float32 explain, and no more.
    """

    def __init__(self):
        self.units = [0]

    def check(self, result, recomputed, error):
        text, is_marked = result
        units = abs(Decimal(recomputed) - Decimal(text)) / unit(text)
        off = max(0, math.ceil(units - BOUND))
        assert is_marked == (off > 0), (result, recomputed)
        assert units <= BOUND + (Decimal(error) + NOISE) / unit(text)
        self.units.append(off)

    def check_product(self, result, a, b):
        """a b, each within half a unit."""
        x, y, dx, dy = Decimal(a), Decimal(b), unit(a) / 2, unit(b) / 2
        self.check(result, x * y, abs(x) * dy + abs(y) * dx + dx * dy)

    def check_sum(self, result, terms):
        """The sum of k terms: k half units."""
        self.check(result, sum(map(Decimal, terms)), sum(unit(term) / 2 for term in terms))


def check_score(reader, d, row, scale):
    """The columns from q·k to S, each from those before it. Returns S."""
    (now, *_), *cells = map(marked, row)
    factor, half = scale
    value = Decimal(now[0]) * factor
    error = unit(now[0]) / 2 * factor + abs(Decimal(now[0])) * half
    apart = d.capped is not None or d.bias is not None
    if apart and factor != 1:
        now = cells.pop(0)[0]
        reader.check(now, value, error)
        value, error = Decimal(now[0]), unit(now[0]) / 2
    if d.capped is not None:
        value = Decimal(d.softcap * math.tanh(float(value) / d.softcap))
        if d.bias is not None or d.mask is not None:
            now = cells.pop(0)[0]
            reader.check(now, value, error)
            value, error = Decimal(now[0]), unit(now[0]) / 2
    if d.bias is not None:
        bias = cells.pop(0)[0][0]
        value, error = value + Decimal(bias), error + unit(bias) / 2
    if d.mask is not None:
        cells.pop(0)
    (score,) = cells
    if row[-1] == "-inf":
        assert row[-2] == "-inf"
        return None
    reader.check(score[0], value, error)
    return score[0][0]


class Interval:
    """All that a number can be, of which only the rounded one is known."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def _of(self, corners):
        return Interval(min(corners), max(corners))

    def __add__(self, other):
        return Interval(self.low + other.low, self.high + other.high)

    def __neg__(self):
        return Interval(-self.high, -self.low)

    def __sub__(self, other):
        return self + -other

    def __mul__(self, other):
        ends = (self.low, self.high), (other.low, other.high)
        return self._of([a * b for a in ends[0] for b in ends[1]])

    def __truediv__(self, other):
        ends = (self.low, self.high), (other.low, other.high)
        return self._of([a / b for a in ends[0] for b in ends[1]])


EQUATION = re.compile(r"[qk][₀-₉]+\[\d+\] = ([^=Σ]+) = (\S+)")


def rounded(text):
    return Interval(Decimal(text) - unit(text) / 2, Decimal(text) + unit(text) / 2)


def check_equation(reader, formula, result):
    """One number of a query or key that is normalized or rotated, written out with its operands."""
    evaluated = [
        eval(
            re.sub(NUMBER, rf"{read}('\g<0>')", formula).replace("×", "*").replace("−", "-"),
            {"rounded": rounded, "Decimal": Decimal},
        )
        for read in ("Decimal", "rounded")
    ]
    value, interval = evaluated
    reader.check(marked(result)[0], value, max(interval.high - value, value - interval.low))


def reread(lines, d):
    reader = Reader()
    for line in lines:
        for formula, result in EQUATION.findall(line):
            check_equation(reader, formula, result)

    summands = []
    for line in section(lines, "1  Query"):
        numbers = marked(line.partition("=")[2]) if line.startswith("   t = ") else []
        if len(numbers) == 4:  # t, x, W, product
            reader.check_product(numbers[3], numbers[1][0], numbers[2][0])
            summands.append(numbers[3][0])
        elif re.match(r"   (\d+ other products?|b_Q\[)", line):
            summands.append(marked(line.rpartition("=")[2])[0][0])
        elif line.startswith("   sum = "):
            reader.check_sum(marked(line.rpartition("=")[2])[0], summands)

    table = section(lines, "2–4")
    root = Decimal(len(d.q)).sqrt()
    scale = (1 / root, 0) if f"÷ √{len(d.q)}" in table[0] else (Decimal(1), 0)
    if factor := re.search(rf"× ({NUMBER})", table[0]):
        scale = Decimal(factor[1]), unit(factor[1]) / 2
    rows = [line.split() for line in table if re.match(r" +\d+ (?!others?)\w", line)]
    others = [line.split() for line in table if re.search(r"\d others? ", line)]
    row_max = next(line.split()[1] for line in table if line.split()[0] == "max")
    exp_sum, a_sum = next(line.split()[1:] for line in table if line.split()[0] == "sum")
    exps, weights = [], []
    for row in rows:
        *terms, e, a = [cell for cell in row[2:] if "█" not in cell]
        e, a = marked(e)[0], marked(a)[0]
        score = check_score(reader, d, terms, scale)
        if score is None:
            reader.check(e, 0, 0)
        else:
            exact = math.exp(float(score) - float(row_max))
            reader.check(e, exact, exact * math.expm1(float(unit(score) + unit(row_max)) / 2))
        quotient = Decimal(e[0]) / Decimal(marked(exp_sum)[0][0])
        half = unit(e[0]) / 2
        error = (half + quotient * half) / (Decimal(marked(exp_sum)[0][0]) - half)
        reader.check(a, quotient, error)
        exps.append(e[0])
        weights.append(a[0])
    for row in others:
        exps.append(row[2])
        weights.append(row[3])
    reader.check_sum(marked(exp_sum)[0], exps)
    reader.check_sum(marked(a_sum)[0], weights)

    addends, v = [], []
    for line in section(lines, "5–6"):
        if not (found := ROW.fullmatch(line)):
            continue
        name, numbers = found[1], marked(found[2])
        if "×" in name:
            for (value, _), product in zip(v, numbers, strict=True):
                reader.check_product(product, name.split()[0], value)
            addends.append([product for product, _ in numbers])
        elif "other token" in name:
            addends.append([value for value, _ in numbers])
        elif "= sum" in name:
            for result, column in zip(numbers, zip(*addends, strict=True), strict=True):
                reader.check_sum(result, column)
        else:
            v = numbers

    heads = section(lines, "Heads")
    head = next(i for i, line in enumerate(heads) if line.endswith("|y|"))
    count = heads[head].count("y[")
    end = next(i for i, line in enumerate(heads) if line.startswith("   z_cat: "))
    *shares, y = [marked(line)[-count - 1 : -1] for line in heads[head + 1 : end]]
    for result, column in zip(y, zip(*shares, strict=True), strict=True):
        reader.check_sum(result, [text for text, _ in column])

    note = re.search(r"off by up to (\d+) in the last digit", " ".join(lines))
    assert max(reader.units) == (int(note[1]) if note else 0)
    return reader


@pytest.mark.parametrize("digits", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("causal", [False, True])
def test_every_result_follows_from_what_is_printed_or_is_marked(digits, seed, causal):
    words = make_tokens(*"abcdefghi")
    trace = make_trace(9, h=3, d_model=12, d_k=4, causal=causal, seed=seed)
    lines = lines_of(trace, token=6, tokens=words, width=WIDTH, digits=digits)
    reader = reread(lines, derive(trace, 1, 6))
    assert len(reader.units) > 50


def test_many_keys_are_told_by_the_largest_and_the_sum_of_the_others():
    trace = make_trace(60, h=2, d_model=12, d_k=4)
    words = make_tokens(*[f"w{i}" for i in range(60)])
    lines = lines_of(trace, token=6, tokens=words, width=WIDTH)
    assert sum(1 for line in section(lines, "2–4") if re.match(r" +\d+ w", line)) == 16
    reread(lines, derive(trace, 1, 6))


def test_what_stands_for_others_is_their_sum():
    trace = make_trace(60, h=2, d_model=12, d_k=4, seed=2)
    words = make_tokens(*[f"w{i}" for i in range(60)])
    text = "\n".join(lines_of(trace, token=33, tokens=words, width=WIDTH))

    def printed_as(pattern):
        return [float(number) for number in re.search(pattern + r" +(.*)", text)[1].split()]

    a, exps = (
        trace.A[1, 33].astype(float),
        np.exp(trace.S[1, 33].astype(float) - trace.S[1, 33].max()),
    )
    smallest = np.argsort(a)
    close = {"rtol": 0, "atol": 0.00006}
    np.testing.assert_allclose(
        printed_as("44 others"), [exps[smallest[:44]].sum(), a[smallest[:44]].sum()], **close
    )
    a_v = a[:, None] * trace.V[1]
    np.testing.assert_allclose(
        printed_as("57 other tokens"), a_v[smallest[:57]].sum(axis=0), **close
    )
    column = int(np.abs(trace.Q[1, 33]).argmax())
    products = trace.X[33].astype(float) * trace.params.W_Q[:, 4 + column]
    smallest = np.argsort(np.abs(products))
    np.testing.assert_allclose(
        printed_as("8 other products +="), [products[smallest[:8]].sum()], **close
    )


def test_more_than_rounding_can_explain_is_not_called_rounding():
    d = derive(make_trace(60), 1, 6)
    words = make_tokens(*[f"w{i}" for i in range(60)])
    unweighted = replace(d, a_v=np.where(d.a[:, None] < np.sort(d.a)[-3], d.v, d.a_v))
    text = " ".join(printed_lines(derivation_view(Row(unweighted, words), plain(80)), plain(80)))
    assert "MORE than rounding can explain" in text
    assert "redone from these" not in text


def test_more_digits_than_float32_holds_are_explained():
    trace = make_trace(3)
    assert "float32 holds about 7 digits" in " ".join(lines_of(trace, width=120, digits=9))
    assert "float32" not in " ".join(lines_of(trace, width=120, digits=6))


def test_a_row_with_one_permitted_key_says_so():
    lines = lines_of(make_trace(3, causal=True), token=0)
    assert "   only one permitted key, weight 1.0000" in lines


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
    assert "These weights have no W_O: the steps end with z." in text
    heads = section(lines_of(trace), "Heads")
    assert [line.split()[:2] for line in heads[-3:-1]] == [
        [name, f"{z[0]:.4f}"] for name, z in zip(["H0", "▸H1"], trace.Z[:, 1], strict=True)
    ]
    assert "y[" not in " ".join(heads)


def test_the_last_line_compares_with_the_matrix_path():
    trace = make_trace(3)
    assert lines_of(trace)[-1] == "row 1 agrees with the matrix path, to rounding"
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
    assert "÷ √" not in text


@pytest.mark.parametrize(("width", "asked", "shown"), [(60, 9, 8), (40, 9, 3), (40, 4, 3)])
def test_a_width_that_does_not_hold_the_digits_holds_fewer_and_says_so(width, asked, shown):
    lines = lines_of(make_trace(3), width=width, digits=asked)
    assert max(map(len, lines)) <= width
    assert f"{shown} digits, not {asked}: the width holds no more" in lines


@pytest.mark.parametrize("width", [40, 60])
def test_wide_labels_are_cut_before_digits(width):
    names = make_tokens("x" * 50, "日本語のとても長い文字列です", "y" * 50)
    short, long = (lines_of(make_trace(3), tokens=t, width=width) for t in (TOKENS, names))
    assert max(map(cell_len, long)) <= width
    assert [line for line in short if "not 4" in line] == [line for line in long if "not 4" in line]
    assert (width == 40) == ("3 digits, not 4: the width holds no more" in long)


def test_lines_do_not_end_in_blanks():
    screen = plain(60)
    for line in derivation_view(Row(derive(make_trace(3), 1, 1), TOKENS), screen).lines:
        text = "".join(segment.text for segment in line)
        assert text == text.rstrip()


def test_ascii():
    screen = plain(80, unicode=False)
    d = derive(make_trace(3, mask=causal_mask(3)), 0, 1)
    lines = printed_lines(derivation_view(Row(d, TOKENS), screen), screen)
    assert "\n".join(lines).isascii()
    assert "   S1j = q1.kj / sqrt 3 + mask" in "   " + "   ".join(lines)


# Families with more terms than the article's

WORDS = make_tokens(*[f"w{i}" for i in range(11)])
TARGET = make_tokens(*[f"z{i}" for i in range(8)])
TERMS = {  # name of a tiny checkpoint: what its steps have besides
    "llama": "rotated by position 6 (RoPE)",
    "llama-yarn-factor": "it is stretched as well: ",
    "llama-one-kv-head": "key/value head 0, which heads L1H0 to L1H3 share",
    "qwen3": "normalized (RMSNorm over its own numbers)",
    "olmo2": "normalized (RMSNorm over the numbers of all heads)",
    "gemma2": "Every score is kept between -2 and 2; small ones hardly change.",
    "t5": "factor is 1, not 1/√d_k: it is part of the initial values of W_Q.",
    "bloom": "the position of key j: a number of this head times the position of key j (ALiBi)",
    "deberta-v3": "factor is 0.2357, not 1/√d_k: 1/sqrt(3 d_k), as 3 dot products are added",
    "mistral": "This layer looks no farther than 3 tokens.",
    "mpt-6-heads": "clipped at -0.6 and 0.6",
    "gpt2-by-layer": "is 0.2041, not 1/√d_k: 1/sqrt(d_k) = 1/sqrt(6), divided by layer + 1 = 2",
    "gpt2-unscaled": "factor is 1, not 1/√d_k: the dot products stay as they are.",
    "granite": "factor is 0.4000, not 1/√d_k: attention_multiplier of config.json",
}


def steps_of(name, *, layer=1, head=1, token=6, width=WIDTH, digits=None):
    """The printed steps of a family's row, and the row."""
    spec, layers = golden_layers(name)
    d, screen = derive(layers[layer], head, token), plain(width)
    view = derivation_view(Row(d, WORDS, spec=spec), screen, digits=digits)
    return printed_lines(view, screen), d


@pytest.mark.parametrize("digits", [2, 4, 5])
@pytest.mark.parametrize("name", TERMS)
def test_every_result_of_every_family_follows_from_what_is_printed(name, digits):
    for head in range(4):
        for layer, token in [(0, 3), (1, 6), (1, 10)]:
            lines, d = steps_of(name, layer=layer, head=head, token=token, digits=digits)
            reread(lines, d)
            assert d.agrees
            assert "MORE than rounding" not in " ".join(lines)


@pytest.mark.parametrize("name", TERMS)
def test_each_term_is_there_with_its_reason(name):
    assert TERMS[name] in " ".join(steps_of(name, digits=4)[0])


@pytest.mark.parametrize("width", [80, 120])
def test_an_equation_has_a_line_of_its_own_where_the_sentence_before_it_has_several(width):
    lines, _ = steps_of("llama-yarn-factor", width=width)
    ends = [at for at, line in enumerate(lines) if "(stretched positions)" in line]
    assert len(ends) == 2
    for at in ends:
        assert lines[at].endswith(" (stretched positions)")
        assert re.match(r"   [qk].\[0\] = ", lines[at + 1])


def test_a_row_of_gemma_2_with_every_term():
    lines, _ = steps_of("gemma2", width=80)
    assert lines[:2] == [
        "Row 6, “w6”, of head L1H1, step by step",
        "head L1H1 reads the keys and values of key/value head 0, which heads L1H0 to",
    ]
    start = lines.index("1  Query   q₆ = x₆ W_Q   (1 × 24) (24 × 10) → (1 × 10)")
    end = next(i for i, line in enumerate(lines) if line.startswith("5–6"))
    assert lines[start:end] == [
        "1  Query   q₆ = x₆ W_Q   (1 × 24) (24 × 10) → (1 × 10)",
        "   x₆ = [ -0.6924  0.1976 -0.4330 -1.2313  1.2338 … ]  24 numbers, length 5.0196",
        "   x₆ is row 6 of X: the output of the RMSNorm before the attention",
        "   q₆ = [ -2.0933 -0.5825  1.4598  1.0109 -0.3672 … ]  10 numbers, length 2.9179",
        "   the largest in absolute value is q₆[0] = Σ x₆[t] W_Q[t,0]:",
        "   t = 20  -1.5416 ×  0.2772 = -0.4274≈",
        "   t = 7    1.8725 × -0.2090 = -0.3913≈",
        "   t = 22  -1.7129 ×  0.2221 = -0.3805≈",
        "   t = 8    0.7912 × -0.3112 = -0.2462",
        "   20 other products         = -0.6479",
        "   sum = q₆[0]               = -2.0933",
        "   rotated by position 6 (RoPE):",
        "   q₆ = [ -2.0728 -0.5923  1.3614  1.0090 -0.3663 … ]  10 numbers, length 2.9179",
        "   numbers 0 and 5 are a pair, rotated by 6.0000 radians:",
        "   q₆[0] = -2.0933 × 0.9602 − (-0.2252) × (-0.2794) = -2.0728≈",
        "   q₆[5] = -0.2252 × 0.9602 + (-2.0933) × (-0.2794) = 0.3686",
        "   a rotation keeps the length: 2.9179 before, 2.9179 after",
        "   every key goes the same way; k₆, “w6”, which gets the largest weight:",
        "   k₆ = [ -0.1166 -0.4434  0.3979  0.4265  0.7137 … ]  10 numbers, length 2.3684",
        "   rotated by position 6 (RoPE):",
        "   k₆ = [ -0.4972  0.0258  0.3112  0.4483  0.7181 … ]  10 numbers, length 2.3684",
        "   numbers 0 and 5 are a pair, rotated by 6.0000 radians:",
        "   k₆[0] = -0.1166 × 0.9602 − (-1.3787) × (-0.2794) = -0.4972",
        "   k₆[5] = -1.3787 × 0.9602 + (-0.1166) × (-0.2794) = -1.2912",
        "   a rotation keeps the length: 2.3684 before, 2.3684 after",
        "",
        "2–4  Scores, scale, softmax   S₆ⱼ = 2 tanh((q₆·kⱼ × 0.3780) / 2) + mask",
        "   a₆ⱼ = exp(S₆ⱼ − max) / sum",
        "    j token   q₆·kⱼ × 0.3780   capped  mask       S  exp(S−max)  ÷ sum = a",
        "    0 w0     0.3306   0.1250   0.1248     0  0.1248      0.5571     0.1319  █",
        "    1 w1    -0.9045  -0.3419  -0.3386     0 -0.3386      0.3505     0.0830",
        "    2 w2    -0.7328  -0.2770  -0.2752     0 -0.2752      0.3734     0.0884",
        "    3 w3    -0.4964  -0.1876  -0.1871     0 -0.1871      0.4078     0.0965",
        "    4 w4     1.3581   0.5133≈  0.5023     0  0.5023      0.8126     0.1923  █",
        "    5 w5     1.0349   0.3912   0.3863     0  0.3863      0.7236     0.1713  █",
        "    6 w6     1.9634   0.7421≈  0.7098     0  0.7098      1.0000     0.2367  █",
        "    7 w7    -2.2370  -0.8455≈ -0.7985  -inf    -inf      0.0000     0.0000",
        "    8 w8    -3.4104  -1.2890≈ -1.1359  -inf    -inf      0.0000     0.0000",
        "    9 w9    -2.9271  -1.1063≈ -1.0058  -inf    -inf      0.0000     0.0000",
        "   10 w10    1.9731   0.7458   0.7130≈ -inf    -inf      0.0000     0.0000",
        "      max                                    0.7098",
        "      sum                                                4.2250     1.0000≈",
        "   This model's factor is 0.3780, not 1/√d_k: 1/sqrt(query_pre_attn_scalar) =",
        "   1/sqrt(7).",
        "   Every score is kept between -2 and 2; small ones hardly change.",
        "",
    ]


def test_the_stages_of_a_query_that_is_normalized_and_rotated():
    lines, d = steps_of("qwen3")
    query = section(lines, "1  Query")
    at = next(i for i, line in enumerate(query) if "normalized (RMSNorm over its own num" in line)
    rotated = query.index("   rotated by position 6 (RoPE):")
    path = d.query
    stages = {3: path.projected, at + 1: path.norming.result, rotated + 1: path.turning.result}
    for place, q in stages.items():
        line = query[place]
        assert line.startswith("   q₆ = [")
        numbers = re.findall(NUMBER, line)
        assert float(numbers[0]) == pytest.approx(q[0], abs=6e-5)
        assert float(numbers[-1]) == pytest.approx(np.linalg.norm(q), abs=6e-5)
    spread = re.search(rf"√\(mean\(x²\) \+ ε\) = ({NUMBER}), ε = 0\.001", query[at])[1]
    rms = np.sqrt(np.mean(path.projected.astype(float) ** 2) + 1e-3)
    assert float(spread) == pytest.approx(rms, abs=6e-5)
    assert "   a rotation keeps the length: 3.1327 before, 3.1327 after" in query[rotated:]


def test_a_query_to_which_nothing_happens_has_one_stage():
    text = "\n".join(steps_of("bert")[0])
    assert text.count("q₆ = [") == 1
    besides = (
        "rotat|normal|clipped|stretched|key/value head|The bias|factor|no scale|Every score|mask"
    )
    assert not re.search(besides, text)


def test_the_columns_are_those_of_the_family():
    def columns_of(name, **options):
        return section(steps_of(name, **options)[0], "2–4")[1].split("token")[1].split()

    softmax = ["exp(S−max)", "÷", "sum", "=", "a"]
    assert columns_of("bert") == ["q₆·kⱼ", "÷", "√6", "=", "S", *softmax]
    assert columns_of("llama") == ["q₆·kⱼ", "mask", "S", *softmax]
    assert columns_of("gemma2") == ["q₆·kⱼ", "×", "0.3780", "capped", "mask", "S", *softmax]
    assert columns_of("bloom") == ["q₆·kⱼ", "÷", "√6", "+", "bias", "mask", "S", *softmax]
    assert columns_of("t5") == ["q₆·kⱼ", "+", "bias", "S", *softmax]
    assert columns_of("gpt2-unscaled") == ["q₆·kⱼ", "mask", "S", *softmax]


def test_a_cap_with_nothing_after_it_gives_S():
    trace = make_trace(3)
    S = 2 * np.tanh(trace.dots * np.float32(trace.scale) / 2)
    trace = replace(trace, softcap=2.0, S=S)
    table = section(lines_of(trace), "2–4")
    assert table[0].split("   ")[1] == "S₁ⱼ = 2 tanh((q₁·kⱼ ÷ √3) / 2)"
    assert " capped = S " in " ".join(table)
    lines = lines_of(trace, tokens=make_tokens("a", "b", "c"), width=WIDTH)
    reread(lines, derive(trace, 1, 1))


@pytest.mark.parametrize(
    ("name", "term"),
    [("gemma2", "scaled"), ("gemma2", "capped"), ("bloom", "scaled"), ("t5", "bias")],
)
def test_a_wrong_term_is_not_called_rounding(name, term):
    spec, layers = golden_layers(name)
    d = derive(layers[1], 1, 6)
    wrong = getattr(d, term).copy()
    wrong[2] += 0.01
    view = derivation_view(Row(replace(d, **{term: wrong}), WORDS, spec=spec), plain(80))
    assert "MORE than rounding can explain" in " ".join(printed_lines(view, plain(80)))


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("name", TERMS)
def test_more_columns_fit_every_width(name, width):
    lines, _ = steps_of(name, width=width)
    assert max(map(cell_len, lines)) <= width
    fewer = re.search(r"(\d) digits?, not 4", " ".join(lines))
    assert fewer is None or (width, fewer[1] > "1") == (40, True)


def test_more_columns_than_fit_are_told_in_two_tables():
    lines, _ = steps_of("gemma2", width=60)
    table = section(lines, "2–4")
    heads = [i for i, line in enumerate(table) if line.lstrip().startswith("j token")]
    assert table[heads[0]].split()[2:] == ["q₆·kⱼ", "×", "0.3780", "capped", "mask", "S"]
    assert table[heads[1]].split()[2:] == ["S", "exp(S−max)", "÷", "sum", "=", "a"]
    first, second = table[heads[0] + 1 : heads[1]], table[heads[1] + 1 : heads[1] + 12]
    assert [line.split()[:2] for line in first] == [line.split()[:2] for line in second]
    assert [line.split()[-1] for line in first] == [line.split()[2] for line in second]
    narrow = section(steps_of("gemma2", width=40)[0], "2–4")
    assert next(line for line in narrow if "mask " in line).split()[0] == "j"
    assert "w4" in " ".join(narrow)
    assert narrow[1:4] == [  # a broken formula has its lines for itself
        "   S₆ⱼ = 2 tanh((q₆·kⱼ × 0.38) / 2) +",
        "   mask",
        "   a₆ⱼ = exp(S₆ⱼ − max) / sum",
    ]


@pytest.mark.parametrize("name", ["t5", "bart"])
def test_a_target_token_looks_at_source_tokens(name):
    spec, layers = golden_cross(name)
    d = derive(layers[1], 2, 6)
    view = derivation_view(Row(d, TARGET, WORDS, spec), plain(WIDTH))
    lines = printed_lines(view, plain(WIDTH))
    assert lines[:2] == [
        "Row 6, “z6”, of head L1H2 of the cross-attention, step by step",
        "it is a target token; the keys and values are the source tokens'",
    ]
    assert re.match(r"z6 → w0\S* w1", lines[3])
    origin = {
        "t5": "the output of the RMSNorm before the attention",
        "bart": "what the self-attention of layer 1 passes on",
    }
    assert f"   x₆ is row 6 of X: {origin[name]}" in lines
    table = section(lines, "2–4")
    assert table[1].split()[:2] == ["j", "source"]
    assert [line.split()[1] for line in table[2:13]] == [token.text for token in WORDS]
    assert re.search(r"v\S+ w\d", " ".join(section(lines, "5–6")))
    reread(lines, d)


def test_what_X_is_stands_under_its_row():
    trace = make_trace(3)
    assert "is row" not in " ".join(lines_of(trace))
    spec = make_spec(names={"pre_attention_norm.weight": "norm"})
    assert "   x₁ is row 1 of X: the output of the LayerNorm before the attention" in (
        lines_of(trace, spec=spec, width=100)
    )
