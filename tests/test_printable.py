"""No text gets to a terminal with anything in it that is invisible or steers it."""

import unicodedata

import pytest
from bidi import get_display
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from attncli.text.printable import (
    cut,
    isolated,
    label,
    pad,
    printable,
    printable_message,
    quoted,
    token_label,
)
from attncli.text.token import Token

FAMILY = "👨\u200d👩\u200d👧"
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
anything = st.text(st.characters(categories=None), max_size=30)  # surrogates too
awkward = st.text(
    " a1+U#2\\x\t\n日👨👩❤🏽🇩🇪🔥🩷\u200b\u200d\ufe0f\ufe0e\u0301\u1100\u1161\x00\x1b\x9b\udc80"
    "\u2800\u20e3\u00a0\u3000\u0903\u202e\u0378\ue000\U000e0100",
    max_size=9,
)


@given(anything | awkward)
@example("".join(map(chr, range(0x120))) + BIDI)
def test_nothing_dangerous_comes_out_and_a_second_pass_changes_nothing(text: str) -> None:
    shown = printable(text)
    assert not [c for c in shown if c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff"]
    assert not set(shown) & set(BIDI)
    assert printable(shown) == shown
    assert label(label(text)) == label(text)
    assert set(label(text)).isdisjoint(" \t\n\xa0\u3000")


@given(st.text(st.characters(categories=None), min_size=1) | awkward.filter(bool))
def test_every_label_is_at_least_one_cell_wide(text: str) -> None:  # D-08
    assert cell_len(label(text)) >= 1
    assert cell_len(printable(text)) >= 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b]52;c;aGk=\x07b", r"a\x1b]52;c;aGk=\x07b"),  # S-04, the clipboard
        ("\x1b[2J", r"\x1b[2J"),
        ("\u009b31m", r"\x9b31m"),
        ("\x00\x7f", r"\x00\x7f"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("x\u202egnp.exe", "xU+202Egnp.exe"),
        ("\udc80", r"\udc80"),
        ("a\u2028b\u2029", "aU+2028bU+2029"),
        ("a\u200bb\u00adc\ufeff", "aU+200BbU+00ADcU+FEFF"),  # D-08
        ("\ue000\u0378\U000e0041", "U+E000U+0378U+E0041"),
        ("\u3164\u2800", "U+3164U+2800"),
        ("a\ufe0f", "aU+FE0F"),  # a selector that only hides there
        ("日\ufe0f\ufe0f", "日\ufe0fU+FE0F"),
        ("\u200b\u0301", "U+200B◌\u0301"),
    ],
)
def test_what_cannot_be_seen_is_spelled_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("[/]", "[bold]hi[/]", "list[str] [red]", "a:smile:b", "[link=http://x]"),  # D-01 to D-03
        *("日本 👍", "e\u0301", "が", "か\u3099", "क्षि", "각", "\u1112\u1161\u11ab"),
        *(FAMILY, "❤️\u200d🔥", "👍🏽", "🇩🇪", "1️⃣", "🙂\u200d↔️", "葛\U000e0100", "🩷", "©️"),
    ],
)
def test_what_can_be_seen_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_a_joiner_stays_only_inside_an_emoji() -> None:
    assert printable("a\u200db") == "aU+200Db"
    assert printable("👨\u200d") == "👨U+200D"
    assert printable("\u200d👩") == "U+200D👩"
    assert printable("👨\u200d\u200d👩") == "👨U+200DU+200D👩"


def test_a_mark_with_nothing_to_stand_on_gets_a_circle() -> None:
    assert printable("\u0301") == "◌\u0301"
    assert printable("a \u0301") == "a ◌\u0301"
    assert label(" \u0301") == "␠◌\u0301"
    assert label("🏽") == "◌🏽"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("cat", "cat"),
        (" cat", "␠cat"),
        (" ", "␠"),
        ("   ", "␠×3"),
        ("\n", "⏎"),
        ("\n\n", "⏎×2"),
        ("\t", "⇥"),
        (" \n", "␠⏎"),
        ("\r\n", r"\r⏎"),
        ("\xa0", "U+00A0"),
        ("\u3000日", "U+3000日"),
        ("\u200b", "U+200B"),
        ("", "∅"),
    ],
)
def test_labels_show_blanks(text: str, name: str) -> None:  # D-08, T-01
    assert label(text) == name


