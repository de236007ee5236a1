"""Numbers are written alike and never cut."""

import numpy as np
import pytest

from attncli.medium.numbers import blocks, notation, short_weight


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1.5, -20.25], ["1.500", "-20.250"]),
        ([1234567.0, 0.5], ["1234567.000", "0.500"]),
        ([3e7, 0.5], ["3.000e+07", "5.000e-01"]),
        ([4e-5, -1e-6], ["4.000e-05", "-1.000e-06"]),
        ([1.0, -1e-6], ["1.000", "0.000"]),  # no minus before a zero
        ([0.0, 0.0], ["0.000", "0.000"]),
        ([1.0, -np.inf], ["1.000", "-inf"]),
    ],
)
def test_all_numbers_of_a_matrix_have_one_notation(values, texts):
    style = notation(np.array(values, dtype=np.float32), 3)
    assert [style.write(value) for value in values] == texts
    assert style.width == max(len(text) for text in texts if text != "-inf")
    assert style.row(values, 14) == "".join(f"{text:>14}" for text in texts)


@pytest.mark.parametrize(("long", "short"), [("0.65", ".65"), ("1.00", "1.00"), ("0", "0")])
def test_a_short_weight_keeps_its_digits(long, short):
    assert short_weight(long) == short


def test_blocks_are_about_equally_long():
    assert blocks(12, 11) == [range(6), range(6, 12)]
    assert blocks(5, 9) == [range(5)]


def test_blocks_start_at_round_numbers_where_there_is_room():
    assert blocks(64, 40, multiple=5) == [range(35), range(35, 64)]
    assert blocks(64, 33, multiple=5) == [range(32), range(32, 64)]
