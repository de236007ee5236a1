"""The quiz's questions: every answer, computed once more from the trace, term by term."""

import math
from dataclasses import replace

import numpy as np
import pytest
from oracle import causal_mask
from views_fixtures import golden_cross, golden_layers, make_trace

from attncli.analysis.derive import derive
from attncli.analysis.question import Number, OneOf, YesNo
from attncli.analysis.questions import questions

close = np.testing.assert_allclose

SEEDS = range(12)
# Soft-cap and sliding window, ALiBi, buckets without a scale, a scale of its own, rotary stretched.
FAMILIES = ("gemma2", "bloom", "t5", "granite", "llama-yarn", "bert")


def traces():
    for name in FAMILIES:
        for layer, trace in golden_layers(name)[1].items():
            yield pytest.param(trace, id=f"{name}-{layer}")
    yield pytest.param(golden_cross("bart")[1][0], id="bart-cross")
    yield pytest.param(make_trace(5, causal=True, seed=3), id="causal")
    yield pytest.param(make_trace(1), id="one-token")


def asked(trace, head=1):
    """Each question of every token and seed, with the row that it is about."""
    for token in range(len(trace.X)):
        d = derive(trace, head, token)
        for seed in SEEDS:
            for question in questions(d, seed).values():
                yield token, question


class Row:
    """A row once more, from the trace's matrices, term by term."""

    def __init__(self, trace, head, token):
        kv = trace.kv_head(head)
        self.q = trace.Q[head, token].astype(float)
        self.before = trace.Q_unrotated[head, token].astype(float)
        self.V = trace.V[kv].astype(float)
        n = len(self.V)
        self.dots = [
            sum(q * k for q, k in zip(self.q, trace.K[kv, j], strict=True)) for j in range(n)
        ]
        self.scaled = [dot * trace.scale for dot in self.dots]
        cap = trace.softcap
        self.capped = [s if cap is None else cap * math.tanh(s / cap) for s in self.scaled]
        at = trace.heads.index(head)
        self.bias = [
            0.0 if trace.bias is None else float(trace.bias[at][token, j]) for j in range(n)
        ]
        self.hidden = [trace.mask is not None and trace.mask[token, j] < 0 for j in range(n)]
        self.S = [c + b for c, b in zip(self.capped, self.bias, strict=True)]
        self.a = self.weights(self.S)
        flat = self.dots if cap is None else [cap * math.tanh(dot / cap) for dot in self.dots]
        self.flat_a = self.weights([f + b for f, b in zip(flat, self.bias, strict=True)])
        self.z = sum(a * v for a, v in zip(self.a, self.V, strict=True))
        self.count = len(trace.Z)
        self.shares = []
        if trace.params.W_O is not None:
            d_v = len(self.z)
            for r in range(self.count):
                block = trace.params.W_O[r * d_v : (r + 1) * d_v].astype(float)
                self.shares.append(np.linalg.norm(trace.Z[r, token] @ block))
        self.d_model = trace.params.W_Q.shape[0]

    def weights(self, scores):
        exps = [0.0 if hide else math.exp(s) for s, hide in zip(scores, self.hidden, strict=True)]
        total = sum(exps)
        return [e / total if total else 0.0 for e in exps]


def best(values):
    return [j for j, value in enumerate(values) if value >= max(values) - 1e-5 * abs(max(values))]


