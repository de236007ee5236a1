"""What all parts of a derivation share: whose row it is, in how many digits, in which language."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attncli.analysis.derive import Derivation
from attncli.analysis.path import length
from attncli.analysis.rounding import Number, Reading, recheck
from attncli.attention import Array
from attncli.language import Language, Phrase, say
from attncli.medium.numbers import Notation, notation
from attncli.narration.blocks import Name, Vector
from attncli.narration.formula import subscript
from attncli.narration.row import Row
from attncli.text.printable import token_label
from attncli.text.token import Token

USUAL_DIGITS = 4


@dataclass(frozen=True)
class Voice:
    """The language of a document, and how it writes what others wrote: tokens and pieces."""

    language: Language = Language.en
    name_of: Callable[[Token], str] = token_label
    foreign: Callable[[str], str] = str

    def say(self, message: str | Phrase, **fields: object) -> str:
        """A sentence of the catalogue (language/messages.py)."""
        return say(self.language, message, **fields)


@dataclass(frozen=True)
class Page:
    """A row, the voice that tells it, and the digits after the point."""

    row: Row
    voice: Voice
    digits: int = USUAL_DIGITS

    @property
    def d(self) -> Derivation:
        """What there is to print."""
        return self.row.d

    @property
    def cross(self) -> bool:
        """Whether the tokens looked at are others than those that look."""
        return self.row.keys is not None

    @property
    def i(self) -> str:
        """The row's number as in a sentence: ₁₀."""
        return subscript(self.d.token)

    def say(self, message: str, **fields: object) -> str:
        """A sentence of the catalogue."""
        return self.voice.say(message, **fields)

    def counted(self, count: int, message: str) -> str:
        """`3 numbers`."""
        return self.say(message, count=count)

    def key_name(self, key: int, tex: str = "") -> Name:
        """The name of a key's token, after a formula if there is one."""
        token = self.row.looked_at[key]
        return Name(self.voice.name_of(token), tex, token.special)

    def left_out(self, shown: int) -> str:
        """How many of the keys are shown, and which."""
        return self.say("of_keys", shown=shown, keys=self.counted(len(self.d.a), "keys"))

    def checked(self, printed: str, recomputed: Reading) -> Number:
        """A printed result, compared with what its printed operands give."""
        return recheck(printed, recomputed, self.d.tolerance)

    def write(self, value: float) -> str:
        """One number by itself."""
        return notation(np.array(value), self.digits).write(value)

    def vector(self, name: str, values: Array) -> Vector:
        """A vector, how many numbers it has and its length; `name` in TeX."""
        count = self.counted(len(values), "numbers")
        size = self.say("length_of", numbers=count, length=self.write(length(values)))
        return Vector(name, values, notation(values, self.digits), size)


def texts(style: Notation, values: Array) -> list[str]:
    """Each number as it is printed."""
    return list(map(style.write, values.tolist()))
