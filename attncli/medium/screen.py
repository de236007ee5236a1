"""What the output goes to: how wide it is, whether it shows colour, which characters it has."""

from dataclasses import dataclass

from attncli.language import Language, Phrase, say


@dataclass(frozen=True)
class Screen:
    """Decided once by the command (cli/console.py) and handed to every view."""

    width: int  # cells per line
    color: bool  # False: shades or digits carry the values, and no escape code is written
    unicode: bool  # False: the encoding has no block characters; ASCII shades instead
    language: Language = Language.en

    def say(self, message: str | Phrase, **fields: object) -> str:
        """A sentence of the catalogue (language/messages.py) in the reader's language."""
        return say(self.language, message, **fields)
