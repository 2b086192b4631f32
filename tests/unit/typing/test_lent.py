"""Views borrow from what outlives them: nothing is freed while it is used, and all in the end."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import cutaway
from cutaway.runtime import stats

pytestmark = pytest.mark.sampled(test=4, others=12)


def items_of_a_walk(n):
    total = 0.0
    for x in np.nditer(np.ones((n, 3))):
        total += x.item()
    return total


def item_after_the_walk(n):
    for x in np.nditer(np.arange(n) * 1.5):
        last = x
    return last.item()


def row_of_a_table(n):
    a = np.ones((n, n))
    total = 0.0
    for i in range(n):
        row = a[i]
        half = row[: n // 2]
        total += half.sum() + a[0, 0]
    return total


def row_that_stays(n):
    a = np.ones((n, n))
    row = a[0]
    a = np.zeros((n, n))
    return row.sum() + a.sum()


def row_of_the_run_before(n):
    last = np.zeros(n)
    for i in range(n):
        a = np.full((n, n), float(i))
        total = last.sum() + a.sum()
        last = a[i]
    return total + last.sum()


def row_that_is_returned(n):
    a = np.ones((n, n))
    row = a[n // 2]
    a[n // 2, 0] = 7.0
    return row


def rows_in_a_tuple(n):
    a, b = np.ones((n, n)), np.zeros((n, n))
    pair = (a[0], b[1])
    a = b
    return pair[0].sum() + pair[1].sum() + a.sum()


def row_in_a_handler(n):
    a = np.ones((n, n))
    row = a[0]
    try:
        total = a[1].sum() + 7 // (n - 4)
    except ZeroDivisionError:
        total = row.sum()
    return total


def row_when_it_raises(n):
    a = np.ones((n, n))
    row = a[0]
    for i in range(n):
        if i > 2:
            raise ValueError(str(i))
        row[i] = a[i, 0] + i
    return row.sum()


def lines_of_the_library(n):
    a = np.arange(n * n).reshape(n, n)[::-1]
    return np.median(a.T) + np.argmax(a[1].ravel()) + np.dot(a[0] * 1.0, a[1] * 1.0)


PROGRAMS = [
    items_of_a_walk, item_after_the_walk, row_of_a_table, row_that_stays, row_of_the_run_before,
    row_that_is_returned, rows_in_a_tuple, row_in_a_handler, row_when_it_raises,
    lines_of_the_library,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("n", [4, 6])
def test_values_and_memory(program, n):
    compiled = cutaway.jit(program)
    results = []
    for run in (program, compiled):
        try:
            results.append(np.array(run(n)).tolist())
        except ValueError as error:
            results.append(str(error))
    assert results[0] == results[1]
    gc.collect()
    before = stats()
    for _ in range(3):
        try:
            compiled(n)
        except ValueError:
            pass
    gc.collect()
    after = stats()
    assert after[0] - before[0] == after[1] - before[1]
    assert compiled.trace(n).witness(n).ok


def test_items_of_a_walk_are_not_counted():
    text = str(cutaway.trace(items_of_a_walk, 3).at("llvm"))
    loop = text.partition("\nB")[2]
    body = next(block for block in text.split("\nB") if "@item" in block and "call i32" in block)
    assert loop and "cutaway_incref" not in body
