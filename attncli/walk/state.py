"""Where the reader of a walk is, and what it is looked at with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from attncli.analysis.question import Question
from attncli.medium.screen import Screen
from attncli.narration.row import Row
from attncli.views.lines import Lines
from attncli.views.walk import Stop, Vector, component, stops
from attncli.walk.quiz import Score, Verdict
from attncli.walk.rows import Place

_KEPT = 4  # rows

Wanted = Literal["step", "token", "head", "layer", "component", "answer"]


@dataclass(frozen=True)
class Prompt:
    """A line that is being typed."""

    wanted: Wanted
    text: str = ""


@dataclass(frozen=True)
class Help:
    """The page that lists the keys."""


@dataclass(frozen=True)
class Component:
    """The page that writes out one number of q_i or z_i."""

    vector: Vector
    index: int


Page = Help | Component | Question | Verdict  # what may lie over the step


@dataclass(frozen=True)
class State:
    """Where the reader is. `step` counts from 0; with a question over it, it is not shown yet."""

    place: Place
    step: int = 0
    scroll: int = 0  # lines of the page or the step that are above the window
    page: Page | None = None
    prompt: Prompt | None = None
    message: str = ""  # in the reader's language
    score: Score = field(default_factory=Score)
    furthest: Mapping[Place, int] = field(default_factory=dict)  # step shown, of each row
    over: bool = False


@dataclass(frozen=True)
class View:
    """What a state is looked at with: the rows, what there is to see of them, and the window."""

    rows: Callable[[Place], Row]  # raises AttncliError
    stops: Callable[[Place], Sequence[Stop]]
    component: Callable[[Place, Vector, int], Lines]
    screen: Screen
    height: int  # lines of the window
    quiz_seed: int | None = None  # None: nothing is asked
    digits: int | None = None


def make_view(
    rows: Callable[[Place], Row],
    screen: Screen,
    height: int,
    *,
    quiz_seed: int | None = None,
    digits: int | None = None,
) -> View:
    """The view of some rows on a screen, in a window of so many lines; steps are laid out once."""

    @lru_cache(maxsize=_KEPT)
    def stops_of(place: Place) -> Sequence[Stop]:
        return stops(rows(place), screen, digits=digits)

    @lru_cache(maxsize=1)
    def component_of(place: Place, vector: Vector, index: int) -> Lines:
        return component(rows(place), vector, index, screen, digits=digits)

    return View(rows, stops_of, component_of, screen, height, quiz_seed, digits)
