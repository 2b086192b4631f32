"""What `make clients` and `make reference-tests` count."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from compat.conftest import SOURCE

BENCHMARKS = SOURCE.parent / "benchmarks"
TESTS = """
import numba, sys, pytest

def test_good():
    assert numba.njit(lambda x: x + 1)(2) == 3

@pytest.mark.parametrize("n", [1, 22])
def test_bad(n):
    raise ValueError(f"number {n} of 'things'")

def test_left_out():
    pytest.skip("not here")
"""


@pytest.fixture(scope="module")
def outside():
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return __import__("outside_tests")
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_outcomes_of_a_file_are_counted_by_their_causes(outside, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    (tmp_path / "test_it.py").write_text(TESTS)
    told = []
    _, layer = outside.run_both(
        *(sys.executable, [["test_it.py"]], tmp_path, tmp_path / "results", 200),
        only=(outside.LAYER,),
        told=told.append,
    )
    assert (layer.passed, layer.failed, layer.skipped) == (1, 2, 1)
    assert layer.causes == {"ValueError: number # of '...'": 2} and layer.seconds > 0
    assert told == ["  - 2 x ValueError: number # of '...'"]


def test_a_process_that_does_not_end_well_is_a_failure(outside, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    (tmp_path / "test_it.py").write_text("import os\ndef test_it():\n    os.abort()\n")
    words = (sys.executable, outside.LAYER, ["test_it.py"], tmp_path, tmp_path / "r.xml")
    assert outside.run_file(*words, 200).causes == {"the process died of signal 6": 1}
    assert "took longer" in next(iter(outside.run_file(*words, 0.01).causes))
    (tmp_path / "test_it.py").write_text("def test_it():\n    while True:\n        pass\n")
    assert outside.run_file(*words, 2).causes == {"the process took longer than 2 s": 1}


def test_what_the_reference_fails_is_nobodys_loss(outside):
    numba = outside.Outcome(tests={"b": "Error"})
    layer = outside.Outcome(tests={"a": "Gone", "b": "Gone"})
    assert outside.lost(numba, layer) == {"Gone": 1}


def test_runs_of_some_are_merged_with_those_before(outside, tmp_path):
    kept, none = outside.Kept(tmp_path / "kept.json"), outside.Outcome()
    one, two = (outside.Outcome(n, 1, 0, 1.5, tests={"a": "Gone"}) for n in (3, 4))
    kept.add("first", (one, two), (outside.NUMBA, outside.LAYER))
    kept.add("second", (none, two), (outside.LAYER,))
    kept.add("second", (one, none), (outside.NUMBA,))
    assert kept.outcomes() == {"first": (one, two), "second": (one, two)}


def test_the_page_has_a_row_for_each_package(outside):
    rows = [("one", outside.Outcome(3, 1, 0, 2.0), outside.Outcome(2, 2, 0, 1.0))]
    assert outside.table(rows, "package")[2:] == [
        "| one | 3 | 1 | 2 | 2 | 2 | 1 |",
        "| all | 3 | 1 | 2 | 2 | 2 | 1 |",
    ]


def test_the_clients_say_how_they_are_run():
    text = (BENCHMARKS / "clients.py").read_text()
    assert Path(SOURCE.parent / "benchmarks" / "results" / "clients.md").is_file()
    for name in "numbagg stumpy numba-stats numba_celltree nucs pynndescent sparse awkward".split():
        assert f'"{name}"' in text
