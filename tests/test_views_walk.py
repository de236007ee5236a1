"""A derivation one step at a time."""

import re
from dataclasses import replace

import numpy as np
import pytest
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
from attncli.exports.markdown import to_markdown
from attncli.exports.pages import page_of
from attncli.language import Language
from attncli.medium.screen import Screen
from attncli.narration.page import Voice
from attncli.narration.row import Row
from attncli.views.lines import Lines
from attncli.views.walk import component, stops

WORDS = make_tokens(*[f"w{i}" for i in range(11)])
ARTICLE = ["x", "query", "dots", "scale", "softmax", "weights", "weigh", "sum", "heads", "output"]


def walk_of(name, *, width=80, language=Language.en, digits=None):
    spec, layers = golden_layers(name)
    d = derive(layers[1], 1, 6)
    screen = Screen(width, color=False, unicode=True, language=language)
    made = stops(Row(d, WORDS, spec=spec), screen, digits=digits)
    return d, {stop.key: printed_lines(Lines(stop.lines), screen) for stop in made}


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("bert", []),
        ("gpt2", ["mask"]),
        ("llama", ["rotary", "mask"]),
        ("gemma2", ["rotary", "softcap", "mask"]),
        ("qwen3", ["norm", "rotary", "mask"]),
        ("t5", ["bias"]),
        ("mpt-6-heads", ["clip", "bias", "mask"]),
    ],
)
def test_a_model_has_the_steps_that_it_computes(name, more):
    _, walk = walk_of(name)
    keys = list(walk)
    assert set(keys) == {*ARTICLE, *more, "check"}
    assert [key for key in keys if key in ARTICLE] == ARTICLE
    order = [
        "query",
        "clip",
        "norm",
        "rotary",
        "dots",
        "scale",
        "softcap",
        "bias",
        "mask",
        "softmax",
    ]
    assert [key for key in keys if key in order] == [key for key in order if key in keys]


def test_a_step_shows_what_goes_in_and_what_comes_out():
    d, walk = walk_of("gemma2")

    def numbers(key, row):
        line = next(line for line in walk[key] if line.split()[:2] == [str(row), f"w{row}"])
        return [float(text.rstrip("≈")) for text in line.split()[2:] if "█" not in text]

    close = {"atol": 6e-5, "rtol": 0}
    np.testing.assert_allclose(numbers("dots", 3), [d.dots[3]], **close)
    np.testing.assert_allclose(numbers("scale", 3), [d.dots[3], d.scaled[3]], **close)
    np.testing.assert_allclose(numbers("softcap", 3), [d.scaled[3], d.capped[3]], **close)
    np.testing.assert_allclose(numbers("mask", 3), [d.capped[3], 0, d.scores[3]], **close)
    assert numbers("mask", 9)[1:] == [-np.inf, -np.inf]
    np.testing.assert_allclose(numbers("softmax", 3), [d.scores[3], d.exponentials[3]], **close)
    np.testing.assert_allclose(
        numbers("weights", 3), [d.scores[3], d.exponentials[3], d.a[3]], **close
    )


def test_the_scale_is_a_step_of_its_own_where_only_a_mask_follows():
    _, walk = walk_of("llama")
    head = next(line for line in walk["scale"] if "token" in line)
    assert head.split() == ["j", "token", "q₆·kⱼ", "÷", "√6"]


@pytest.mark.parametrize("name", ["bert", "gemma3", "deberta-v3", "mpt-6-heads", "olmo2"])
@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("language", Language)
def test_steps_fit_and_say_why(name, width, language):
    _, walk = walk_of(name, width=width, language=language)
    for lines in walk.values():
        assert max(map(cell_len, lines)) <= width
        assert len(lines) > 2
    text = "".join("".join(lines) for lines in walk.values())
    assert (language is Language.zh) == ("查询向量" in text)


@pytest.mark.parametrize("digits", [2, 4, 7])
@pytest.mark.parametrize(
    "name", ["bert", "gemma2", "olmo2", "qwen3", "t5", "mpt-6-heads", "deberta-v3", "falcon-rw"]
)
def test_a_step_speaks_of_rounding_if_and_only_if_a_number_of_its_own_is_marked(name, digits):
    _, walk = walk_of(name, digits=digits)
    for key, lines in walk.items():
        note = next((at for at, line in enumerate(lines) if line.startswith("≈")), len(lines))
        assert (note < len(lines)) == ("≈" in "".join(lines[:note])), key


def test_what_an_earlier_step_made_is_an_operand_and_not_marked_again():
    _, walk = walk_of("deberta-v3")

    def rows(key):
        return [line.split() for line in walk[key] if re.match(r" +\d+ w", line)]

    for key, operands in [("scale", 1), ("softmax", 1), ("weights", 2)]:
        assert not any("≈" in cell for row in rows(key) for cell in row[2 : 2 + operands]), key
    assert any("≈" in cell for key in ("bias", "softmax") for row in rows(key) for cell in row)
    products = [line for line in walk["sum"] if " × v" in line]
    assert products
    assert not any("≈" in line for line in products)


def test_the_position_bias_is_added_where_its_step_is():
    d, walk = walk_of("mpt-6-heads")
    (head,) = (line.split() for line in walk["bias"] if line.startswith("    j"))
    assert head[-1] == "biased"
    rows = [line.replace("≈", " ").split() for line in walk["bias"] if re.match(r" +\d", line)]
    np.testing.assert_allclose([float(row[-1]) for row in rows], d.scaled + d.bias, atol=1e-4)


