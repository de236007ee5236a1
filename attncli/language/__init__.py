"""In which language attncli tells what it computed."""

import locale
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce


class Language(StrEnum):
    """A language that the catalogue (messages.py) has."""

    en = "en"
    zh = "zh"


def usual_language(environ: Mapping[str, str]) -> Language:
    """The user's: what the first of these variables that is set says, else English.

    ATTNCLI_LANG, then LC_ALL, LC_MESSAGES and LANG (POSIX.1-2017, section 8.2). Where none is set,
    as on Windows, the system's own setting.
    """
    names = ("ATTNCLI_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    said = next((environ[name] for name in names if environ.get(name)), locale.getlocale()[0])
    return Language.zh if (said or "").lower().startswith(("zh", "chinese")) else Language.en


@dataclass(frozen=True)
class Phrase:
    """A message of the catalogue with its fields, to be put into a language later; English as str.

    A field may be a phrase itself.
    """

    message: str
    fields: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        return say(Language.en, self)


Text = str | Phrase  # what is the same in every language, such as a name, or what is not


def joined(between: str, parts: Sequence[Text]) -> Text:
    """The parts in one text, any two of them put together by the message `between`."""
    return reduce(lambda one, next: Phrase(between, {"first": one, "second": next}), parts)


def in_words(language: Language, text: Text) -> str:
    """A phrase said in a language; other text as it is."""
    return say(language, text) if isinstance(text, Phrase) else text


def say(language: Language, message: str | Phrase, **fields: object) -> str:
    """The text of a message in the catalogue, its {placeholders} filled in.

    {s} is the plural ending that goes with the field `count`. A message that is not a key of the
    catalogue is its own English text, as an error's template is, whose Chinese is in chinese.py.
    """
    if isinstance(message, Phrase):
        return say(language, message.message, **message.fields)
    return fill(template(language, message), language, fields)


def template(language: Language, message: str) -> str:
    """What the catalogue has for a message or an error, its {placeholders} still open."""
    from attncli.language.messages import MESSAGES

    if message in MESSAGES:
        found: str = getattr(MESSAGES[message], language)
        return found
    if language is Language.zh:
        from attncli.language.chinese import CHINESE

        return CHINESE.get(message, message)
    return message


def fill(template: str, language: Language, fields: Mapping[str, object]) -> str:
    """A template with its {placeholders} filled in; a field that is a phrase is said first."""
    said = {
        name: say(language, value) if isinstance(value, Phrase) else value
        for name, value in fields.items()
    }
    return template.format(**said, s="" if fields.get("count") == 1 else "s")
