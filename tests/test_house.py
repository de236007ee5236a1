"""The plan of the house in docs/contributing.md: every room is there, and data flows one way."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "contributing.md").read_text("utf-8")
TABLE = PAGE[PAGE.index("| | |") : PAGE.index("## How to add")]
PLACES = [  # a row may name several places on one level
    (place, level)
    for level, row in enumerate(TABLE.splitlines())
    for place in re.findall(r"`((?:attncli|sample_weights|tests)/[^` ]*)`", row.split(" | ")[0])
]


def level_of(path: str) -> int | None:
    """The row of the most specific place that a file belongs to; None: in no row."""
    fitting = [(len(place), level) for place, level in PLACES if path.startswith(place)]
    return max(fitting)[1] if fitting else None


def imported(file: Path) -> list[str]:
    """The paths of the package's own modules that a file imports, wherever in it."""
    names = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("attncli"):
            names += [f"{node.module}.{each.name}" for each in node.names] + [node.module]
    paths = [name.replace(".", "/") for name in names]
    return [path for path in paths if (ROOT / f"{path}.py").exists() or (ROOT / path).is_dir()]


def test_every_place_in_the_plan_is_there():
    assert len(PLACES) > 20
    for place, _ in PLACES:
        assert (ROOT / place).exists(), place


def test_a_module_imports_only_from_rows_further_down():
    upward = []
    for file in sorted((ROOT / "attncli").rglob("*.py")):
        path = file.relative_to(ROOT).as_posix()
        level = level_of(path)
        for other in imported(file) if level is not None else ():
            below = level_of(f"{other}.py" if (ROOT / f"{other}.py").exists() else f"{other}/")
            if below is not None and below < level:
                upward.append(f"{path} -> {other}")
    assert upward == []
