"""JSON of what `check` found (docs/json.md)."""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from attncli import __version__
from attncli.check.batch import Unread
from attncli.check.report import Report
from attncli.proof import Proof, Versions

SCHEMA = "attncli.check/1"
SELF_SCHEMA = "attncli.self/1"


def report_to_json(report: Report) -> str:
    """The whole document of one report; it ends with one line feed."""
    return _text(_report(report))


def batch_to_json(entries: Iterable[Report | Unread]) -> str:
    """A list: a report for each file, or why it could not be read."""
    return _text([_report(each) if isinstance(each, Report) else _unread(each) for each in entries])


def proofs_to_json(proofs: Iterable[Proof], versions: Versions) -> str:
    """What `selftest` found."""
    listed = [{**asdict(proof), "holds": proof.holds} for proof in proofs]
    return _text(
        {
            "schema": SELF_SCHEMA,
            "attncli": __version__,
            "versions": dict(versions),
            "holds": all(proof["holds"] for proof in listed),
            "proofs": listed,
        }
    )


def _report(report: Report) -> dict[str, Any]:
    first = report.first_difference
    return {
        "schema": SCHEMA,
        "attncli": __version__,
        "error": None,
        "right": report.right,
        "first_difference": None if first is None else first.name,
        **asdict(report),
    }


def _unread(entry: Unread) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "attncli": __version__,
        "error": entry.error,
        "source": entry.source,
    }


def _text(document: Any) -> str:
    return json.dumps(_finite(document), indent=1, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """The same with null for a number that JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
