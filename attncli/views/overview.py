"""All heads of a layer at a glance: which one should I look at?"""

from collections.abc import Collection, Sequence

import numpy as np
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from attncli.analysis.heads import Link, strongest_link, strongest_links
from attncli.attention import Array
from attncli.text.printable import cut, pad
from attncli.text.token import Token
from attncli.views.heatmap import weight_legend, weight_rows
from attncli.views.labels import name_of
from attncli.views.lines import BOLD, Line, Lines, on_screen, prose, width_of
from attncli.views.masks import hidden_cells
from attncli.views.screen import Screen

_MOST_TOKENS = 64  # larger maps cannot be read; the strongest links can
_CELL = 18  # room for a title such as `H3 it→animal 0.65`
_GAP = 2
_SHORTEST = 3  # cells of a name beside one that is not cut

_CHOSEN = Style(bold=True, reverse=True)


def _link_text(link: Link | None, tokens: Sequence[Token], cells: int, screen: Screen) -> str:
    """`it→animal 0.65` in at most `cells` cells: cut in the names, never in the number."""
    if link is None:
        return "—"
    number = f" {link.weight:.2f}"
    names = [name_of(tokens[at], screen) for at in (link.query, link.key)]
    room = max(cells - len(number) - 1, 2)
    wanted = [cell_len(name) for name in names]
    if sum(wanted) <= room or wanted[0] <= room - _SHORTEST:
        query_cells = wanted[0]
    elif wanted[1] <= room - _SHORTEST:
        query_cells = room - wanted[1]
    else:
        query_cells = room // 2
    query = cut(names[0], query_cells)
    key = cut(names[1], room - cell_len(query))
    return f"{query}→{key}{number}"


def _head_name(head: int, chosen: Collection[int]) -> Segment:
    return Segment(f"▸H{head}", _CHOSEN) if head in chosen else Segment(f"H{head}", BOLD)


def _titles(
    A: Array, tokens: Sequence[Token], chosen: Collection[int], cells: int, screen: Screen
) -> list[Line]:
    """For each head its number and its strongest link, in at most `cells` cells."""
    titles = []
    for head, weights in enumerate(A):
        name = _head_name(head, chosen)
        link = strongest_link(weights, tokens)
        room = cells - len(name.text) - 1
        titles.append([name, Segment(f" {_link_text(link, tokens, room, screen)}")])
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
    A: Array, tokens: Sequence[Token], chosen: Collection[int], mask: Array | None, screen: Screen
) -> list[Line]:
    h, n, _ = A.shape
    fitting = max((screen.width + _GAP) // (max(n, _CELL) + _GAP), 1)
    per_line = -(-h // -(-h // fitting))  # as many rows of maps, but evenly filled
    cells = (screen.width + _GAP) // per_line - _GAP
    cells_per_value = 2 if 2 * n <= (_CELL if screen.color else cells) else 1
    hidden = [hidden_cells("A", weights, mask) for weights in A]
    titles = _titles(A, tokens, chosen, cells, screen)
    maps = [
        [
            head_title,
            *weight_rows(
                weights, masked, screen, cells=cells_per_value, halves=cells_per_value == 1
            ),
        ]
        for head_title, weights, masked in zip(titles, A, hidden, strict=True)
    ]
    return [*_grid(maps, per_line), *weight_legend(screen, np.any(hidden, axis=0))]


def _lists(
    A: Array, tokens: Sequence[Token], chosen: Collection[int], screen: Screen
) -> list[Line]:
    """One line per head: as many of its strongest links as fit."""
    name_cells = len(f"▸H{len(A) - 1} ")
    room = screen.width - name_cells
    count = max(room // (_CELL + _GAP), 1)
    cells = room // count - _GAP
    lines = []
    for head, weights in enumerate(A):
        name = _head_name(head, chosen)
        links = strongest_links(weights, tokens, count)
        texts = [_link_text(link, tokens, cells, screen) for link in links]
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
) -> Lines:
    """A small map of each head's A, (h, n, n), titled with its strongest link.

    A link is between two different ordinary tokens; `chosen` heads are marked. `mask` (n, n),
    0 or -inf, tells masked weights from zeros. Many tokens would make maps that nobody can
    read: then each head has one line with its strongest links.
    """
    n = len(tokens)
    says = "title: the strongest link between two different ordinary tokens"
    if n <= min(_MOST_TOKENS, screen.width):
        lines = _maps(A, tokens, chosen, mask, screen)
        says += "; row = the token that looks, column = the token looked at"
    else:
        lines = _lists(A, tokens, chosen, screen)
        says = f"{n} tokens are too many for maps; the strongest links of two ordinary tokens"
    return on_screen([*lines, *prose(says, screen)], screen)
