"""The notebooks run from top to bottom, and are kept with what they show."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.sampled(test=4, others=12), pytest.mark.usefixtures("one_processor")]

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("jupytext")
pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
notebooks = __import__("notebooks")
SOURCES = sorted((ROOT / "notebooks").glob("[0-9]*.md"))
LESSONS = 13
STORED_BY = (3, 11)  # bytecode, and so the first levels, differ between versions
_MAGIC = re.compile(r"^%.*$", re.MULTILINE)


def test_there_is_a_notebook_for_each_lesson():
    assert [path.name[:2] for path in SOURCES] == [f"{k:02}" for k in range(1, LESSONS + 1)]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_notebook_is_kept_as_its_source_says_and_with_what_it_shows(path):
    kept = nbformat.read(path.with_suffix(".ipynb"), as_version=4)
    cells = [(cell.cell_type, cell.source) for cell in notebooks.unrun(path).cells]
    assert [(cell.cell_type, cell.source) for cell in kept.cells] == cells, "run: make notebooks"
    outputs = [output for cell in kept.cells for output in cell.get("outputs", ())]
    assert outputs and not [o for o in outputs if o.output_type == "error"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_notebook_shows_each_thing_once_and_nothing_of_the_machine_that_ran_it(path):
    kept = nbformat.read(path.with_suffix(".ipynb"), as_version=4)
    outputs = [output for cell in kept.cells for output in cell.get("outputs", ())]
    plain = [cell for cell in kept.cells if not cell.source.startswith("%")]  # magic displays
    assert "display_data" not in {o.output_type for cell in plain for o in cell.get("outputs", ())}
    assert not re.search(r"/tmp/|/home/|site-packages| at 0x", str(outputs))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_lesson_fails_where_what_it_says_does_not_hold(path):
    for cell in notebooks.unrun(path).cells:
        if cell.cell_type == "code" and "measured" not in cell.metadata.get("tags", ()):
            calls = [
                node
                for node in ast.walk(ast.parse(_MAGIC.sub("", cell.source)))
                if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "reveal"
            ]
            for call in calls:
                assert "truth" in [word.arg for word in call.keywords], cell.source
                assert not isinstance(call.args[0], ast.Constant), (
                    "it reveals what it did not measure"
                )


@pytest.mark.slow
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_notebook_runs_and_its_solutions_pass_their_checks(path):
    ran = notebooks.made(path)
    if sys.version_info[:2] == STORED_BY:
        stored = nbformat.read(path.with_suffix(".ipynb"), as_version=4)
        assert not list(notebooks.differences(stored, ran)), "run: make notebooks"
    for cell in ran.cells:
        if "solution" in cell.metadata.get("tags", ()):
            shown = "".join(o.data.get("text/plain", "") for o in cell.outputs if "data" in o)
            assert "✓" in shown and "✗" not in shown, cell.source
