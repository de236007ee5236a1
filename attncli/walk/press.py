"""What a key does: a pure function from (state, key) to state."""

import re
from dataclasses import replace
from typing import cast

from attncli.analysis.question import Question
from attncli.analysis.questions import questions
from attncli.errors import AttncliError
from attncli.language import Phrase
from attncli.selectors import What, only, select
from attncli.text.select import find_token
from attncli.views.walk import Vector
from attncli.walk.bindings import ACTIONS, name_of_key
from attncli.walk.content import content, lines_below, room
from attncli.walk.quiz import counted_in, quoted, read_answer, told
from attncli.walk.rows import Place
from attncli.walk.state import Component, Help, Prompt, State, View, Wanted

_LONGEST_INPUT = 200  # characters
_STEP = re.compile(r"[0-9]{1,9}")
_COMPONENT = re.compile(r"([qz]?)[\s_ᵢi]*\[?\s*([0-9]{1,9})\s*\]?", re.IGNORECASE)


# Where to go


def _question(state: State, view: View) -> Question | None:
    """What is to be asked before the step, if neither it nor a later one was shown yet."""
    if view.quiz_seed is None or state.step <= state.furthest.get(state.place, -1):
        return None
    key = view.stops(state.place)[state.step].key
    return questions(view.rows(state.place).d, view.quiz_seed).get(key)


def _arrive(state: State) -> State:
    """At the step, with nothing over it."""
    furthest = max(state.step, state.furthest.get(state.place, -1))
    return replace(
        state,
        scroll=0,
        page=None,
        prompt=None,
        message="",
        furthest={**state.furthest, state.place: furthest},
    )


def _go(state: State, view: View, step: int) -> State:
    state = replace(state, step=step)
    question = _question(state, view)
    if question is None:
        return _arrive(state)
    return replace(state, scroll=0, page=question, prompt=Prompt("answer"), message="")


def start(place: Place, view: View) -> State:
    """The first step of a row. Raises AttncliError for a row that does not exist."""
    d = view.rows(place).d
    return _go(State(Place(d.layer, d.head, d.token)), view, 0)


def _step_by(state: State, view: View, steps: int) -> State:
    to = state.step + steps
    if to < 0:
        return replace(state, message=view.screen.say("walk.first_step"))
    if to >= len(view.stops(state.place)):
        return replace(state, message=view.screen.say("walk.last_step"))
    return _go(state, view, to)


def _move(state: State, view: View, place: Place) -> State:
    """To another row, at the step of the same name if it has one."""
    d, stops = view.rows(place).d, view.stops(place)
    here = view.stops(state.place)[state.step].key
    same = (at for at, stop in enumerate(stops) if stop.key == here)
    step = next(same, min(state.step, len(stops) - 1))
    return _go(replace(state, place=Place(d.layer, d.head, d.token)), view, step)


def _scroll(state: State, view: View, lines: int) -> State:
    last = max(len(content(state, view)) - room(view), 0)
    return replace(state, scroll=min(max(state.scroll + lines, 0), last), message="")


# What was typed


def _to_head(state: State, view: View, wanted: What, text: str) -> State:
    """To the head, the layer or both (`L5H11`) that the text selects."""
    place, spec = state.place, view.rows(state.place).spec
    assert spec is not None  # the rows of a walk are those of a model
    layer, heads = (text, ()) if wanted == "layer" else (None, (text,))
    chosen = select(layer, heads, n_layers=spec.n_layers, n_heads=spec.n_heads)
    place = replace(
        place,
        layer=only("layer", chosen.layers, place.layer),
        head=only("head", chosen.heads, place.head),
    )
    return _move(state, view, place)


def _to_step(state: State, view: View, text: str) -> State:
    count = len(view.stops(state.place))
    if _STEP.fullmatch(text) is None or not 1 <= int(text) <= count:
        given = quoted(text, view.screen)
        raise AttncliError(Phrase("walk.no_step", {"given": given, "count": count}))
    return _go(state, view, int(text) - 1)


def _to_component(state: State, view: View, text: str) -> State:
    found = _COMPONENT.fullmatch(text)
    if found is None:
        raise AttncliError(Phrase("walk.no_component", {"given": quoted(text, view.screen)}))
    vector: Vector = "z" if found[1].lower() == "z" else "q"
    d, index = view.rows(state.place).d, int(found[2])
    count = len(d.z if vector == "z" else d.q)
    if index >= count:
        facts = {"vector": vector, "index": index, "count": count, "last": count - 1}
        raise AttncliError(Phrase("walk.component_range", facts))
    return replace(state, page=Component(vector, index), scroll=0)


