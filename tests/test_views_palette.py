"""The colour maps keep what they promise: even steps, legible text, safe for the colour-blind."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from rich.color import ColorSystem

from attncli.views import palette

# Linear RGB as seen without the medium-wave cones: Machado, Oliveira and Fernandes 2009,
# https://doi.org/10.1109/TVCG.2009.113, severity 1.0.
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
# sRGB to XYZ, D65 (IEC 61966-2-1).
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(rgb):
    c = np.array(rgb) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(linear_rgb):
    ratio = TO_XYZ @ linear_rgb / TO_XYZ.sum(axis=1)
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def contrast(one, other):
    light, dark = sorted([palette.luminance(one), palette.luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


LEVELS = range(palette.WEIGHT_LEVELS)


def test_lightness_grows_evenly_with_the_level():
    lightness = [lab(linear(palette.weight_rgb(level)))[0] for level in LEVELS]
    steps = [after - before for before, after in pairwise(lightness)]
    assert min(steps) > 1
    assert max(steps) < 6


@pytest.mark.parametrize("level", LEVELS)
def test_text_on_a_weight_is_legible(level):
    rgb = palette.weight_rgb(level)
    assert contrast(rgb, palette.contrast_rgb(rgb)) >= 4.5


def test_the_signs_are_told_apart_without_green_cones():
    seen = [
        lab(np.clip(DEUTERANOPIA @ linear(pole), 0, 1))
        for pole in (palette.NEGATIVE, palette.POSITIVE)
    ]
    assert np.linalg.norm(seen[0] - seen[1]) > 60


@pytest.mark.parametrize("background", [(0, 0, 0), (255, 255, 255)])
@pytest.mark.parametrize("pole", [palette.NEGATIVE, palette.POSITIVE])
def test_the_signs_stand_out_from_dark_and_from_light(pole, background):
    assert contrast(pole, background) >= 3


def test_levels_are_equal_steps_of_the_square_root():
    A = np.array([0, 0.039, 0.041, 0.159, 0.161, 0.359, 0.361, 0.639, 0.641, 1, 1.0000001])
    assert_array_equal(palette.weight_levels(A, 5), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4])


@pytest.mark.parametrize(
    "style", [palette.weight_style, lambda level: palette.half_block_style(level, 9)]
)
def test_one_depth_of_colour_does_not_spoil_the_next(style):
    assert "48;5;" in style(20).render("x", color_system=ColorSystem.EIGHT_BIT)
    assert "48;2;" in style(20).render("x", color_system=ColorSystem.TRUECOLOR)
