"""Functions of libdevice, compiled for a GPU and run on this machine."""

from __future__ import annotations

import math

import pytest

import corpora
from corpus import on_the_cpu
from cutaway.targets.ptx.toolkit import find_libdevice

pytestmark = pytest.mark.skipif(find_libdevice() is None, reason="libdevice is not installed")

FUNCTIONS = (
    "sin cos tan atan sinh cosh tanh asinh exp exp2 expm1 log log2 log10 log1p cbrt erf erfc sqrt"
    " gamma lgamma"
).split()


@pytest.mark.parametrize("name", corpora.sample(4, FUNCTIONS))
def test_functions_of_libdevice_are_right_within_a_few_units(name):
    space = {"math": math}
    exec(f"def program(x):\n    return math.{name}(x)\n", space)  # noqa: S102
    for x in (0.3, 1.0, 2.5, 17.25, 1e-9, 100.5, 123456.75, 3e17):
        try:
            wanted = getattr(math, name)(x)
        except (OverflowError, ValueError):
            continue
        found = on_the_cpu.run(space["program"], (x,))[1]
        assert abs(found - wanted) <= 8 * math.ulp(wanted), (x, found, wanted)
