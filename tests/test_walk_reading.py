"""Numbers as people type them."""

import math

import numpy as np
import pytest

from attncli.walk.reading import read_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        (" -0.5 ", -0.5),
        ("−0.5", -0.5),  # a minus sign, not a hyphen
        (".5", 0.5),
        ("0,125", 0.125),
        ("1e-3", 0.001),
        ("1/8", 0.125),
        ("1/sqrt(64)", 0.125),
        ("1 / √64", 0.125),
        ("2*3/4", 1.5),
        ("2 × 3 ÷ 4", 1.5),
        ("e^2", math.exp(2)),
        ("e^-0.5", math.exp(-0.5)),
        ("e^(1/2)", math.exp(0.5)),
        ("exp(0)", 1),
        ("12.5%", 0.125),
        ("１／８", 0.125),  # full width, as a Chinese keyboard types it
        ("SQRT(4)", 2),
        ("+3", 3),
    ],
)
def test_what_is_a_number(text, value):
    np.testing.assert_allclose(read_number(text), value)


@pytest.mark.parametrize(
    "text",
    [
        *("", "it", "1/0", "sqrt(-1)", "1/", "(1", "1)", "1 2", "e^9999", "1e999", "nan", "inf"),
        *("1__2", "-" * 5000, "(" * 5000, "1" * 81, "--", "%", "2^3"),
    ],
)
def test_what_is_none(text):
    assert read_number(text) is None
