"""Whether a printed result follows from printed operands."""

import pytest

from attncli.analysis.rounding import Recheck, last_digit, off_by


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


def test_the_worst_result_is_remembered():
    recheck = Recheck()
    assert recheck.follows("0.33", 1 / 3)
    assert recheck.worst == 0
    assert not recheck.follows("0.99", 1.02)
    assert not recheck.follows("0.99", 1.0)
    assert recheck.worst == 3
