"""A derivation one step at a time: each step by itself, with its reason and what goes into it."""

from dataclasses import dataclass
from typing import Literal

from attncli.medium.screen import Screen
from attncli.narration.document import SCREENFUL, component_of_q, component_of_z, section
from attncli.narration.page import Page
from attncli.narration.row import Row
from attncli.narration.steps import Step, steps_of
from attncli.narration.title import title_notes
from attncli.views.blocks import Printer, fitting, voice_of
from attncli.views.lines import Line, Lines

Vector = Literal["q", "z"]  # whose numbers can be written out one by one


@dataclass(frozen=True)
class Stop:
    """One step as it is shown."""

    key: str  # as in the catalogue: step.KEY
    title: str
    lines: tuple[Line, ...]  # the formula, the reason, the numbers


def stops(row: Row, screen: Screen, *, digits: int | None = None) -> list[Stop]:
    """The steps of a derivation, each with its formula, its reason and its numbers.

    `digits` as in `fitting`.
    """

    def lines(step: Step, notes: list[str]) -> tuple[Line, ...]:
        def draw(page: Page, printer: Printer) -> list[Line]:
            drawn = printer.section(section(page, step, SCREENFUL))
            drawn += [line for note in notes for line in printer.prose(note)]
            return [*drawn, *printer.notes(page, digits)]

        return fitting(draw, row, screen, digits).lines

    page = Page(row, voice_of(screen))
    first, *others = steps_of(page)
    return [
        Stop(first.key, first.title, lines(first, title_notes(page))),
        *(Stop(step.key, step.title, lines(step, [])) for step in others),
    ]


def component(
    row: Row, vector: Vector, index: int, screen: Screen, *, digits: int | None = None
) -> Lines:
    """One number of q_i (before norm and rotation) or of z_i, written out as a sum."""

    def draw(page: Page, printer: Printer) -> list[Line]:
        written = component_of_q if vector == "q" else component_of_z
        return [*printer.blocks(written(page, index)), *printer.notes(page, digits)]

    return fitting(draw, row, screen, digits)
