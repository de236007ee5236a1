"""Every option of every command: what is forgotten, misread or misspelled is a usage error."""

import json

import pytest
import typer.main
from command import run

import attncli
from attncli.cli import app

RANDOM = ("-w", "random", "--d-model", "24", "--n-heads", "3", "--n-layers", "2")
COMMANDS = typer.main.get_command(app).commands
OPTIONS = [
    (command, name, option)
    for command, about in COMMANDS.items()
    for option in about.params
    if option.param_type_name == "option"
    for name in [*option.opts, *option.secondary_opts]
]
WITH_VALUE = [(command, name) for command, name, option in OPTIONS if not option.is_flag]
FLAGS = [(command, name) for command, name, option in OPTIONS if option.is_flag]
NUMBERS = [
    (command, name) for command, name, option in OPTIONS if option.metavar in ("<int>", "<float>")
]
SELECTORS = [
    (command, name)
    for command, name, option in OPTIONS
    if option.metavar in ("<layer>", "<head>", "<heads>")
]


def is_usage_error(answer, command, message):
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"Usage: attncli {command} [OPTIONS]")
    *_, last = answer.err.splitlines()
    assert last.startswith("Error: ")
    assert message in last


def test_the_lists_are_not_empty():
    assert {"-w", "--layer", "--token", "-o", "--map"} <= {name for _, name in WITH_VALUE}
    assert {"--full", "--no-causal", "--debug"} <= {name for _, name in FLAGS}
    assert {"--width", "--seed", "--n-heads", "--scale"} <= {name for _, name in NUMBERS}
    assert {"--layer", "-l", "--head"} == {name for _, name in SELECTORS}


@pytest.mark.parametrize(("command", "name"), WITH_VALUE)
def test_a_forgotten_value(command, name):
    is_usage_error(run(command, "a", name), command, name)


ONE_VALUE = [
    (command, option)
    for command, option in dict.fromkeys((command, option) for command, _, option in OPTIONS)
    if not option.is_flag and not option.multiple
]


def test_the_options_of_one_value_are_many_and_the_others_few():
    assert len(ONE_VALUE) > 60
    several = {name for _, name, option in OPTIONS if option.multiple}
    assert several == {"--head", "--map"}


@pytest.mark.parametrize(("command", "option"), ONE_VALUE)
def test_a_value_given_twice(command, option):
    """Under one name or two: the last one would win without a word."""
    words = [word for name in (option.opts[0], option.opts[-1]) for word in (name, "0")]
    names = "/".join(option.opts)
    is_usage_error(run(command, *words), command, f"{names} is given more than once")
    joined = [f"{option.opts[-1]}=0"] * 2
    is_usage_error(run(command, *joined), command, f"{names} is given more than once")


def test_a_choice_made_both_ways():
    message = "--causal/--no-causal is given more than once"
    is_usage_error(run("check", "a.npz", "--causal", "--no-causal"), "check", message)


def test_a_shell_completes_such_a_line_all_the_same():
    words = ["a", "-l", "0", "-l", "1"]
    context = COMMANDS["explain"].make_context("explain", words, resilient_parsing=True)
    assert context.params["layer"] == "1"


def test_what_may_be_given_twice():
    assert run("explain", "a b", *RANDOM, "--full", "--full", "--causal", "--causal").status == 0
    assert run("-V").out == run("--version").out == f"attncli {attncli.__version__}\n"


@pytest.mark.parametrize(("command", "name"), [each for each in FLAGS if each[1].startswith("--")])
def test_a_value_that_a_flag_does_not_take(command, name):
    is_usage_error(run(command, "a", f"{name}=yes"), command, name)


@pytest.mark.parametrize("text", ["1_0", "٣", "１", " 1", "1 ", "", "0x1", "9" * 5000])
@pytest.mark.parametrize(("command", "name"), NUMBERS)
def test_a_number_is_ascii_digits(command, name, text):
    is_usage_error(run(command, "a", name, text), command, f"Invalid value for '{name}'")


@pytest.mark.parametrize("text", ["1_0", "٣", "9" * 5000])
@pytest.mark.parametrize(("command", "name"), SELECTORS)
def test_so_are_those_of_layers_and_heads(command, name, text):
    needed = {"step": ["--token", "0"], "check": ["-w", "sample", "--sentence", "a"]}
    answer = run(command, "a", *needed.get(command, []), name, text)
    assert (answer.status, answer.out) == (2, "")
    assert "names no " in answer.err
    assert len(answer.err) < 400


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("--digits", "0", "'0' is not a whole number from 1 to 9"),
        ("--digits", "10", "'10' is not a whole number from 1 to 9"),
        ("--width", "39", "'39' is not a whole number from 40 to 10000"),
        ("--seed", "-1", "'-1' is not a whole number 0 or more"),
        ("--n-layers", "129", "'129' is not a whole number from 1 to 128"),
    ],
)
def test_a_number_out_of_range(name, text, message):
    is_usage_error(run("explain", "a", "-w", "random", name, text), "explain", message)


def shown(*options):
    answer = run("explain", "a b", *RANDOM, *options, "--show", "A")
    assert answer.status == 0
    return [line[3:7] for line in answer.out.splitlines() if line.startswith("A  ")]


