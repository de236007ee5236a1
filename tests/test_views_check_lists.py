"""A line a file for a folder of homework, and a line a proof of the installation."""

import pytest
from check_reports import RIGHT, TIED, UNKNOWN, WRONG, Q, V, report
from rich.cells import cell_len
from views_fixtures import plain, printed_lines

from attncli.check.batch import Unread
from attncli.proof import Proof
from attncli.views.check_lists import batch_view, proofs_view

CLASS = [
    ("alice.npz", report(Q)),
    ("bob.npz", WRONG),
    ("carol.npz", UNKNOWN),
    ("dave.npz", Unread("dave.npz", "dave.npz is not usable: it holds no arrays")),
    ("eve.npz", RIGHT),
    ("frank.npz", TIED),
    ("grace.npz", report(V)),
]
PROOFS = (Proof("by hand", 2.9e-8, 1e-5), Proof("by loops over plain numbers", 1.5e-6, 1e-5))
VERSIONS = (("Python", "3.11.7"), ("numpy", "2.4.6"))


def lines_of(view, width, *arguments, unicode=True):
    screen = plain(width, unicode=unicode)
    return printed_lines(view(*arguments, screen), screen)


def test_a_class():
    assert lines_of(batch_view, 90, CLASS) == [
        "alice.npz  agrees",
        "bob.npz    DIFFERS        S: the scale was left out (M-02)",
        "carol.npz  DIFFERS        S differs: no known mistake reproduces this",
        "dave.npz   not read       dave.npz is not usable: it holds no arrays",
        "eve.npz    odd but right  S: a constant is added to each row",
        "frank.npz  DIFFERS        S: divided by d_k without the root (M-03) or divided by",
        "                          sqrt(d_k) twice (M-03)",
        "grace.npz  not checked",
        "",
        "7 files: 1 agrees, 1 is odd but right, 3 differ, 1 was not checked, 1 could not be read",
    ]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_long_names_and_reasons_are_folded(width):
    long = ("students/2024/" + "a" * 40 + "/second-attempt.npz", WRONG)
    lines = lines_of(batch_view, width, [*CLASS, long], unicode=False)
    assert max(map(cell_len, lines)) <= width
    assert "".join("".join(lines).split()).count("second-attempt.npz") == 1
    assert "".join(lines).isascii()


def test_proofs_that_hold():
    assert lines_of(proofs_view, 80, PROOFS, VERSIONS) == [
        "by hand                      holds  to rounding, 1e-05 allowed",
        "by loops over plain numbers  holds  to rounding, 1e-05 allowed",
        "",
        "versions  Python 3.11.7, numpy 2.4.6",
        "All 2 proofs hold.",
    ]


def test_proofs_that_fail():
    failed = (Proof("by hand", 0.25, 1e-5), Proof("t5", None, 1e-5, "OSError: no file"), PROOFS[1])
    assert lines_of(proofs_view, 80, failed, VERSIONS) == [
        "by hand                      FAILS  0.25 apart, 1e-05 allowed",
        "t5                           FAILS  OSError: no file",
        "by loops over plain numbers  holds  to rounding, 1e-05 allowed",
        "",
        "versions  Python 3.11.7, numpy 2.4.6",
        "2 proofs of 3 fail: do not trust this installation",
    ]
