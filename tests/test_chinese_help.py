"""The help of every command in Chinese."""

import re
import sys

import pytest
import typer
from chinese_fixtures import HALF_WIDTH, english_of
from command import run
from rich.cells import cell_len

from attncli.cli import app
from attncli.cli.help import paragraphs
from attncli.language.help import HEADINGS, HELP

PROGRAM = typer.main.get_command(app)
COMMANDS = {"": PROGRAM, **PROGRAM.commands}
ZH = {"LC_ALL": "zh_CN.UTF-8"}
# What is typed, and names that are the same in every language.
TYPED = re.compile(r"(?<!\w)-{1,2}[a-z][a-z-]*|\[\w+\]|<[^>]+>|[\w/]*\.[a-z]\w+|\w+=\w+")
VALUES = {
    *("SENTENCE", "FILES", "WEIGHTS", "COMMAND", "ARGS", "OPTIONS", "id", "all", "it"),
    *("sample", "random", "Hub", "table", "heatmap", "encoder", "decoder", "cross", "relu"),
    *("float", "dtype", "torch", "auto", "en", "Markdown", "LaTeX", "JSON", "shell", "tokenizer"),
    *("attncli", "model_type", "path/to/checkpoint", "homework/", *COMMANDS),
}


def texts():
    """Every English text of the click tree that help shows, and where it is from."""
    for name, command in COMMANDS.items():
        for paragraph, example in paragraphs(command.help):
            if not example:
                yield name, paragraph
        for parameter in command.get_params(typer.Context(command)):
            yield name, parameter.help


def help_of(*words, **options):
    answer = run(*words, environment={**ZH, "COLUMNS": "80"}, **options)
    assert answer.err == ""
    return answer.out


def test_every_text_of_the_click_tree_has_chinese_and_every_entry_a_text():
    used = {text for _, text in texts()}
    assert used - HELP.keys() == set()
    examples = {key for key in HELP if key.startswith("attncli ")}
    shown = {line for c in COMMANDS.values() for line, example in paragraphs(c.help) if example}
    assert HELP.keys() - used - examples == set()
    assert examples <= shown


@pytest.mark.parametrize("command", COMMANDS)
def test_no_english_is_left_in_help(command):
    lines = help_of(*command.split(), "--help").splitlines()
    assert lines[0].startswith("用法：attncli")
    assert f"{HEADINGS['Options']}：" in lines
    assert english_of([TYPED.sub(" ", line) for line in lines], *VALUES) == []
    assert not [line for line in lines if HALF_WIDTH.search(TYPED.sub("", line))]
    examples = [line for line in lines if line.startswith("  attncli ")]
    assert examples
    assert not [line for line in lines if cell_len(line) > 80 and line not in examples]
    assert not [line for line in lines if line.strip().startswith(tuple("，。、；：）”"))]


def test_the_columns_of_options_are_straight():
    lines = help_of("check", "--help").splitlines()
    starts = {
        cell_len(line[: match.end()])
        for line in lines[lines.index("选项：") :]
        if (match := re.match(r"  -\S.*?\S {2,}(?=\S)", line))
    }
    assert len(starts) == 1


def test_help_is_in_the_language_that_is_asked_for():
    assert run("explain", "--lang", "zh", "--help").out.startswith("用法：")
    assert run("explain", "--lang", "en", "--help", environment=ZH).out.startswith("Usage:")
    chosen = run("explain", "--help", environment={**ZH, "ATTNCLI_LANG": "en"})
    assert chosen.out.startswith("Usage:")
    assert run("--help", environment={"ATTNCLI_LANG": "zh"}).out.startswith("用法：")


def test_a_default_is_called_one():
    assert "[默认：sample]" in help_of("info", "--help")


def test_the_program_without_a_command_shows_its_help():
    answer = run(environment=ZH)
    assert (answer.status, answer.out) == (2, help_of("--help"))


def test_help_is_english_where_standard_output_lacks_the_characters():
    answer = run("tokens", "--help", environment=ZH, encoding="latin-1")
    assert answer.out.startswith("Usage: attncli tokens")


def test_chinese_help_loads_no_numpy(monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("numpy", "attncli.views"))]:
        monkeypatch.delitem(sys.modules, name)
    help_of("explain", "--help")
    assert "numpy" not in sys.modules
