"""A matrix as a table of numbers, none of them cut."""

from functools import cache

import numpy as np
from rich.cells import cell_len
from rich.segment import Segment

from attncli.analysis.heads import LargestKeys, largest_keys, resting_place
from attncli.attention import Array
from attncli.medium.numbers import Notation, blocks, notation, short_weight
from attncli.medium.screen import Screen
from attncli.text.printable import pad
from attncli.views import palette
from attncli.views.captions import caption, corner, fully_masked_note, title
from attncli.views.labels import name_segment, row_labels
from attncli.views.lines import DIM, Line, Lines, fold, on_screen, prose, width_of
from attncli.views.shown import Hidden, Shown

_MANY_TOKENS = 40  # with more, a row of S or A is told by its largest keys
_LARGEST = 8
_LAST = 2  # columns of a component matrix, or rows of a parameter, after those left out
_FIRST_ROWS = 10  # of a parameter, before those left out
_ALL_MASKED = "—"


# Components: X, Q, K, V, Z, Y, the parameters


def _component_rows(M: Array, columns: range, style: Notation, cells: int) -> list[str]:
    """The head and the rows of some columns."""
    head = "".join([f"{column:>{cells}}" for column in columns])
    part = M[:, columns.start : columns.stop].tolist()
    return [head, *(style.row(row, cells) for row in part)]


