"""Lines break between words only, and show what the screen can show."""

from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from views_fixtures import colored, plain, printed, printed_lines

from attncli.views.lines import BOLD, fold, on_screen, pieces, prose, width_of


def texts(lines):
    return ["".join(segment.text for segment in line) for line in lines]


def words(text):
    return [[Segment(word)] for word in text.split()]


def test_words_are_folded_with_a_hanging_indent():
    assert texts(fold(words("it was too tired"), 9, indent=2)) == ["it was", "  too", "  tired"]


def test_wide_characters_count_two_cells():
    assert texts(fold(words("日本 日本 ab"), 9)) == ["日本 日本", "ab"]


@given(st.lists(st.text("ab日", min_size=1, max_size=5), min_size=1), st.integers(14, 40))
def test_no_word_is_lost_or_broken_and_no_line_too_long(parts, width):
    lines = fold([[Segment(part)] for part in parts], width, indent=3, gap=2)
    assert max(map(width_of, lines)) <= width
    assert " ".join(texts(lines)).split() == parts


def test_a_long_text_is_broken_after_blanks_and_slashes():
    assert texts(pieces("in /a/long/path", 15)) == ["in /a/long/path"]
    assert texts(pieces("in /a/long/path", 9)) == ["in /a/", "long/path"]


def test_prose_is_indented_as_a_block():
    assert texts(prose("one two three", plain(10), indent=2)) == ["  one two", "  three"]


def test_without_colour_no_escape_code_is_written():
    view = on_screen([[Segment("a", BOLD), Segment("b")]], plain())
    assert printed(view, plain()) == "ab\n"
    view = on_screen([[Segment("a", BOLD), Segment("b")]], colored())
    assert printed(view, colored()) == "\x1b[1ma\x1b[0mb\n"


def test_without_unicode_our_signs_become_ascii_of_the_same_width():
    screen = plain(20, unicode=False)
    view = on_screen([[Segment("▸H0 it→a… ≈ q₁₀ · ×")]], screen)
    assert printed_lines(view, screen) == [">H0 it>a. ~ q10 . x"]
