"""Steps 2 to 4 of a derivation on a terminal: one table, or two where it is narrow."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.path import Indices
from attncli.medium.numbers import Notation
from attncli.narration.formula import plain
from attncli.narration.page import Page
from attncli.narration.scores import (
    NOTHING,
    Column,
    foot_names,
    scale_of,
    shown_keys,
    softmax_columns,
    term_columns,
)
from attncli.narration.steps import bias_reason, reach, score_formula, weight_formula
from attncli.text.printable import pad
from attncli.views.labels import SPECIAL
from attncli.views.lines import DIM, Line, prose
from attncli.views.steps import INDENT, columns, heading, indented

_BAR_CELLS = 20
_SHORTEST = 3  # cells of a token's name where the width is short
_LEGIBLE = 8  # a name gets so many before the columns get long heads, or all stand side by side

_BAR = Style(color="magenta")


def _tables(page: Page) -> list[list[Line]]:
    """One table, or two where more columns than q·k and S leave a name no room.

    Then the terms of S stand in the first, and what the softmax makes of S in the second.
    """
    shown, others = shown_keys(page.d)
    terms, softmax = term_columns(page, shown), softmax_columns(page, shown, others)
    longest = max(cell_len(page.key_name(j)) for j in shown.tolist())
    whole = [*terms, *softmax]
    if len(terms) == 2 or _room(page, _rows(page, whole, others)) >= min(longest, _LEGIBLE):
        return [drawn(page, whole, shown, others)]
    S = terms[-1]
    alone = replace(S, head="S", cells=[f"{cell[:-1]} " for cell in S.cells])
    first = [*terms[:-1], replace(S, foot=NOTHING)]
    return [
        drawn(page, first, shown, others, least=0),
        drawn(page, [alone, *softmax], shown, others),
    ]


def _rows(page: Page, made: Sequence[Column], others: Indices) -> list[str]:
    """The printed rows: a head, one for each key, the lines of the foot that say something."""
    foot = [line for line in range(3) if any(column.foot[line].strip() for column in made)]
    names = foot_names(page, others)
    if made[0].foot == NOTHING:
        made = [replace(made[0], foot=names), *made[1:]]
    else:
        made = [Column("", "", "", [""] * len(made[0].cells), names, marked=False), *made]

    def rows(heads: Sequence[str]) -> list[str]:
        table = [
            [
                plain(head) + " " * column.marked,
                *column.cells,
                *(column.foot[line] for line in foot),
            ]
            for head, column in zip(heads, made, strict=True)
        ]
        return columns(list(zip(*table, strict=True)))

    long = rows([column.head for column in made])
    if _room(page, long) >= _LEGIBLE:
        return long
    return rows([column.short or column.head for column in made])


def _room(page: Page, rows: Sequence[str]) -> int:
    """Cells that are left for a token's name."""
    return page.screen.width - INDENT - len(str(len(page.d.a) - 1)) - 2 - cell_len(rows[0])


def drawn(
    page: Page,
    made: Sequence[Column],
    shown: Indices,
    others: Indices,
    *,
    least: int = _SHORTEST,
) -> list[Line]:
    """The columns, each key with number, name and, beside its weight, a bar.

    A name gets as many cells as there are, at least `least`; none rather than a few.
    """
    d = page.d
    rows = _rows(page, made, others)
    digits = len(str(len(d.a) - 1))
    room = _room(page, rows)
    what = page.say("source_token" if page.cross else "token")
    longest = max(cell_len(what), *(cell_len(page.key_name(j)) for j in shown.tolist()))
    name_cells = max(min(longest, room if room >= _SHORTEST else 0), least)
    head, foot = rows[0], rows[1 + len(shown) :]
    has_bars = made[-1].step == "weights"
    bar_cells = max(min(room - name_cells - 1, _BAR_CELLS), 0) if has_bars else 0
    lines = [indented(f"{'j':>{digits}} {pad(what, name_cells)} {head}", DIM)]
    for j, row in zip(shown.tolist(), rows[1:], strict=False):
        bar = "█" * round(float(d.a[j]) * bar_cells)
        lines.append(
            [
                Segment(" " * INDENT),
                Segment(f"{j:>{digits}} ", DIM),
                Segment(
                    pad(page.key_name(j), name_cells),
                    SPECIAL if page.row.looked_at[j].special else None,
                ),
                Segment(f" {row} " if bar else f" {row}".rstrip(), DIM if d.hidden[j] else None),
                Segment(bar, _BAR),
            ]
        )
    before = " " * (digits + name_cells + 2)
    return lines + [indented(before + row, DIM) for row in foot]


def score_notes(page: Page) -> list[Line]:
    """For each term that the article does not have: why it is there."""
    d, scale = page.d, scale_of(page)
    notes = []
    if scale.printed:
        key = "note.scale" if scale.tex else "note.no_scale"
        notes.append(page.say(key, scale=scale.printed, reason=d.scale_reason))
    if d.softcap is not None:
        notes.append(page.say("note.softcap", cap=f"{d.softcap:g}"))
    if d.bias is not None:
        notes.append(page.say("note.bias", reason=bias_reason(d)))
    if d.mask is not None and (far := reach(page)) is not None:
        notes.append(page.say("note.reach", tokens=page.counted(far, "tokens")))
    return [line for note in notes for line in prose(note, page.screen, indent=INDENT)]


def permitted_note(page: Page) -> list[Line]:
    """Of a row that may look at one key only, or at none."""
    permitted = np.count_nonzero(~page.d.hidden)
    if permitted > 1:
        return []
    if permitted:
        weight = Notation(page.digits, "f").write(float(page.d.a[page.d.key]))
        return [indented(page.say("one_permitted", weight=weight))]
    return [indented(page.say("none_permitted", count=1, rows=page.d.token))]


def scores(page: Page) -> list[Line]:
    """Scores, scale, softmax: the formulas, the table, and why the terms are there."""
    formulas = plain(score_formula(page)), plain(weight_formula(page))
    return [
        *heading(page, page.say("section.scores"), *formulas),
        *(line for table in _tables(page) for line in table),
        *score_notes(page),
        *permitted_note(page),
    ]
