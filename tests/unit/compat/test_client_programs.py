"""Small programs in the style of packages that use Numba, unmodified: each runs with the layer, in
each of the ways in, and so would with Numba."""

from __future__ import annotations

from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "clients").glob("*.py"))
CONFTEST = "import cutaway.compat\ncutaway.compat.install(beside=True)\n"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_in_the_style_of_a_client(run, program):
    words = ("-m", "cutaway.as_numba", "--beside", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    done = run(*words, f"test_{program.name}", files={f"test_{program.name}": program.read_text()})
    assert done.returncode == 0, done.stdout


def test_all_of_them_in_one_process_by_a_conftest(run):
    files = {f"test_{path.name}": path.read_text() for path in PROGRAMS} | {"conftest.py": CONFTEST}
    done = run("-m", "pytest", "-q", "-p", "no:cacheprovider", ".", files=files)
    assert done.returncode == 0, done.stdout