@pytest.mark.parametrize(
    ("options", "heads"),
    [
        (["-l", "L0"], ["L0H0"]),
        (["-l", "L0H2"], ["L0H2"]),
        (["--head", "L0H2"], ["L0H2"]),
        (["--head", "L0H2", "--head", "1"], ["L0H1", "L0H2"]),
        (["-l", "-2", "--head", "L0H2"], ["L0H2"]),
        (["--head", "0,1", "--head", "H2"], ["L1H0", "L1H1", "L1H2"]),
        (["--head", "1-2"], ["L1H1", "L1H2"]),
    ],
)
def test_what_was_printed_can_be_typed(options, heads):
    assert shown(*options) == heads


def test_where_no_head_is_named_explain_shows_the_first_and_export_writes_all():
    assert shown("-l", "0") == ["L0H0"]
    document = json.loads(run("export", "a b", *RANDOM, "-l", "0").out)
    assert [head["head"] for head in document["heads"]] == [0, 1, 2]
    document = json.loads(run("export", "a b", *RANDOM, "--head", "L0H1-2").out)
    assert (document["layer"], [head["head"] for head in document["heads"]]) == (0, [1, 2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-l", "0,1"], "layers 0, 1 are several: give one layer, such as 0"),
        (["-l", "all"], "layers 0, 1 are several: give one layer, such as 0"),
        (["-l", "0", "--head", "L1H0"], "layer 0 and layer 1 contradict each other"),
    ],
)
@pytest.mark.parametrize("command", ["explain", "export", "step"])
def test_one_layer_at_a_time(command, options, message):
    answer = run(command, "a b", *RANDOM, "--token", "0", *options)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"Error: {message}")
    assert answer.err.count("\n") == 1


def test_step_walks_through_one_head():
    answer = run("step", "a b", *RANDOM, "--token", "0", "--head", "0,2")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == "Error: heads 0, 2 are several: give one head, such as 0\n"
    answer = run("step", "a b", *RANDOM, "--token", "0", "--head", "L0H2")
    assert answer.status == 0
    assert "L0H2" in answer.out


def test_check_takes_the_head_with_its_layer(tmp_path, monkeypatch):
    import numpy as np

    monkeypatch.chdir(tmp_path)
    document = json.loads(run("export", "The cat", "--head", "L0H3", "--show", "Q,K").out)
    (head,) = document["heads"]
    np.savez("mine.npz", Q=np.float32(head["Q"]), K=np.float32(head["K"]))
    model = ("-w", "sample", "--sentence", "The cat")
    assert run("check", "mine.npz", *model, "--head", "L0H3").status == 0
    assert run("check", "mine.npz", *model, "--head", "L1H3").status == 1
    answer = run("check", "mine.npz", *model, "--head", "0-1")
    assert (answer.status, answer.err) == (
        2,
        "Error: heads 0, 1 are several: give one head, such as 0\n",
    )


CHOOSE = "--head 3 chooses a head, --n-heads 8 says how many there are"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["explain", "a", "--heads", "11"], f"there is no option --heads: {CHOOSE}"),
        (["explain", "a", "--heads=11"], f"there is no option --heads: {CHOOSE}"),
        (["check", "a.npz", "--heads", "8"], f"there is no option --heads: {CHOOSE}"),
        (["info", "--heads", "8"], "--heads: --n-heads 8 says how many there are"),
        (["explain", "a", "--layers", "3"], "--layer 3 chooses a layer, --n-layers 2 says"),
        (["explain", "a", "--tokn", "it"], "there is no option --tokn: did you mean --token?"),
        (["explain", "a", "--colour", "never"], "--colour: did you mean --color?"),
        (["families", "--json"], "there is no option --json"),
        (["tokens", "a", "--heads", "3"], "there is no option --heads"),
        (
            ["explain", "a", "--stack", "cross"],
            "--stack: --attention encoder, decoder or cross says",
        ),
        (["tokens", "a", "--stack", "cross"], "there is no option --stack"),
        (
            ["check", "--self"],
            "there is no option --self: attncli selftest checks this installation",
        ),
        (["--versio"], "there is no option --versio: did you mean --version?"),
    ],
)
def test_a_misspelled_option(arguments, message):
    command = "" if arguments[0].startswith("-") else f"{arguments[0]} "
    answer = run(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"Usage: attncli {command}[OPTIONS]")
    assert message in answer.err.splitlines()[-1]
    assert " -- " not in answer.err


@pytest.mark.parametrize("command", ["explain", "export", "step", "tokens"])
def test_a_sentence_without_quotes(command):
    answer = run(command, "The", "cat", "sat")
    is_usage_error(
        answer, command, f'put quotes around the sentence: attncli {command} "The cat sat"'
    )


def test_words_too_many_where_no_sentence_is_read():
    is_usage_error(run("info", "sample", "b c", "d"), "info", "unexpected argument: b c d")


def test_a_usage_error_is_short_and_steers_no_terminal():
    for argument in ("x" * 100_000, "a\x1b]0;title\x07b" * 5_000):
        for words in (["explain", "a", "--as", argument], [argument], ["explain", f"--{argument}"]):
            answer = run(*words)
            assert (answer.status, answer.out) == (2, "")
            assert "\x1b" not in answer.err
            assert len(answer.err) < 3_000
    assert "table" in run("explain", "a", "--as", "x" * 100_000).err