def _component_table(shown: Shown, screen: Screen, digits: int, full: bool) -> list[Line]:
    labels = row_labels(shown.rows, screen, len(shown.values))
    M, style = shown.values, notation(shown.values, digits)
    rows_left_out = 0
    if shown.rows is None and not full:
        rows_left_out = max(len(M) - _FIRST_ROWS - _LAST, 0)
    if rows_left_out:
        M = np.concatenate([M[:_FIRST_ROWS], M[-_LAST:]])
        labels = [*labels[:_FIRST_ROWS], *labels[-_LAST:]]
    count = M.shape[1]
    cells = max(style.width, len(str(count - 1))) + 2
    room = screen.width - width_of(labels[0])
    fitting = max(room // cells, 1)
    left_out = f"  {screen.say('columns_left_out', count=count)}"
    first = (room - cell_len(left_out)) // cells - _LAST
    if full or count <= fitting or first < 1:
        tables = [_component_rows(M, block, style, cells) for block in blocks(count, fitting)]
    else:
        left_out = f"  {screen.say('columns_left_out', count=count - first - _LAST)}"
        before = _component_rows(M, range(first), style, cells)
        after = _component_rows(M, range(count - _LAST, count), style, cells)
        between = [left_out, *(pad("…", cell_len(left_out), "center") for _ in M)]
        tables = [["".join(parts) for parts in zip(before, between, after, strict=True)]]
    lines: list[Line] = []
    for head, *rows in tables:
        lines += [[]] if lines else []
        lines.append([Segment(" " * width_of(labels[0])), Segment(head, DIM)])
        drawn = [[*label, Segment(row)] for label, row in zip(labels, rows, strict=True)]
        if rows_left_out:
            says = screen.say("rows_left_out", count=rows_left_out)
            drawn.insert(_FIRST_ROWS, [Segment(" " * width_of(labels[0])), Segment(says, DIM)])
        lines += drawn
    return lines


# Tokens with tokens: S, A, the mask, the position bias


def _style(name: str, M: Array, hidden: Hidden, digits: int) -> Notation:
    return Notation(digits, "f") if name == "A" else notation(M[~hidden], digits)


def _marked(texts: list[list[str]], hidden: Hidden, screen: Screen) -> list[list[str]]:
    """The texts with the mark of a masked cell, or of a row in which every key is masked."""
    if not hidden.any():
        return texts
    mark = palette.masked(screen)
    masks: list[list[bool]] = hidden.tolist()
    return [
        [_ALL_MASKED] * len(row)
        if all(masked)
        else [mark if cell else text for text, cell in zip(row, masked, strict=True)]
        for row, masked in zip(texts, masks, strict=True)
    ]


def _column_cells(texts: list[list[str]]) -> int:
    """The longest text or column number, and a blank before it."""
    longest = max([len(text) for row in texts for text in row])
    return 1 + max(longest, len(str(len(texts[0]) - 1)))


def _rows(
    texts: list[list[str]], levels: list[list[int]] | None, part: slice, cells: int
) -> list[Line]:
    """Some columns, on the colours of their `levels` if there are any; masked cells have none."""
    if levels is None:
        return [[Segment("".join([f"{text:>{cells}}" for text in row[part]]))] for row in texts]
    style = cache(palette.weight_style)
    return [
        [
            Segment(f"{text:>{cells}}", DIM if level < 0 else style(level))
            for text, level in zip(row[part], row_levels[part], strict=True)
        ]
        for row, row_levels in zip(texts, levels, strict=True)
    ]


def _row_sums(A: Array, hidden: Hidden, digits: int) -> list[str]:
    totals = A.sum(axis=1, dtype=float).tolist()
    masked: list[bool] = np.all(hidden, axis=1).tolist()
    return [
        _ALL_MASKED if none else f"{total:.{digits}f}"
        for total, none in zip(totals, masked, strict=True)
    ]


def _token_table(shown: Shown, screen: Screen, digits: int) -> list[Line]:
    """Rows and heads in blocks of columns.

    A is written `0.65`, or `.65` where that makes all columns fit; the sums of its rows follow
    the last column if there is room. With colour its digits stand on the colour of their weight.
    """
    name, M, hidden = shown.name, shown.values, shown.hidden
    labels = row_labels(shown.rows, screen)
    labels_width = width_of(labels[0])
    room = screen.width - labels_width
    above, start = corner(labels_width, screen, cross=shown.cross)
    count = M.shape[1]

    style = _style(name, M, hidden, digits)
    texts = _marked([list(map(style.write, row)) for row in M.tolist()], hidden, screen)
    cells = _column_cells(texts)
    sums: list[str] = []
    levels: list[list[int]] | None = None
    if name == "A":
        if count * cells > room:
            texts = [[short_weight(text) for text in row] for row in texts]
            cells = _column_cells(texts)
        sums = _row_sums(M, hidden, digits)
        if screen.color:
            levels = np.where(hidden, -1, palette.weight_levels(M)).tolist()
    sum_word = screen.say("sum")
    sum_cells = max([cell_len(sum_word) - 1, *map(len, sums)]) + 2

    lines: list[Line] = []
    for block in blocks(count, max(room // cells, 1)):
        head = [start, Segment("".join([f"{column:>{cells}}" for column in block]), DIM)]
        rows = _rows(texts, levels, slice(block.start, block.stop), cells)
        if sums and block.stop == count and len(block) * cells + sum_cells <= room:
            head.append(Segment(pad(sum_word, sum_cells, "right"), DIM))
            rows = [
                [*row, Segment(f"{total:>{sum_cells}}", DIM)]
                for row, total in zip(rows, sums, strict=True)
            ]
        lines += [*([[]] if lines else []), *above, head]
        lines += [label + row for label, row in zip(labels, rows, strict=True)]
    return lines


# Many tokens: the largest keys of each row


def _rest(
    name: str, largest: LargestKeys, style: Notation, cells: int, screen: Screen
) -> list[Line]:
    """How many keys are left out and what they come to, in one word or, if too long, in two."""
    value = style.write(largest.rest_sum if name == "A" else largest.rest_max)
    words = [
        screen.say("keys_left_out", count=largest.rest),
        screen.say("left_out.A" if name == "A" else "left_out.S", value=value),
    ]
    if cell_len(" ".join(words)) <= cells:
        words = [" ".join(words)]
    return [[Segment(word, DIM)] for word in words]


def _value(value: float, style: Notation, colored: bool) -> Segment:
    if not colored:
        return Segment(style.write(value))
    level = int(palette.weight_levels(np.array(value)))
    return Segment(f" {style.write(value)} ", palette.weight_style(level))


def _largest_table(shown: Shown, screen: Screen, digits: int) -> list[Line]:
    name, M, hidden = shown.name, shown.values, shown.hidden
    style = _style(name, M, hidden, digits)
    labels = row_labels(shown.rows, screen)
    indent = width_of(labels[0]) + 1
    room = screen.width - indent
    cells = max(8, screen.width // 8)
    names = [name_segment(token, screen, cells) for token in shown.keys]
    colored = name == "A" and screen.color
    lines: list[Line] = []
    for label, row, permitted in zip(labels, M, ~hidden, strict=True):
        largest = largest_keys(row, _LARGEST, permitted)
        words = [
            [names[key], Segment(f" {key} ", DIM), _value(value, style, colored)]
            for key, value in zip(largest.keys, largest.values, strict=True)
        ]
        if largest.rest:
            words += _rest(name, largest, style, room, screen)
        before = [*label, Segment(" ")]
        for line in fold(words or [[Segment(_ALL_MASKED)]], room, gap=2):
            lines.append(before + line)
            before = [Segment(" " * indent)]
    return lines


def _notes(shown: Shown, screen: Screen, digits: int, listed: bool) -> list[str]:
    """What is to be said under a matrix with tokens as columns."""
    name, M, hidden = shown.name, shown.values, shown.hidden
    notes = [caption(shown, screen.language)]
    if name == "A":
        notes.append(screen.say("sums_unrounded", count=digits))
    if listed:
        notes.append(screen.say("largest_keys", largest=_LARGEST, keys=M.shape[1]))
    elif hidden.any():
        notes.append(screen.say("masked", mark=palette.masked(screen)))
    if note := fully_masked_note(hidden, screen.language):
        notes.append(note)
    if name == "A" and (place := resting_place(M)):
        token, received = place
        key = "resting_place_cross" if shown.cross else "resting_place"
        notes.append(screen.say(key, token=token, received=f"{received:.2f}"))
    return notes


def matrix(shown: Shown, screen: Screen, *, digits: int | None = None, full: bool = False) -> Lines:
    """A matrix as numbers, one row per token, or per component of what a parameter multiplies.

    `digits` after the point: 2 where columns are tokens, 3 elsewhere if not given. Unless `full`,
    wide matrices show their first and last columns, parameters their first and last rows, and S
    and A of many tokens the largest keys of each row.
    """
    of_tokens = shown.matrix.columns == "keys"
    digits = digits if digits is not None else 2 if of_tokens else 3
    if of_tokens:
        listed = shown.values.shape[1] > _MANY_TOKENS and not full
        table = (_largest_table if listed else _token_table)(shown, screen, digits)
        notes = _notes(shown, screen, digits, listed)
    else:
        table = _component_table(shown, screen, digits, full)
        notes = [caption(shown, screen.language)]
    says = screen.say("semicolon").join(notes)
    return on_screen([title(shown), *table, *prose(says, screen)], screen)
