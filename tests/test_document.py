"""The derivation as Markdown and LaTeX: every printed result follows from what is printed."""

import random
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command import run
from markdown_it import MarkdownIt
from recompute import recompute
from views_fixtures import (
    GOLDEN,
    golden_cross,
    golden_layers,
    make_tokens,
    make_trace,
    printed_lines,
)

from attncli.analysis.derive import derive
from attncli.exports.latex import to_latex
from attncli.exports.markdown import to_markdown
from attncli.exports.pages import page_of
from attncli.language import Language
from attncli.medium.screen import Screen
from attncli.narration.document import Extent
from attncli.narration.formula import subscript
from attncli.narration.page import Voice
from attncli.narration.row import Row
from attncli.views import walk
from attncli.views.lines import Lines

HERE = Path(__file__).parent
WORDS = make_tokens(*[f"w{i}" for i in range(11)])
TARGET = make_tokens(*[f"z{i}" for i in range(8)])
LONG = ["explain", "The animal didn't cross the street because it was too tired", "--token", "it"]


def choices(count=30):
    """Random family, layer, head, token; the seed is fixed."""
    draw = random.Random(4)
    names = {path.parent.name for path in GOLDEN.glob("*/golden.npz")} - {"torch_modules"}
    return [
        (name, draw.random(), draw.random(), draw.random())
        for name in draw.sample(sorted(names), count)
    ]


def pick(share, count):
    return int(share * count)


def row_of(name, layer, head, token, *, cross=False):
    """A row of a family's tiny checkpoint."""
    spec, layers = golden_cross(name) if cross else golden_layers(name)
    trace = layers[pick(layer, len(layers))]
    tokens = TARGET if cross else make_tokens(*[f"w{i}" for i in range(len(trace.X))])
    d = derive(trace, trace.heads[pick(head, len(trace.heads))], pick(token, len(tokens)))
    return Row(d, tokens, WORDS if cross else None, spec)


@pytest.mark.parametrize(("name", "layer", "head", "token"), choices())
@pytest.mark.parametrize("language", Language)
def test_a_reader_of_the_markdown_can_redo_it(name, layer, head, token, language):
    row = row_of(name, layer, head, token)
    voice = Voice(language)
    for digits in (2, 4, 6):
        text = to_markdown([page_of(row, voice, digits=digits, full=True)])
        checked, faults = recompute(text)
        assert not faults
        assert checked > row.d.v.size + len(row.d.z)
        assert str(row.d.token) in text.splitlines()[0]


@pytest.mark.parametrize("name", ["bart", "t5", "marian", "pegasus"])
def test_so_can_a_reader_of_cross_attention(name):
    row = row_of(name, 0.6, 0.6, 0.6, cross=True)
    checked, faults = recompute(to_markdown([page_of(row, Voice(), full=True)]))
    assert not faults
    assert checked > row.d.v.size


def test_the_last_numbers_are_the_models_own():
    """What is printed is right, and not only consistent."""
    row = row_of("gemma3", 0.6, 0.3, 0.5)
    d = row.d
    text = to_markdown([page_of(row, Voice(), full=True, digits=6)])

    def printed(row):
        numbers = [line.split("|")[2:-1] for line in text.splitlines() if line.startswith(row)]
        return [
            float(cell.strip().rstrip("≈")) for line in numbers for cell in line if "$" not in cell
        ]

    np.testing.assert_allclose(printed(f"| $z_{{{d.token}}} = \\text{{sum}}$"), d.z, atol=1e-6)
    y = [
        n for line in text.splitlines() if line.startswith(f"| $y_{{{d.token}}}$ ") for n in [line]
    ]
    values = [float(cell.strip().rstrip("≈")) for line in y for cell in line.split("|")[2:-2]]
    np.testing.assert_allclose(values, d.y, atol=1e-6)


@pytest.mark.parametrize(
    ("section", "column"),
    [("The scale", 3), ("The attention weights", 4), ("The sum of the weighted values", 2)],
)
def test_the_script_finds_a_number_that_does_not_follow(section, column):
    text = to_markdown([page_of(row_of("bert", 0, 0, 0.5), Voice(), full=True)])
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.endswith(section))
    row = next(i for i in range(at, len(lines)) if re.match(r"\| (0|\$.quad .*) \|", lines[i]))
    cells = lines[row].split("|")
    value = cells[column + 1].strip().rstrip("≈ ")
    cells[column + 1] = f" {float(value) + 0.01:.4f} "
    _, faults = recompute("\n".join([*lines[:row], "|".join(cells), *lines[row + 1 :]]))
    assert faults


def test_a_vector_in_a_sentence_has_its_number_below_the_line():
    """k[2] is the second component, as in the tables' heads."""
    row = row_of("llama", 0.6, 0.3, 0.5)
    text = to_markdown([page_of(row, Voice())])
    assert f"every key goes the same way; k{subscript(row.d.key)}, " in text
    assert f"k$_{row.d.key}$, " in to_latex([page_of(row, Voice())])
    masked = derive(make_trace(3, mask=np.full((3, 3), -np.inf, np.float32)), 0, 1)
    text = to_markdown([page_of(Row(masked, WORDS[:3]), Voice())])
    assert "nothing to add: z₁ = 0" in text


