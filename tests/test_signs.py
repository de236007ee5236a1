"""Encodings: what they have is written, only what they lack is replaced, and that measured."""

import pytest
from command import run
from rich.cells import cell_len
from views_fixtures import make_shown, make_tokens, make_trace, printed

from attncli.language.messages import MESSAGES
from attncli.medium.names import name_of
from attncli.medium.screen import Screen, can_encode
from attncli.medium.signs import foreign, same_width, spell
from attncli.views.matrix import matrix


def screen_of(encoding):
    return Screen(80, color=False, unicode=False, encoding=encoding)


@pytest.mark.parametrize(
    ("encoding", "text", "shown"),
    [
        ("ascii", "猫é", r"\u732b\xe9"),
        ("latin-1", "猫é×", r"\u732bé×"),
        ("gbk", "猫é貓ñ", r"猫é貓\xf1"),
        ("big5", "貓猫", r"貓\u732b"),
        ("shift_jis", "猫がé", r"猫が\xe9"),
        ("euc_kr", "고양이 é", r"고양이 \xe9"),
        ("cp1251", "кот é", r"кот \xe9"),
        ("cp874", "แมว é", r"แมว \xe9"),
        ("gbk", "“猫”", "“猫”"),
        ("ascii", "“a”", r"\u201ca\u201d"),
    ],
)
def test_only_what_is_lacking_is_escaped(encoding, text, shown):
    screen = screen_of(encoding)
    assert foreign(text, screen) == shown
    assert same_width(foreign(text, screen), screen) == shown
    shown.encode(encoding)


def test_our_own_signs_go_one_by_one_too():
    assert spell("√2 → ∞", screen_of("ascii")) == "sqrt 2 -> inf"
    assert spell("√2 → ∞", screen_of("gbk")) == "√2 → ∞"
    assert spell("√2 × 3", screen_of("latin-1")) == "sqrt 2 × 3"
    assert same_width("x₁·y", screen_of("latin-1")) == "x1·y"
    assert same_width("x₁·y", screen_of("ascii")) == "x1.y"


@pytest.mark.parametrize("encoding", ["gbk", "big5", "shift_jis", "euc_kr", "latin-1", "cp1255"])
def test_columns_stay_straight_and_everything_can_be_written(encoding):
    screen = screen_of(encoding)
    tokens = make_tokens("猫", "é", "고양이", "貓“", "שלום", "кот")
    text = printed(matrix(make_shown("A", "L1H0", make_trace(6).A[0], tokens), screen), screen)
    text.encode(encoding)
    rows = [line for line in text.splitlines() if line.rstrip().endswith("1.00")]
    assert len(rows) == 6
    assert len({cell_len(row) for row in rows}) == 1
    names = [name_of(token, screen) for token in tokens]
    assert ("猫" in names) == can_encode("猫", encoding)


def test_gbk_has_every_chinese_message():
    screen = screen_of("gbk")
    for key, message in MESSAGES.items():
        assert can_encode(same_width(spell(message.zh, screen), screen), "gbk"), key


@pytest.mark.parametrize("encoding", ["gbk", "gb18030", "gb2312"])
def test_chinese_in_a_chinese_encoding(encoding):
    sentence = "动物没有过街，因为它太累了"
    answer = run("explain", sentence, "--token", "它", "--lang", "zh", encoding=encoding)
    assert answer.status == 0, answer.err
    assert "注意力" in answer.out
    assert "它" in answer.out
    assert "\\u" not in answer.out


@pytest.mark.parametrize("encoding", ["big5", "shift_jis", "euc_kr", "latin-1"])
def test_no_simplified_chinese_where_an_encoding_lacks_it(encoding):
    answer = run("explain", "a", "--lang", "zh", encoding=encoding)
    assert answer.status == 1
    assert "lacks simplified Chinese characters" in answer.err


def test_messages_in_the_characters_of_standard_error(tmp_path):
    def error(encoding):
        return run("info", tmp_path / "猫→שלום", encoding=encoding).err

    assert "猫→שלום\u2069" in error("utf-8")
    assert r"猫→\u05e9\u05dc\u05d5\u05dd" in error("gbk")
    assert r"\u732b->\u05e9" in error("cp1255")
