"""Right-to-left text moves no number: every screen, put through the Unicode bidi algorithm.

Each view is drawn twice, with Hebrew tokens and with Latin ones of the same lengths. What the
algorithm makes of the first must be the second, but for the letters.
"""

import re
from dataclasses import replace

import pytest
import walk_fixtures
from bidi import get_display
from command import run
from oracle import causal_mask
from views_fixtures import make_shown, make_spec, make_tokens, make_trace, plain, printed

from attncli.analysis.derive import derive
from attncli.exports.latex import to_latex
from attncli.exports.markdown import to_markdown
from attncli.exports.pages import page_of
from attncli.medium.screen import Screen
from attncli.narration.blocks import Ribbon
from attncli.narration.row import Row
from attncli.text.printable import quoted
from attncli.views.blocks import voice_of
from attncli.views.derivation import derivation_view
from attncli.views.header import header
from attncli.views.heatmap import heatmap
from attncli.views.lines import prose
from attncli.views.matrix import matrix
from attncli.views.overview import overview
from attncli.views.ribbon import ribbon
from attncli.views.token_table import token_table, tokenizer_title
from attncli.walk.frame import frame
from attncli.walk.press import start

HEBREW = ("שלום", "אב", "גדהוז", "ח", "123", "טיכ")
ARABIC = ("سلام", "عن", "كتابه", "و", "١٢٣٤٥٦", "بيت")
LATIN = ("xxxx", "xx", "xxxxx", "x", "123", "xxx")
SCREENS = [plain(40), plain(80), plain(120), Screen(80, color=True, unicode=True)]


def views(words, screen):
    tokens = make_tokens(*words)
    mask = causal_mask(len(words))
    trace = make_trace(len(words), mask=mask, d_model=40, d_k=5)
    row = Row(derive(trace, 0, len(words) - 1), tokens)
    yield header(words[0], f"from {words[1]}", make_spec(), 1, [0], tokens, screen)
    yield overview(trace.A, tokens, [1], screen, mask=mask)
    yield ribbon(Ribbon(tokens, row.d.a, row.d.hidden, 0), screen)
    for draw in (matrix, heatmap):
        for name, M in [("X", trace.X), ("S", trace.S[0]), ("A", trace.A[0])]:
            yield draw(make_shown(name, "L1H0", M, tokens, mask=mask), screen)
    yield derivation_view(row, screen)
    yield tokenizer_title(words[0], "WordPiece", 30, screen)
    yield token_table(tokens, [("normaliser", f"replaces «{words[0]}» by «{words[1]}»")], screen)


def displayed(text):
    """What a terminal shows that implements the algorithm, each letter as `x`."""
    bare = re.sub(r"\x1b\[[\d;]*m", "", text)
    shown = [get_display(line, base_dir="L") for line in bare.splitlines()]
    letters = re.sub("[\u0590-\u06ff]", "x", "\n".join(shown))
    return re.sub("[\u2068\u2069]", "", letters).replace("321", "123")


@pytest.mark.parametrize(
    ("words", "latin"), [(HEBREW, LATIN), (ARABIC, (*LATIN[:4], "xxxxxx", LATIN[5]))]
)
@pytest.mark.parametrize("screen", SCREENS)
def test_every_number_stays_in_its_column(words, latin, screen):
    for foreign, own in zip(views(words, screen), views(latin, screen), strict=True):
        assert displayed(printed(foreign, screen)) == displayed(printed(own, screen))


def test_the_row_of_the_report():
    tokens = make_tokens("שלום", "עולם")
    screen = plain()
    lines = printed(
        matrix(make_shown("A", "L1H0", make_trace(2).A[0], tokens), screen), screen
    ).splitlines()
    (row,) = [line for line in lines if "שלום" in line and "." in line]
    assert get_display(row).split()[0].strip("\u2068\u2069") == "םולש"
    assert get_display(row).split()[1:] == row.split()[1:]
    assert len(row.split()) >= 4


def test_each_step_of_the_walk():
    def window(words):
        row = walk_fixtures.rows(walk_fixtures.HERE)
        named = replace(row, tokens=make_tokens(*words))
        view = replace(walk_fixtures.view(), rows=lambda _: named)
        lines = frame(start(walk_fixtures.HERE, view), view, 80).lines
        return "\n".join("".join(segment.text for segment in line) for line in lines)

    assert "גדהוז" in window(HEBREW)
    assert displayed(window(HEBREW)) == displayed(window(LATIN))


def test_documents_keep_their_order_too():
    def written(words, form):
        tokens = make_tokens(*words)
        row = Row(derive(make_trace(6, d_model=40, d_k=5), 0, 0), tokens)
        return form([page_of(row, voice_of(plain()))])

    assert displayed(written(HEBREW, to_markdown)) == displayed(written(LATIN, to_markdown))
    assert r"\texttt{U+2068}" not in written(HEBREW, to_latex)


def test_screens_of_left_to_right_text_hold_no_isolates():
    for words in (LATIN, ("日本", "café", "🤗", "нет", "नमस्ते", "ไทย")):
        for view in views(words, plain()):
            assert not re.search("[\u2066-\u2069\u200e\u200f\u202a-\u202e]", printed(view, plain()))


@pytest.mark.parametrize("encoding", ["ascii", "cp1255", "iso8859-8", "gbk"])
def test_an_encoding_without_isolates_gets_right_to_left_text_escaped(encoding):
    screen = Screen(80, color=False, unicode=False, encoding=encoding)
    for view in views(HEBREW, screen):
        text = printed(view, screen)
        assert not re.search("[\u0590-\u05ff\u2068\u2069]", text)
        text.encode(encoding)
    assert r"\u05e9\u05dc" in printed(token_table(make_tokens("של"), [], screen), screen)


def test_json_has_the_text_alone():
    answer = run("tokens", "שלום", "--json")
    assert answer.status == 0
    assert "\u2068" not in answer.out
    assert "\\u2068" not in answer.out


@pytest.mark.parametrize("color", ["never", "always"])
def test_in_a_pipe_too(color):
    answer = run("tokens", "שלום 1", "--color", color)
    rows = [line for line in answer.out.splitlines() if "⟨" in line]
    assert rows
    for row in rows:
        shown = get_display(row, base_dir="L")
        assert re.findall(r"\d+–\d+|bytes .*", shown) == re.findall(r"\d+–\d+|bytes .*", row)


def test_a_quotation_that_is_broken_between_lines():
    said = f"there is no token {quoted('שלום עולם אחד')}: 1 2 3 4"
    lines = ["".join(part.text for part in line) for line in prose(said, plain(28))]
    assert [get_display(line) for line in lines] == [
        "there is no token \u2068םלוע םולש\u2069",
        "\u2068דחא\u2069: 1 2 3 4",
    ]


def test_errors_keep_their_order(tmp_path):
    answer = run("explain", "a b", "-w", tmp_path / "שלום", "--layer", "7")
    assert "\u2068" in answer.err
    assert get_display(answer.err, base_dir="L").startswith("Error: no weights at")
