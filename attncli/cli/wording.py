"""Errors speak of parameters, the command line of options."""

import re

from attncli.errors import AttncliError
from attncli.language import Language, fill, template

_OPTIONS = {"heads": "--head", "mapping": "--map", "text": "SENTENCE"}


def error_text(error: AttncliError, language: Language = Language.en) -> str:
    """What an error says, with options in place of the parameters that its template names."""
    text = template(language, error.phrase.message)
    named = re.sub(r"`([a-z_]+)`", lambda parameter: option_of(parameter[1]), text)
    return fill(named, language, error.phrase.fields)


def option_of(parameter: str) -> str:
    """The option that gives a parameter its value."""
    return _OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")
