"""What the documents say is what the program does."""

import json
import re
import shlex
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from command import run

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def code_blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)


@pytest.mark.parametrize("script", ["make_cli", "make_check", "make_schema"])
def test_the_generated_pages_are_what_the_program_says(script):
    spec = spec_from_file_location(script, DOCS / f"{script}.py")
    maker = module_from_spec(spec)
    spec.loader.exec_module(maker)
    assert maker.PAGE.read_text("utf-8") == maker.page(), f"run python docs/{script}.py"


def test_the_file_of_matrices_in_the_docs_can_be_made_and_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (script,) = code_blocks("weights.md", "python")
    subprocess.run([sys.executable, "-c", script], check=True)
    command = shlex.split(code_blocks("weights.md", "sh")[-1])
    assert command[0] == "attncli"
    answer = run(*command[1:])
    assert answer.status == 0
    assert answer.out.count("\nA  L0H") == 8
    assert "matrices.npz has no E: seeded vectors (seed 0) stand in" in answer.err


def test_reading_the_json_as_the_docs_do(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("export", "The cat sat", "-o", "attention.json")
    (script,) = code_blocks("json.md", "python")
    done = subprocess.run(
        [sys.executable, "-c", script + "\nprint(A.shape, words)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "(8, 3, 3) ['The', 'cat', 'sat']\n"


def test_the_example_of_a_check_against_a_model():
    spec = spec_from_file_location("make_check_model", DOCS / "make_check_model.py")
    make = module_from_spec(spec)
    spec.loader.exec_module(make)
    assert make.PAGE.read_text("utf-8") == make.page(), "run python docs/make_check_model.py"


def test_the_page_on_json_names_the_fields_of_a_derivation():
    """All of them, and none that is not there."""
    page = (DOCS / "json.md").read_text("utf-8")
    section = page[page.index("## The derivation") : page.index("## Reading it")]
    named = set(re.findall(r"`(\w+)(?:\.\w+)?`", section))
    schema = json.loads((DOCS / "attention.schema.json").read_text("utf-8"))["$defs"]

    def fields(node):
        properties = node.get("properties", {})
        inside = [*properties.values(), *node.get("anyOf", [])]
        inside += [node["items"]] if "items" in node else []
        return set(properties).union(*map(fields, inside))

    there = fields(schema["derivation"]) | fields(schema["path"])
    assert there - named == set()
    assert named - there == {"W_Q", "W_O"}


def test_every_file_that_a_document_points_to_is_there():
    for page in (ROOT / "README.md", *DOCS.glob("*.md"), ROOT / "sample_weights" / "README.md"):
        for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_function_in_the_maths_page_is_there():
    import attncli.attention
    import attncli.blocks
    import attncli.model

    page = (DOCS / "maths.md").read_text("utf-8")
    names = re.findall(r"`(attention|blocks|model)\.(\w+)`", page)
    assert len(names) > 8
    for module, function in names:
        assert callable(getattr(getattr(attncli, module), function))
