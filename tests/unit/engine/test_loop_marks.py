"""Which loops say that what is left of them is not to be unrolled."""

from __future__ import annotations

import re

import numpy as np
import pytest

import cutaway

pytestmark = pytest.mark.usefixtures("one_processor")

MARK = "llvm.loop.unroll.runtime.disable"


def add(a, b, out):
    for i in range(len(out)):
        out[i] = a[i] + b[i]


def neighbors(a, b, out):
    n, m = out.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = a[i - 1, j] + a[i, j + 1] * b[i, j]


def in_place(a, b, out):
    for i in range(len(out)):
        out[i] = out[i] * 2.0 + a[i]


def prefix(a, b, out):
    for i in range(1, len(out)):
        out[i] = out[i - 1] + a[i]


def total(a, b, out):
    t = 0.0
    for i in range(len(out)):
        t += a[i]
    return t


def from_the_end(a, b, out):
    for i in range(len(out) - 1, -1, -1):
        out[i] = a[i]


def columns(a, b, out):
    for j in range(out.shape[1]):
        for i in range(out.shape[0]):
            out[i, j] = a[i, j]


def divided(a, b, out):
    for i in range(len(out)):
        out[i] = a[i] / b[i]


def chosen(a, b, out):
    for i in range(len(out)):
        if a[i] > 0.5:
            out[i] = b[i]


FLAT, SQUARE = (17,), (5, 13)


@pytest.mark.parametrize(
    ("function", "shape", "marked"),
    [
        (add, FLAT, 1),
        (neighbors, SQUARE, 1),
        (in_place, FLAT, 1),
        (prefix, FLAT, 0),
        (total, FLAT, 0),
        (from_the_end, FLAT, 0),
        (columns, SQUARE, 0),
        (divided, FLAT, 0),
        (chosen, FLAT, 0),
    ],
)
def test_loops_that_are_sure_to_become_vectors_are_marked(function, shape, marked):
    rng = np.random.default_rng(2)
    given = [rng.random(shape) for _ in range(3)]
    kept = [one.copy() for one in given]
    compiled = cutaway.jit(function)
    assert compiled(*given) == function(*kept)
    assert all(map(np.array_equal, given, kept))
    (text,) = compiled.inspect_llvm().values()
    node = next(line.split()[0] for line in text.splitlines() if MARK in line)
    loops = [line for line in text.splitlines() if "distinct !{" in line]
    assert sum(node in re.findall(r"!\d+", line) for line in loops) == marked


def test_what_is_marked_has_vectors():
    def sums(a, b, out):
        for i in range(len(out)):
            out[i] = a[i] + b[i]

    trace = cutaway.trace(sums, np.zeros(9), np.zeros(9), np.zeros(9))
    assert "fadd <" in str(trace.at("llvm_opt"))


@pytest.mark.parametrize("checked", [True, False])
def test_what_is_written_with_gaps_has_no_vectors(checked):
    def cross_out(flags, step):
        for k in range(step * step, len(flags), step):
            flags[k] = 0

    compiled = cutaway.jit(cross_out, boundscheck=checked)
    flags, kept = np.ones(101, np.uint8), np.ones(101, np.uint8)
    compiled(flags, 3), cross_out(kept, 3)
    assert np.array_equal(flags, kept)
    trace = compiled.trace(flags, 3)
    assert " x i8>" not in str(trace.at("llvm_opt"))