def test_the_script_runs_by_itself(tmp_path):
    """As .ci/run does it: the sample, from the command line, nothing imported."""
    answer = run(*LONG, "--format", "md", "--full")
    assert answer.status == 0
    file = tmp_path / "row.md"
    file.write_text(answer.out, encoding="utf-8")
    done = subprocess.run([sys.executable, HERE / "recompute.py", file], capture_output=True)
    assert done.returncode == 0, done.stdout.decode()
    assert b"1342 results recomputed, 0 wrong" in done.stdout


def test_tables_are_tables_and_names_are_names():
    """A common renderer makes tables of it, whatever the tokens are called."""
    names = make_tokens("a|b", "<b>", "*x*", "`", "[l](u)", "$", "\\", "_y_", "w", "#", "&amp;")
    spec, layers = golden_layers("bert")
    text = to_markdown([page_of(Row(derive(layers[1], 0, 0), names, spec=spec), Voice())])
    html = MarkdownIt("commonmark").enable("table").render(text)
    assert html.count("<table>") == text.count("| --- |") > 8
    rows = re.findall(r"<tr>.*?</tr>", html, re.DOTALL)
    assert len({row.count("</t") for row in rows}) < 8
    for name in ("a|b", "&lt;b&gt;", "*x*", "`", "[l](u)", "\\", "_y_", "&amp;amp;"):
        assert f"<td>{name}</td>" in html


def compile_latex(text, folder, engine):
    (folder / "row.tex").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "row.tex"],
        cwd=folder,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (folder / "row.pdf").stat().st_size > 10_000


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no pdflatex here")
@pytest.mark.parametrize("name", ["bert", "gemma3", "olmo2", "mpt-6-heads", "deberta-v3", "t5"])
def test_latex_compiles(name, tmp_path):
    strange = make_tokens("50%", "$x_1^2$", "{}", "\\", "#&~", "“«é»”", "😀", "␠a", "<|>", "ß", "™")
    row = replace(row_of(name, 0.6, 0.3, 0.6), tokens=strange)
    compile_latex(to_latex([page_of(row, Voice())]), tmp_path, "pdflatex")


@pytest.mark.skipif(not shutil.which("xelatex"), reason="no xelatex here")
def test_chinese_latex_compiles(tmp_path):
    answer = run("explain", "因为它太累了", "--token", "1", "--format", "tex", "--lang", "zh")
    assert answer.status == 0
    assert r"\documentclass[a4paper]{ctexart}" in answer.out
    compile_latex(answer.out, tmp_path, "xelatex")


@pytest.mark.parametrize("language", Language)
def test_latex_has_a_sign_for_each_of_ours(language):
    """Only a foreign character is set by its code point."""
    rows = [row_of(name, 0.6, 0.3, 0.6) for name in ("gemma3", "olmo2", "mpt", "deberta-v3", "t5")]
    masked = derive(make_trace(3, mask=np.full((3, 3), -np.inf, np.float32)), 0, 1)
    voice = Voice(language)
    text = to_latex([page_of(row, voice) for row in [*rows, Row(masked, WORDS[:3])]])
    assert "U+" not in text
    assert "& ---" in text


@pytest.mark.parametrize(("name", "layer", "head", "token"), choices(12))
@pytest.mark.parametrize("language", Language)
def test_the_terminal_says_what_markdown_says(name, layer, head, token, language, monkeypatch):
    """All numbers with their marks, step by step: what recompute.py redoes is on the screen too."""
    row, screen = row_of(name, layer, head, token), Screen(1000, False, True, language)
    every = len(row.d.a)
    monkeypatch.setattr(walk, "SCREENFUL", Extent(products=8, values=every, addends=every))
    text = to_markdown([page_of(row, Voice(language), full=True)])

    def numbers(text):
        return set(re.findall(r"-?\d+\.\d{4}≈?", text))  # lengths are in each part of a table

    steps = [printed_lines(Lines(stop.lines), screen) for stop in walk.stops(row, screen)]
    for section, lines in zip(text.split("\n## ")[1:], steps, strict=True):
        assert numbers(section.replace("$ ≈", "≈")) == numbers("\n".join(lines)), lines[0]


def test_latex_says_what_markdown_says():
    made = page_of(row_of("qwen3", 0.6, 0.3, 0.6), Voice())
    numbers = [
        re.findall(r"-?\d+\.\d{4}", text) for text in (to_markdown([made]), to_latex([made]))
    ]
    assert numbers[0] == numbers[1]
    assert len(numbers[0]) > 200


def test_bad_use_says_what_to_do():
    answer = run("explain", "The cat sat", "--format", "md")
    assert (answer.status, answer.out) == (2, "")
    assert "--token" in answer.err
    answer = run("explain", "The cat sat", "--token", "cat", "--format", "md", "--json")
    assert answer.status == 2
