"""Every error has a template of its own and a sentence for it in Chinese."""

import ast
import string
from collections import Counter
from pathlib import Path

import pytest

import attncli
from attncli.errors import AttncliError
from attncli.language import Language, Phrase, say
from attncli.language.errors import ERRORS
from attncli.language.messages import MESSAGES

PACKAGE = Path(attncli.__file__).parent
TAKE_A_TEMPLATE = {"AttncliError", "UsageError", "Phrase", "guarded", "bad_value"}
HANDS_ON = {"text/library.py"}  # `guarded` raises with the template that it was given


def literals(node):
    """The literal templates of an argument, None for what is not literal."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [*literals(node.body), *literals(node.orelse)]
    return [None]


def calls():
    """(where, function, argument) of every call that takes a template."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and node.args
                and ast.unparse(node.func) in TAKE_A_TEMPLATE
            ):
                yield path.relative_to(PACKAGE).as_posix(), ast.unparse(node.func), node.args[0]


def placeholders(text):
    """How often each field stands in a template, with its format; but for the plural's s."""
    fields = Counter(
        (name, spec, conversion)
        for _, name, spec, conversion in string.Formatter().parse(text)
        if name
    )
    return set(fields) - {("s", "", None)}


def test_every_error_is_raised_with_a_literal_template():
    for file, function, argument in calls():
        if function in ("AttncliError", "UsageError") and file not in HANDS_ON:
            is_phrase = isinstance(argument, ast.Call) and ast.unparse(argument.func) == "Phrase"
            made = ast.unparse(argument)
            assert (
                is_phrase or made == "_ambiguous(wanted, found)" or None not in literals(argument)
            ), f"{file}: {made}"


def test_every_template_has_an_entry_and_every_entry_is_used():
    used = {text for *_, argument in calls() for text in literals(argument)} - {None}
    assert used - MESSAGES.keys() - ERRORS.keys() == set()
    assert ERRORS.keys() - used == set()


@pytest.mark.parametrize("english", ERRORS)
def test_both_languages_repeat_the_same_facts(english):
    assert placeholders(english) == placeholders(ERRORS[english])
    assert ERRORS[english] != english


def test_an_error_is_english_until_another_language_is_asked_for():
    error = AttncliError("{path} is a folder: name a file", path="a")
    assert str(error) == "a is a folder: name a file"
    assert say(Language.zh, error.phrase) == "a 是文件夹：请指定文件"


def test_a_fact_that_is_a_phrase_is_said_in_the_same_language():
    kind = Phrase("a pipe")
    error = AttncliError("{path} is {kind}: a regular file is needed", path="a", kind=kind)
    assert str(error) == "a is a pipe: a regular file is needed"
    assert say(Language.zh, error.phrase) == "a 是管道：需要普通文件"
