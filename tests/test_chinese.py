"""`explain --lang zh`: nothing is left in English, and wide characters keep columns straight."""

import json
import re

import numpy as np
import pytest
from chinese_fixtures import HALF_WIDTH, NAMES_OF_MODELS, check, english_of
from command import run
from rich.cells import cell_len
from views_fixtures import GOLDEN, make_shown, make_tokens, printed_lines

from attncli.language import Language
from attncli.language.chinese import CHINESE
from attncli.language.errors.click import CLICK
from attncli.language.messages import MESSAGES
from attncli.medium.screen import Screen
from attncli.views.heatmap import heatmap
from attncli.views.matrix import matrix

IDS = ("--ids", "3,5,7,9,11,2")
PAIR = (*IDS, "--target-ids", "2,6,4,8,12")
MANY = ("--ids", ",".join(str(3 + at % 20) for at in range(70)))
EVERYTHING = "all"

ZH = Screen(80, color=False, unicode=True, language=Language.zh)

FAMILIES = [
    "bert",
    "deberta-v3",
    "gemma3",
    "gpt2-by-layer",
    "llama-yarn-factor",
    "mpt-6-heads",
    "olmo2",
    "t5",
]
OPTIONS = {
    "tables": ["--show", EVERYTHING],
    "every head": ["--head", "all", "--show", "A"],
    "heatmaps": ["--show", EVERYTHING, "--as", "heatmap"],
    "colour": ["--show", "X,A", "--as", "heatmap", "--color", "always"],
    "full": ["--full", "--digits", "6"],
    "token": ["--token", "4"],
    "digits": ["--token", "1", "--digits", "9", "--dtype", "float64"],
}


def screen(*arguments, width=80):
    """The lines of the answer in Chinese, escape codes of colours removed."""
    answer = run("explain", *arguments, "--lang", "zh", "--width", width)
    assert answer.status == 0, answer.err
    return re.sub(r"\x1b\[[\d;]*m", "", answer.out).splitlines()


@pytest.fixture(autouse=True)
def in_golden(monkeypatch):
    """A checkpoint's folder is called by its name alone."""
    monkeypatch.chdir(GOLDEN)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_english_is_left_and_no_line_is_too_wide(family, width):
    for options in OPTIONS.values():
        check(screen("-w", family, *IDS, *options, width=width), width, family)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    "options",
    [
        ["--show", EVERYTHING],
        ["--show", EVERYTHING, "--as", "heatmap"],
        ["--token", "3", "--show", "A"],
    ],
)
@pytest.mark.parametrize("family", ["bart", "t5"])
def test_nor_in_cross_attention(family, options, width):
    arguments = ["-w", family, *PAIR, "--attention", "cross", *options]
    check(screen(*arguments, width=width), width, family)


@pytest.mark.parametrize(("stack", "text"), [("encoder", IDS), ("decoder", PAIR)])
def test_nor_where_a_stack_is_named(stack, text):
    lines = screen("-w", "t5", *text, "--attention", stack)
    assert any("序列的 token 互相关注" in line for line in lines)
    check(lines, 80, "t5")


@pytest.mark.parametrize(
    "options", [[], ["--as", "heatmap", "--color", "always"], ["--token", "65"], ["--full"]]
)
def test_nor_with_many_tokens(options):
    check(screen("-w", "gemma3", *MANY, *options), 80, "gemma3")


def test_nor_with_the_sample_and_random_weights():
    sentence = "动物没有过街，因为它太累了"
    check(screen(sentence, "--token", "它", "--show", "A"), 80, "attncli-sample", "attncli")
    lines = screen(sentence, "-w", "random", "--d-model", "16", "--causal")
    check(lines, 80, "random", "attncli")


