"""Reports of `check` made by hand, for the tests of the screen and of the JSON."""

from dataclasses import replace

from attncli.check.report import Difference, Finding, Report, Stage, Stored, Verdict

ROUNDING = Difference(largest=2.4e-7, mean=5.1e-8, where=(1, 0, 2), rounding=7.7e-6)
LARGE = Difference(largest=3.9121, mean=0.5514, where=(1, 3, 2), rounding=7.7e-6)

NO_SCALE = Finding(
    keys=("no_scale",),
    numbers=("M-02",),
    title="the scale was left out",
    explanation="S must be divided by sqrt(d_k), or the softmax gets too sharp.",
    right_code="S = Q @ K.transpose(-1, -2) / math.sqrt(d_k)",
    evidence="S / right S is 2.0000 in every entry",
    before=LARGE,
    after=ROUNDING,
)
HALF = replace(
    NO_SCALE,
    keys=("scale_d_k",),
    numbers=("M-03",),
    title="divided by d_k without the root",
    evidence="S / right S is 0.5000 in every entry",
)
TWICE = replace(HALF, keys=("scale_twice",), title="divided by sqrt(d_k) twice")
ROW_CONSTANT = Finding(
    keys=("row_constant",),
    numbers=(),
    title="a constant is added to each row",
    explanation="The softmax of a row does not see it.",
    right_code="",
    evidence="rows are moved by 0.3000 to 0.9000",
    before=Difference(0.9, 0.6, (0, 1, 2), 7.7e-6),
    after=ROUNDING,
    harmless=True,
)
FORMULAS = {
    "Q": "Q = X W_Q + b_Q",
    "K": "K = X W_K + b_K",
    "V": "V = X W_V + b_V",
    "S": "S = Q K^T / sqrt(d_k)",
    "A": "A = softmax(S)",
    "Y": "Y = Z_cat W_O + b_O",
}


def stage(name, verdict, difference=ROUNDING, shape=(4, 6, 6), **other):
    compared = verdict is not Verdict.unchecked
    return Stage(
        name=name,
        formula=FORMULAS[name],
        operands=("X",),
        shape=shape,
        verdict=verdict,
        difference=difference if compared else None,
        tolerance=1e-5 if compared else None,
        **other,
    )


def report(*stages, **other):
    facts = {
        "source": "mine.npz",
        "arrays": (
            Stored("X", "X", (6, 16), "float32", "(n, d_model)"),
            Stored("W_Q", "q_proj.weight", (16, 16), "float32", "(d_out, d_in)"),
            Stored("S", "attn_scores", (1, 4, 6, 6), "float32", "(batch, h, n, m)"),
            Stored("A", "A", (4, 6, 6), "float32", "(h, n, m)"),
        ),
        "unused": (),
        "n": 6,
        "m": 6,
        "n_heads": 4,
        "d_model": 16,
        "d_k": 4,
        "assumptions": ("no mask: none is in the file",),
        "stages": stages,
    }
    return Report(**facts | other)


Q = stage("Q", Verdict.agrees, shape=(4, 6, 4))
V = stage("V", Verdict.unchecked, shape=(4, 6, 4), needs=("X", "W_V"))
K = stage("K", Verdict.unchecked, shape=None, needs=("K",))
S = stage("S", Verdict.differs, LARGE, findings=(NO_SCALE,))
A = stage("A", Verdict.agrees)
Y = stage(
    "Y",
    Verdict.differs,
    LARGE,
    shape=(6, 16),
    findings=(replace(NO_SCALE, numbers=("M-14",), title="concat(Z) is returned without W_O"),),
)

WRONG = report(Q, K, V, S, A, Y, unused=("loss", "step"))
TIED = report(
    Q,
    stage(
        "S",
        Verdict.differs,
        LARGE,
        findings=(HALF, TWICE),
        apart="nothing can: the numbers are the same; look for a second division",
    ),
)
UNKNOWN = report(
    Q,
    stage("S", Verdict.differs, LARGE, facts=("S is not symmetric", "no entry is 0")),
)
RIGHT = report(Q, stage("S", Verdict.odd, ROW_CONSTANT.before, findings=(ROW_CONSTANT,)), A)