# What is true, by kind of question: (row, the keys that it is about) -> number, bool or places.
TRUE = {
    "size_of_q": lambda row, _: len(row.q),
    "turned": lambda row, _: abs(np.linalg.norm(row.q) / np.linalg.norm(row.before) - 1) > 1e-4,
    "better_match": lambda row, f: [max((f["j"], f["k"]), key=lambda j: row.dots[j])],
    "number_of_dots": lambda row, _: len(row.dots),
    "scaled": lambda row, f: row.dots[f["j"]] / math.sqrt(len(row.q)),
    "positive": lambda row, f: row.S[f["j"]] > 0,
    "cap_moves": lambda row, _: (
        max(abs(c - s) for c, s in zip(row.capped, row.scaled, strict=True)) > 0.01
    ),
    "bias_raises": lambda row, f: row.bias[f["j"]] > 0,
    "masked": lambda row, f: row.hidden[f["j"]],
    "number_visible": lambda row, _: row.hidden.count(False),
    "factor": lambda row, f: row.a[f["j"]] / row.a[f["k"]],
    "largest_weight": lambda row, _: best(row.a),
    "row_sum": lambda row, _: 0 if all(row.hidden) else 1,
    "unscaled": lambda row, f: row.flat_a[f["j"]] > row.a[f["j"]],
    "adds_most": lambda row, _: best(
        [a * np.linalg.norm(v) for a, v in zip(row.a, row.V, strict=True)]
    ),
    "size_of_z": lambda row, _: row.V.shape[1],
    "nearest_value": lambda row, _: best([-np.linalg.norm(v - row.z) for v in row.V]),
    "size_of_z_cat": lambda row, _: row.count * row.V.shape[1],
    "top_head": lambda row, _: best(row.shares),
    "size_of_y": lambda row, _: row.d_model,
}


def check(answer, truth):
    if isinstance(answer, Number):
        close(answer.value, truth, rtol=1e-3, atol=1e-5)
    elif isinstance(answer, YesNo):
        assert answer.value == truth
    else:
        assert set(answer.right) == set(truth)


@pytest.mark.parametrize("trace", [*traces()])
def test_every_answer_is_what_the_matrices_say(trace):
    head = len(trace.Q) - 1
    rows = {token: Row(trace, head, token) for token in range(len(trace.X))}
    for token, question in asked(trace, head):
        if question.kind == "scale":
            close(question.answer.value, trace.scale)
            continue
        check(question.answer, TRUE[question.kind](rows[token], question.facts))


def test_every_kind_is_asked_of_some_row():
    kinds = {question.kind for trace in traces() for _, question in asked(*trace.values)}
    assert kinds == {*TRUE, "scale"}


def test_a_seed_decides_the_questions():
    d = derive(make_trace(6, causal=True, d_k=4), 0, 4)
    first, again = questions(d, 1), questions(d, 1)
    assert first == again
    assert len({tuple(q.kind for q in questions(d, seed).values()) for seed in SEEDS}) > 3


def test_another_row_gets_questions_about_other_keys():
    trace = make_trace(6, d_k=4)
    about = {
        (head, token): [q.facts.get("j") for q in questions(derive(trace, head, token), 0).values()]
        for head in (0, 1)
        for token in range(6)
    }
    assert len(set(map(tuple, about.values()))) > 6


def test_a_row_that_sees_nothing_is_not_asked_about_its_largest_weight():
    mask = causal_mask(3)
    mask[1] = -np.inf
    d = derive(make_trace(3, mask=mask), 0, 1)
    made = [question for seed in SEEDS for question in questions(d, seed).values()]
    kinds = {question.kind for question in made}
    assert kinds.isdisjoint({"largest_weight", "factor", "unscaled", "adds_most", "nearest_value"})
    (total,) = {question.answer for question in made if question.kind == "row_sum"}
    close(total.value, 0)
    assert {question.why for question in made if question.kind == "row_sum"} == {"row_sum_masked"}


def test_keys_with_the_same_largest_weight_are_all_right():
    trace = make_trace(4)
    trace = replace(trace, K=trace.K.copy())
    trace.K[:] = 0  # every dot product is 0, every weight 1/4
    d = derive(trace, 0, 2)
    assert questions(d, 0)["x"].answer == OneOf("key", (0, 1, 2, 3), (0, 1, 2, 3))


def test_the_mask_is_asked_about_hidden_and_visible_keys_alike():
    d = derive(make_trace(8, causal=True), 0, 6)  # one of eight is hidden
    answers = [
        question.answer.value
        for seed in range(60)
        if (question := questions(d, seed)["mask"]).kind == "masked"
    ]
    assert 0.25 < sum(answers) / len(answers) < 0.75
