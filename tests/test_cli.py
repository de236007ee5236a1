"""The command line as a user meets it: status, standard output and standard error apart."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command import run
from safetensors.numpy import save_file

ROOT = Path(__file__).parents[1]
HEAVY = {"numpy", "tokenizers", "safetensors", "huggingface_hub"}
SENTENCE = "The animal didn't cross the street because it was too tired"
RANDOM = ("-w", "random", "--d-model", "24", "--n-heads", "3", "--n-layers", "2")


def program(*arguments, stdin=b"", **environment):
    """The program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "attncli", *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        timeout=60,
        check=False,
    )


def test_the_default_run_shows_every_matrix_of_head_0():
    answer = run("explain", SENTENCE)
    assert (answer.status, answer.err) == (0, "")
    titles = [line for line in answer.out.splitlines() if line[:2] in {f"{m} " for m in "QKVSAZY"}]
    assert titles == [f"{m}  L1H0  (11 × 64)" for m in "QKV"] + [
        "S  L1H0  (11 × 11)",
        "A  L1H0  (11 × 11)",
        "Z  L1H0  (11 × 64)",
        "Y  L1  (11 × 512)",
    ]


def test_random_weights_say_that_they_mean_nothing():
    answer = run("explain", "a b", *RANDOM)
    assert answer.status == 0
    assert "random numbers, seed 0" in answer.out
    assert answer.err.startswith("Note: the weights are random")


def test_the_seed_decides_random_weights():
    first, again, other = (
        json.loads(run("export", "a b", *RANDOM, "--seed", seed, "--show", "A").out)["heads"]
        for seed in ("1", "1", "2")
    )
    assert first == again != other


def test_random_weights_are_the_same_on_every_machine():
    (head,) = json.loads(run("export", "a b", *RANDOM, "--show", "Q", "--head", "0").out)["heads"]
    np.testing.assert_allclose(head["Q"][0][:3], [-0.122923, -1.235005, 1.274377], rtol=1e-5)


@pytest.mark.parametrize(
    ("layer", "heads", "shown"),
    [("-1", ["0"], ["L1H0"]), ("0", ["2", "0", "0"], ["L0H0", "L0H2"]), ("-2", ["-1"], ["L0H2"])],
)
def test_layers_and_heads_count_from_0_and_from_the_end(layer, heads, shown):
    options = [word for head in heads for word in ("--head", head)]
    answer = run("explain", "a b", *RANDOM, "-l", layer, *options, "--show", "A")
    assert [line[3:7] for line in answer.out.splitlines() if line.startswith("A  ")] == shown


