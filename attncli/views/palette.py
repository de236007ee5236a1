"""Which colour, shade or digit stands for a value.

Attention weights are one-signed: a sequential map, fixed to 0..1, that grows with the
square root of a, because most weights are small. Everything else is signed: a shade of the
terminal's own background in blue or orange, so that zero is the background itself, dark or
light. Both maps are safe for the common kinds of colour blindness.

Every call makes a style of its own, because rich keeps in a style how it came out at the colour
depth of its first console. A drawing with many cells caches them for itself.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
from rich.color import Color
from rich.style import Style

from attncli.attention import Array
from attncli.medium.screen import Screen

Rgb = tuple[int, int, int]

# Magma, perceptually uniform: Smith and van der Walt, https://bids.github.io/colormap/ (CC0).
_MAGMA: tuple[Rgb, ...] = (
    (0, 0, 4),
    (29, 17, 71),
    (81, 18, 124),
    (130, 38, 129),
    (182, 54, 121),
    (230, 81, 100),
    (251, 136, 97),
    (254, 194, 135),
    (252, 253, 191),
)
WEIGHT_LEVELS = 32
NEGATIVE: Rgb = (56, 132, 220)  # both of middle lightness: legible on black and on white
POSITIVE: Rgb = (214, 112, 32)

UNICODE_SHADES = " ░▒▓█"
ASCII_SHADES = " .:-=+*#%@"


def weight_rgb(level: int) -> Rgb:
    """The colour of a weight's level, 0 to WEIGHT_LEVELS - 1."""
    position = level / (WEIGHT_LEVELS - 1) * (len(_MAGMA) - 1)
    left = min(int(position), len(_MAGMA) - 2)
    share = position - left
    r, g, b = (
        round(start + share * (end - start))
        for start, end in zip(_MAGMA[left], _MAGMA[left + 1], strict=True)
    )
    return r, g, b


def luminance(rgb: Rgb) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance)."""

    def linear(channel: int) -> float:
        c = channel / 255
        return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

    r, g, b = map(linear, rgb)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast_rgb(background: Rgb) -> Rgb:
    """Black or white, whichever is easier to read on the background."""
    light = luminance(background)
    return (0, 0, 0) if (light + 0.05) / 0.05 > 1.05 / (light + 0.05) else (255, 255, 255)


def weight_levels(A: Array, count: int = WEIGHT_LEVELS) -> npt.NDArray[np.intp]:
    """The level of each weight among `count` levels of equal width in √a; any shape."""
    return np.minimum((np.sqrt(np.clip(A, 0, 1)) * count).astype(np.intp), count - 1)


@cache
def _weight_color(level: int) -> Color:
    return Color.from_rgb(*weight_rgb(level))


def weight_style(level: int) -> Style:
    """Legible text on the colour of a weight's level."""
    return Style(
        color=Color.from_rgb(*contrast_rgb(weight_rgb(level))), bgcolor=_weight_color(level)
    )


def half_block_style(upper: int, lower: int | None) -> Style:
    """For `▀`: the upper half in one level's colour, the lower in another's or left alone."""
    return Style(
        color=_weight_color(upper), bgcolor=None if lower is None else _weight_color(lower)
    )


def sign_style(negative: bool) -> Style:
    """The colour of a shade that stands for a negative or a positive number."""
    return Style(color=Color.from_rgb(*(NEGATIVE if negative else POSITIVE)))


def shades(screen: Screen) -> str:
    """One character per level of darkness, the background first."""
    return UNICODE_SHADES if screen.unicode else ASCII_SHADES


def masked(screen: Screen) -> str:
    """The mark of a cell that a mask hides; no shade looks like it."""
    return "·" if screen.unicode else "x"
