"""The page of one report: where it goes wrong, what it is, how to fix it."""

from dataclasses import replace

import pytest
from check_reports import (
    HALF,
    LARGE,
    NO_SCALE,
    RIGHT,
    TIED,
    UNKNOWN,
    WRONG,
    A,
    Q,
    S,
    V,
    report,
    stage,
)
from rich.cells import cell_len
from views_fixtures import colored, plain, printed, printed_lines

from attncli.check.report import Difference, Stored, Verdict
from attncli.views.check import check_view


def page(report, width=80, unicode=True):
    screen = plain(width, unicode=unicode)
    return printed_lines(check_view(report, screen), screen)


READ = """\
mine.npz · n 6 · d_model 16 · 4 heads · d_k 4 · float32
  X (6, 16) as (n, d_model); W_Q from q_proj.weight (16, 16) as (d_out, d_in);
  S from attn_scores (1, 4, 6, 6) as (batch, h, n, n); A (4, 6, 6) as (h, n, n)
""".splitlines()


def test_a_wrong_file():
    assert page(WRONG) == [
        *READ,
        "",
        "stage                  shape       largest      mean  tolerance  verdict",
        "Q = X W_Q + b_Q        (4, 6, 4)  rounding  rounding      1e-05  agrees",
        "V = X W_V + b_V        (4, 6, 4)                                 not checked",
        "S = Q K^T / sqrt(d_k)  (4, 6, 6)     3.912    0.5514      1e-05  DIFFERS  M-02",
        "A = softmax(S)         (4, 6, 6)  rounding  rounding      1e-05  agrees",
        "Y = Z_cat W_O + b_O    (6, 16)       3.912    0.5514      1e-05  DIFFERS  M-14",
        "",
        "S differs: the scale was left out (M-02)",
        "what     S must be divided by sqrt(d_k), or the softmax gets too sharp.",
        "seen     S / right S is 2.0000 in every entry",
        "differs  by 3.912 at most (head 1, row 3, column 2)",
        "fix      S = Q @ K.transpose(-1, -2) / math.sqrt(d_k)",
        "",
        "then       Y: concat(Z) is returned without W_O (M-14)",
        "assumed    no mask: none is in the file",
        "missing    X and W_V: to check V",
        "not saved  K, which could be checked too",
        "not read   loss, step",
    ]


def test_a_right_file_with_an_oddity():
    assert page(RIGHT)[4:] == [
        "stage                  shape       largest      mean  tolerance  verdict",
        "Q = X W_Q + b_Q        (4, 6, 4)  rounding  rounding      1e-05  agrees",
        "S = Q K^T / sqrt(d_k)  (4, 6, 6)       0.9       0.6      1e-05  odd but right",
        "A = softmax(S)         (4, 6, 6)  rounding  rounding      1e-05  agrees",
        "",
        "3 stages: 2 agree, 1 is odd but right.",
        "",
        "harmless  S: a constant is added to each row. The softmax of a row does not see",
        "          it.",
        "assumed   no mask: none is in the file",
    ]


def test_several_mistakes_that_fit_are_all_told_and_what_tells_them_apart():
    lines = page(TIED)
    assert lines[6].endswith("DIFFERS  M-03")
    told = lines[8:]
    assert told[0] == "S differs: 2 explanations fit equally well"
    assert told[1] == "differs  by 3.912 at most (head 1, row 3, column 2)"
    assert told[3] == "1. divided by d_k without the root (M-03)"
    assert "2. divided by sqrt(d_k) twice (M-03)" in told
    assert "apart  nothing can: the numbers are the same; look for a second division" in told


def test_what_no_mistake_reproduces_is_told_with_the_facts():
    assert page(UNKNOWN)[8:12] == [
        "S differs: no known mistake reproduces this",
        "differs  by 3.912 at most (head 1, row 3, column 2)",
        "facts    S is not symmetric",
        "         no entry is 0",
    ]


