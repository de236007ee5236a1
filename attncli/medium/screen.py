"""What the output goes to: how wide it is, whether it shows colour, which characters it has."""

from dataclasses import dataclass
from functools import lru_cache

from attncli.language import Language, Phrase, Text, in_words, say


@lru_cache(maxsize=2**14)
def can_encode(characters: str, encoding: str) -> bool:
    """Whether an encoding has all of the characters."""
    try:
        characters.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class Screen:
    """Decided once by the command (cli/console.py) and handed to every view."""

    width: int  # cells per line
    color: bool  # False: shades or digits carry the values, and no escape code is written
    unicode: bool  # False: a legacy encoding without block characters; ASCII shades instead
    language: Language = Language.en
    encoding: str = "ascii"  # where `unicode` is False

    def has(self, char: str) -> bool:
        """Whether a character can be written as it is."""
        return self.unicode or can_encode(char, self.encoding)

    def say(self, message: str | Phrase, **fields: object) -> str:
        """A sentence of the catalogue (language/messages.py) in the reader's language."""
        return say(self.language, message, **fields)

    def text(self, text: Text) -> str:
        """A phrase in the reader's language; other text as it is."""
        return in_words(self.language, text)
