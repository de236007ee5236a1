"""Errors speak of parameters, the command line of options."""

import re

from attncli.errors import AttncliError
from attncli.language import Language, fill, template

_OPTIONS = {"heads": "--head", "mapping": "--map", "text": "SENTENCE"}


def error_text(error: AttncliError, language: Language = Language.en) -> str:
    """What an error says, with options in place of the parameters that its template names."""
    text = template(language, error.phrase.message)
    return fill(re.sub(r"`([a-z_]+)`", _option, text), language, error.phrase.fields)


def _option(parameter: re.Match[str]) -> str:
    name = parameter[1]
    return _OPTIONS.get(name, f"--{name.replace('_', '-')}")