def test_two_mistakes_together_have_both_numbers():
    both = replace(NO_SCALE, numbers=("M-02", "M-08"), title="no scale and no causal mask")
    lines = page(report(stage("S", Verdict.differs, LARGE, findings=(both,))))
    assert lines[5].endswith("DIFFERS  M-02 + M-08")
    assert lines[7] == "S differs: no scale and no causal mask (M-02 + M-08)"


def test_one_stage_that_may_have_either_of_two_numbers():
    lines = page(report(stage("S", Verdict.differs, LARGE, findings=(NO_SCALE, HALF))))
    assert lines[5].endswith("DIFFERS  M-02 or M-03")


def test_what_cannot_be_right_and_what_is_not_the_model_s():
    alone = replace(
        stage("A", Verdict.differs), difference=None, operands=(), facts=("rows sum to 2",)
    )
    assert page(report(alone))[7:9] == ["A cannot be right", "facts  rows sum to 2"]
    mine = replace(stage("S", Verdict.differs, LARGE), operands=())
    assert page(report(mine))[7] == "S is not the model's"


def test_what_a_stage_that_does_not_differ_shows_is_told_by_its_name():
    facts = ("columns sum to 0.3 to 3.1", "consistent with a bidirectional softmax")
    lines = page(report(stage("A", Verdict.consistent, facts=facts)))
    assert lines[7] == "1 stage: 1 is consistent."
    assert lines[9:11] == [
        "A        columns sum to 0.3 to 3.1",
        "A        consistent with a bidirectional softmax",
    ]


def test_a_wide_screen_spends_no_line_more_and_a_narrow_one_gives_up_columns():
    assert (
        page(WRONG, 120)[9]
        == "Y = Z_cat W_O + b_O    (6, 16)       3.912    0.5514      1e-05  DIFFERS  M-14"
    )
    assert page(WRONG, 64)[6:9] == [
        "stage  shape       largest      mean  tolerance  verdict",
        "Q      (4, 6, 4)  rounding  rounding      1e-05  agrees",
        "V      (4, 6, 4)                                 not checked",
    ]
    narrow = page(WRONG, 41)
    assert "stage  shape       largest  verdict" in narrow
    assert "S      (4, 6, 6)     3.912  DIFFERS  M-02" in narrow


@pytest.mark.parametrize("report", [WRONG, RIGHT, TIED, UNKNOWN])
@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("unicode", [True, False])
def test_nothing_is_wider_than_the_screen_and_ascii_is_ascii(report, width, unicode):
    lines = page(report, width, unicode)
    assert max(map(cell_len, lines)) <= width
    assert unicode or "".join(lines).isascii()


def test_colour_changes_no_character():
    screen = colored(80)
    text = printed(check_view(WRONG, screen), screen)
    assert "\x1b[1;31mDIFFERS  M-02\x1b[0m" in text
    assert "\x1b[32magrees\x1b[0m" in text
    assert "\x1b" not in printed(check_view(WRONG, plain(80)), plain(80))


def test_names_from_a_file_steer_nothing():
    evil = Stored("S", "a\x1b[2J[bold]\u202e", (2, 2), "float32", "(n, m)")
    lines = page(report(Q, arrays=(evil,), source="x\x1b[2J.npz", unused=("\x07",)), unicode=False)
    text = "\n".join(lines)
    assert r"a\x1b[2J[bold]U+202E" in text
    assert "\x1b" not in text
    assert "\x07" not in text


def test_a_name_that_no_line_holds_is_folded_and_keeps_its_end():
    long = Stored("W_Q", "encoder.layer.0.attention.self." * 3 + "weight", (4, 4), "float32", "")
    lines = page(report(Q, arrays=(long,)), 60)
    assert (
        "".join("".join(lines).split()).count("encoder.layer.0.attention.self." * 3 + "weight(4,4)")
        == 1
    )


