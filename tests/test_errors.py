"""Every error and every note has a template of its own and a sentence for it in Chinese."""

import ast
import string
from pathlib import Path

import pytest

import attncli
from attncli.errors import AttncliError
from attncli.families import records
from attncli.language import Language, Phrase, say
from attncli.language.chinese import CHINESE
from attncli.language.families import FAMILIES
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
    """(where, call) of every call that takes a template."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            function = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if function in TAKE_A_TEMPLATE and node.args:
                yield path.relative_to(PACKAGE).as_posix(), node


def placeholders(text):
    """The fields of a template, each with its format and conversion; not the plural's s."""
    fields = {part[1:] for part in string.Formatter().parse(text) if part[1]}
    return fields - {("s", "", None)}


def test_every_error_is_raised_with_a_literal_template():
    for file, call in calls():
        if ast.unparse(call.func) != "Phrase" and file not in HANDS_ON:
            is_phrase = ast.unparse(call.args[0]).startswith("Phrase(")
            assert is_phrase or None not in literals(call.args[0]), f"{file}: {ast.unparse(call)}"


def test_every_fact_of_a_template_is_given():
    for file, call in calls():
        function, given = ast.unparse(call.func), {keyword.arg for keyword in call.keywords}
        if function == "Phrase" or None in given:  # **facts
            continue
        if function == "guarded":  # which adds what the library says
            given.add("reason")
        for text in literals(call.args[0]):
            needed = {name for name, *_ in placeholders(text or "")}
            assert needed <= given, f"{file}: {ast.unparse(call)}"
            assert "{s}" not in (text or "") or "count" in given, f"{file}: {ast.unparse(call)}"


def test_every_template_has_an_entry_and_every_entry_is_used():
    used = {text for _, call in calls() for text in literals(call.args[0])} - {None}
    assert used - MESSAGES.keys() - CHINESE.keys() == set()
    assert CHINESE.keys() - FAMILIES.keys() - used == set()


def test_what_every_family_is_has_an_entry():
    assert {record.special for record in records().values()} == FAMILIES.keys()


@pytest.mark.parametrize("english", CHINESE)
def test_both_languages_repeat_the_same_facts(english):
    assert placeholders(english) == placeholders(CHINESE[english])
    assert CHINESE[english] != english


def test_an_error_is_english_until_another_language_is_asked_for():
    error = AttncliError("{path} is a folder: name a file", path="a")
    assert str(error) == "a is a folder: name a file"
    assert say(Language.zh, error.phrase) == "a 是文件夹：请指定文件"


def test_a_fact_that_is_a_phrase_is_said_in_the_same_language():
    kind = Phrase("a pipe")
    error = AttncliError("{path} is {kind}: a regular file is needed", path="a", kind=kind)
    assert str(error) == "a is a pipe: a regular file is needed"
    assert say(Language.zh, error.phrase) == "a 是管道：需要普通文件"
