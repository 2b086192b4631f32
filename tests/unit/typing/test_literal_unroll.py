"""`literal_unroll`: a loop body for each item of a tuple."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from corpus.programs.compare import check_levels
from cutaway import literal_unroll
from cutaway.errors import CompileError, TypingError, UnsupportedError
from cutaway.stages.untyped import unroll_tuples

pytestmark = pytest.mark.sampled(fast=6)

TEXTS = ("a", "bc", "def")
MIXED = (1, 2.5, True, (3, 4.0))


def total(t):
    s = 0.0
    for x in literal_unroll(t):
        s += x
    return s


def lengths():
    n = 0
    for text in literal_unroll(TEXTS):
        n += 1 if text == "bc" else 10
    return n


def kinds(t):
    found = 0
    for x in cutaway.literal_unroll(t):
        if isinstance(x, int):
            found += 1
        elif isinstance(x, float):
            found += 10
        else:
            found += 100
    return found


def search(t, limit):
    count = 0
    for x in literal_unroll(t):
        if x < 0:
            continue
        if x > limit:
            break
        count += 1
    else:
        return -count
    return count


def nested(t, u):
    s = 0.0
    for x in literal_unroll(t):
        for y in literal_unroll(u):
            if y == 2:
                continue
            s += x * y
        for k in range(2):
            s += k * x
    return s


def last(t):
    for x in literal_unroll(t):
        k = x
    return k


def reassigned(t):
    s = 0
    for x in literal_unroll(t):
        t = (x, x)
        s += t[0]
    return s


def written(a, b):
    s = 0.0
    for x in literal_unroll((a, b, 1.5)):
        s += x
    return s


def returned(t, n):
    k = 0
    for x in literal_unroll(t):
        if k == n:
            return float(x)
        k += 1
    return -1.0


def arrays(t):
    s = 0.0
    for a in literal_unroll(t):
        for row in a:
            s += row.sum()
    return s


def in_a_loop(t, n):
    s = 0.0
    for k in range(n):
        for x in literal_unroll(t):
            s += x * k
    return s


def with_default(n, t=(1, 2.0)):
    s = 0.0
    for x in literal_unroll(t):
        s += x * n
    return s


def first(t):
    for x in literal_unroll(t):
        return (x,)
    return None


CASES = [
    (first, ((1, 2.5),)),
    (first, ((),)),
    (total, ((1, 2.5),)),
    (total, ((),)),
    (total, ((1, 2, 3),)),
    (lengths, ()),
    (kinds, ((1, 2.0, np.zeros(2)),)),
    (search, ((1, 2.5, -1, 7), 3)),
    (search, ((1, 2.5, -1, 7), 30)),
    (nested, ((1, 2.5), (1, 2, 3.0))),
    (last, ((1, 2.5),)),
    (last, ((),)),
    (reassigned, ((1, 2),)),
    (written, (1, 2.5)),
    (returned, ((1, 2.5), 1)),
    (returned, ((1, 2.5), 5)),
    (arrays, ((np.ones((2, 3)), np.ones((2, 3), dtype=np.float32)),)),
    (in_a_loop, ((1, 0.5), 4)),
    (with_default, (2,)),
    (with_default, (2, (1.5, 2))),
]


@pytest.mark.parametrize(("function", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_it_gives_what_python_gives_at_every_level(function, args):
    check_levels(function, args, "ir", "ssa", "typed")


def test_it_is_a_pass_of_its_own_that_can_be_looked_at():
    c = cutaway.trace(total, (1, 2.5))
    record = next(record for record in c.passes if record.name == "unroll_tuples")
    assert record.changed


def test_an_inner_function_is_called_for_each_item():
    @cutaway.jit
    def apply(t, n):
        def add(a):
            return a + n

        s = 0.0
        for x in literal_unroll(t):
            s += add(x)
        return s

    assert apply((1, 2.5), 2) == 7.5


def unknown_length(a, b):
    t = (1,) if a else (1, 2.0)
    for _ in literal_unroll(t):
        pass


def not_in_a_loop(t):
    return literal_unroll(t)


def two_arguments(t):
    for _ in literal_unroll(t, t):
        pass


@pytest.mark.parametrize(
    ("function", "args", "cls", "said"),
    [
        (unknown_length, (1, 2), UnsupportedError, "is not known"),
        (not_in_a_loop, ((1, 2.0),), UnsupportedError, "head of a for loop"),
        (two_arguments, ((1, 2.0),), TypingError, "one argument"),
        (total, (np.zeros(3),), TypingError, "takes a tuple, not a value of type array"),
        (total, (3,), TypingError, "takes a tuple"),
    ],
)
def test_what_cannot_be_unrolled_is_refused(function, args, cls, said):
    with pytest.raises(cls, match=said) as caught:
        cutaway.jit(function)(*args)
    assert caught.value.loc.line


def test_a_function_does_not_grow_without_limit(monkeypatch):
    monkeypatch.setattr(unroll_tuples, "MOST_BLOCKS", 10)
    with pytest.raises(UnsupportedError, match="too large"):
        cutaway.jit(total)(tuple(range(100)))


def indexed(t, k):
    return t[k]


def iterated(t, k):
    for _ in t:
        k += 1
    return k


@pytest.mark.parametrize("function", [indexed, iterated])
def test_a_tuple_of_several_types_is_told_of_it(function):
    with pytest.raises(CompileError, match="literal_unroll"):
        cutaway.jit(function)((1, (2, 3)), 0)