def test_alibi_says_from_where_it_counts():
    for name, head, first in [("bloom", "position", "0"), ("mpt", "last", "-10")]:
        _, walk = walk_of(name)
        table = [line.split() for line in walk["bias"] if re.match(r" +(j|0) ", line)]
        assert head in table[0]
        assert first in table[1][3:]
        assert ("counted back from the last" in " ".join(walk["bias"])) == (name == "mpt")


@pytest.mark.parametrize(("n", "shown"), [(60, 16), (40, 40)])
def test_a_step_says_which_keys_it_leaves_out(n, shown):
    row = Row(derive(make_trace(n), 0, 1), make_tokens(*[f"w{i}" for i in range(n)]))
    screen = plain()
    walk = {stop.key: printed_lines(Lines(stop.lines), screen) for stop in stops(row, screen)}
    says = f"   {shown} of {n} keys: those of the largest weights"
    for key in ("dots", "scale"):
        assert sum(bool(re.match(r" +\d+ w\d+ ", line)) for line in walk[key]) == shown
        assert (says in walk[key]) == (shown < n)
    for key in ("softmax", "weights"):
        assert any("44 others" in line for line in walk[key]) == (shown < n)
    assert f"   5 of {n} keys: those of the largest weights" in walk["weigh"]
    text = to_markdown([page_of(row, Voice())])
    assert text.count(f"16 of {n} keys") == (3 if shown < n else 1)


def test_digits_change_all_numbers():
    _, walk = walk_of("qwen3", digits=2)
    for key, lines in walk.items():
        if key != "check":
            assert not re.search(r"\d\.\d{3}", re.sub(r"ε = \S+", "", "\n".join(lines)))


def test_a_number_of_q_and_of_z_written_out():
    trace = make_trace(5, causal=True, seed=15)
    d, screen = derive(trace, 1, 3), plain()
    tokens = make_tokens("[CLS]", "the", "cat", "sat", "down", special=("[CLS]",))

    def lines(vector, index):
        return printed_lines(component(Row(d, tokens), vector, index, screen), screen)

    assert lines("z", 0) == [
        "   z₃[0] = Σ a₃ⱼ vⱼ[0]:",
        "   the    0.0722 × -4.1023 = -0.2960≈",
        "   sat    0.5492 ×  0.5081 =  0.2790",
        "   cat    0.2456 × -0.5173 = -0.1270",
        "   [CLS]  0.1331 × -0.7838 = -0.1043",
        "   down   0.0000 ×  2.8503 =  0.0000",
        "   sum = z₃[0]             = -0.2484≈",
        "≈ rounded to 4 digits; redone from these, off by up to 2 in the last digit",
    ]
    assert lines("q", 2)[0] == "   q₃[2] = Σ x₃[t] W_Q[t,2] + b_Q[2]:"
    assert lines("q", 2)[-2].split() == ["sum", "=", "q₃[2]", "=", "-1.4312≈"]


def test_of_a_row_that_sees_nothing_there_is_nothing_to_add():
    trace = make_trace(3, mask=np.full((3, 3), -np.inf, np.float32))
    screen = plain()
    walk = {
        stop.key: printed_lines(Lines(stop.lines), screen)
        for stop in stops(Row(derive(trace, 0, 1), WORDS[:3], spec=make_spec()), screen)
    }
    assert "   row 1: every key is masked" in walk["weights"]
    for key in ("softmax", "weights"):
        assert "sum to 1" not in " ".join(walk[key])
        assert "Every key of this row is masked" in " ".join(walk[key])
    assert "   no weights, nothing to add: z₁ = 0" in walk["sum"]


def test_without_W_O_the_walk_says_where_it_ends():
    trace = make_trace(3)
    trace = replace(trace, params=replace(trace.params, W_O=None, b_O=None), Y=None)
    *_, heads, check = stops(Row(derive(trace, 0, 1), WORDS[:3]), plain())
    assert (heads.key, check.key) == ("heads", "check")
    text = " ".join(" ".join(printed_lines(Lines(heads.lines), plain())).split())
    assert "These weights have no W_O: the steps end with z." in text


def test_lines_do_not_end_in_blanks():
    for stop in stops(Row(derive(make_trace(3), 1, 1), WORDS[:3]), plain()):
        for line in stop.lines:
            text = "".join(segment.text for segment in line)
            assert text == text.rstrip(), stop.key


def test_a_clipped_query_and_the_heads_have_a_formula():
    _, walk = walk_of("mpt-6-heads")
    assert walk["clip"][0] == "The query, clipped   q₆ → min(max(q₆, -0.6), 0.6)"
    assert walk["heads"][0] == "The heads side by side   z_cat = Concat(z^(0), …, z^(5))"


def test_in_cross_attention_the_keys_are_source_tokens():
    spec, layers = golden_cross("t5")
    targets = make_tokens(*[f"z{i}" for i in range(8)])
    screen = plain()
    made = stops(Row(derive(layers[1], 1, 6), targets, WORDS, spec), screen)
    walk = {stop.key: printed_lines(Lines(stop.lines), screen) for stop in made}
    assert any(line.startswith("    0 w0") for line in walk["dots"])
    assert "the keys and values are the source tokens'" in " ".join(" ".join(walk["x"]).split())
