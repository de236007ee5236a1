"""The sentence as a command gets it: from its argument or from standard input."""

import io

import pytest

from attncli.errors import AttncliError, UsageError
from attncli.text.source import read_text, without_surrogates


class Untouched(io.BytesIO):
    def read(self, *_: object) -> bytes:
        raise AssertionError("standard input was read")


def from_stdin(data: bytes) -> str:
    return read_text("-", io.BytesIO(data))


@pytest.mark.parametrize(
    "data", [b"the cat\n", b"the cat", b"\xef\xbb\xbfthe cat\r\n", b"the cat\r\n"]
)
def test_c09_bom_and_one_line_end_are_no_text(data: bytes) -> None:
    assert from_stdin(data) == "the cat"


def test_c09_all_else_is_text() -> None:
    assert from_stdin(b"\nthe\r\ncat\n\n") == "\nthe\r\ncat\n"
    assert from_stdin(b"cat\r") == "cat\r"
    assert from_stdin(b"a\xef\xbb\xbfb \n") == "a\ufeffb "
    assert from_stdin(b"") == ""
    assert from_stdin(b"a\x00\x1b") == "a\x00\x1b"  # S-04: shown, not removed


def test_c10_standard_input_is_read_for_a_dash_only() -> None:
    assert read_text("the cat", Untouched()) == "the cat"
    assert read_text("", Untouched()) == ""
    with pytest.raises(UsageError, match=r"^no text given \(use - to read standard input\)$"):
        read_text(None, Untouched())


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be", "utf-32"])
def test_c20_utf_16_is_named(codec: str) -> None:
    with pytest.raises(AttncliError, match="standard input is UTF-16: save it as UTF-8"):
        from_stdin("\ufeffthe cat".encode(codec))


def test_c20_invalid_utf_8_is_named_with_its_position() -> None:
    with pytest.raises(AttncliError, match="not UTF-8: byte 0xE9 at position 3"):
        from_stdin("café".encode("latin-1"))
    with pytest.raises(AttncliError, match="byte 0xFF at position 4"):
        from_stdin(b"\xef\xbb\xbfa\xff")


def test_e09_a_lone_surrogate_cannot_get_in() -> None:
    invalid_argument = b"caf\xe9".decode("utf-8", "surrogateescape")
    with pytest.raises(AttncliError, match=r"lone surrogate \\udce9 at 3: .*UTF-8"):
        read_text(invalid_argument, Untouched())
    with pytest.raises(AttncliError, match="at 0"):
        without_surrogates("\ud83d\ude00")
    assert without_surrogates("😀") == "😀"


def test_standard_input_that_never_ends() -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:
            buffer[:] = bytes(len(buffer))
            return len(buffer)

    with pytest.raises(AttncliError, match=r"^standard input has more than 800,000 bytes: give a"):
        read_text("-", io.BufferedReader(Endless()))
