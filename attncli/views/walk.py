"""A derivation one step at a time: each step by itself, with its reason and what goes into it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rich.segment import Segment

from attncli.analysis.written_out import dot_product, q_component, y_component, z_component
from attncli.medium.screen import Screen
from attncli.narration.formula import plain, subscript
from attncli.narration.page import USUAL_DIGITS, Page, make_page
from attncli.narration.row import Row
from attncli.narration.scores import keys_note, shown_keys, step_columns
from attncli.narration.steps import Step, component_formula, shapes, steps_of
from attncli.narration.title import title_notes
from attncli.narration.written_out import printed_sum
from attncli.text.printable import cut
from attncli.views.derivation import agreement, fitting, rounding_note, row_ribbon
from attncli.views.lines import DIM, Line, Lines, prose
from attncli.views.query import component_of_q, projected_lines, sum_lines
from attncli.views.scores import drawn, permitted_note
from attncli.views.stages import clipped, normed, stages_of_a_key, turned
from attncli.views.steps import INDENT, heading, vector
from attncli.views.sums import head_table, heads_note, weighted_sum

_PRODUCTS = 4  # of a number that is written out; the others are one number
_WEIGHED = 5  # keys whose values are shown beside the products
_ADDED = 10  # keys whose products are shown above their sum
_NAME_CELLS = 12


Vector = Literal["q", "z"]  # whose numbers can be written out one by one


@dataclass(frozen=True)
class Stop:
    """One step as it is shown."""

    key: str  # as in the catalogue: step.KEY
    title: str
    lines: tuple[Line, ...]  # the formula, the reason, the numbers


def _says(page: Page, text: str) -> list[Line]:
    return prose(text, page.screen, indent=INDENT)


def _dot_lines(page: Page) -> list[Line]:
    """The dot product with the key of the largest weight, written out."""
    d = page.d
    if d.row_max is None:
        return []
    number = dot_product(d.q, d.k, d.dots, d.key)
    printed = printed_sum(page, number, _PRODUCTS, lambda t: f"t = {t}")
    name = f"{page.say('sum')} = q{page.i}·k{subscript(d.key)}"
    intro = page.say("dot_written_out", name=page.key_name(d.key))
    return [*_says(page, intro), *sum_lines(printed, name)]


def _output_component(page: Page) -> list[Line]:
    """The largest number of y_i as a sum over all heads."""
    d = page.d
    if d.y is None or d.W_O is None:
        return []
    number = y_component(d.z_cat, d.W_O, d.b_O, d.y, int(abs(d.y).argmax()))
    at = number.index
    printed = printed_sum(page, number, _PRODUCTS, lambda t: f"t = {t}", f"b_O[{at}]")
    formula = plain(rf"y_{{{d.token}}}[{at}] = \sum_{{t}} z_\text{{cat}}[t]\ W_O[t,{at}]")
    formula += f" + b_O[{at}]" if d.b_O is not None else ""
    intro = f"{page.say('largest_component')} {formula}" + page.say("colon").strip()
    return [*_says(page, intro), *sum_lines(printed, f"{page.say('sum')} = y{page.i}[{at}]")]


def _key_table(page: Page, key: str) -> list[Line]:
    shown, others = shown_keys(page.d)
    table = drawn(page, step_columns(page, key), shown, others)
    return [*table, *_says(page, keys_note(page, key))]


def _weighted(page: Page, count: int, *, values: bool = True, total: bool = True) -> list[Line]:
    lines, left_out = weighted_sum(page, count, values=values, total=total)
    return [*lines, *_says(page, left_out)]


def _numbers(page: Page, key: str) -> list[Line]:
    """What a step has to show."""
    name, path = f"q{page.i}", page.d.query
    match key:
        case "x":
            notes = [line for note in title_notes(page) for line in _says(page, note)]
            return [*vector(page, f"x{page.i}", page.d.x, page.d.x_norm), *notes]
        case "query":
            return projected_lines(page)
        case "clip":
            return clipped(page, name, path)
        case "norm":
            return normed(page, name, path)
        case "rotary":
            return turned(page, name, path)
        case "dots":
            return [*_key_table(page, key), *_dot_lines(page), *stages_of_a_key(page)]
        case "weights":
            return [*_key_table(page, key), *permitted_note(page), [], *row_ribbon(page)]
        case "weigh":
            return _weighted(page, _WEIGHED, total=False)
        case "sum":
            return _weighted(page, _ADDED, values=False)
        case "heads":
            return head_table(page, output=False)
        case "output":
            note = _says(page, heads_note(page))
            return [*head_table(page), *note, *_output_component(page)]
        case "check":
            return agreement(page)
    return _key_table(page, key)


def _stop_lines(step: Step) -> Callable[[Page, int], list[Line]]:
    def lines(page: Page, asked: int) -> list[Line]:
        return [
            *heading(page, step.title, plain(step.formula), plain(shapes(page, step.key))),
            *_says(page, step.why),
            [],
            *_numbers(page, step.key),
            *rounding_note(page, asked),
        ]

    return lines


def stops(row: Row, screen: Screen, *, digits: int | None = None) -> list[Stop]:
    """The steps of a derivation, each with its formula, its reason and its numbers.

    `digits` as those of `derivation_view`.
    """
    page = make_page(row, screen, digits or USUAL_DIGITS)
    return [
        Stop(step.key, step.title, fitting(_stop_lines(step), row, screen, digits).lines)
        for step in steps_of(page)
    ]


def component(
    row: Row,
    vector: Vector,
    index: int,
    screen: Screen,
    *,
    digits: int | None = None,
) -> Lines:
    """One number of q_i (before norm and rotation) or of z_i, written out as a sum."""

    def lines(page: Page, asked: int) -> list[Line]:
        d = page.d
        if vector == "q":
            formula = plain(component_formula(page, index))
            numbers = component_of_q(page, q_component(d.x, d.W_Q, d.b_Q, d.query.projected, index))
        else:
            z = f"z{page.i}[{index}]"
            formula = f"{z} = Σ a{page.i}ⱼ vⱼ[{index}]"
            number = z_component(d.a, d.v, d.z, index)
            printed = printed_sum(
                page, number, _ADDED, lambda j: cut(page.key_name(j), _NAME_CELLS)
            )
            numbers = sum_lines(printed, f"{page.say('sum')} = {z}")
        start = [Segment(" " * INDENT), Segment(formula, DIM)]
        return [start, *numbers, *rounding_note(page, asked)]

    return fitting(lines, row, screen, digits)
