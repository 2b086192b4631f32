"""`x, y = iterator`: generators, ranges, `zip` and the like, taken apart as Python takes them."""

from __future__ import annotations

import array
import gc
from typing import Any

import numpy as np
import pytest

import cutaway
from corpus.programs.compare import check_levels, outcome, same
from cutaway.errors import TypingError
from cutaway.runtime import stats


def live_blocks() -> int:
    allocated, released = stats()
    return allocated - released


@cutaway.jit
def doubled(n):
    for k in range(n):
        yield k * 2


@cutaway.jit
def arrays(n):
    for k in range(n):
        yield np.full(3, k * 1.5)


@cutaway.jit
def failing(n):
    yield 1
    yield 10 // (n - n)


def generator(n):
    a, b = doubled(n)
    return a, b


def inner_generator(n):
    def each(m):
        for k in range(m):
            yield k, k * 0.5

    (i, x), (j, y) = each(n)
    return i, x, j, y


def generator_expression(n):
    a, b = (k * 3 for k in range(n))
    return a + b


def generator_of_arrays(n):
    a, b = arrays(n)
    return a, b, a + b


def one_target(n):
    (a,) = arrays(n - 1)
    return a


def no_target(n):
    () = doubled(n - 2)
    return n


def of_zip(n):
    p, q = zip(np.arange(n) * 0.5, range(n))
    return p, q


def of_zip_of_tuples(n):
    p, q = zip((1, 2, 3)[: 2 if n else 3], (4, 5))
    return p, q


def transposed(n):
    xs, ys = zip(*((1, 2), (3, 4), (n, 6)))
    return xs, ys


def of_enumerate(n):
    (i, x), (j, y) = enumerate(np.arange(n) * 1.5, 7)
    return i, x, j, y


def of_enumerated_rows(n):
    (i, x), (j, y) = enumerate(np.arange(3.0 * n).reshape(n, 3))
    return i, x, j, y.sum(), x[1:]


def of_range(n):
    a, b = range(n)
    return a, b


def of_range_with_steps(n):
    a, b = range(10, 10 - 3 * n, -3)
    return a, b


def of_reversed(n):
    a, b = reversed(range(n))
    return a, b


def of_reversed_array(n):
    a, b = reversed(np.arange(n) * 0.5)
    return a, b


def of_flat(n):
    a, b = np.arange(n).reshape(n, 1).flat
    return a, b


def of_list(n):
    a, b = [k * 0.5 for k in range(n)]
    return a, b


def of_ndenumerate(n):
    (i, x), (j, y) = np.ndenumerate(np.arange(n) * 0.5)
    return i, x, j, y


def of_nditer(n):
    a, b = np.nditer(np.arange(n) + 5)
    return a + 0, b + 0


def in_a_target_list(n):
    (a, b), c = doubled(n), n
    return a, b, c


def in_a_loop_head(n):
    s = 0
    for a, b in (range(k, k + n) for k in range(3)):
        s += a * b
    return s


def what_is_left(n):
    items = (k for k in range(n + 3))
    try:
        a, b = items
    except ValueError as e:
        rest = 0
        for k in items:
            rest += k
        return str(e), rest
    return "", a + b


def what_is_short(n):
    items = zip(range(n))
    try:
        a, b, c = items
    except ValueError as e:
        return str(e)
    return ""


def what_the_generator_raises(n):
    a, b = failing(n)
    return a, b


PROGRAMS = [
    *(generator, inner_generator, generator_expression, generator_of_arrays, one_target, no_target),
    *(of_zip, of_zip_of_tuples, transposed, of_enumerate, of_enumerated_rows, of_range),
    *(of_range_with_steps, of_reversed, of_reversed_array, of_flat, of_list, of_ndenumerate),
    *(of_nditer, in_a_target_list, in_a_loop_head, what_is_left, what_is_short),
    what_the_generator_raises,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_it_gives_what_python_gives(program):
    compiled = cutaway.jit(program)
    for n in (2, 1, 3, 4):
        assert same(outcome(compiled, (n,)), outcome(program, (n,))), n


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_it_does_so_at_every_level(program):
    check_levels(program, (2,), "ir", "ssa", "typed", "llvm")
    check_levels(program, (3,), "ir", "ssa", "typed")


def test_items_of_several_types_are_refused():
    def program(n):
        (a, b), (c, d) = enumerate((n, 2.5))
        return a, b, c, d

    def zipped(n):
        a, b = zip((0.5, n), (n, 1))
        return a, b

    for one in (program, zipped):
        with pytest.raises(TypingError, match="its items have one type"):
            cutaway.jit(one)(1)


def of_argument(x: Any) -> Any:
    a, b = x
    return a, b


@pytest.mark.parametrize("value", [range(2), range(9, 1, -4), range(3), array.array("d", [1, 2])])
def test_an_argument(value):
    assert same(outcome(cutaway.jit(of_argument), (value,)), outcome(of_argument, (value,)))


def test_memory_is_given_back():
    f = cutaway.jit(generator_of_arrays)
    for n in (2, 1, 3):
        outcome(f, (n,))
    gc.collect()
    before = live_blocks()
    for _ in range(20):
        for n in (2, 1, 3):
            outcome(f, (n,))
    gc.collect()
    assert live_blocks() == before


@pytest.mark.parametrize("maker", [doubled, range, np.arange])
def test_a_tuple_of_an_iterator_has_a_length_of_run_time(maker):
    def as_tuple(n):
        return tuple(maker(n))

    def as_list(n):
        return np.array(list(maker(n)))

    assert cutaway.jit(as_tuple)(2) == as_tuple(2)
    assert cutaway.jit(as_list)(2).tolist() == as_list(2).tolist()


def test_what_is_to_be_written_is_compiled():
    @cutaway.jit
    def f(n):
        x, y = doubled(n)
        return np.array([x for x in doubled(n)]), x, y

    items, x, y = f(2)
    assert items.tolist() == [0, 2] == [x, y]