def test_all_heads():
    answer = run("explain", "a b", *RANDOM, "--head", "all", "--show", "S")
    assert answer.out.count("\nS  L1H") == 3


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["explain"], 2, "no text given (use - to read standard input)"),
        (["explain", ""], 1, "the text gives no tokens"),
        (["explain", "   \n"], 1, "the text gives no tokens"),
        (
            ["explain", "a b", "-l", "2"],
            1,
            "layer 2 does not exist: the model has 2 layers (0 to 1)",
        ),
        (["explain", "a b", "-l", "-3"], 1, "layer -3 does not exist"),
        (
            ["explain", "a b", "--head", "8"],
            1,
            "head 8 does not exist: the model has 8 heads (0 to 7)",
        ),
        (
            ["explain", "a b", "--head", "first"],
            2,
            '"first" names no head: give one as 3, H3 or L5H3',
        ),
        (["explain", "a b", "--token", "9"], 1, "token 9 does not exist"),
        (["explain", "a b", "--token", "zebra"], 1, 'there is no token "zebra"'),
        (["explain", "it or it", "--token", "it"], 1, '"it" stands at 0 and 2'),
        (["explain", "a b", "--token", ""], 2, "no token given"),
        (["explain", "a b", "--show", "Q,W"], 2, "--show Q,W: the matrices are X, W_Q, b_Q"),
        (["explain", "a b", "--show", ""], 2, "the matrices are"),
        (["explain", "a b", "-w", ""], 2, "no weights given"),
        (["explain", "a b", "--seed", "3"], 2, "--seed 3 has no effect on sample"),
        (["explain", "a b", "--json", "--full"], 2, "have no effect on --json"),
        (["explain", "a b", "--json", "--digits", "2"], 2, "have no effect on --json"),
        (["explain", "a b", "--token", "a", "--as", "heatmap"], 2, "name some with --show"),
        (["export", "a b", "--show", ""], 2, "the matrices are"),
        (["explain", "a b", "-w", "nope"], 1, "no weights at nope"),
        (["explain", "a b", "-w", "./nope"], 1, "no weights at ./nope: give sample, random, a"),
        (["explain", "a b", "-w", "org/model"], 1, "has no model org/model; give a path, or"),
        (["explain", "a b", "--revision", "x"], 2, "sample is none"),
        (["explain", "a b", "--n-layers", "3"], 2, "--n-layers"),
        (["explain", "a b", "-w", "random", "--d-model", "10", "--n-heads", "3"], 2, "multiple"),
        (["export", "a b", "-o", "no/such/a.json"], 1, "there is no folder"),
        (["export", "a b", "-o", "."], 1, "is a folder"),
    ],
)
def test_what_cannot_be_answered_is_one_line_on_standard_error(arguments, status, message):
    answer = run(*arguments)
    assert (answer.status, answer.out) == (status, "")
    assert answer.err.startswith("Error: ")
    assert answer.err.count("\n") == 1
    assert message in answer.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["explain", "a", "--digits", "x"],
        ["explain", "a", "--as", "song"],
        ["sing"],
        ["explain", "a", "b"],
    ],
)
def test_a_wrong_command_line_is_status_2(arguments):
    answer = run(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert "Usage: " in answer.err


def test_a_sentence_with_a_leading_dash_needs_two_dashes():
    for sentence in ("-5 degrees", "--hello world", "-5°C"):
        answer = run("explain", sentence)
        assert answer.status == 2
        remedy = f'put -- before a sentence that begins with a dash: -- "{sentence}"'
        assert remedy in answer.err
    for no_sentence in (["explain", "a", "--tokn", "3"], ["families", "--json"], ["info", "-5 a"]):
        assert "put --" not in run(*no_sentence).err
    assert run("explain", *RANDOM, "--", "-5 degrees").status == 0
    assert run("explain", *RANDOM, "-", stdin=b"-5 degrees").status == 0


@pytest.mark.parametrize("text", [b"the cat", b"the cat\n", b"\xef\xbb\xbfthe cat\r\n"])
def test_standard_input_loses_its_line_end_and_byte_order_mark(text):
    answer = run("export", "-", *RANDOM, "--show", "A", stdin=text)
    assert json.loads(answer.out)["sentence"] == "the cat"


def test_no_command_shows_the_help_with_status_2():
    answer = run()
    assert answer.status == 2
    assert answer.out.startswith("Usage: ")


def test_float64_on_the_command_line():
    documents = [
        json.loads(run("export", "The cat sat", "--dtype", dtype, "--show", "A").out)
        for dtype in ("float32", "float64")
    ]
    assert [document["dtype"] for document in documents] == ["float32", "float64"]
    narrow, wide = (np.array(document["heads"][0]["A"]) for document in documents)
    assert 0 < abs(narrow - wide).max() < 1e-6
    screens = {run("explain", "The cat sat", "--dtype", d).out for d in ("float32", "float64")}
    assert len(screens) == 1  # two decimals do not show it


def test_the_version():
    assert run("--version").out == "attncli 0.1.0\n"


@pytest.mark.parametrize(
    "command", [[], ["explain"], ["export"], ["tokens"], ["info"], ["families"]]
)
def test_help_shows_an_example_and_imports_no_numpy(command):
    code = f"""
import sys
from attncli.cli import main
sys.argv = ["attncli", *{command!r}, "--help"]
try:
    main()
finally:
    print(sorted({HEAVY} & sys.modules.keys()), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stderr == "[]\n"
    assert re.search(rf"^  attncli {command[0] if command else 'explain'}\b", done.stdout, re.M)


def test_completion_imports_no_numpy():
    code = f"""
import sys
from attncli.cli import main
sys.argv = ["attncli"]
try:
    main()
finally:
    print(sorted({HEAVY} & sys.modules.keys()), file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "_ATTNCLI_COMPLETE": "complete_bash",
            "COMP_WORDS": "attncli i",
            "COMP_CWORD": "1",
        },
    )
    assert (done.stdout.split(), done.stderr) == (["info"], "[]\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_closes_the_pipe_is_no_error(unbuffered):
    with subprocess.Popen(
        [sys.executable, "-m", "attncli", "export", "word " * 40],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
    ) as child:
        assert child.stdout.readline() != b""  # of more than a pipe holds
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["explain", "a b"], ["explain", "--help"], ["--version"]])
def test_a_full_disk_is_reported(arguments):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "attncli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"Error: cannot write to standard output: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="closes streams as a Unix shell does")
@pytest.mark.parametrize(
    ("redirection", "status", "error"),
    [
        (">&-", 1, "Error: standard output is closed"),
        ("<&-", 1, "Error: the text gives no tokens"),
        ("2>&-", 1, ""),
    ],
)
def test_a_closed_stream_is_no_traceback(redirection, status, error):
    command = f'"{sys.executable}" -m attncli explain - {redirection}'
    done = subprocess.run(
        command,
        shell=True,
        input=b"",
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == status
    assert done.stderr.decode().startswith(error)
    assert b"Traceback" not in done.stderr


def test_numbers_beyond_float32_are_an_error(tmp_path):
    W = np.full((4, 4), 1e20, np.float32)
    np.savez(tmp_path / "huge.npz", W_Q=W, W_K=W, W_V=W)
    for command in (["explain"], ["explain", "--token", "0"], ["export"]):
        answer = run(*command, "a b", "-w", tmp_path / "huge.npz")
        assert (answer.status, answer.out) == (1, "")
        assert "S overflows float32" in answer.err


def test_a_file_without_W_O_says_that_there_is_no_Y(tmp_path):
    W = np.eye(4, dtype=np.float32)
    np.savez(tmp_path / "three.npz", W_Q=W, W_K=W, W_V=W)
    answer = run("explain", "a b", "-w", tmp_path / "three.npz")
    assert answer.status == 0
    assert "three.npz has no W_O: no Y" in answer.err


def test_an_export_follows_a_link(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    assert run("export", "a b", *RANDOM, "-o", link).status == 0
    assert link.is_symlink()
    assert json.loads(target.read_text("utf-8"))["sentence"] == "a b"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_an_export_does_not_replace_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        assert run("export", "a b", *RANDOM, "-o", pipe).status == 0
        assert json.loads(reader.stdout.read())["sentence"] == "a b"
    assert pipe.is_fifo()


def test_scale_colours_are_never_snapped_to_sixteen():
    terminal = {"FORCE_COLOR": "1", "TERM": "xterm", "COLORTERM": ""}
    done = program("explain", "a b", *RANDOM, "--show", "A", **terminal)
    assert b"48;5;" in done.stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437"])
def test_an_encoding_without_the_characters_is_no_obstacle(encoding):
    for options in (["--token", "0"], ["--as", "heatmap"], ["--json"]):
        done = program("explain", "日本 é", *options, PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode(encoding)


@pytest.mark.skipif(os.name == "nt", reason="arguments are text there")
def test_a_sentence_that_is_not_utf8_is_refused():
    done = program(b"explain", b"caf\xe9")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"lone surrogate" in done.stderr


@pytest.mark.parametrize(
    ("environment", "options", "colored"),
    [
        ({}, [], False),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, [], True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"FORCE_COLOR": "1"}, ["--json"], False),
    ],
)
def test_when_escape_codes_are_written(environment, options, colored):
    answer = run("explain", "a b", *RANDOM, "--show", "A,Q", *options, environment=environment)
    assert ("\x1b" in answer.out) == colored


HOSTILE = [
    "[/]",
    "[bold]hi[/bold] list[str] [red]",
    "a:smile:b",
    "a\x1b]52;c;aGk=\x07b",
    "\x1b[2J",
    "\u009b31m",
    "\u202eabc",
    "one\ntwo\r\nthree",
    "日本 👍 e\u0301 👨‍👩‍👧 \u200b b",
    "\0",
]


@pytest.mark.parametrize("sentence", HOSTILE)
@pytest.mark.parametrize("options", [[], ["--as", "heatmap"], ["--token", "0"]])
def test_no_sentence_steers_the_terminal_or_the_layout(sentence, options):
    from rich.cells import cell_len

    answer = run("explain", "-", *RANDOM, *options, "--width", "80", stdin=sentence.encode())
    assert answer.status == 0
    for text in (answer.out, answer.err):
        assert not [c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160]
        assert "\u202e" not in text
    assert max(cell_len(line) for line in answer.out.splitlines()) <= 80


@pytest.mark.parametrize("width", ["40", "60", "80", "120", "200"])
def test_nothing_is_wider_than_the_screen_and_no_number_is_cut(width):
    from rich.cells import cell_len

    for options in ([], ["--full"], ["--as", "heatmap"], ["--token", "it"]):
        answer = run("explain", SENTENCE, *options, "--width", width)
        assert answer.status == 0
        assert max(cell_len(line) for line in answer.out.splitlines()) <= int(width)
    numbers = answer.out.split()
    assert not [word for word in numbers if word[0].isdigit() and "…" in word]


def test_full_shows_every_number_of_a_wide_matrix():
    Q = json.loads(run("export", SENTENCE, "--show", "Q", "--head", "0").out)["heads"][0]["Q"]
    shown = run("explain", SENTENCE, "--show", "Q", "--full", "--width", "80").out
    row = [word for line in shown.splitlines() if "tired 10 " in line for word in line.split()[2:]]
    assert row == [f"{value:.3f}" for value in Q[10]]


def test_digits():
    answer = run("explain", "a b", *RANDOM, "--show", "A", "--digits", "6")
    A = json.loads(run("export", "a b", *RANDOM, "--show", "A").out)["heads"][0]["A"]
    assert f"{A[0][1]:.6f}" in answer.out


def test_causal_masks_what_lies_to_the_right():
    heads = json.loads(run("export", "a b c", *RANDOM, "--causal", "--show", "S,A").out)["heads"]
    for head in heads:
        assert [[s is None for s in row] for row in head["S"]] == [
            [False, True, True],
            [False, False, True],
            [False, False, False],
        ]
        assert head["A"][0] == [1, 0, 0]


def test_token_derives_the_row_of_each_chosen_head():
    document = json.loads(
        run("explain", SENTENCE, "--json", "--token", "it", "--head", "0", "--head", "3").out
    )
    assert [(d["head"], d["token"]) for d in document["derivation"]] == [(0, 7), (3, 7)]
    for derivation, head in zip(document["derivation"], document["heads"], strict=True):
        np.testing.assert_allclose(derivation["a"], head["A"][7], atol=1e-6)


def test_export_writes_a_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.json"
    answer = run("export", SENTENCE, "-o", path)
    assert (answer.status, answer.out, answer.err) == (0, "", "")
    document = json.loads(path.read_text("utf-8"))
    assert len(document["heads"]) == 8
    assert document == json.loads(run("export", SENTENCE).out)


def test_matrices_from_a_file(tmp_path):
    rng = np.random.default_rng(0)
    W = {f"W_{name}": rng.normal(size=(2, 6, 3)).astype(np.float32) for name in "QKV"}
    X = rng.normal(size=(3, 6)).astype(np.float32)
    save_file({**W, "X": X}, tmp_path / "three.safetensors")
    np.savez(tmp_path / "two.npz", X=X, **{k: np.hstack(list(v)) for k, v in W.items()})
    three = run("export", "a b c", "-w", tmp_path / "three.safetensors")
    two = run("export", "a b c", "-w", tmp_path / "two.npz", "--n-heads", "2")
    assert (three.status, two.status) == (0, 0)
    heads = json.loads(three.out)["heads"]
    assert heads == json.loads(two.out)["heads"]
    assert json.loads(three.out)["Y"] is None
    np.testing.assert_allclose(heads[1]["Q"], X @ W["W_Q"][1], atol=1e-5)


def test_every_matrix_can_be_shown_and_what_a_model_lacks_is_said():
    answer = run("explain", "a b", *RANDOM, "--show", "ALL")
    titles = re.findall(r"^(\w+)  L1", answer.out, re.MULTILINE)
    assert titles == ["X", "W_Q", "W_K", "W_V", *"QKVSAZ", "Z_cat", "W_O", "Y"]
    assert "Note: random has no b_Q, b_K, b_V, mask, position_bias, b_O in this" in answer.err
    some = run("explain", "a b", *RANDOM, "--show", "w_q,MASK", "--causal")
    assert re.findall(r"^(\w+)  L1", some.out, re.MULTILINE) == ["W_Q", "mask"]
