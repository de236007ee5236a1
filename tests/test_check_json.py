"""`check --json`: everything that was found, as the schema of docs/ says."""

import json
from dataclasses import asdict
from pathlib import Path

import jsonschema
import pytest
from check_reports import LARGE, NO_SCALE, RIGHT, TIED, UNKNOWN, WRONG, report, stage

from attncli import __version__
from attncli.check.batch import Unread
from attncli.check.report import Difference, Verdict
from attncli.exports.check_document import batch_to_json, report_to_json

SCHEMA = json.loads((Path(__file__).parents[1] / "docs" / "check.schema.json").read_text("utf-8"))


def strict(text):
    """Parses JSON without the NaN and Infinity that Python would let through."""
    assert text.endswith("\n")
    return json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


@pytest.mark.parametrize("report", [WRONG, RIGHT, TIED, UNKNOWN])
def test_a_report_follows_the_schema(report):
    document = strict(report_to_json(report))
    jsonschema.validate(document, SCHEMA)
    jsonschema.validate(document, {**SCHEMA["$defs"]["report"], "$defs": SCHEMA["$defs"]})
    assert document["right"] == report.right
    assert [each["verdict"] for each in document["stages"]] == [
        each.verdict.value for each in report.stages
    ]


def test_nothing_is_left_out():
    document = strict(report_to_json(WRONG))
    assert document["attncli"] == __version__
    assert document["first_difference"] == "S"
    assert document["arrays"][1] == {
        "name": "W_Q",
        "stored_name": "q_proj.weight",
        "shape": [16, 16],
        "dtype": "float32",
        "layout": "(d_out, d_in)",
    }
    (finding,) = document["stages"][3]["findings"]
    assert finding["keys"] == ["no_scale"]
    assert finding["before"] == {**asdict(LARGE), "where": [1, 3, 2]}
    assert finding["right_code"] == NO_SCALE.right_code
    assert document["stages"][2]["needs"] == ["X", "W_V"]


def test_the_schema_notices_a_missing_or_unknown_field():
    for spoil in (lambda d: d.pop("stages"), lambda d: d["stages"][0].update(surprise=1)):
        document = strict(report_to_json(WRONG))
        spoil(document)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document, SCHEMA)


def test_what_is_no_finite_number_is_null():
    odd = Difference(float("inf"), float("nan"), (), float("nan"))
    document = strict(report_to_json(report(stage("S", Verdict.differs, odd))))
    jsonschema.validate(document, SCHEMA)
    assert document["stages"][0]["difference"] == {**dict.fromkeys(asdict(odd)), "where": []}


def test_a_batch_is_a_list_in_which_a_broken_file_is_its_error():
    document = strict(batch_to_json([WRONG, Unread("b.npz", "b.npz is no archive"), RIGHT]))
    jsonschema.validate(document, SCHEMA)
    assert [each["error"] for each in document] == [None, "b.npz is no archive", None]
    assert document[1]["source"] == "b.npz"