def a_token(text: str, piece: str = "", **more: object) -> Token:
    return Token(index=0, id=7, text=text, piece=piece, start=0, end=1, special=False, **more)


def test_labels_of_tokens_tell_parts_of_a_character_apart() -> None:  # T-02, T-10
    assert token_label(a_token(" cat")) == "␠cat"
    assert token_label(a_token(" 🤗", part=(1, 3), raw=b" \xf0\x9f")) == "␠🤗⟨1/3⟩"
    assert token_label(a_token("🤗", part=(2, 3), raw=b"\xa4")) == "🤗⟨2/3⟩"
    assert token_label(a_token("💩cat\x1b", "[UNK]", unknown=True)) == r"[UNK] «💩cat\x1b»"


@pytest.mark.parametrize(
    ("text", "cells", "kept"),
    [
        ("animal", 6, "animal"),
        ("animal", 5, "anim…"),
        ("animal", 1, "…"),
        ("animal", 0, ""),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("日本", 2, "…"),
        (f"{FAMILY}ab", 3, f"{FAMILY}…"),
        (f"{FAMILY}ab", 2, "…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("🇩🇪🇫🇷", 3, "🇩🇪…"),
        ("1️⃣1️⃣", 3, "1️⃣…"),
        ("1️⃣1️⃣", 2, "…"),
        ("👍🏽👍🏽", 3, "👍🏽…"),
        ("\u1112\u1161\u11ab글자", 3, "\u1112\u1161\u11ab…"),
    ],
)
def test_cut_keeps_whole_characters(text: str, cells: int, kept: str) -> None:  # D-06
    assert cut(text, cells) == kept


@given(anything | awkward, st.integers(0, 12))
def test_columns_stay_straight(text: str, cells: int) -> None:  # D-06
    shown = label(text)
    assert cell_len(cut(shown, cells)) <= cells
    for align in ("left", "right", "center"):
        assert cell_len(pad(shown, cells, align)) == cells


def test_pad_aligns() -> None:
    assert pad("日", 5) == "日   "
    assert pad("日", 5, "right") == "   日"
    assert pad("日", 5, "center") == " 日  "
    assert pad("日本語", 4) == "日… "


def test_only_pictographs_stay_when_python_does_not_know_a_character() -> None:
    newer = [c for c in map(chr, range(0x1F300, 0x1FB00)) if unicodedata.category(c) == "Cn"]
    assert all(printable(c) == c for c in newer if c >= "\U0001f400")
    assert printable("\U000323b0") == "U+323B0"


def test_what_a_message_repeats_is_printable_and_short() -> None:
    assert quoted("config.json") == "config.json"
    assert quoted(ValueError("a\x1b[2J\u202e")) == r"a\x1b[2JU+202E"
    assert quoted("x" * 200) == "x" * 200
    assert quoted("x" * 10**6) == "x" * 199 + "…"
    assert quoted("\x00" * 10**6) == r"\x00" * 49 + r"\x0…"
    assert len(quoted("e" + "\u0301" * 10**6)) == 200


def test_right_to_left_text_in_a_message_moves_nothing_else() -> None:
    message = printable_message(f"no layer 3 in {quoted('שלום')} (2 layers): 0, 1")
    assert get_display(message) == "no layer 3 in \u2068םולש\u2069 (2 layers): 0, 1"
    assert isolated(isolated("שלום")) == isolated("שלום")
    assert cell_len(isolated("שלום")) == 4
    assert isolated("日本 café") == "日本 café"


@pytest.mark.parametrize(
    "text", ["\u2068", "\u2068a\u2069", "\u2068ש\u202eש\u2069", "ש\u2069\u2068ש"]
)
def test_isolates_that_others_wrote_are_spelled_out(text: str) -> None:
    assert set(printable(text)).isdisjoint(BIDI)
    ours = quoted(text)
    assert set(ours[1:-1]).isdisjoint(BIDI)
    assert printable_message(ours) == ours
    left_alone = printable_message(text)
    assert left_alone.count("\u2068") == left_alone.count("\u2069")
    assert "\u202e" not in left_alone


def test_a_cut_isolate_is_closed() -> None:
    assert cut(isolated("שלום"), 3) == "\u2068של…\u2069"
    assert pad(isolated("שלום"), 6) == "\u2068שלום\u2069  "
