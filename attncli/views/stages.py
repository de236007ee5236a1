"""What happens to queries and keys between the projection and the dot product, on a terminal.

Some models clip or norm them, some turn them by their position (positions.py); each stage that a
model has gets its lines.
"""

from rich.segment import Segment

from attncli.analysis.path import Path, length
from attncli.narration.formula import plain, subscript
from attncli.narration.page import Page
from attncli.narration.stages import Example, norm_example, norm_facts, turn_example
from attncli.views.lines import Line, fold, prose
from attncli.views.steps import INDENT, phrases, vector


def _says(page: Page, text: str) -> list[Line]:
    return prose(text, page.screen, indent=INDENT)


def _example(page: Page, example: Example) -> list[Line]:
    """The sentence, then its equations, all on one line if there is room."""
    room = page.screen.width - INDENT
    words = phrases(page, *((plain(equation), None) for equation in example.equations))
    before = _says(page, example.intro)
    if len(before) == 1:
        words = [before.pop()[1:], *words]
    return [*before, *([Segment(" " * INDENT), *line] for line in fold(words, room, gap=2))]


def clipped(page: Page, name: str, path: Path) -> list[Line]:
    """The vector after its numbers were clipped; nothing where the model does not."""
    if path.clipping is None:
        return []
    says = page.say("clipped", clip=f"{path.clipping.limit:g}")
    return [*_says(page, says), *vector(page, name, path.clipped, length(path.clipped))]


def normed(page: Page, name: str, path: Path) -> list[Line]:
    """What was subtracted and divided by, the vector after it, one number of it written out."""
    norming = path.norming
    if norming is None:
        return []
    return [
        *_says(page, norm_facts(page, norming)),
        *vector(page, name, norming.result, length(norming.result)),
        *_example(page, norm_example(page, name, path, norming)),
    ]


def turned(page: Page, name: str, path: Path) -> list[Line]:
    """The vector after it was turned, one pair of its numbers written out, the lengths."""
    turning = path.turning
    if turning is None:
        return []
    before, after = length(path.unrotated), length(turning.result)
    says = page.say(
        "stretched_length" if path.stretched else "turned_length",
        before=page.write(before),
        after=page.write(after),
    )
    return [
        *_says(page, page.say("turned", position=turning.position)),
        *vector(page, name, turning.result, after),
        *_example(page, turn_example(page, name, path)),
        *_says(page, says),
    ]


def on_the_way(page: Page, name: str, path: Path) -> list[Line]:
    """Everything between the projection and the dot product."""
    return [*clipped(page, name, path), *normed(page, name, path), *turned(page, name, path)]


def stages_of_a_key(page: Page) -> list[Line]:
    """The way of one key, that of the largest weight; nothing where nothing happens to it."""
    d = page.d
    path = d.strongest
    if path.end is path.projected or d.row_max is None:
        return []
    name = f"k{subscript(d.key)}"
    return [
        *_says(page, page.say("keys_likewise", key=name, name=page.key_name(d.key))),
        *vector(page, name, path.projected, length(path.projected)),
        *on_the_way(page, name, path),
    ]
