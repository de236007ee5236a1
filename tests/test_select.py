"""Naming a token by its number or its text."""

import re

import pytest

from attncli.errors import AttncliError, UsageError
from attncli.text.select import find_token
from attncli.text.token import Token


def row(*texts: str) -> list[Token]:
    return [Token(i, i, text, f"p{i}", None, None, False) for i, text in enumerate(texts)]


SENTENCE = row("[CLS]", "The", "cat", "saw", "2", "dogs", "and", "the", "dog", "[SEP]")


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        ("2", 2),  # C-14: a number is a number even if the sentence has it
        ("2#1", 4),
        ("0", 0),
        ("9", 9),
        ("-1", 9),
        ("-10", 0),
        ("cat", 2),
        ("CAT", 2),
        ("the", 7),  # exact before any case
        ("The", 1),
        ("[CLS]", 0),
        ("[sep]", 9),
        ("p5", 5),
    ],
)
def test_c14_number_text_or_piece(wanted: str, index: int) -> None:
    assert find_token(SENTENCE, wanted) == index


@pytest.mark.parametrize("wanted", ["10", "-11", "99999999999999999"])
def test_c03_out_of_range(wanted: str) -> None:
    with pytest.raises(AttncliError) as caught:
        find_token(SENTENCE, wanted)
    message = str(caught.value)
    assert message.startswith(f"token {wanted} does not exist: the text has 10 tokens (0 to 9): ")
    assert "0 [CLS], 1 The, 2 cat" in message


def test_c14_absent_and_empty() -> None:
    absent = r'^there is no token "zebra": give one of 0 \[CLS\], 1 The'
    with pytest.raises(AttncliError, match=absent):
        find_token(SENTENCE, "zebra")
    with pytest.raises(UsageError):
        find_token(SENTENCE, "")
    for odd in (" ", "1_0", "٣", "+1", "9" * 5000, "#", "#1", "zebra#1"):
        with pytest.raises(AttncliError, match="there is no token"):
            find_token(SENTENCE, odd)


def test_t16_a_text_that_stands_twice_asks_which() -> None:
    twice = row("[CLS]", "the", "cat", "saw", "the", "dog", "[SEP]")
    message = '"the" stands at 1 and 4: give the number, or the#1 or the#2'
    with pytest.raises(AttncliError, match=f"^{message}$"):
        find_token(twice, "the")
    assert [find_token(twice, name) for name in ("the#1", "the#2", "THE#2")] == [1, 4, 4]
    for beyond in ("the#0", "the#3"):
        with pytest.raises(AttncliError, match=f"^{message}$"):
            find_token(twice, beyond)
    thrice = row("a", "a", "a")
    with pytest.raises(AttncliError, match="at 0, 1 and 2: give the number, or a#1, a#2 or a#3"):
        find_token(thrice, "a")
    with pytest.raises(AttncliError, match='"it" stands at 1: give the number, or it#1'):
        find_token(row("x", "it"), "it#3")


def test_a_token_whose_text_ends_like_a_count() -> None:
    with pytest.raises(AttncliError, match=r'"a#2" stands at 0 and 1: .* a#2#1 or a#2#2'):
        find_token(row("a#2", "a#2", "a", "a"), "a#2")


def test_case_is_ignored_only_if_that_is_unique() -> None:
    with pytest.raises(AttncliError, match='"THE" stands at 0 and 1'):
        find_token(row("The", "the"), "THE")


def test_leading_blanks_and_labels() -> None:
    tokens = row("it", " was", " it", "\n", " ", "🤗", "a#2")
    assert find_token(tokens, "was") == find_token(tokens, " was") == 1
    assert find_token(tokens, "␠was") == find_token(tokens, "WAS") == 1
    assert find_token(tokens, "␠it") == find_token(tokens, " it") == 2
    assert find_token(tokens, "it#2") == 2
    assert find_token(tokens, "⏎") == find_token(tokens, "\n") == 3
    assert find_token(tokens, " ") == find_token(tokens, "␠") == 4
    assert find_token(tokens, "a#2") == 6
    with pytest.raises(AttncliError, match='"it" stands at 0 and 2'):
        find_token(tokens, "it")


def test_s04_messages_are_short_and_filtered() -> None:
    tokens = row(*["\x1b[2J" + "long" * 40] * 200)
    for wanted in ("\x1b]0;x\x07" * 50, "500", "\x1b[2J" + "long" * 40):
        with pytest.raises(AttncliError) as caught:
            find_token(tokens, wanted)
        message = str(caught.value)
        assert re.search(r"\\x1b", message)
        assert message.isprintable()
        assert len(message) < 800