def test_the_type_of_most_is_told_once_and_another_where_it_is():
    half = Stored("S", "S", (6, 6), "float32", "(n, m)")
    mask = replace(half, name="mask", stored_name="mask", dtype="bool")
    arrays = (half, replace(half, name="A", stored_name="A"), mask)
    assert page(report(Q, arrays=arrays))[:2] == [
        "mine.npz · n 6 · d_model 16 · 4 heads · d_k 4 · float32",
        "  S, A (6, 6) as (n, n); mask (6, 6) bool as (n, n)",
    ]


def test_a_difference_that_is_no_number_is_written_as_such():
    nan = Difference(float("nan"), float("nan"), (), 7.7e-6)
    lines = page(report(stage("S", Verdict.differs, nan, facts=("nan in row 0",))))
    assert lines[5] == "S = Q K^T / sqrt(d_k)  (4, 6, 6)      nan   nan      1e-05  DIFFERS"
    assert "differs  by nan at most" in lines


def test_what_is_missing_for_several_stages_is_told_once():
    lines = page(report(Q, V, replace(V, name="A"), S, A))
    assert "missing  X and W_V: to check V and A" in lines


def test_arrays_of_one_shape_are_told_together():
    names = {"Q": "q", "K": "k", "V": "v"}
    arrays = tuple(
        Stored(name, stored, (4, 6, 3), "float32", f"(h, {'n' if name == 'Q' else 'm'}, d_{end})")
        for (name, stored), end in zip(names.items(), "kkv", strict=True)
    )
    assert page(report(Q, arrays=arrays[::-1]))[1:2] == [
        "  Q, K, V from q, k, v (4, 6, 3) as (h, n, d_k)"
    ]
    apart = page(report(Q, arrays=arrays, m=7))[1]
    assert apart == "  Q from q (4, 6, 3) as (h, n, d_k); K, V from k, v (4, 6, 3) as (h, m, d_k)"


def test_assumptions_that_say_the_same_of_several_arrays_are_told_together():
    said = ("W_Q is read as (out, in)", "no mask: none is in the file", "W_K is read as (out, in)")
    assert page(report(Q, assumptions=said))[-2:] == [
        "assumed  each of W_Q and W_K is read as (out, in)",
        "assumed  no mask: none is in the file",
    ]


def test_what_differs_only_in_what_is_masked_says_so():
    def said(difference):
        small = Difference(difference, 1e-8, (0, 1, 1), rounding=7.7e-6)
        found = (replace(NO_SCALE, numbers=("M-08",), before=small),)
        lines = page(report(stage("S", Verdict.differs, small, findings=found)))
        return next(line for line in lines if line.startswith("differs"))

    which = "differs  in which entries are numbers or masked; the others"
    assert said(3.4e-7) == f"{which} agree to rounding"
    assert said(9.4e-6) == f"{which} differ by 9.4e-06"


def test_code_is_shown_as_it_is_where_there_is_room():
    found = replace(NO_SCALE, right_code="A = softmax(S)  # (h, n, n)\nZ = A @ V")
    lines = page(report(stage("S", Verdict.differs, LARGE, findings=(found,))))
    place = lines.index("fix      A = softmax(S)  # (h, n, n)")
    assert lines[place + 1] == "         Z = A @ V"


def test_a_remark_that_has_no_room_beside_the_code_stands_below_it():
    found = replace(
        NO_SCALE, right_code="S = Q @ K.T / sqrt(d_k)  # the width of one head, not of all"
    )
    lines = page(report(stage("S", Verdict.differs, LARGE, findings=(found,))), 40)
    place = lines.index("fix      S = Q @ K.T / sqrt(d_k)")
    assert lines[place + 1 : place + 3] == [
        "         # the width of one head, not of",
        "         # all",
    ]


def test_the_width_of_values_has_its_own_letter_where_it_is_another():
    K = Stored("K", "K", (4, 6, 3), "float32", "(h, m, d_k)")
    V = Stored("V", "V", (4, 6, 5), "float32", "(h, m, d_v)")
    assert page(report(Q, arrays=(K, V)))[1] == (
        "  K (4, 6, 3) as (h, n, d_k); V (4, 6, 5) as (h, n, d_v)"
    )
