"""JSON: the schema of docs/, exact float32, masked scores, files written whole or not at all."""

import json
import os
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from command import run
from views_fixtures import GOLDEN

from attncli.analysis.path import Clip
from attncli.errors import AttncliError
from attncli.exports.files import check_writable, write_file
from attncli.exports.json_document import to_json
from attncli.inspector import inspect
from attncli.matrices import IN_FILES, MATRICES, find_matrices
from attncli.narration.page import Page, Voice
from attncli.narration.row import row_of
from attncli.narration.steps import steps_of
from attncli.trace import Trace
from attncli.weights import load_weights

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "docs" / "attention.schema.json").read_text("utf-8")
)


@pytest.fixture(scope="module", params=[False, True], ids=["bidirectional", "causal"])
def inspection(request):
    with load_weights("random", seed=5, d_model=24, n_heads=3) as weights:
        yield inspect('the "cat"\n sat 𓃠', weights, causal=request.param)


def strict(text):
    """Parses JSON without the NaN and Infinity that Python would let through."""
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


def test_everything_together_follows_the_schema(inspection):
    row = row_of(inspection, head=1, token=2)
    document = strict(to_json(inspection, [0, 2], MATRICES, [row]))
    jsonschema.validate(document, SCHEMA)
    assert [head["head"] for head in document["heads"]] == [0, 2]
    assert document["sentence"] == 'the "cat"\n sat 𓃠'
    for token in document["tokens"]:
        covered = document["sentence"][token["start"] : token["end"]]
        assert covered == token["text"] or (covered, token["text"]) == ("𓃠", None)
    assert bytes(b for t in document["tokens"] for b in t.get("bytes", [])) == "𓃠".encode()


def test_the_schema_notices_a_missing_or_unknown_field(inspection):
    document = strict(to_json(inspection, [0], find_matrices("A")))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**document, "surprise": 1}, SCHEMA)
    del document["tokens"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, SCHEMA)


def test_every_float32_comes_back_exactly(inspection):
    attention = inspection.attention
    document = strict(to_json(inspection, [0, 1, 2], MATRICES))
    for name in ("X", "Z_cat", "Y"):
        np.testing.assert_array_equal(np.float32(document[name]), getattr(attention, name))
    for head in document["heads"]:
        width, own = attention.Q.shape[2], head["head"]
        W_Q = attention.params.W_Q[:, own * width : (own + 1) * width]
        np.testing.assert_array_equal(np.float32(head["W_Q"]), W_Q)
        for name in "QKVAZ":
            np.testing.assert_array_equal(
                np.float32(head[name]), getattr(attention, name)[head["head"]]
            )


def test_a_masked_score_is_null_and_others_are_exact(inspection):
    S = inspection.attention.S[1]
    (head,) = strict(to_json(inspection, [1], find_matrices("S")))["heads"]
    for ours, written in zip(S.ravel(), np.array(head["S"], object).ravel(), strict=True):
        assert written is None if np.isneginf(ours) else np.float32(written) == ours


def test_only_what_is_asked_for_is_written(inspection):
    document = strict(to_json(inspection, [2], find_matrices("A")))
    assert not document.keys() & {"X", "Y", "Z_cat", "derivation"}
    assert document["heads"][0].keys() == {"head", "A"}


def with_X(inspection, X):
    """The same inspection with another X."""
    attention = replace(inspection.attention, X=np.array(X, np.float32))
    return replace(inspection, trace=Trace({attention.layer: attention}))


def test_a_value_that_is_no_number_is_never_written(inspection):
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="not finite"):
            to_json(with_X(inspection, [[0, value]]), [0], find_matrices("X"))