@pytest.mark.parametrize("key", MESSAGES)
def test_nor_in_a_message_that_is_seldom_seen(key):
    text = re.sub(r"\{\w+[^}]*\}", "1", MESSAGES[key].zh)
    names = ("attncli", "Hub", "query_pre_attn_scalar", "all", "JSON")
    assert english_of([text], *names, *NAMES_OF_MODELS) == []
    assert not HALF_WIDTH.search(text)


def is_straight(lines):
    """Whether the last columns, without marks and bars, end below each other."""
    return len({cell_len(line.rstrip(" ≈█")) for line in lines}) == 1


def tables_of_matrices(lines):
    """The lines of each block of columns: the head and the rows."""
    for at, line in enumerate(lines):
        if re.match(r"[XQKVSAZY]  L\d", line):
            end = next(i for i in range(at, len(lines)) if lines[i].startswith("行 = "))
            rows = [row for row in lines[at + 1 : end] if row.strip() not in ("查询 ↓ / 键 →", "")]
            starts = [i for i, row in enumerate(rows) if not re.search(r"\.\d", row)]
            for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True):
                yield rows[start:stop]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_the_columns_of_matrices_are_straight(width):
    sentence = "动物没有过街，因为它太累了"
    lines = screen(sentence, "--show", "X,Q,K,V,S,A,Z,Y", width=width)
    tables = list(tables_of_matrices(lines))
    assert len(tables) >= 8
    for table in tables:
        assert len(table) == 11
        assert is_straight(table), "\n".join(table)


def test_the_corner_stands_above_names_that_leave_it_no_room():
    S = np.eye(2, dtype=np.float32)
    beside = matrix(make_shown("S", "L1H0", S, make_tokens("自注意力机制", "键向量")), ZH)
    assert printed_lines(beside, ZH)[1:3] == [
        " 查询 ↓ / 键 →     0    1",
        "自注意力机制 0  1.00 0.00",
    ]
    above = matrix(make_shown("S", "L1H0", S, make_tokens("注意力权重", "键向量")), ZH)
    assert printed_lines(above, ZH)[1:4] == [
        "查询 ↓ / 键 →",
        "                 0    1",
        "注意力权重 0  1.00 0.00",
    ]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("family", FAMILIES)
def test_the_columns_of_a_derivation_are_straight(family, width):
    lines = screen("-w", family, *IDS, "--token", "4", width=width)
    written_out = [line for line in lines if re.search(r"t = |个乘积 |总和 = q", line)]
    assert is_straight(written_out)
    assert len({cell_len(line.rpartition("=")[0]) for line in written_out}) == 1
    last = max(at for at, line in enumerate(lines) if re.match(r"   j (tok|  )", line))
    *weights, peak, sums = lines[last + 1 : last + 9]
    assert [line.split()[0] for line in (peak, sums)] == ["最大值", "总和"]
    weights.append(sums)
    assert is_straight(weights), "\n".join(weights)
    head = next(at for at, line in enumerate(lines) if re.match(r" +\[0\] ", line))
    total = next(at for at, line in enumerate(lines) if line.startswith("   z₄ = 总和"))
    assert is_straight(lines[head : total + 1])


def test_a_row_without_a_permitted_key_and_marks_of_masked_cells_are_told():
    mask = np.array([[-np.inf, -np.inf], [0, -np.inf]], dtype=np.float32)
    A = np.array([[0, 0], [1, 0]], dtype=np.float32)
    for draw in (matrix, heatmap):
        view = draw(make_shown("A", "L1H0", A, make_tokens("猫", "坐"), mask=mask), ZH)
        text = "".join(printed_lines(view, ZH))
        assert "；第 0 行：所有键都被屏蔽" in text
        assert "· 被屏蔽" in text


def test_errors_have_full_width_punctuation():
    mixed = [said for said in (*CHINESE.values(), *CLICK.values()) if HALF_WIDTH.search(said)]
    assert mixed == []