def _submit(state: State, view: View, wanted: Wanted, text: str) -> State:
    """What a line that was typed leads to. Raises AttncliError if it leads nowhere."""
    place = state.place
    if isinstance(state.page, Question):
        verdict = read_answer(state.page, text, view.rows(place), view.screen)
        return replace(state, page=verdict, scroll=0, score=counted_in(state.score, verdict))
    if not text:
        return state
    if wanted == "step":
        return _to_step(state, view, text)
    if wanted == "component":
        return _to_component(state, view, text)
    if wanted == "token":
        token = find_token(view.rows(place).tokens, text)
        return _move(state, view, replace(place, token=token))
    return _to_head(state, view, "layer" if wanted == "layer" else "head", text)


def _enter(state: State, view: View, prompt: Prompt) -> State:
    """An answer that cannot be read is asked for again; any other line is given up."""
    again = Prompt("answer") if prompt.wanted == "answer" else None
    # A token may be one blank, so its text keeps those that it begins and ends with.
    text = prompt.text if prompt.wanted == "token" else prompt.text.strip()
    try:
        return _submit(replace(state, prompt=None, message=""), view, prompt.wanted, text)
    except AttncliError as error:
        return replace(state, prompt=again, message=told(error, view.screen))


def _type(state: State, view: View, prompt: Prompt, key: str) -> State:
    text = prompt.text
    if key == "enter":
        return _enter(state, view, prompt)
    if key == "escape":
        skipped = replace(prompt, text="")
        return _enter(state, view, skipped)
    if key in ("backspace", "delete"):
        text = text[:-1]
    elif key == "ctrl-u":
        text = ""
    elif len(key) == 1 and key.isprintable():
        text = (text + key)[:_LONGEST_INPUT]
    elif key in ("up", "down", "page up", "page down"):
        return _act(state, view, ACTIONS[key], key)
    else:
        return _without_meaning(state, view, key)
    return replace(state, prompt=replace(prompt, text=text), message="")


# Keys


def _without_meaning(state: State, view: View, key: str) -> State:
    name = quoted(name_of_key(key), view.screen)
    return replace(state, message=view.screen.say("walk.no_meaning", key=name))


def _act(state: State, view: View, action: str, key: str) -> State:
    if action in ("up", "down"):
        return _scroll(state, view, 1 if action == "down" else -1)
    if action in ("page_up", "page_down"):
        return _scroll(state, view, room(view) if action == "page_down" else -room(view))
    if action == "on":
        below = lines_below(state, view)
        return _scroll(state, view, room(view)) if below else _step_by(state, view, 1)
    if action in ("next", "back"):
        return _step_by(state, view, 1 if action == "next" else -1)
    if action == "first":
        return _go(state, view, 0)
    if action == "last":
        return _go(state, view, len(view.stops(state.place)) - 1)
    if action == "help":
        return replace(state, page=Help(), scroll=0, message="")
    if action == "quit":
        return replace(state, over=True)
    return _open_prompt(state, action, key)


def _open_prompt(state: State, action: str, key: str) -> State:
    """The actions that are left ask for what they are called."""
    typed = key if key.isdecimal() else ""
    return replace(state, prompt=Prompt(cast(Wanted, action), typed), message="")


def _leave_page(state: State, view: View, action: str | None, key: str) -> State:
    """Over a step lies a page: keys scroll it, `c` asks for another component, others close it."""
    if action in ("up", "down", "page_up", "page_down") or (
        action == "on" and lines_below(state, view)
    ):
        return _act(state, view, action, key)
    closed = _arrive(state)
    if isinstance(state.page, Component) and action == "component":
        return _open_prompt(closed, action, key)
    return closed


def press(state: State, key: str, view: View) -> State:
    """The state after a key (walk/keys.py), or after `resize`: the window has another size.

    What goes wrong is said in `message`; nothing is raised.
    """
    if key == "resize":
        return replace(_scroll(state, view, 0), message=state.message)
    if key == "ctrl-d":
        return replace(state, over=True)
    if state.prompt is not None:
        return _type(state, view, state.prompt, key)
    action = ACTIONS.get(key)
    if state.page is not None:
        return _leave_page(state, view, action, key)
    if action is None:
        return _without_meaning(state, view, key)
    try:
        return _act(state, view, action, key)
    except AttncliError as error:
        return replace(state, message=told(error, view.screen))
