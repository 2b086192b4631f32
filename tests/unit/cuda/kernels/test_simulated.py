"""The corpus in the simulator: right kernels compute what NumPy does and raise no alarm; of each
planted fault the lines are named."""

from __future__ import annotations

import copy
import re
import traceback

import numpy as np
import pytest

from corpus.kernels import faults
from corpus.kernels.corpus import RIGHT, WRONG
from corpus.kernels.emitting import emitted
from cutaway import cuda
from cutaway.errors import RaceError, SimulationError

pytestmark = pytest.mark.sampled(others=5, fast=30)

assert faults  # imported for its rows
assert emitted

ERRORS = {"race": RaceError, "bounds": IndexError}  # others: SimulationError


def simulated(kernel, grid, block, shared):
    return cuda.simulate(kernel)[grid, block, 0, shared]


@pytest.mark.parametrize("row", RIGHT, ids=lambda row: row.name)
def test_a_right_kernel_computes_what_numpy_does(row):
    given = row.given()
    wanted = row.answer(**copy.deepcopy(given))
    row.steps(simulated, **given)
    for name, value in wanted.items():
        found = given[name]
        for field in found.dtype.names or [...]:
            np.testing.assert_allclose(
                found[field], value[field], rtol=row.close, atol=row.close, err_msg=name
            )


@pytest.mark.parametrize("row", WRONG, ids=lambda row: row.name)
def test_a_fault_is_found_and_its_lines_are_named(row):
    with pytest.raises(ERRORS.get(row.kind, SimulationError)) as raised:
        row.steps(simulated, **row.given())
    frames = traceback.extract_tb(raised.value.__traceback__)
    named = {frame.lineno for frame in frames if frame.filename == faults.__file__}
    named |= {int(line) for line in re.findall(r"\bline (\d+)", str(raised.value))}
    assert set(row.lines) <= named
    assert row.lines
