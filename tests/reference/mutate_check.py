"""Changes each named number of attncli/check in turn and runs its tests: which are not noticed?

    python tests/reference/mutate_check.py [FILE ...]      # such as diagnose.py; all without

Only numbers that a module gives a name are changed, to ten times and to a tenth of what they are
(a whole number under ten: to twice that, and to 1). One run of the tests takes half a minute, and
less where one fails. Prints each change that no test noticed.
"""

import ast
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECK = Path("attncli/check")


def numbers(source: str) -> Iterator[tuple[str, ast.Constant]]:
    """(its name, the number) for each that a module gives a name."""
    for statement in ast.parse(source).body:
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
            continue
        value = statement.value.operand if isinstance(statement.value, ast.UnaryOp) else None
        value = value or statement.value
        if isinstance(value, ast.Constant) and type(value.value) in (int, float):
            yield statement.targets[0].id, value


def others(number: float) -> list[str]:
    """What a number is changed to."""
    if isinstance(number, int):
        return [str(2 * number), "1"] if number < 10 else [str(10 * number), str(number // 10)]
    return [repr(10 * number), repr(number / 10)]


def is_noticed(copy: Path) -> bool:
    """Whether a test of check fails in this copy of the project."""
    files = sorted(map(str, (copy / "tests").glob("test_check*.py")))
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "2", *files]
    run = subprocess.run(command, cwd=copy, env={"PYTHONPATH": str(copy)}, capture_output=True)
    return run.returncode != 0


def main(names: list[str]) -> None:
    """Tries every change and prints those that are not noticed."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        unneeded = shutil.ignore_patterns(".*", "__pycache__")
        shutil.copytree(ROOT, copy, ignore=unneeded)
        if is_noticed(copy):
            sys.exit("the tests fail before anything is changed")
        for path in sorted((copy / CHECK).rglob("*.py")):
            if names and path.name not in names:
                continue
            source = path.read_text()
            for name, found in numbers(source):
                lines = source.splitlines(keepends=True)
                line = lines[found.lineno - 1]
                for other in others(found.value):
                    start, end = found.col_offset, found.end_col_offset
                    lines[found.lineno - 1] = line[:start] + other + line[end:]
                    path.write_text("".join(lines))
                    if not is_noticed(copy):
                        print(f"{path.relative_to(copy)}: {name} = {other}", flush=True)
            path.write_text(source)


if __name__ == "__main__":
    main(sys.argv[1:])
