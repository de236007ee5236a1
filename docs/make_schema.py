"""Writes the matrices into attention.schema.json, from their records in attncli/matrices.py.

python docs/make_schema.py
"""

import json
from pathlib import Path
from typing import Any

from attncli.matrices import MATRICES, Matrix

PAGE = Path(__file__).with_name("attention.schema.json")


def entry(matrix: Matrix) -> dict[str, Any]:
    """What the schema says of one matrix."""
    masked = matrix.name in ("S", "mask")
    form = {"type": "array", "items": {"$ref": "#/$defs/scores"}}
    rows: dict[str, Any] = form if masked else {"$ref": "#/$defs/matrix"}
    if matrix.optional:
        rows = {"anyOf": [rows, {"type": "null"}]}
    says = f"{matrix.shape} {matrix.formula}".strip()
    if matrix.columns == "keys":
        says += "; row = query, column = key" + "; null = masked" * masked
    return {**rows, "description": says + "; null where the model has none" * matrix.optional}


def page() -> str:
    """The whole schema."""
    schema = json.loads(PAGE.read_text("utf-8"))
    everything = schema["properties"]
    of_head = everything["heads"]["items"]["properties"]
    for matrix in MATRICES:
        (everything if matrix.of == "layer" else of_head)[matrix.name] = entry(matrix)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
