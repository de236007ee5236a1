"""Arrays against a model: the reference implementation's agree, and each error is named."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from attention_mistakes import turned
from command import run
from test_check_json import SCHEMA

from attncli.check.against_model import check_against
from attncli.check.report import Verdict
from attncli.errors import AttncliError
from attncli.inspector import inspect
from attncli.weights import load_weights

GOLDEN = Path(__file__).parent / "golden"
LAYER = 1
# What sets each apart from the article: nothing; rotary and grouped keys; a cap, a window and a
# norm; a bias and no scale; norms of q and k; a bias that depends on q and k; slopes; one key
# head; interleaved pairs; norms over all heads; a limit on q, k and v.
FAMILIES = (
    *("gpt2", "llama", "gemma2", "t5-encoder", "qwen3", "deberta-v2", "bloom", "falcon-7b"),
    *("cohere", "olmo2", "mpt", "bart"),
)
SCHEMES = ("XQKVSAZY", "A", "SZ", "QKA", "Y")


def golden_of(family):
    with np.load(GOLDEN / family / "golden.npz") as file:
        golden = {name: file[name] for name in file.files}
    arrays = {
        x: golden[f"encoder.{x}.{LAYER}"] for x in "XQKVSAZY" if f"encoder.{x}.{LAYER}" in golden
    }
    return golden["ids"].tolist(), arrays


@pytest.fixture
def check(tmp_path):
    """Checks arrays against a golden checkpoint, or what a function makes of its trace."""

    def checked(family, arrays, **options):
        ids, golden = golden_of(family)
        with load_weights(str(GOLDEN / family)) as weights:
            model = inspect(ids, weights, layer=LAYER)
            if callable(arrays):
                arrays = arrays(model.attention)
            elif isinstance(arrays, str):
                arrays = {name: golden[name] for name in arrays if name in golden}
            path = tmp_path / "mine.npz"
            np.savez(path, **arrays)
            return check_against([path], model, **options)

    return checked


def verdicts(report):
    return {s.name: s.verdict.value for s in report.stages if s.shape is not None}


def found(report):
    """The keys of the findings of the first stage that differs, and its name."""
    first = report.first_difference
    return first and (first.name, *sorted({key for f in first.findings for key in f.keys}))


@pytest.mark.parametrize("family", FAMILIES)
def test_what_the_reference_implementation_computes_agrees(check, family):
    for names in SCHEMES:
        report = check(family, names)
        assert set(verdicts(report).values()) == {"agrees"}, (names, verdicts(report))


@pytest.mark.parametrize("family", ["gpt2", "llama", "t5-encoder"])
@pytest.mark.parametrize("names", [*SCHEMES, "XA", "KZ"])
def test_what_was_computed_in_float64_agrees(check, family, names):
    with load_weights(str(GOLDEN / family), dtype="float64") as weights:
        wide = inspect(golden_of(family)[0], weights, layer=LAYER).attention
    report = check(family, lambda _: {name: getattr(wide, name) for name in names})
    assert set(verdicts(report).values()) == {"agrees"}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("names", ["XQKVSAZY", "A", "SZ"])
def test_what_was_rounded_to_float16_agrees(check, family, names):
    def rounded(t):
        kept = {name: getattr(t, name) for name in names}
        return {name: values.astype(np.float16) for name, values in kept.items()}

    report = check(family, rounded)
    assert set(verdicts(report).values()) == {"agrees"}


def softmax(S):
    E = np.exp(S - S.max(-1, keepdims=True))
    return E / E.sum(-1, keepdims=True)


def parts(t, Q="Q", K="K"):
    """(Q K^T, what is added to the scores, the mask) of a trace."""
    q, k = getattr(t, Q), getattr(t, K)
    dots = q @ np.repeat(k, len(q) // len(k), axis=0).transpose(0, 2, 1)
    return dots, 0 if t.bias is None else t.bias, 0 if t.mask is None else t.mask


def no_scale(t):
    dots, bias, mask = parts(t)
    return {"A": softmax(dots + bias + mask)}


def no_bias(t):
    dots, _, mask = parts(t)
    return {"S": dots * t.scale + mask}


def no_mask(t):
    dots, bias, _ = parts(t)
    return {"A": softmax(dots * t.scale + bias)}


def turned_queries(t):
    """Of a model that has no rotary positions."""
    return {"X": t.X, "Q": turned(t.Q, width=t.Q.shape[-1])}


def projected(t):
    """S of queries and keys as they come out of the projection."""
    dots, bias, mask = parts(t, "Q_projected", "K_projected")
    return {"S": dots * t.scale + bias + mask}


@pytest.mark.parametrize(
    ("family", "wrong", "expected"),
    [
        ("gpt2", no_scale, ("A", "no_scale")),
        ("llama", no_scale, ("A", "no_scale")),
        ("deberta-v2", no_scale, ("A", "no_scale")),
        ("bloom", no_bias, ("S", "position_bias_missing")),
        ("t5-encoder", no_bias, ("S", "position_bias_missing")),
        ("gemma2", no_bias, ("S", "softcap_missing")),
        ("llama", projected, ("S", "rotary_missing")),
        ("gpt2", turned_queries, ("Q",)),
        ("qwen3", projected, ("S", "qk_bare")),
        ("bloom", no_mask, ("A", "mask_too_weak", "no_causal_mask")),
        ("llama", lambda t: {"A": t.A.mean(0)}, ("A", "mean_over_heads")),
        ("cohere", lambda t: {"Y": t.Z_cat}, ("Y", "no_output_projection")),
    ],
)
def test_errors_are_named_with_the_model_s_operands(check, family, wrong, expected):
    assert found(check(family, wrong)) == expected


def test_another_bias_is_wrong_beside_a_model(check):
    """Without one it may be right: a bias that depends on the distance alone."""

    def steeper(t):
        dots, bias, mask = parts(t)
        return {"Q": t.Q, "K": t.K, "S": dots * t.scale + 2 * bias + mask}

    assert found(check("bloom", steeper)) == ("S",)


def test_the_other_pairs_of_rotary(check):
    from dataclasses import replace

    from attncli.rotary import rotate

    def wrong(t):
        with load_weights(str(GOLDEN / "llama")) as weights:
            rotary = weights.spec.rotary[LAYER]
        other = replace(rotary, interleaved=not rotary.interleaved)
        return {"Q": rotate(t.Q_projected, other), "K": rotate(t.K_projected, other), "S": t.S}

    report = check("llama", wrong)
    assert found(report) == ("Q", "rotary_pairs")


def test_q_and_k_as_the_projection_gives_them_are_compared_there(check):
    def hooked(t):
        flat = t.Q_projected.transpose(1, 0, 2).reshape(len(t.X), -1)
        return {"Q": flat, "K": t.K_projected, "S": t.S}

    report = check("llama", hooked)
    assert set(verdicts(report).values()) == {"agrees"}
    assert (
        sum("saved before the model norms or turns it" in line for line in report.assumptions) == 2
    )


def test_each_stage_follows_from_the_user_s_own_arrays(check):
    """Another X: it differs, and what is right for it does not."""

    def moved(t):
        X = t.X + np.float32(0.1)
        Q = X @ t.params.W_Q + t.params.b_Q
        return {"X": X, "Q": Q}

    report = check("gpt2", moved)
    assert verdicts(report) == {"X": "differs", "Q": "agrees"}
    assert any("after the norm" in fact for fact in report.stages[0].facts)


def test_parameters_are_compared_with_the_model_s(check):
    report = check("gpt2", lambda t: {"W_Q": t.params.W_Q.T.copy(), "W_K": t.params.W_K, "A": t.A})
    assert verdicts(report)["W_Q"] == "differs"
    assert verdicts(report)["W_K"] == "agrees"
    assert report.stages[0].facts[-1] == "it is the transpose of the model's: save W_Q.T"


@pytest.mark.parametrize("family", ["gpt2", "llama", "gemma2", "t5-encoder", "qwen3"])
def test_one_head(check, family):
    def of_head(t, r=2):
        k = t.kv_head(r)
        return {"Q": t.Q[r], "K": t.K[k], "V": t.V[k], "S": t.S[r], "A": t.A[r], "Z": t.Z[r]}

    report = check(family, of_head, head=2)
    assert set(verdicts(report).values()) == {"agrees"}
    assert report.source.endswith(f"against {family}, layer 1, head 2")
    report = check(family, of_head, head=1)
    assert report.first_difference.name in ("Q", "K", "V")
    assert found(check(family, lambda t: {"A": softmax(t.S[3] * 2)}, head=3))[0] == "A"


def test_what_is_the_model_s_is_said_and_not_listed(check):
    report = check("llama", "A")
    assert [array.name for array in report.arrays] == ["A"]
    assert report.assumptions == ("X, W_Q, W_K, W_V, W_O: the model's",)
    formulas = {stage.name: stage.formula for stage in report.stages}
    assert formulas["Q"] == "Q = rotary(X W_Q)"
    assert formulas["S"] == "S = Q K^T / sqrt(d_k) + mask"
    report = check("gemma2", "A")
    formulas = {stage.name: stage.formula for stage in report.stages}
    assert formulas["S"] == "S = cap(0.378 Q K^T) + mask"


def test_another_number_of_tokens_is_one_clear_line(check):
    with pytest.raises(
        AttncliError, match=r"mine.npz is of 5 tokens, the sentence has 11 \(.*same"
    ):
        check("gpt2", lambda t: {"A": t.A[:, :5, :5]})


def test_a_head_that_is_not_there_and_arrays_of_all_heads(check):
    with pytest.raises(AttncliError, match=r"head 4 does not exist: the model has 4 heads"):
        check("gpt2", "A", head=4)
    with pytest.raises(AttncliError, match=r"`head`: Y are of all heads"):
        check("gpt2", "Y", head=0)


def test_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("export", "The cat sat", "-l", "0", "-o", "mine.json")
    model = ("-w", "sample", "--sentence", "The cat sat")
    answer = run("check", "mine.json", *model, "-l", "0")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith(
        "mine.json against attncli-sample, layer 0 · n 3 · d_model 512 · 8 heads"
    )
    assert "float16" not in answer.out  # as the model is stored, not the user's arrays
    answer = run("check", "mine.json", *model, "-l", "1", "--json")
    assert answer.status == 1
    document = json.loads(answer.out)
    jsonschema.validate(document, SCHEMA)
    assert document["first_difference"] == "X"
    assert run("check", "mine.json", *model[:2], "--sentence", "The dog sat", "-l", "0").status == 1
    answer = run("check", "mine.json", *model[:2], "--sentence", "The cat sat down", "-l", "0")
    assert (answer.status, answer.out) == (1, "")
    assert "mine.json is of 3 tokens, the sentence has 4 (the cat sat down)" in answer.err
    run("export", "The cat sat", "-l", "0", "--causal", "-o", "causal.json")
    assert run("check", "causal.json", *model, "-l", "0", "--causal").status == 0
    answer = run("check", "--each", "mine.json", "causal.json", *model, "-l", "0")
    assert answer.status == 1
    assert answer.out.splitlines()[-1] == "2 files: 1 agrees, 1 differs"


def test_an_export_is_right_by_itself(tmp_path, monkeypatch):
    """What attncli writes is what it checks."""
    monkeypatch.chdir(tmp_path)
    run("export", "The cat sat", "-o", "mine.json", "--causal")
    answer = run("check", "mine.json")
    assert (answer.status, answer.err) == (0, "")
    assert Verdict.differs.value.upper() not in answer.out


def test_a_long_sentence_is_worked_through_in_parts(tmp_path):
    """A model's bias, cut as the rest is."""
    ids = np.random.default_rng(0).integers(5, 48, 750).tolist()
    with load_weights(str(GOLDEN / "t5-encoder")) as weights:
        model = inspect(ids, weights, layer=LAYER)
        t = model.attention
        for arrays, expected in (
            ({"S": t.S, "A": t.A}, None),
            (no_bias(t), ("S", "position_bias_missing")),
        ):
            np.savez(tmp_path / "long.npz", **arrays)
            assert found(check_against([tmp_path / "long.npz"], model)) == expected


def test_padding_and_ids(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ("--ids", "5,9,13,21,34", "-w", GOLDEN / "bert", "-l", "0")
    mask = ("--attention-mask", "1,1,1,0,0")
    run("export", *options, *mask, "-o", "mine.json")
    answer = run("check", "mine.json", *options, *mask)
    assert answer.status == 0
    assert answer.err.startswith("Note: bert has no tokenizer")
    assert run("check", "mine.json", *options).status == 1
