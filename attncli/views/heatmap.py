"""A matrix as coloured cells, or as shades and digits where there is no colour."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from rich.segment import Segment
from rich.style import Style

from attncli.attention import Array
from attncli.medium.numbers import blocks, notation
from attncli.medium.screen import Screen
from attncli.medium.signs import spell
from attncli.views import palette
from attncli.views.captions import caption, corner, fully_masked_note, title
from attncli.views.labels import row_labels
from attncli.views.lines import DIM, Line, Lines, fold, on_screen, prose, width_of
from attncli.views.shown import Hidden, Shown

Cell = TypeVar("Cell")
Levels = npt.NDArray[np.intp]

_MANY_ROWS = 40  # from here on two rows of A share a line
_MAX_BLOCKS = 3  # of columns, if not everything was asked for
_TICK_STEP = 5  # columns of two cells, or twice as many of one, from number to number
_HIDDEN = -1  # the level of a masked cell


def _runs(cells: Iterable[Cell]) -> Iterator[tuple[Cell, int]]:
    """Each cell and how often it comes in a row: one segment can draw these."""
    for cell, run in groupby(cells):
        yield cell, sum(1 for _ in run)


def _masked_run(length: int, cells: int, screen: Screen) -> Segment:
    return Segment(f"{palette.masked(screen):<{cells}}" * length, DIM)


def _colored_row(
    levels: Sequence[int], cells: int, style: Callable[[int], Style], screen: Screen
) -> Line:
    line = []
    for level, length in _runs(levels):
        if level == _HIDDEN:
            line.append(_masked_run(length, cells, screen))
        else:
            line.append(Segment(" " * (cells * length), style(level)))
    return line


def _half_block_row(
    upper: Sequence[int],
    lower: Sequence[int],
    style: Callable[[int, int | None], Style],
    screen: Screen,
) -> Line:
    """Two rows on one line, one cell per column; a masked half is left as background."""
    line = []
    for (top, bottom), length in _runs(zip(upper, lower, strict=True)):
        if top == bottom == _HIDDEN:
            line.append(_masked_run(length, 1, screen))
        elif top == _HIDDEN:
            line.append(Segment("▄" * length, style(bottom, None)))
        else:
            below = None if bottom == _HIDDEN else bottom
            line.append(Segment("▀" * length, style(top, below)))
    return line


def _shaded_row(levels: Sequence[int], cells: int, screen: Screen) -> Line:
    signs = [shade * cells for shade in palette.shades(screen)]
    signs.append(f"{palette.masked(screen):<{cells}}")  # found at _HIDDEN, the last
    return [Segment("".join([signs[level] for level in levels]))]


def _hide(levels: Levels, hidden: Hidden) -> list[list[int]]:
    rows: list[list[int]] = np.where(hidden, _HIDDEN, levels).tolist()
    return rows


def rows_of_A(
    A: Array, hidden: Hidden, screen: Screen, *, cells: int, halves: bool = False
) -> list[Line]:
    """The rows of A, each value `cells` wide; with `halves` two rows per line, one cell wide.

    `hidden` marks the masked cells. Without colour, or without block characters, every row
    has a line of its own.
    """
    if not screen.color:
        levels = palette.weight_levels(A, len(palette.shades(screen)))
        return [_shaded_row(row, cells, screen) for row in _hide(levels, hidden)]
    rows = _hide(palette.weight_levels(A), hidden)
    if not halves or not screen.unicode:
        style = cache(palette.weight_style)
        return [_colored_row(row, cells, style, screen) for row in rows]
    if len(rows) % 2:
        rows.append([_HIDDEN] * len(rows[0]))
    pair_style = cache(palette.half_block_style)
    return [
        _half_block_row(upper, lower, pair_style, screen)
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    ]


def _masked_word(screen: Screen, hidden: Hidden) -> list[Line]:
    says = screen.say("masked", mark=palette.masked(screen))
    return [[Segment(says, DIM)]] if hidden.any() else []


def legend_of_A(screen: Screen, hidden: Hidden) -> list[Line]:
    """Which colour or shade stands for which weight."""
    if screen.color:
        marks = np.array([0, 0.05, 0.1, 0.25, 0.5, 1])
        scale = [
            Segment(f" {mark:.2f} ", palette.weight_style(level))
            for mark, level in zip(marks, palette.weight_levels(marks).tolist(), strict=True)
        ]
        words = [[Segment("a = ", DIM), *scale], [Segment(spell(screen.say("grows"), screen), DIM)]]
    else:
        signs = palette.shades(screen)[1:]
        bounds = [(level / (len(signs) + 1)) ** 2 for level in range(1, len(signs) + 1)]
        words = [[Segment(screen.say("blank_below", bound=f"{bounds[0]:.2f}"))]]
        for sign, bound in zip(signs, bounds, strict=True):
            words.append([Segment(spell(f"{sign} ≥ {bound:.2f}", screen))])
    return fold(words + _masked_word(screen, hidden), screen.width, gap=2)


def _signed_levels(M: Array, limit: float, steps: int) -> Levels:
    """-steps to steps, in proportion to the value; `limit` is steps."""
    with np.errstate(invalid="ignore"):  # masked scores are -inf
        shares = np.nan_to_num(M / (limit or 1), nan=0, posinf=0, neginf=0)
    levels: Levels = np.rint(np.clip(shares, -1, 1) * steps).astype(np.intp)
    return levels


def _signed_row(
    levels: Sequence[int],
    hidden: Sequence[bool],
    cells: int,
    style: Callable[[bool], Style],
    screen: Screen,
) -> Line:
    shades = palette.shades(screen)
    line = []
    for (level, masked), length in _runs(zip(levels, hidden, strict=True)):
        if masked:
            line.append(_masked_run(length, cells, screen))
        else:
            text = shades[abs(level)] * (cells * length)
            line.append(Segment(text, style(level < 0) if level else None))
    return line


def _digit_row(levels: Sequence[int], hidden: Sequence[bool], screen: Screen) -> Line:
    """Two cells per value: a sign and a digit; zero is blank."""
    mark = f" {palette.masked(screen)}"
    return [
        Segment(
            "".join(
                [
                    mark if masked else f"{level or '':>2}"
                    for level, masked in zip(levels, hidden, strict=True)
                ]
            )
        )
    ]


def _signed_rows(M: Array, hidden: Hidden, limit: float, screen: Screen, cells: int) -> list[Line]:
    masked: list[list[bool]] = hidden.tolist()
    if not screen.color:
        digits: list[list[int]] = _signed_levels(M, limit, 9).tolist()
        return [_digit_row(*row, screen) for row in zip(digits, masked, strict=True)]
    steps = len(palette.shades(screen)) - 1
    levels: list[list[int]] = _signed_levels(M, limit, steps).tolist()
    style = cache(palette.sign_style)
    return [_signed_row(*row, cells, style, screen) for row in zip(levels, masked, strict=True)]


def _signed_legend(limit: float, digits: int, hidden: Hidden, screen: Screen) -> list[Line]:
    style = notation(np.array([-limit, limit]), digits)
    low, high = style.write(-limit), style.write(limit)
    in_proportion, blank = screen.say("in_proportion"), screen.say("blank_is_0")
    if screen.color:
        shades = palette.shades(screen)[1:]
        scale = [
            Segment(f"{low} "),
            Segment(shades[::-1], palette.sign_style(True)),
            Segment(" 0 "),
            Segment(shades, palette.sign_style(False)),
            Segment(f" {high}"),
        ]
        words = [scale, [Segment(f"{in_proportion}{screen.say('semicolon')}{blank}", DIM)]]
    else:
        words = [
            [Segment(f"-9 = {low}")],
            [Segment(blank)],
            [Segment(f"9 = {high}")],
            [Segment(in_proportion)],
        ]
    return fold(words + _masked_word(screen, hidden), screen.width, gap=2)


def _ticks(columns: range, cells: int) -> str:
    """Every fifth or tenth column's number, over the first cell of the column."""
    text = ""
    for column in columns[:: _TICK_STEP * 2 // cells]:
        ticked = f"{text:<{(column - columns.start) * cells}}{column}"
        if len(ticked) <= len(columns) * cells:
            text = ticked
    return text


def _column_blocks(columns: int, room: int, full: bool) -> list[range]:
    """The columns that are drawn, in blocks that fit; a few blocks are drawn even if not `full`."""
    if full or columns <= _MAX_BLOCKS * room:
        return blocks(columns, room, multiple=_TICK_STEP)
    return [range(room)]


def _notes(
    says: str, columns: int, shown: int, halves: bool, hidden: Hidden, screen: Screen
) -> list[str]:
    notes = [says]
    if halves:
        notes.append(screen.say("two_rows"))
    if shown < columns:
        left_out = columns - shown
        notes.append(
            screen.say("columns_shown", last=shown - 1, columns=columns, left_out=left_out)
        )
    if note := fully_masked_note(hidden, screen.language):
        notes.append(note)
    return notes


def heatmap(
    shown: Shown, screen: Screen, *, digits: int | None = None, full: bool = False
) -> Lines:
    """A matrix as a picture, one row per token, or per component of what a parameter multiplies.

    Columns that do not fit are drawn in blocks; a matrix that would take many blocks is cut, and
    says so, unless `full`. `digits` after the point in the legend: 2 if not given.
    """
    labels = row_labels(shown.rows, screen, len(shown.values))
    labels_width = width_of(labels[0])
    room = screen.width - labels_width
    M, hidden = shown.values, shown.hidden
    rows, columns = M.shape
    is_A, of_tokens = shown.name == "A", shown.matrix.columns == "keys"
    wide = 2 * columns <= room
    halves = is_A and screen.color and screen.unicode and (rows > _MANY_ROWS or not wide)
    signs_and_digits = not is_A and not screen.color
    cells = 2 if (wide and not halves) or signs_and_digits else 1
    limit = float(np.abs(M[~hidden]).max(initial=0))

    no_corner: tuple[list[Line], Segment] = [], Segment(" " * labels_width)
    above, head = corner(labels_width, screen, cross=shown.cross) if of_tokens else no_corner
    lines = [title(shown)]
    ranges = _column_blocks(columns, max(room // cells, 1), full)
    for block in ranges:
        part = slice(block.start, block.stop)
        if is_A:
            drawn = rows_of_A(M[:, part], hidden[:, part], screen, cells=cells, halves=halves)
        else:
            drawn = _signed_rows(M[:, part], hidden[:, part], limit, screen, cells)
        lines += [[]] if block.start else []
        lines += above
        lines.append([head, Segment(_ticks(block, cells), DIM)])
        beside = labels[::2] if halves else labels
        lines += [label + row for label, row in zip(beside, drawn, strict=True)]
    if is_A:
        lines += legend_of_A(screen, hidden)
    else:
        lines += _signed_legend(limit, 2 if digits is None else digits, hidden, screen)
    notes = _notes(
        caption(shown, screen.language), columns, ranges[-1].stop, halves, hidden, screen
    )
    return on_screen(lines + prose(screen.say("semicolon").join(notes), screen), screen)
