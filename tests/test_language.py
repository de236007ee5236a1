"""The catalogue of messages, and which language is told."""

import re
import string
from pathlib import Path

import pytest

import attncli
from attncli.language import Language, Phrase, say, usual_language
from attncli.language.chinese import CHINESE
from attncli.language.messages import MESSAGES

SOURCES = list(Path(attncli.__file__).parent.rglob("*.py"))


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name} - {"s"}


@pytest.mark.parametrize("key", MESSAGES)
def test_both_languages_say_the_same(key):
    message = MESSAGES[key]
    assert placeholders(message.en) == placeholders(message.zh)
    assert message.en
    assert message.zh
    assert "{s}" not in message.zh


def test_what_is_not_a_symbol_or_a_name_is_translated():
    same = {key for key, message in MESSAGES.items() if message.en == message.zh}
    for key in same:
        assert not re.search(
            r"[a-z]{3,}", re.sub(r"\{\w+\}|sqrt|query_pre_attn_scalar|token", "", MESSAGES[key].en)
        )


def test_every_message_is_used_and_every_used_one_is_there():
    files = (path for path in SOURCES if "language" not in path.parts)
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    written = set(re.findall(r"""["']([\w.]+)["']""", text))
    made_from_a_name = set(re.findall(r'f"([\w.]+)\.\{', text))  # f"step.{name}"
    for key in MESSAGES:
        parts = key.split(".")
        starts = {".".join(parts[:count]) for count in range(1, len(parts))}
        assert key in written or starts & made_from_a_name, key
    for key in re.findall(r"""(?:say|Phrase)\(\s*["']([\w.]+)["']""", text):
        assert key in MESSAGES or key in CHINESE


def test_counts_have_a_plural_in_english():
    assert say(Language.en, "numbers", count=1) == "1 number"
    assert say(Language.en, "numbers", count=2) == "2 numbers"
    assert say(Language.zh, "numbers", count=2) == "2 个数"


def test_a_phrase_inside_a_phrase_is_said_in_the_same_language():
    reason = Phrase("scale.by_layer", {"reason": Phrase("scale.initial"), "number": 3})
    assert str(reason) == "it is part of the initial values of W_Q, divided by layer + 1 = 3"
    assert say(Language.zh, reason) == "它已包含在 W_Q 的初始值中，再除以层号 + 1 = 3"


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "en_GB.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"ATTNCLI_LANG": "zh", "LC_ALL": "en_US.UTF-8"}, "zh"),
        ({"ATTNCLI_LANG": "en", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_TW", "LANG": "en_US"}, "zh"),
    ],
)
def test_the_locale_decides(environ, language):
    assert usual_language(environ) == language


def test_the_systems_setting_decides_where_the_environment_says_nothing(monkeypatch):
    monkeypatch.setattr("locale.getlocale", lambda: ("Chinese (Simplified)_China", "936"))
    assert usual_language({}) is Language.zh
    monkeypatch.setattr("locale.getlocale", lambda: (None, None))
    assert usual_language({}) is Language.en