def test_extreme_numbers_stay_numbers(inspection):
    extreme = with_X(inspection, [[1e-45, 3.4e38, -0.0, 1e20, 123456.789]])
    document = strict(to_json(extreme, [0], find_matrices("X")))
    np.testing.assert_array_equal(np.float32(document["X"]), extreme.attention.X)


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")
    mode = 0o640 if os.name == "posix" else 0o666
    path.chmod(mode)
    write_file(path, "猫\n")
    assert path.read_bytes() == "猫\n".encode()
    assert path.stat().st_mode & 0o777 == mode
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_at_the_end_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(AttncliError, match=r"cannot write .*No space left"):
        write_file(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_encoded_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_file(path, "half \ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "message"), [("no/such/a.json", "there is no folder"), (".", "is a folder")]
)
def test_where_no_file_can_be_made_is_known_before_computing(tmp_path, name, message):
    with pytest.raises(AttncliError, match=message):
        check_writable(tmp_path / name)


@pytest.mark.parametrize("name", ["random", "t5", "llama-yarn", "deberta-v2"])
def test_float64_is_written_exactly_and_shows_the_rounding_of_float32(name):
    folder = str(Path(__file__).parent / "golden" / name) if name != "random" else "random"
    found = {}
    for dtype in ("float32", "float64"):
        with load_weights(folder, dtype=dtype) as weights:
            ran = inspect([5, 7, 9, 11], weights)
        row = row_of(ran, head=1, token=2)
        document = strict(to_json(ran, [0, 1], MATRICES, [row]))
        jsonschema.validate(document, SCHEMA)
        assert document["dtype"] == dtype == ran.attention.A.dtype
        np.testing.assert_array_equal(np.array(document["Y"], dtype), ran.attention.Y)
        assert document["derivation"][0]["exp_sum"] == float(
            str(np.dtype(dtype).type(row.d.exp_sum))
        )
        found[dtype] = document
    narrow, wide = (np.array(found[dtype]["heads"][1]["A"]) for dtype in found)
    assert 0 < abs(narrow - wide).max() < 1e-6
    assert abs(wide.sum(axis=1) - 1).max() < 1e-15
    assert found["float64"]["derivation"][0]["largest_difference"] < 1e-13


def test_a_file_of_matrices_in_float64(tmp_path):
    rng = np.random.default_rng(0)
    W = {f"W_{x}": rng.normal(size=(6, 3)).astype(np.float32) for x in "QKV"}
    np.savez(tmp_path / "m.npz", **W, X=rng.normal(size=(2, 6)).astype(np.float32))
    with load_weights(str(tmp_path / "m.npz"), dtype="float64") as weights:
        attention = inspect([1, 2], weights).attention
    np.testing.assert_allclose(
        attention.Q[0], attention.X @ W["W_Q"].astype(np.float64), rtol=1e-14
    )


@pytest.mark.parametrize(
    ("name", "stages"),
    [
        ("gpt2", []),
        ("llama", ["Q_projected", "K_projected"]),
        ("olmo2", ["Q_projected", "Q_unrotated", "K_projected", "K_unrotated"]),
    ],
)
def test_stages_of_queries_and_keys_are_written_where_they_differ(name, stages):
    golden = Path(__file__).parent / "golden" / name
    with load_weights(str(golden)) as weights:
        inspection = inspect([5, 7, 9, 11], weights)
    document = strict(to_json(inspection, [0, 3], IN_FILES))
    jsonschema.validate(document, SCHEMA)
    heads = document["heads"]
    assert [key for key in heads[0] if "_" in key] == stages
    for head in heads:
        for stage in stages:
            expected = inspection.attention.of_head(stage, head["head"])
            np.testing.assert_array_equal(np.float32(head[stage]), expected)


def test_the_steps_are_told_in_english_unless_asked_otherwise():
    arguments = ["export", "The cat sat", "--token", "cat", "--head", "0"]
    chinese = {"LC_ALL": "zh_CN.UTF-8"}

    def steps(*more):
        derivation = json.loads(run(*arguments, *more, environment=chinese).out)["derivation"][0]
        return {step["key"]: step for step in derivation["steps"]}

    english = steps()
    assert english["dots"]["title"] == "Dot products with the keys"
    assert steps("--lang", "zh")["dots"]["title"] == "与各键向量的点积"
    assert english["scale"]["formula"] == r"S_{1j} = q_{1} \cdot k_j \div \sqrt{64}"
    assert english["weights"]["operands"] == ["exponentials", "exp_sum"]
    assert english["weights"]["result"] == "a"


def test_each_step_begins_where_the_one_before_ends():
    """In mpt q is clipped and the mask follows the position bias."""
    answer = run(
        "export", "--ids", "1,2,3", "-w", GOLDEN / "mpt-6-heads", "--token", "1", "--head", "0"
    )
    derivation = json.loads(answer.out)["derivation"][0]
    steps = {step["key"]: (step["operands"], step["result"]) for step in derivation["steps"]}
    assert steps["scale"] == (["dots", "scale"], "scaled")
    assert steps["bias"] == (["scaled", "bias"], "biased")
    assert steps["mask"] == (["biased", "mask"], "scores")
    scaled, bias, biased = (np.array(derivation[name]) for name in ("scaled", "bias", "biased"))
    np.testing.assert_allclose(scaled + bias, biased, rtol=1e-6)


def test_lengths():
    for model in ("bert", "gpt2-unscaled", "llama"):
        answer = run(
            "export", "--ids", "1,2,3", "-w", GOLDEN / model, "--token", "1", "--head", "0"
        )
        derivation = json.loads(answer.out)["derivation"][0]
        for name in ("x", "q", "b_O", "y"):
            vector, length = derivation[name], derivation[f"{name}_norm"]
            assert (vector is None) == (length is None)
            if vector is not None:
                np.testing.assert_allclose(length, np.linalg.norm(vector), rtol=1e-6)


def test_a_clipped_query_is_what_is_rotated():
    """Of OLMo and DBRX; no checkpoint here has both."""
    with load_weights(GOLDEN / "llama") as weights:
        row = row_of(inspect([1, 2, 3], weights, heads=[0]), 0, 1)
    path = replace(row.d.query, clipping=Clip(0.5, row.d.query.projected))
    page = Page(replace(row, d=replace(row.d, query=path)), Voice())
    steps = {step.key: (step.operands, step.result) for step in steps_of(page)}
    assert steps["clip"] == (("query.projected",), "query.clipping")
    assert steps["rotary"] == (("query.clipping",), "query.turning")


def test_every_operand_and_result_of_a_step_is_there():
    for sentence in (["The cat sat"], ["--ids", "1,2,3", "-w", GOLDEN / "gemma2"]):
        answer = run("export", *sentence, "--token", "1", "--head", "0")
        derivation = json.loads(answer.out)["derivation"][0]
        for step in derivation["steps"]:
            for name in [*step["operands"], step["result"]]:
                value = derivation
                for part in name.split("."):
                    value = value[part] if part not in ("W_Q", "W_O") else name
                assert value is not None, (step["key"], name)
