"""Facts: names on the left, what they are on the right, and nothing left out."""

import pytest
from rich.cells import cell_len
from views_fixtures import plain, printed

from attncli.views.facts import fact_lines, title
from attncli.views.lines import on_screen

FACTS = [("layers", "2"), ("a name that is far too long", "one two three four five " + "x" * 50)]


def lines_of(width, **options):
    screen = plain(width, unicode=True)
    return printed(on_screen(fact_lines(FACTS, screen, **options), screen), screen).splitlines()


def test_a_long_name_stands_on_a_line_of_its_own():
    assert [line.rstrip() for line in lines_of(40, gap=1)] == [
        "layers        2",
        "a name that is far too long",
        "              one two three four five",
        "              " + "x" * 26,
        "              " + "x" * 24,
    ]


@pytest.mark.parametrize("width", [40, 57, 80, 120])
def test_nothing_is_left_out_and_nothing_is_too_wide(width):
    lines = lines_of(width)
    assert max(map(cell_len, lines)) <= width
    assert "".join("".join(lines).split()).endswith("onetwothreefourfive" + "x" * 50)


def test_foreign_text_passes_the_filter_and_fits_the_encoding():
    screen = plain(40, unicode=False)
    view = on_screen(
        [*title("é\x1b[2J", ["日"], screen), *fact_lines([("é", "日")], screen)], screen
    )
    text = printed(view, screen)
    assert text.isascii()
    assert "\x1b" not in text
