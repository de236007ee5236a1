"""What a piece of text selects of a model's layers and heads."""

import pytest

from attncli.errors import AttncliError, UsageError
from attncli.selectors import Selection, only, select

LAYERS, HEADS = 6, 12


def chosen(layer=None, *heads):
    return select(layer, heads, n_layers=LAYERS, n_heads=HEADS)


@pytest.mark.parametrize(
    ("text", "heads"),
    [
        ("0", [0]),
        ("011", [11]),
        ("-1", [11]),
        ("-12", [0]),
        ("H3", [3]),
        ("h3", [3]),
        ("H-2", [10]),
        ("0,1", [0, 1]),
        ("5,H3,5", [3, 5]),
        ("0-3", [0, 1, 2, 3]),
        ("H2-H4", [2, 3, 4]),
        ("H2-4", [2, 3, 4]),
        ("9--1", [9, 10, 11]),
        ("-3--1", [9, 10, 11]),
        ("0-1,11", [0, 1, 11]),
        ("all", range(12)),
        ("ALL,3", range(12)),
    ],
)
def test_heads(text, heads):
    assert chosen(None, text) == Selection((), tuple(heads))


@pytest.mark.parametrize(
    ("text", "layers"),
    [
        ("5", [5]),
        ("L5", [5]),
        ("-1", [5]),
        ("0,1", [0, 1]),
        ("L0-L2", [0, 1, 2]),
        ("all", range(6)),
    ],
)
def test_layers(text, layers):
    assert chosen(text) == Selection(tuple(layers), ())


def test_heads_given_one_after_the_other_are_one_list():
    assert chosen(None, "4,3", "1") == Selection((), (1, 3, 4))


def test_what_an_answer_prints_selects_both():
    assert chosen(None, "L5H11") == chosen("L5H11") == Selection((5,), (11,))
    assert chosen(None, "L5H0-3") == Selection((5,), (0, 1, 2, 3))
    assert chosen(None, "L5H11", "3") == Selection((5,), (3, 11))
    assert chosen("-1", "L5H11") == Selection((5,), (11,))
    assert chosen("L5H-1", "11") == Selection((5,), (11,))


@pytest.mark.parametrize(
    ("layer", "heads", "message"),
    [
        ("4", ["L5H11"], "layer 4 and layer 5 contradict each other"),
        ("L4H1", ["2"], "head 1 and head 2 contradict each other"),
        (None, ["3-1"], "3-1 runs backwards: give 1-3"),
        (None, ["-1-0"], "-1-0 runs backwards: give 0-11"),
    ],
)
def test_contradictions(layer, heads, message):
    with pytest.raises(UsageError, match=message):
        chosen(layer, *heads)


NOTHING = [
    "",
    " 1",
    "1 ",
    "1_0",
    "٣",
    "１",
    "+1",
    "--1",
    "1.0",
    "1e0",
    "0x1",
    "0,,1",
    "0,",
    "0-",
    "x",
]


@pytest.mark.parametrize("text", [*NOTHING, "L5", "L53", "H", "LH3", "H3L5", "1-2-3", "9" * 5000])
def test_what_names_no_head(text):
    with pytest.raises(UsageError, match="names no head: give one as 3, H3 or L5H3") as raised:
        chosen(None, text)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("text", [*NOTHING, "H5", "L", "L0-", "-", "L٣"])
def test_what_names_no_layer(text):
    with pytest.raises(UsageError, match="names no layer: give one as 5, L5 or -1"):
        chosen(text)


@pytest.mark.parametrize(
    ("layer", "heads", "message"),
    [
        (None, ["12"], r"head 12 does not exist: the model has 12 heads \(0 to 11\)"),
        (None, ["-13"], "head -13 does not exist"),
        (None, ["0-999999999"], "head 999999999 does not exist"),
        ("6", [], r"layer 6 does not exist: the model has 6 layers \(0 to 5\)"),
        (None, ["L6H0"], "layer 6 does not exist"),
    ],
)
def test_what_does_not_exist(layer, heads, message):
    with pytest.raises(AttncliError, match=message) as raised:
        chosen(layer, *heads)
    assert not isinstance(raised.value, UsageError)


def test_one_alone():
    assert (only("head", (), 7), only("head", (3,), 7)) == (7, 3)
    with pytest.raises(UsageError, match="layers 0, 1 are several: give one layer, such as 0"):
        only("layer", (0, 1), 7)
    with pytest.raises(UsageError, match="heads 0, 1, 2, 3, 4, 5, 6, 7, … are several"):
        only("head", tuple(range(100)), 7)
