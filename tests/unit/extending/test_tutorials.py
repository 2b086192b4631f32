"""The tutorials in `examples/extending/` do what they say, and are short."""

from __future__ import annotations

import importlib
import math
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[3] / "examples" / "extending"
TUTORIALS = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.fixture(scope="module")
def tutorial():
    """A tutorial by its name."""
    sys.path.insert(0, str(FOLDER))
    yield importlib.import_module
    sys.path.remove(str(FOLDER))
    for name in TUTORIALS:
        sys.modules.pop(name, None)


def test_there_are_four():
    assert TUTORIALS == ["c_function", "fixed_point", "interval", "pd_index"]


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_has_less_than_120_lines(name):
    assert len((FOLDER / f"{name}.py").read_text().splitlines()) < 120


@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_runs_as_a_program(name, capsys):
    runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out


def test_intervals(tutorial):
    module = tutorial("interval")
    Interval = module.Interval
    found, has_zero, width = module.widened(Interval(1.0, 2.0), 2)
    assert (found.lo, found.hi, has_zero, width) == (-1.0, 4.0, True, 5.0)
    found, has_zero, width = module.widened(Interval(5, 6.5), 0.5)
    assert (found.lo, found.hi, has_zero, width) == (4.5, 7.0, False, 2.5)
    with pytest.raises(TypeError):
        module.widened(Interval("low", 2.0), 2)


def test_an_index(tutorial):
    module = tutorial("pd_index")
    index = module.Index(np.array([2.5, 0.5, 1.5]))
    labels = np.array([1.5, 0.5, 2.5])
    found = module.places(index, labels)
    assert list(found) == [index.get_loc(label) for label in labels]
    with pytest.raises(KeyError):
        module.places(index, np.array([7.0]))


def test_fixed_point_numbers(tutorial):
    module = tutorial("fixed_point")
    for x, n in ((0.25, 3), (-1.5, 4), (0.0, 1)):
        result, root = module.polynomial(module.Fixed(x), n)
        exact = 3 + sum(0.5 * x**k for k in range(n))
        assert abs(float(result) - exact) < 1e-3
        assert root == math.sqrt(float(result))


def test_c_functions(tutorial):
    module = tutorial("c_function")
    found, scaled = module.log_factorials(6)
    np.testing.assert_allclose(found, [math.lgamma(k + 1) for k in range(6)], rtol=1e-15)
    assert scaled == 12.0
