"""All heads of a layer at a glance: which one should I look at?"""

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.heads import Link, strongest_links
from attncli.attention import Array
from attncli.medium.names import name_of
from attncli.medium.screen import Screen
from attncli.text.printable import cut, pad
from attncli.text.token import Token
from attncli.views.heatmap import legend_of_A, rows_of_A
from attncli.views.lines import BOLD, Line, Lines, on_screen, prose, width_of

_MOST_TOKENS = 64  # larger maps cannot be read; the strongest links can
_CELL = 18  # room for a title such as `H3 it→animal 0.65`
_GAP = 2
_SHORTEST = 3  # cells of a name beside one that is not cut

_CHOSEN = Style(bold=True, reverse=True)

Names = tuple[list[tuple[str, str]], list[tuple[str, str]]]


def _numbered(tokens: Sequence[Token], screen: Screen) -> list[tuple[str, str]]:
    """What each token is called, and ` 2`, its number, where others are called the same."""
    names = [name_of(token, screen) for token in tokens]
    count = Counter(names)
    return [
        (name, f" {token.index}" if count[name] > 1 else "")
        for token, name in zip(tokens, names, strict=True)
    ]


def _names(tokens: Sequence[Token], keys: Sequence[Token] | None, screen: Screen) -> Names:
    """What the tokens are called that look, and those that are looked at."""
    looking = _numbered(tokens, screen)
    return looking, looking if keys is None else _numbered(keys, screen)


def _cells(names: Names) -> int:
    """Room for a head and its link: more where names need numbers."""
    return _CELL + sum(max(len(number) for _, number in each) for each in names)


def _link_text(link: Link, names: Names, cells: int) -> str:
    """`it→animal 0.65` in at most `cells` cells: cut in the names, never in a number."""
    (query, query_number), (key, key_number) = names[0][link.query], names[1][link.key]
    end = f"{key_number} {link.a:.2f}"
    room = max(cells - len(query_number) - 1 - len(end), 2)
    wanted = cell_len(query), cell_len(key)
    if sum(wanted) <= room or wanted[0] <= room - _SHORTEST:
        query_cells = wanted[0]
    elif wanted[1] <= room - _SHORTEST:
        query_cells = room - wanted[1]
    else:
        query_cells = room // 2
    query = cut(query, query_cells)
    return f"{query}{query_number}→{cut(key, room - cell_len(query))}{end}"


def _head_name(head: int, chosen: Collection[int]) -> Segment:
    return Segment(f"▸H{head}", _CHOSEN) if head in chosen else Segment(f"H{head}", BOLD)


def _titles(
    A: Array,
    tokens: Sequence[Token],
    keys: Sequence[Token] | None,
    names: Names,
    chosen: Collection[int],
    cells: int,
) -> list[Line]:
    """For each head its number and its strongest link, in at most `cells` cells."""
    titles = []
    for head, A_head in enumerate(A):
        name = _head_name(head, chosen)
        room = cells - len(name.text) - 1
        links = strongest_links(A_head, tokens, 1, keys)
        texts = [_link_text(link, names, room) for link in links]
        titles.append([name, Segment(f" {texts[0] if texts else '—'}")])
    return titles


def _grid(maps: Sequence[list[Line]], per_line: int) -> list[Line]:
    """Maps of equal height side by side, `per_line` of them, an empty line between the rows."""
    cells = max(width_of(line) for drawn in maps for line in drawn)
    lines: list[Line] = []
    for start in range(0, len(maps), per_line):
        if lines:
            lines.append([])
        for parts in zip(*maps[start : start + per_line], strict=True):
            line: Line = []
            for part in parts[:-1]:
                line += [*part, Segment(" " * (cells - width_of(part) + _GAP))]
            lines.append(line + parts[-1])
    return lines


def _maps(
    A: Array,
    tokens: Sequence[Token],
    keys: Sequence[Token] | None,
    chosen: Collection[int],
    mask: Array | None,
    screen: Screen,
) -> list[Line]:
    h, _, m = A.shape
    names = _names(tokens, keys, screen)
    fitting = max((screen.width + _GAP) // (max(m, _cells(names)) + _GAP), 1)
    per_line = -(-h // -(-h // fitting))  # as many rows of maps, but evenly filled
    cells = (screen.width + _GAP) // per_line - _GAP
    cells_per_value = 2 if 2 * m <= (_CELL if screen.color else cells) else 1
    hidden = np.zeros(A[0].shape, bool) if mask is None else np.isneginf(mask)
    maps = [
        [
            title,
            *rows_of_A(A_head, hidden, screen, cells=cells_per_value, halves=cells_per_value == 1),
        ]
        for title, A_head in zip(_titles(A, tokens, keys, names, chosen, cells), A, strict=True)
    ]
    return [*_grid(maps, per_line), *legend_of_A(screen, hidden)]


def _lists(
    A: Array,
    tokens: Sequence[Token],
    keys: Sequence[Token] | None,
    chosen: Collection[int],
    screen: Screen,
) -> list[Line]:
    """One line per head: as many of its strongest links as fit."""
    name_cells = len(f"▸H{len(A) - 1} ")
    room = screen.width - name_cells
    names = _names(tokens, keys, screen)
    count = max(room // (_cells(names) + _GAP), 1)
    cells = room // count - _GAP
    lines = []
    for head, A_head in enumerate(A):
        name = _head_name(head, chosen)
        links = strongest_links(A_head, tokens, count, keys)
        texts = [_link_text(link, names, cells) for link in links]
        filled = (" " * _GAP).join([pad(text, cells) for text in texts])
        lines.append([name, Segment(" " * (name_cells - len(name.text))), Segment(filled)])
    return lines


def overview(
    A: Array,
    tokens: Sequence[Token],
    chosen: Collection[int],
    screen: Screen,
    *,
    mask: Array | None = None,
    keys: Sequence[Token] | None = None,
) -> Lines:
    """A small map of each head's A, (h, n, m), titled with its strongest link.

    A link is between two different ordinary tokens; `chosen` heads are marked. `mask` (n, m),
    0 or -inf, tells masked weights from zeros. `keys` are the tokens looked at where these are
    others (cross-attention). Many tokens would make maps that nobody can
    read: then each head has one line with its strongest links.
    """
    _, n, m = A.shape
    if max(n, m) <= _MOST_TOKENS and m <= screen.width:
        lines = _maps(A, tokens, keys, chosen, mask, screen)
        parts = ("map_title", "map") if keys is None else ("map_title_cross", "map_cross")
        says = screen.say("semicolon").join(map(screen.say, parts))
    else:
        lines = _lists(A, tokens, keys, chosen, screen)
        says = screen.say("too_many_for_maps", count=max(n, m))
    return on_screen([*lines, *prose(says, screen)], screen)
