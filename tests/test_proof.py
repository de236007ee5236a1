"""`selftest`: its proofs hold here, and each fails where what it proves is broken."""

import json
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from command import run
from safetensors.numpy import load_file, save_file
from test_check_json import SCHEMA

from attncli import attention, blocks
from attncli.proof import by_loops, goldens, hand_example, largest_difference, prove


def test_every_proof_holds():
    proofs = list(prove())
    assert [proof.name for proof in proofs if not proof.holds] == []
    assert len(proofs) == 7


def test_on_the_command_line():
    answer = run("selftest", "--json")
    assert (answer.status, answer.err) == (0, "")
    document = json.loads(answer.out)
    jsonschema.validate(document, SCHEMA)
    assert document["holds"]
    assert document["versions"]["numpy"] == np.__version__
    answer = run("selftest")
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.endswith("All 7 proofs hold.\n")


def failing():
    return {proof.name: proof for proof in prove() if not proof.holds}


def test_a_wrong_softmax_is_noticed_by_all(monkeypatch):
    right = attention.softmax

    def over_queries(S):
        return right(S.swapaxes(-1, -2)).swapaxes(-1, -2)

    for module in (attention, blocks):
        monkeypatch.setattr(module, "softmax", over_queries)
    monkeypatch.setattr(hand_example, "softmax", over_queries)
    assert len(failing()) == 7
    answer = run("selftest")
    assert answer.status == 1
    assert answer.out.count("FAILS") == 7
    assert answer.out.endswith("7 proofs of 7 fail: do not trust this installation\n")


def test_a_wrong_block_of_rows_is_noticed(monkeypatch):
    right = attention.weighted_values

    def spoiled(A, V):
        return right(A, V) * (1.001 if A.shape[-1] > blocks.BLOCK else 1)

    monkeypatch.setattr(blocks, "weighted_values", spoiled)
    assert list(failing()) == ["blocks of rows on threads, by loops"]


def test_what_ships_and_is_not_there_or_damaged_fails_alone(monkeypatch, tmp_path):
    shutil.copytree(goldens.FOLDER, tmp_path / "goldens")
    monkeypatch.setattr(goldens, "FOLDER", tmp_path / "goldens")
    (tmp_path / "goldens" / "bert" / "golden.npz").unlink()
    (tmp_path / "goldens" / "t5" / "config.json").write_text("{")
    model = tmp_path / "goldens" / "llama" / "model.safetensors"
    tensors = load_file(model)
    tensors["layers.0.self_attn.o_proj.weight"][3, 5] += 0.01
    save_file(tensors, model)
    failed = failing()
    assert list(failed) == [
        f"{name}, one layer, by transformers" for name in ("bert", "llama", "t5")
    ]
    bert, llama, t5 = failed.values()
    assert bert.error.startswith("FileNotFoundError: ")
    assert llama.largest > llama.tolerance
    assert "config.json" in t5.error


def test_what_ships_is_what_the_script_makes_of_the_goldens(monkeypatch, tmp_path):
    path = Path(__file__).parent / "golden" / "make_proof_goldens.py"
    spec = spec_from_file_location("make_proof_goldens", path)
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "TARGET", tmp_path)
    for family in script.SOURCES:
        script.cut(family)
        with (
            np.load(tmp_path / family / "golden.npz") as made,
            np.load(goldens.FOLDER / family / "golden.npz") as shipped,
        ):
            assert made.files == shipped.files
            for name in made.files:
                np.testing.assert_array_equal(made[name], shipped[name])
        for name in ("model.safetensors", "config.json"):
            made, shipped = tmp_path / family / name, goldens.FOLDER / family / name
            assert made.read_bytes() == shipped.read_bytes()


def test_it_takes_up_little_room():
    assert sum(file.stat().st_size for file in goldens.FOLDER.rglob("*")) < 100_000


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        ([1, -np.inf], [1, -np.inf], 0),
        ([1, 2], [1, -np.inf], np.inf),
        ([1, 2.5], [1, 2], 0.25),
        ([0, 0.5], [0, 0.25], 0.25),
        ([1], [1, 1], np.inf),
        ([], [], 0),
    ],
)
def test_the_largest_difference(ours, theirs, expected):
    pair = (np.array(ours, np.float32), np.array(theirs, np.float64))
    np.testing.assert_allclose(largest_difference([pair]), expected)


def test_nan_is_no_agreement_and_nothing_is_none():
    nan = np.array([np.nan], np.float32)
    assert np.isnan(largest_difference([(nan, np.ones(1))]))
    assert np.isnan(largest_difference([(np.ones(1), np.ones(1)), (nan, np.ones(1))]))
    assert largest_difference([]) == np.inf


def test_the_sample_is_compared_with_numbers_of_its_own():
    for ours, theirs in by_loops.of_the_sample():
        assert ours.shape == theirs.shape
        assert np.ptp(theirs) > 0.1
