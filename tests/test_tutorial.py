"""What the tutorial shows is what the program prints."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from itertools import zip_longest
from pathlib import Path

import pytest
from command import run
from rich.cells import cell_len

from attncli.analysis.rounding import last_digit

DOCS = Path(__file__).parents[1] / "docs"
spec = spec_from_file_location("make_tutorial", DOCS / "make_tutorial.py")
make_tutorial = module_from_spec(spec)
spec.loader.exec_module(make_tutorial)

TUTORIALS = [make_tutorial.PAGE, make_tutorial.CHINESE_PAGE]
LESSONS = [
    (lesson, lessons[-1])
    for page in TUTORIALS
    for lessons in [page.read_text("utf-8").split("\n## ")[1:]]
    for lesson in lessons
]
NUMBER = re.compile(r"-?\d*\.\d+(?:e-\d+)?")


def in_this_process(arguments, stdin):
    answer = run(*arguments, stdin=stdin, environment={"COLUMNS": "80"})
    return answer.out + answer.err


def words(line: str) -> str:
    """The line without its numbers and the signs of their rounding."""
    return re.sub(rf" *{NUMBER.pattern}", " #", line.replace("≈", " ")).rstrip()


def agree(line: str, other: str) -> bool:
    """Whether two lines are the same but for what another machine's BLAS rounds differently."""
    if words(line) != words(other):
        return False
    pairs = zip(NUMBER.findall(line), NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) < 1.5 * last_digit(a) for a, b in pairs)


def printed(page: str) -> list[str]:
    """All lines of the page that a command wrote."""
    bodies = [m["body"] for m in make_tutorial.BLOCK.finditer(page) if m["kind"] != "python"]
    lines = "".join(bodies).splitlines()
    return [line for line in lines if not line.startswith(("$ ", ">>> "))]


@pytest.mark.parametrize("path", make_tutorial.PAGES, ids=lambda p: "/".join(p.parts[-2:]))
def test_a_page_shows_what_the_program_prints(path):
    page = path.read_text("utf-8")
    now = make_tutorial.page(page, in_this_process)
    for line, other in zip_longest(page.splitlines(), now.splitlines(), fillvalue=""):
        assert line == other or agree(line, other), "run python docs/make_tutorial.py"


def numbers(text: str) -> set[str]:
    """Numbers with a decimal point; beside words a weight is written .66."""
    return {number.removeprefix("0") for number in re.findall(r"\d*\.\d+", text)}


@pytest.mark.parametrize(
    ("section", "answers"), LESSONS, ids=[lesson.splitlines()[0] for lesson, _ in LESSONS]
)
def test_every_number_that_a_lesson_speaks_of_is_printed_in_it(section, answers):
    text = make_tutorial.BLOCK.sub("", section)
    typed = re.findall(r"^>>> (.*)$", section, re.MULTILINE)
    spoken = numbers("\n".join([text, *typed]))
    assert spoken <= numbers("\n".join(printed(section) + printed(answers)))


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda p: "/".join(p.parts[-2:]))
def test_the_tutorial_fits_80_columns(path):
    for line in printed(path.read_text("utf-8")):
        assert cell_len(line) <= 80, line


def test_a_long_answer_is_cut_where_the_comment_says():
    spans = make_tutorial.parse_spans('"b" to "d"; "f"')
    assert make_tutorial.cut(list("abcdefg"), spans) == ["...", *"bcd", "...", "f", "..."]
    assert make_tutorial.cut(list("bcdf"), spans) == list("bcdf")


def test_a_cut_at_a_line_that_is_gone_is_an_error():
    with pytest.raises(ValueError, match="no line with 'x'"):
        make_tutorial.cut(list("abc"), [("b", "x")])
