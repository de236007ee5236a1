"""`info`, `tokens`, `families` and the notes on standard error in Chinese."""

import json
import re
from pathlib import Path

import pytest
import text_fixtures
from chinese_fixtures import HALF_WIDTH, NAMES_OF_MODELS, check, english_of
from command import run
from scripts import sentences

from attncli.families import records
from attncli.language.families import FAMILIES
from attncli.language.notes import NOTES

GOLDEN = Path(__file__).parent / "golden"
CHECKPOINTS = sorted(path.parent.name for path in GOLDEN.glob("*/config.json"))
ZH = {"LC_ALL": "zh_CN.UTF-8"}
FILES = ("model.safetensors", "tokenizer.json", "config.json", "AutoTokenizer", "transformers")
SENTENCE = "动物没有过街，因为它太累了"


def lines_of(command, *arguments, width=80, environment=None):
    answer = run(command, *arguments, "--width", width, environment=environment)
    assert (answer.status, answer.err) == (0, ""), answer.err
    return answer.out.splitlines()


def names_in(checkpoint):
    """What of a checkpoint has a name of its own: files, tensors, number formats, functions."""
    found = json.loads(run("info", checkpoint, "--json").out)
    spec = found["spec"]
    yield from (found["name"], spec["family"], spec["activation"], found["prefix"] or "-")
    yield from (entry["name"] for entry in found["unused"])
    yield from found["ignored_keys"]
    for stack in filter(None, (spec, spec["decoder"])):
        yield from (each["kind"] for each in filter(None, stack["rotary"]))
        yield stack["scale_reason"]


@pytest.fixture(autouse=True)
def in_golden(monkeypatch):
    """A checkpoint's folder is called by its name alone."""
    monkeypatch.chdir(GOLDEN)


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_no_english_is_left_in_what_a_checkpoint_holds(name):
    names = {*names_in(name), *FILES, *NAMES_OF_MODELS}
    for width in (60, 80, 120):
        check(lines_of("info", name, "--lang", "zh", width=width), width, *names)
    unused = lines_of("info", name, "--unused", "--lang", "zh", width=120)  # no name is broken
    check(unused, 120, *names)


def test_the_locale_gives_the_same_screens():
    for command in (("info", "bart"), ("tokens", SENTENCE), ("families",)):
        assert lines_of(*command, environment=ZH) == lines_of(*command, "--lang", "zh")
        english = lines_of(*command, "--lang", "en", environment=ZH)
        assert english == lines_of(*command)


def test_the_sample_and_random_weights_are_described():
    names = ("attncli-sample", "attncli", "encoder", "BPE", "relu", *FILES, *NAMES_OF_MODELS)
    check(lines_of("info", "--lang", "zh"), 80, *names)
    answer = run("info", "random", "--lang", "zh")
    assert "由种子生成的随机数" in answer.out
    assert answer.err.startswith("注意：权重是随机的")


def test_a_checkpoint_that_cannot_be_used_says_why(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt3"}))
    file = (GOLDEN / "bert" / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(file)
    out = run("info", tmp_path, "--lang", "zh", "--width", "200").out
    assert re.search(r"^无法使用 +attncli 不支持 config\.json", out, re.MULTILINE)
    assert "\n张量\n" in out


def test_missing_tensors_are_named(tmp_path):
    config = json.loads((GOLDEN / "bert" / "config.json").read_text("utf-8"))
    (tmp_path / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 30}))
    file = (GOLDEN / "bert" / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(file)
    answer = run("info", tmp_path, "--lang", "zh", "--width", "200")
    assert "config.json 中为 30，文件中为 2" in answer.out
    assert "\n缺失或形状不符\n" in answer.out
    assert answer.err == ("注意：config.json 中为 30 层，权重中有 2 层：缺少其余的层\n")


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("nth", range(0, 200, 17))
def test_no_english_is_left_around_hard_texts(nth, width):
    """What is in the text itself may be in any language."""
    text = sentences()[nth]
    lines = lines_of("tokens", text, "--lang", "zh", width=width)
    (first, _, head, *rows), facts = lines[: lines.index("", 3)], lines[lines.index("", 3) :]
    check([first, head, *facts], width, "sample", "BPE", "id")
    remarks = {row.rpartition("  ")[2] for row in rows if not re.search(r"\d$", row)}
    assert not [remark for remark in remarks if english_of([remark.partition(" ")[0]])]


def test_remarks_of_tokens():
    out = run("tokens", "é [CLS]", "--lang", "zh").out
    assert re.search(r"字节 C3$", out, re.MULTILINE)


@pytest.mark.parametrize("make", ["bert", "gpt2", "llama", "unigram"])
def test_what_a_tokenizer_does_is_told(make, tmp_path):
    getattr(text_fixtures, make)().save(str(tmp_path / "tokenizer.json"))
    answer = run("tokens", "cat", "-w", tmp_path, "--lang", "zh", "--width", "200")
    assert answer.status == 0, answer.err
    lines = answer.out.replace(str(tmp_path), "").splitlines()
    facts = lines[lines.index("", 3) + 1 :]
    assert [fact.partition("：")[0] for fact in facts] == ["规范化", "添加"]
    names = ("BPE", "WordPiece", "Unigram", "NFKC", "CLS", "SEP", "<s>", "</s>")
    assert english_of([lines[0], *facts], *names) == []


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_english_is_left_in_the_families(width):
    check(lines_of("families", "--lang", "zh", width=width), width, *records(), *NAMES_OF_MODELS)


@pytest.mark.parametrize("text", [*NOTES.values(), *FAMILIES.values()])
def test_no_english_is_left_in_a_note_or_a_family(text):
    shown = re.sub(r"\{\w+[^}]*\}", "1", text)
    names = ("tokenizer.json", "id", "ALiBi", *NAMES_OF_MODELS)
    assert english_of([re.sub(r"T5|12b|350m|1e-12", "", shown)], *names) == []
    assert not HALF_WIDTH.search(text)


def test_notes_are_in_the_language_that_is_asked_for():
    for command in ("explain", "export"):
        random = (command, "a", "-w", "random", "--d-model", "16", "--show", "A")
        assert run(*random, "--lang", "zh").err.startswith("注意：权重是随机的")
        assert run(*random, environment=ZH).err.startswith("注意：权重是随机的")
        assert run(*random, environment=ZH, encoding="latin-1").err.startswith("Note: the wei")
        assert run(*random).err.startswith("Note: the weights are random")


def test_notes_in_json_are_english_as_its_other_texts_are():
    random = ("-w", "random", "--d-model", "16")
    document = json.loads(run("export", "a", *random, environment=ZH).out)
    assert document["notes"][0].startswith("the weights are random")
    assert json.loads(run("info", "bert", "--json", environment=ZH).out)["special"].isascii()


@pytest.mark.parametrize("command", [("info",), ("tokens", "a"), ("selftest",)])
def test_a_language_of_json_without_sentences_is_refused(command):
    answer = run(*command, "--json", "--lang", "zh")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.endswith("错误：--lang 对以下情形不起作用：--json\n")
