"""Programs as device functions in the simulator, beside a CPU.

Any in this file: arguments and results of any program.
"""

from __future__ import annotations

import enum
import linecache
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import cutaway
from cutaway import cuda
from cutaway.errors import CompileError, CutawayError

MOST = 64  # numbers of a result


def numbers_of(value):
    """The numbers in a value, each with the way to it; None where there are others."""
    if isinstance(value, tuple) or (isinstance(value, np.ndarray) and value.ndim):
        rows = []
        for k, part in enumerate(value):
            inner = numbers_of(part)
            if inner is None:
                return None
            rows += [(f"[{k}]{way}", one) for way, one in inner]
        return rows
    if isinstance(value, np.ndarray):
        return None if numbers_of(value[()]) is None else [("[()]", complex(value[()]))]
    known = (bool, int, float, complex, np.number, np.bool_)
    times = (np.timedelta64, np.datetime64)
    is_number = isinstance(value, known) and not isinstance(value, (*times, enum.Enum))
    return [("", complex(value))] if is_number else None


def around(function, count, ways):
    """A kernel that stores the numbers of a function's result."""
    names = ", ".join(f"a{k}" for k in range(count))
    lines = [f"def kernel(out, {names}):", f"    r = f({names})"]
    lines += [f"    out[{k}] = r{way}" for k, way in enumerate(ways)]
    name, text = f"<kernel around {function.__name__} {ways}>", "\n".join(lines)
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {"f": cutaway.jit(error_model="python")(function)}
    exec(compile(text, name, "exec"), space)
    return cuda.jit(error_model="python")(space["kernel"])


def check(function: Callable[..., Any], calls: Sequence[Callable[[], tuple[Any, ...]]]) -> str:
    """Check that the simulator computes what a CPU does; the reason where it cannot be asked."""
    compiled = cutaway.jit(error_model="python")(function)
    for make in calls[:2]:
        given, same = make(), make()
        if any(isinstance(one, list) or numbers_of(one) is None for one in given):
            return "a GPU takes no such argument"
        try:
            wanted, raised = numbers_of(compiled(*given)), None
        except CutawayError:
            return "it is not compiled"
        except Exception as error:  # noqa: BLE001  whatever the program raises
            wanted, raised = [], type(error)
        if wanted is None or len(wanted) > MOST:
            return "it gives something else than numbers"
        kind = complex if any(one.imag for _, one in wanted) else float
        out = np.zeros(max(len(wanted), 1), kind)
        kernel = around(function, len(given), tuple(way for way, _ in wanted))
        try:
            cuda.simulate(kernel)[1, 1](out, *same)
        except CompileError:
            return "a GPU cannot do it"
        except Exception as error:
            assert type(error) is raised, error
            continue
        assert raised is None
        expected = [one if kind is complex else one.real for _, one in wanted]
        assert np.allclose(out[: len(wanted)], expected, rtol=1e-12, atol=0, equal_nan=True)
        for one, other in zip(given, same, strict=True):
            if isinstance(one, np.ndarray):
                assert np.allclose(one, other, rtol=1e-12, equal_nan=True)
    return ""
