"""A small walk for the tests: real rows, steps whose lines are made up."""

from dataclasses import replace
from functools import cache

from rich.segment import Segment
from views_fixtures import make_spec, make_tokens, make_trace, plain

from attncli.analysis.derive import derive
from attncli.errors import AttncliError
from attncli.narration.row import Row
from attncli.selectors import find_number
from attncli.views.lines import Lines
from attncli.views.walk import Stop
from attncli.walk.press import press, start
from attncli.walk.rows import Place
from attncli.walk.state import View

WORDS = ("[CLS]", "the", "cat", "saw", "the", "dog")
TOKENS = make_tokens(*WORDS, special=("[CLS]",))
SPEC = make_spec(n_layers=2, n_heads=2, d_model=8, d_k=4)
KEYS = ("x", "query", "dots", "scale", "mask", "softmax", "weights", "sum", "output")
HERE = Place(1, 0, 2)


@cache
def rows(place):
    """Layer 1 is causal, layer 0 is not; it has no step for a mask."""
    layer = find_number("layer", place.layer, 2)
    head = find_number("head", place.head, 2)
    if place.token == 5 and layer == 0:
        raise AttncliError("layer 0: S overflows")
    trace = make_trace(6, d_model=8, d_k=4, causal=layer == 1, seed=layer)
    d = derive(trace, head, place.token)
    return Row(replace(d, layer=layer), TOKENS, None, SPEC)


def stops(place, lines=3):
    d = rows(place).d
    return [
        Stop(key, f"title of {key}", tuple([Segment(f"{key} {line}")] for line in range(lines)))
        for key in KEYS
        if key != "mask" or d.mask is not None
    ]


def component(place, vector, index):
    return Lines(([Segment(f"{vector}[{index}] at {place.token}")],))


def view(height=24, *, lines=3, width=80, quiz_seed=None, screen=None):
    return View(
        rows,
        lambda place: stops(place, lines),
        component,
        screen or plain(width),
        height,
        quiz_seed,
    )


def after(keys, seen, state=None):
    """The state after some keys, given as a list, or as a text of one-letter keys."""
    state = state or start(HERE, seen)
    for key in keys:
        state = press(state, key, seen)
    return state
