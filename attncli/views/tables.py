"""Tables of a document on a terminal.

A table has columns that all must stand, such as those over the keys, where the names get what room
is left; or runs of columns, of which as many are shown as there is room for.
"""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.rounding import Number
from attncli.medium.screen import Screen
from attncli.narration.blocks import MARK, Cell, Column, Marks, Math, Name, Run, Table
from attncli.narration.formula import plain
from attncli.text.printable import pad
from attncli.views.labels import SPECIAL
from attncli.views.lines import BOLD, DIM, Line, prose

INDENT = 3
_SHORTEST = 3  # cells of a name in a narrow table
_LEGIBLE = 8  # a name gets so many before the columns get long heads, or all stand side by side
_BAR_CELLS = 20
_GAP = 2  # between the columns of a run
_MORE = "…"

_BAR = Style(color="magenta")


def indented(text: str, style: Style | None = None) -> Line:
    """A line of a step."""
    return [Segment(" " * INDENT), Segment(text.rstrip(), style)]


def _text(cell: Cell, marks: Marks) -> str:
    match cell:
        case Number():
            return marks.write(cell)
        case Math(tex):
            return plain(tex)
        case Name(text, tex):
            return f"{plain(tex)} {text}" if tex else text
    return cell


def _aligned(cells: Sequence[Cell], marks: Marks, *heads: str) -> list[str]:
    """The cells below their heads, right aligned; if one is a result, with room for its mark."""
    texts = [*heads, *(_text(cell, marks) for cell in cells)]
    if any(isinstance(cell, Number) and cell.off is not None for cell in cells):
        texts = [text if text.endswith(MARK) else f"{text} " for text in texts]
    width = max(map(cell_len, texts))
    return [" " * (width - cell_len(text)) + text for text in texts]


def _rows(columns: Sequence[Column], marks: Marks, gap: int, *, short: bool = False) -> list[str]:
    """The heads, then the rows; columns with signs between them have no heads."""
    made, signed = [], any(column.sign for column in columns)
    for column in columns:
        head = plain(column.short) if short and column.short else _text(column.head, marks)
        head = "" if signed else head
        texts = _aligned(column.cells, marks, head)
        signs = [column.sign if cell else " " for cell in ("", *column.cells)]
        made.append(
            [
                f"{sign} {text}" if column.sign else text
                for sign, text in zip(signs, texts, strict=True)
            ]
        )
    return [(" " * gap).join(row) for row in zip(*made, strict=True)]


def _with_runs(table: Table, screen: Screen, marks: Marks, room: int) -> tuple[list[Column], str]:
    """All columns, of each run as many as there is room for; what is missing, in words.

    Where there are several runs, the last one gets most of the room.
    """
    runs = [column for column in table.columns if isinstance(column, Run)]
    for column in table.columns:
        if isinstance(column, Column):
            room -= _GAP + cell_len(_aligned(column.cells, marks)[0])
    made: list[Column] = []
    note = ""
    for column in table.columns:
        if isinstance(column, Column):
            made.append(column)
            continue
        head = _text(column.column(min(column.count, 10) - 1).head, marks)
        each = max(column.width, cell_len(head)) + _GAP
        is_last, at_end = column is runs[-1], column is table.columns[-1]
        more = 0 if at_end else _GAP + len(_MORE)
        left = room + _GAP - more if is_last else screen.width // 4
        shown = min(max(left // each, int(is_last)), column.count)
        made += map(column.column, range(shown))
        room -= shown * each + more
        if shown < column.count and at_end:
            components = screen.say("components", count=column.count)
            note = screen.say("of_components", shown=shown, components=components)
        elif 0 < shown < column.count:
            made.append(Column("", [_MORE if cell else "" for cell in made[-1].cells]))
    return made, note


def _over(name: str, cells: int, row: str) -> tuple[str, str]:
    """The name in so many cells, or over blanks of its row, and what is left of the row."""
    more = max(cell_len(name) - cells, 0)
    if more and not row[: more + 1].strip():
        return name, row[more:]
    return pad(name, cells), row


def _needed(table: Table, names: Sequence[str], rows: Sequence[str]) -> int:
    """Cells of the longest name; where a row begins with blank cells, a name runs over these."""
    first = table.columns[0]
    blank = [not cell for cell in first.cells] if isinstance(first, Column) else []
    return max(
        cell_len(name) - (len(row) - len(row.lstrip()) if over else 0)
        for name, row, over in zip(names, rows, [False, *blank], strict=True)
    )


def table_lines(table: Table, screen: Screen, marks: Marks, least: int = _SHORTEST) -> list[Line]:
    """The lines of a table, and what it leaves out.

    Names get as many cells as are left, at least `least`; none rather than a few.
    """
    *before, last = table.labels
    front = [f"{row} " for row in _rows(before, marks, 1)] or [""] * (len(last.cells) + 1)
    own = {True: "▸", False: " " * bool(table.strong)}
    names = [own[at in table.strong] + _text(cell, marks) for at, cell in enumerate(last.cells)]
    names.insert(0, _text(last.head, marks))
    room = screen.width - INDENT - len(front[0])
    bar_cells, note = 0, ""
    if any(isinstance(column, Run) for column in table.columns):
        firm = [
            name
            for name, cell in zip(names[1:], last.cells, strict=True)
            if not isinstance(cell, Name)
        ]
        longest = min(max(map(cell_len, names)), screen.width // 4)
        cells, gap = max(longest, *map(cell_len, firm)), _GAP
        columns, note = _with_runs(table, screen, marks, room - cells - gap)
        rows = _rows(columns, marks, gap)
    else:
        gap, columns = 1, [column for column in table.columns if isinstance(column, Column)]
        rows = _rows(columns, marks, gap)
        if room - gap - cell_len(rows[0]) < _LEGIBLE:
            rows = _rows(columns, marks, gap, short=True)
        room -= gap + cell_len(rows[0])
        longest = _needed(table, names, rows)
        if table.narrow and room < min(longest, _LEGIBLE):
            first, *others = table.narrow
            lines = table_lines(first, screen, marks, least=0)
            return lines + [line for part in others for line in table_lines(part, screen, marks)]
        cells = max(min(longest, room if room >= _SHORTEST else 0), least)
        bar_cells = max(min(room - cells - 1, _BAR_CELLS), 0)
    signed = not rows[0].strip()  # and so without heads
    rows = [" " * (gap + signed) + row for row in rows]
    lines = [
        _line(table, at, f, *_over(name, cells, row), bar_cells)
        for at, (f, name, row) in enumerate(zip(front, names, rows, strict=True), start=-1)
    ]
    left_out = screen.say("semicolon").join(filter(None, [table.note, note]))
    return lines[signed:] + prose(left_out, screen, indent=INDENT)


def _line(table: Table, at: int, front: str, name: str, row: str, bar_cells: int) -> Line:
    """The heads (-1) or a row, with its bar."""
    cells = table.labels[-1].cells
    if not 0 <= at < len(cells) - table.foot:
        return indented(front + name + row, DIM)
    style = BOLD if at in table.strong else DIM if at in table.faint else None
    name_style = None if at in table.faint else style
    cell = cells[at]
    if isinstance(cell, Name) and cell.special:
        name_style = SPECIAL
    bar = "█" * round(table.bars[at] * bar_cells) if table.bars else ""
    return [
        Segment(" " * INDENT),
        Segment(front, DIM),
        Segment(name, name_style),
        Segment(f"{row} " if bar else row.rstrip(), style),
        Segment(bar, _BAR),
    ]
