"""What is wrong with a command line, in the reader's language."""

import re
from typing import Any

from attncli.language import Language, Phrase, say


def usage_lines(error: Any, language: Language) -> list[str]:
    """The lines for click's UsageError: how the command is used, where its help is, the error."""
    lines = []
    if (ctx := error.ctx) is not None:
        usage = ctx.get_usage().removeprefix("Usage: ")
        lines += say(language, "usage", text=usage).splitlines()
        if ctx.command.get_help_option(ctx) is not None:
            facts = {"command": ctx.command_path, "option": ctx.help_option_names[0]}
            lines.append(say(language, "usage.help", **facts))
    return [*lines, *say(language, "error", text=_text(error, language)).splitlines()]


def _text(error: Any, language: Language) -> str:
    """The error itself; that of an option's value names the option."""
    message, param = error.message, getattr(error, "param", None)
    if isinstance(message, Phrase):
        text = say(language, message)
    elif param is None or not message:
        return _of_library(error.format_message(), language)
    else:
        text = _of_library(message, language)
    if param is None:
        return text
    option = param.get_error_hint(error.ctx)
    return say(
        language,
        "usage.value",
        option=option if language is Language.en else option.replace("'", ""),
        text=text,
    )


def _of_library(text: str, language: Language) -> str:
    """A sentence of click's own, of which it gives the text alone."""
    if language is Language.zh:
        from attncli.language.errors.click import CLICK

        for pattern, chinese in CLICK.items():
            if found := re.fullmatch(pattern, text, re.DOTALL):
                return chinese.format(*found.groups())
    return text