SHORT = ("-w", "gpt2-by-layer")
WRONG = {
    "text": ([], 2),
    "layer": (["--ids", "1", *SHORT, "--layer", "77"], 1),
    "head": (["--ids", "1", *SHORT, "--head", "x"], 2),
    "heads": (["--ids", "1", *SHORT, "--heads", "3"], 2),
    "token": (["--ids", "1,2", *SHORT, "--token", "9"], 1),
    "id": (["--ids", "1,99999", *SHORT], 1),
    "ids": (["--ids", "1,?", *SHORT], 2),
    "both": (["?", "--ids", "1", *SHORT], 2),
    "value": (["--ids", "1", "--digits", "77"], 2),
    "no value": (["--ids", "1", "--digits"], 2),
    "choice": (["--ids", "1", "--color", "?"], 2),
    "words": (["?", "!"], 2),
    "option": (["?", "--??"], 2),
    "twice": (["?", "--layer", "1", "--layer", "2"], 2),
    "no effect": (["--ids", "1", *SHORT, "--n-heads", "3"], 2),
    "no decoder": (["--ids", "1", *SHORT, "--target-ids", "1"], 2),
    "format": (["--ids", "1", *SHORT, "--format", "md"], 2),
    "sizes": (["?", "-w", "random", "--d-model", "10", "--n-heads", "4"], 2),
    "no file": (["--ids", "1", "-w", "./?"], 1),
}
WORDS_OF_THE_COMMAND_LINE = (
    *("all", "md", "auto", "always", "never", "id", "sample", "random", "Hub", SHORT[1]),
    *("model.safetensors", "tokenizer.json", ".safetensors", ".npz"),
)


def check_error(lines, *names):
    """The last line is an error in Chinese; those before it say how the command is used."""
    assert lines[-1].startswith("错误：")
    text = [re.sub(r"(?<!\w)-{1,2}[a-z][a-z-]*|\[\w+\]|attncli \w*", "", line) for line in lines]
    check(text, 500, *names)


@pytest.mark.parametrize("arguments", WRONG)
def test_nor_in_an_error(arguments):
    words, status = WRONG[arguments]
    answer = run("explain", *words, environment={"LC_ALL": "zh_CN.UTF-8"})
    assert (answer.status, answer.out) == (status, "")
    check_error(answer.err.splitlines(), *WORDS_OF_THE_COMMAND_LINE)


def test_an_error_is_in_the_language_that_is_asked_for():
    wrong = ("explain", "--ids", "1", *SHORT, "--layer", "77")
    check_error(run(*wrong, "--lang", "zh").err.splitlines())
    english = run(*wrong, "--lang", "en", environment={"LC_ALL": "zh_CN.UTF-8"})
    assert english.err.startswith("Error: layer 77 does not exist")
    check_error(run("explain", "?", "--digits", "0", "--lang", "zh").err.splitlines())


def test_an_error_is_english_where_standard_error_lacks_the_characters():
    wrong = ("explain", "--ids", "1", *SHORT, "--layer", "77")
    answer = run(*wrong, environment={"LC_ALL": "zh_CN.UTF-8"}, encoding="latin-1")
    assert answer.err.startswith("Error: layer 77 does not exist")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"model_type": "gpt2", "n_head": 0}, "需要 1 到 10000000 之间的整数"),
        ({"model_type": "gpt2", "scale_attn_weights": "yes"}, "需要 true 或 false"),
        ({"model_type": "gpt3"}, "attncli 不支持"),
        ([], "不是 JSON 对象"),
    ],
)
def test_nor_in_an_error_of_a_file(tmp_path, content, says):
    (tmp_path / "config.json").write_text(json.dumps(content))
    answer = run("explain", "--ids", "1", "-w", tmp_path, environment={"LC_ALL": "zh_CN.UTF-8"})
    assert answer.status == 1
    assert says in answer.err
    names = ("gpt2", "gpt3", "yes", "true", "false", "JSON", "list", "attncli", "gpt")
    text = answer.err.replace(str(tmp_path), "").replace("docs/families.md", "")
    check_error(text.splitlines(), *names)
