"""What users write with NumPy, compiled and in Python."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from corpus.library.usual_programs import PROGRAMS, dict_free
from corpus.programs.compare import outcome

pytestmark = pytest.mark.sampled(test=10, others=20, fast=15)


def alike(found: object, expected: object) -> bool:
    """True for the same types and shapes, and numbers that differ in their last bits at most: the
    order of additions in a product depends on where its operands lie."""
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        return len(found) == len(expected) and all(map(alike, found, expected))
    a, b = np.asarray(found), np.asarray(expected)
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return False
    if a.dtype.kind in "fc":
        return bool(np.allclose(a, b, rtol=1e-12, atol=1e-14, equal_nan=True))
    return bool((a == b).all())


@pytest.mark.parametrize(
    ("program", "arguments"), PROGRAMS, ids=lambda one: getattr(one, "__name__", "")
)
def test_a_usual_program_gives_what_numpy_gives(program, arguments, monkeypatch):
    monkeypatch.setitem(program.__globals__, "dict_free", cutaway.jit(dict_free))
    expected = outcome(program, copied(arguments))
    found = outcome(cutaway.jit(program), copied(arguments))
    assert expected[0] == found[0] == "returned", (found, expected)
    assert alike(found[1], expected[1]), (found[1], expected[1])


def copied(arguments: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(one.copy() if isinstance(one, np.ndarray) else one for one in arguments)
