"""Programs of the case tables, compiled for a GPU and run on this machine, do what Python does."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import corpora
from corpus.library.rows import all_rows
from corpus.programs.cases import CASES
from corpus.programs.compare import outcome, same
from cuda.target import on_the_cpu
from cutaway.errors import CutawayError, InternalError
from cutaway.inspection.witness.execution import plain_python
from cutaway.targets.ptx.toolkit import find_libdevice
from fuzz.batches import ALLOWED, FINDING, REFUSED, SAME, Verdict, run

pytestmark = pytest.mark.skipif(find_libdevice() is None, reason="libdevice is not installed")

# What works with texts and objects has no place on a GPU, and some of it would never end there.
LEFT_OUT = ("texts", "times", "random")
CALLS: list[tuple[str, Any, Any]] = [
    *(
        (f"{case.name}-{k}", case.function, make)
        for case in CASES
        for k, make in enumerate(case.arguments)
    ),
    *(
        (f"{area}-{k}", one.program, one.arguments)
        for area, rows in all_rows().items()
        if area not in LEFT_OUT
        for k, one in enumerate(rows)
    ),
]


RAISED = object()  # in the place of the word, which a program may return


def check(seed: int) -> Verdict:
    """One program with one tuple of arguments."""
    name, function, make = CALLS[seed * 7919 % len(CALLS)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted = outcome(plain_python(function, {}), make())
        if wanted[0] == "raised":
            wanted = (RAISED, *wanted[1:])
        try:
            found = on_the_cpu.run(function, make())
        except InternalError as error:
            return Verdict(FINDING, f"{name}: {error}")
        except CutawayError as error:
            return Verdict(REFUSED, error.message[:60])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            return Verdict(ALLOWED, f"{type(error).__name__}: {error}"[:60])
    return Verdict(SAME) if alike(found, wanted) else Verdict(FINDING, f"{name}: {found} {wanted}")


def alike(found: Any, wanted: Any) -> bool:
    """The same but for the last digits of libdevice's functions; of exceptions the class."""
    if isinstance(wanted, tuple) and wanted and wanted[0] is RAISED:
        return isinstance(found, tuple) and found[0] == "raised" and found[1] is wanted[1]
    if isinstance(wanted, tuple):
        pairs = isinstance(found, tuple) and len(found) == len(wanted)
        return pairs and all(map(alike, found, wanted))
    if same(found, wanted):
        return True
    try:
        narrow = getattr(wanted, "dtype", None) in (np.float32, np.complex64, np.float16)
        return bool(np.allclose(found, wanted, 1e-5 if narrow else 1e-12, 1e-300, equal_nan=True))
    except TypeError:
        return False


def test_programs_for_a_gpu_do_what_python_does():
    report = run(check, corpora.seeds("ON_THE_CPU"))
    assert not report.findings, report.findings[0]
    assert report.counts[SAME] > report.calls // 4


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
