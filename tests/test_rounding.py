"""Whether a printed result follows from printed operands."""

import math

import pytest

from attncli.analysis.rounding import Number, Reading, last_digit, off_by, read, recheck, total
from attncli.narration.blocks import Marks


@pytest.mark.parametrize(
    ("printed", "worth"),
    [("0.150", 1e-3), ("-12.5", 0.1), ("7", 1.0), ("1.5e-07", 1e-8), ("2.500e+03", 1.0)],
)
def test_the_last_digit_is_worth(printed, worth):
    assert last_digit(printed) == pytest.approx(worth)


@pytest.mark.parametrize(
    ("printed", "recomputed", "units"),
    [
        ("0.33", 1 / 3, 0),
        ("0.34", 1 / 3, 1),
        ("0.99", 1.0, 1),
        ("2.27", 2.2501, 2),
        ("0.15", 0.145, 0),  # a tie: calculators round it up or to even
        ("0.14", 0.145, 0),
        ("-0.020", -0.0206, 1),
        ("1.20e-05", 1.19e-05, 1),
    ],
)
def test_a_result_is_off_by_units_of_its_last_digit(printed, recomputed, units):
    assert off_by(printed, recomputed) == units


def farthest(function, *operands):
    """How far the function's value can be from that of the operands, at the ends of each."""
    corners = [()]
    for operand in operands:
        ends = (operand.value - operand.error, operand.value + operand.error)
        corners = [(*corner, end) for corner in corners for end in ends]
    exact = function(*(operand.value for operand in operands))
    return max(abs(function(*corner) - exact) for corner in corners)


@pytest.mark.parametrize(
    ("reading", "function", "operands"),
    [
        (read("1.2") - read("0.35"), lambda a, b: a - b, ["1.2", "0.35"]),
        (read("-3.2") * read("0.04"), lambda a, b: a * b, ["-3.2", "0.04"]),
        (read("0.2") / read("1.4"), lambda a, b: a / b, ["0.2", "1.4"]),
        (read("-1.7").exp(), math.exp, ["-1.7"]),
        (read("1.2") + read("-0.35"), lambda a, b: a + b, ["1.2", "-0.35"]),
        (read("-0.7").tanh(), math.tanh, ["-0.7"]),
        (read("0.02").tanh(), math.tanh, ["0.02"]),
        (total(["0.2", "-0.1", "3.05"]), lambda *terms: sum(terms), ["0.2", "-0.1", "3.05"]),
    ],
)
def test_a_reading_knows_how_far_rounding_can_have_led_it_astray(reading, function, operands):
    operands = list(map(read, operands))
    assert reading.value == pytest.approx(function(*(operand.value for operand in operands)))
    assert reading.error == pytest.approx(farthest(function, *operands))


def test_a_printed_number_is_within_half_a_unit():
    assert read("-0.150") == Reading(-0.15, 0.0005)
    assert (read("-1e+07") - read("3e+07")).exp().value == 0


def test_a_divisor_that_may_be_zero_explains_everything():
    assert (read("1") / read("0.4")).error < math.inf
    assert (read("1") / read("0.5") * read("0")).value == 0
    assert (read("1") / Reading(0.1, 0.1)).error == math.inf


def test_a_result_knows_by_how_much_it_is_off():
    assert recheck("0.33", Reading(1 / 3)) == Number("0.33", 0)
    assert recheck("0.99", Reading(1.02, 0.03)) == Number("0.99", 3)
    assert recheck("0.99", Reading(1.0, 0.01)) == Number("0.99", 1)


def test_what_rounding_cannot_explain_is_not_explained():
    def explained(value, error=0.0):
        return recheck("0.99", Reading(value, error), noise=0.01).explained

    assert explained(1.02, 0.015)  # half a unit of the result as well
    assert not explained(1.02, 0.014)
    assert explained(0.99)


def test_the_worst_number_shown_is_remembered():
    marks = Marks()
    assert [marks.write(Number("0.5", off)) for off in (None, 0, 3, 1)] == [
        *("0.5", "0.5", "0.5≈", "0.5≈")
    ]
    assert (marks.worst, marks.explained) == (3, True)
    marks.write(Number("0.5", 4, explained=False))
    assert (marks.worst, marks.explained) == (4, False)
