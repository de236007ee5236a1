"""One row of one head on one page, step by step, as a reader with a calculator would do it.

Every printed result is computed again from the printed operands (analysis/rounding.py). One
that comes out different is marked `≈`, and a note says by how much at most.
"""

from collections.abc import Callable, Sequence

from rich.style import Style

from attncli.analysis.derive import Derivation
from attncli.analysis.rounding import Recheck
from attncli.families.spec import Spec
from attncli.narration.end import agreement_text, rounding_texts
from attncli.narration.page import USUAL_DIGITS, Page
from attncli.narration.title import title_notes, title_text
from attncli.text.token import Token
from attncli.views.lines import BOLD, DIM, Line, Lines, on_screen, prose, width_of
from attncli.views.query import query
from attncli.views.ribbon import ribbon
from attncli.views.scores import scores
from attncli.views.screen import Screen
from attncli.views.sums import heads, weighted

_GOOD = Style(color="green")
_BAD = Style(color="red", bold=True)


def title(page: Page) -> list[Line]:
    """Whose row it is."""
    lines = prose(title_text(page), page.screen, style=BOLD)
    return lines + [line for note in title_notes(page) for line in prose(note, page.screen)]


def rounding_note(page: Page, asked: int) -> list[Line]:
    """By how much printed results differ from what their printed operands give, if they do."""
    style = DIM if page.recheck.explained else _BAD
    texts = rounding_texts(page, asked)
    return [line for text in texts for line in prose(text, page.screen, style=style)]


def agreement(page: Page) -> list[Line]:
    """Whether the row is that of the matrix path."""
    return prose(agreement_text(page), page.screen, style=_GOOD if page.d.agrees else _BAD)


def row_ribbon(page: Page) -> list[Line]:
    """The sentence, shaded by the weights of the row."""
    d, keys = page.d, page.keys if page.cross else None
    return list(ribbon(page.tokens, d.a, d.hidden, d.token, page.screen, keys=keys).lines)


def _lines(page: Page, asked: int) -> list[Line]:
    sections = [
        title(page),
        row_ribbon(page),
        query(page),
        scores(page),
        weighted(page),
        heads(page),
    ]
    sections += [rounding_note(page, asked), agreement(page)]
    first, *others = filter(None, sections)
    return [*first, *(line for section in others for line in ([], *section))]


def fitting(
    build: Callable[[Page, int], list[Line]],
    d: Derivation,
    tokens: Sequence[Token],
    screen: Screen,
    digits: int | None,
    keys: Sequence[Token] | None,
    spec: Spec | None,
) -> Lines:
    """What `build` makes of a page, with as many of the digits asked for as the width holds."""
    asked = digits or USUAL_DIGITS
    for places in range(asked, 0, -1):
        recheck = Recheck(d.tolerance)
        page = Page(d, tokens, keys or tokens, keys is not None, spec, screen, places, recheck)
        lines = build(page, asked)
        if max(map(width_of, lines)) <= screen.width:
            break
    return on_screen(lines, screen)


def derivation_view(
    d: Derivation,
    tokens: Sequence[Token],
    screen: Screen,
    *,
    digits: int | None = None,
    keys: Sequence[Token] | None = None,
    spec: Spec | None = None,
) -> Lines:
    """The six steps of the article for one row, `digits` after the point: 4 if not given.

    `keys` are the tokens looked at where these are others than `tokens` (cross-attention). With
    the `spec` of the model's stack, the steps say what X is, which heads share keys and values, and
    what the terms of a score are.

    Fewer digits where the width does not hold that many: then a line says so.
    """
    return fitting(_lines, d, tokens, screen, digits, keys, spec)
