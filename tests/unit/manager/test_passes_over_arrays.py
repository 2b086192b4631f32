"""Passes over arrays look a function over as often for a long one as for a short one."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.ir import traversal
from cutaway.stages.arrays import fusing, making, tables
from cutaway.typing.inference import questions

pytestmark = pytest.mark.sampled(fast=5)

A = np.arange(6.0)

LINES = {
    "a chain": "    t = t * b + a",
    "in place": "    t += a * b",
    "parts": "    t[1:] = t[:-1] * b[1:] + 1.0",
    "methods": "    t = t - a.sum()",
    "bounds": "    t = (t.astype(np.float32) * b).clip(-1.0, 1.0)",
}


def looked_over(monkeypatch: pytest.MonkeyPatch, line: str, count: int) -> int:
    """How often the whole function is walked through while the two passes run."""
    calls = {"walks": 0, "inside": 0}

    def counted(function):
        def walk(fn):
            calls["walks"] += bool(calls["inside"])
            return function(fn)

        return walk

    def within(work):
        def run(unit, editor):
            calls["inside"] += 1
            work(unit, editor)
            calls["inside"] -= 1

        return run

    with monkeypatch.context() as patched:
        for module in (traversal, tables, questions):
            patched.setattr(module, "walk", counted(traversal.walk))
        patched.setattr(making, "rewrite", within(making.rewrite))
        patched.setattr(fusing, "fuse", within(fusing.fuse))
        source = "\n".join(["def long(a, b):", "    t = a + b", *[line] * count, "    return t"])
        space = {"np": np}
        exec(source, space)  # noqa: S102
        function = cutaway.jit(space["long"])
        assert np.array_equal(function(A, A), space["long"](A, A))
    return calls["walks"]


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_a_long_function_is_looked_over_as_often_as_a_short_one(line, monkeypatch):
    short = looked_over(monkeypatch, line, 2)
    assert 0 < short == looked_over(monkeypatch, line, 12)
