"""What the documents tell a reader to type runs as it is printed, with files where they name some.

The tutorial, docs/check.md and docs/check_model.md are run from top to bottom by other tests.
"""

import json
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
import text_fixtures
from command import run
from hub_server import COMMIT
from safetensors.numpy import load_file, save_file

from attncli.inspector import inspect
from attncli.weights import load_weights

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
GENERATED = ("cli.md", "changelog.md")


def commands(page: Path) -> list[str]:
    """The lines of `sh` blocks and of tables of questions; elsewhere what has a text or an option.

    The other names of commands, such as `attncli step`, are words of a sentence.
    """
    text = page.read_text("utf-8")
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).splitlines()
    for line in re.sub(r"```.*?```", "", text, flags=re.DOTALL).splitlines():
        for code in re.findall(r"`([^`]+)`", line):
            in_table = page.name in ("README.md", "questions.md") and line.startswith("|")
            if in_table or re.search(r'"|--ids|selftest', code):
                lines.append(code.replace(r"\|", "|"))
    return [line for line in lines if re.match(r"(echo [^|]*\| )?attncli ", line)]


COMMANDS = dict.fromkeys(
    command for page in PAGES if page.name not in GENERATED for command in commands(page)
)


def save_bert(folder: Path) -> None:
    """A BERT of two layers with a vocabulary as large as BERT's ids ask for, and a tokenizer."""
    shutil.copytree(GOLDEN / "bert", folder)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": 5000}))
    tensors = load_file(folder / "model.safetensors")
    name = "embeddings.word_embeddings.weight"
    save_file({**tensors, name: np.tile(tensors[name], (100, 1))}, folder / "model.safetensors")
    text_fixtures.bert().save(str(folder / "tokenizer.json"))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with everything that the commands name; `home` has the Hub's model `org/name`."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "path" / "to").mkdir(parents=True)
    checkpoint, t5 = (folder / "path" / "to" / name for name in ("checkpoint", "t5"))
    save_bert(checkpoint)
    shutil.copytree(GOLDEN / "t5", t5)
    text_fixtures.unigram().save(str(t5 / "tokenizer.json"))
    encoder = GOLDEN / "torch_modules" / "encoder-norm-first.safetensors"
    shutil.copy(encoder, folder / "path" / "to" / "mine.safetensors")
    with load_weights(str(checkpoint)) as weights:
        trace = inspect("The cat sat", weights, layer=1).attention
    arrays = {name: getattr(trace, name) for name in "XQKVSAZY"}
    parameters = {name: getattr(trace.params, name) for name in ("W_Q", "W_K", "W_V", "W_O")}
    biases = {name: getattr(trace.params, name) for name in ("b_Q", "b_K", "b_V", "b_O")}
    np.savez(folder / "mine.npz", **arrays, **parameters, **biases)
    np.savez(
        folder / "matrices.npz",
        W_Q=np.ones((2, 8, 4)),
        W_K=np.ones((2, 8, 4)),
        W_V=np.ones((2, 8, 4)),
    )
    repository = folder / "home" / "hub" / "models--org--name"
    shutil.copytree(checkpoint, repository / "snapshots" / COMMIT)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    (folder / "homework").mkdir()
    shutil.copy(folder / "mine.npz", folder / "homework" / "amari.npz")
    return folder


def paste(line: str) -> int:
    """Runs one line as a shell would, in this process: its exit status."""
    words, stdin, out = shlex.split(line), b"", None
    if "|" in words:
        at = words.index("|")
        assert words[0] == "echo"
        stdin, words = f"{' '.join(words[1:at])}\n".encode(), words[at + 1 :]
    if ">" in words:
        words, out = words[: words.index(">")], Path(words[-1])
    answer = run(*words[1:], stdin=stdin)
    if out is not None:
        out.write_text(answer.out, encoding="utf-8")
    return answer.status


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs_as_it_is_printed(command, files, monkeypatch):
    monkeypatch.chdir(files)
    monkeypatch.setenv("HF_HOME", str(files / "home"))
    assert paste(command) == 0


def test_the_commands_are_found_where_they_are_looked_for():
    assert len(commands(ROOT / "README.md")) >= 7
    assert len(commands(ROOT / "docs" / "questions.md")) >= 20
