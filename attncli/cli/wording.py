"""Errors speak of parameters, the command line of options."""

import re

from attncli.errors import AttncliError
from attncli.language import Language, Phrase, fill, template

_OPTIONS = {"heads": "--head", "mapping": "--map", "text": "SENTENCE"}


def error_text(error: AttncliError, language: Language = Language.en) -> str:
    """What an error says, with options in place of the parameters that its template names."""
    return _text(error.phrase, language)


def _text(phrase: Phrase, language: Language) -> str:
    fields = {
        name: _text(value, language) if isinstance(value, Phrase) else value
        for name, value in phrase.fields.items()
    }

    def option(parameter: re.Match[str]) -> str:
        return option_of(str(fields[parameter[2]]) if parameter[2] else parameter[1])

    text = template(language, phrase.message)
    return fill(re.sub(r"`([a-z_]+|\{([a-z_]+)\})`", option, text), language, fields)


def option_of(parameter: str) -> str:
    """The option that gives a parameter its value."""
    return _OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")
