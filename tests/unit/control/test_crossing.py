"""Exceptions that leave functions that are not calls any more: inlined ones, and generators that
are fused into loops.  Tracebacks, contexts and causes are Python's."""

from __future__ import annotations

import pytest

from fuzz.across import compared_with_python

PROGRAM = """
import cutaway


@cutaway.jit(inline="always")
def divided(x):
    return 1 // x


@cutaway.jit
def stopping(x):
    if x == 3:
        raise StopIteration
    return 6 // x


@cutaway.jit
def each(n):
    for i in range(n):
        yield stopping(i+1)


@cutaway.jit
def delegating(n):
    yield from each(n)


@cutaway.jit
def of_inlined(x):
    y = 2
    return divided(x)


@cutaway.jit
def of_loop(n):
    s = 0
    for v in each(n):
        s += v
    return s


@cutaway.jit
def of_sum(n):
    return sum(delegating(n))


@cutaway.jit
def of_handler(n):
    try:
        for v in each(n):
            n -= v
    except RuntimeError:
        return 1
    return 2


@cutaway.jit
def of_expression(n):
    return sum(6 // (3-x) for x in range(n))


@cutaway.jit
def of_inner(n):
    def inner(k):
        return 1 // k
    return inner(n)


@cutaway.jit
def catching(n):
    for i in range(n):
        try:
            r = stopping(i+1)
        except StopIteration:
            r = 77
        yield r


@cutaway.jit
def finishing(n):
    for i in range(n):
        try:
            r = stopping(i+1)
        finally:
            n += 1
        yield r


@cutaway.jit
def of_catching(n):
    return sum(catching(n))


@cutaway.jit
def of_finishing(n):
    return sum(finishing(n))


@cutaway.jit(inline="always")
def twice_inlined(x):
    return divided(x)


@cutaway.jit
def of_two(x):
    return twice_inlined(x)


@cutaway.jit
def of_kept(n):
    it = each(9)
    a = next(it)
    for k in each(n):
        a += next(it) + k
    return a


@cutaway.jit
def exhausting(n):
    it = catching(2)
    for i in range(n):
        yield next(it) + i


@cutaway.jit
def of_exhausting(n):
    return sum(exhausting(n))


@cutaway.jit
def of_cause(n):
    try:
        x = of_exhausting(n)
    except RuntimeError as e:
        raise ValueError(3) from e
    return x


@cutaway.jit
def of_nested(n):
    return max(x for x in exhausting(n))


@cutaway.jit
def handling(x):
    try:
        return 1 // x
    except ZeroDivisionError:
        try:
            raise KeyError(x)
        finally:
            x += 1


@cutaway.jit
def of_callee(x):
    try:
        raise ValueError(7)
    except ValueError:
        return handling(x)


@cutaway.jit
def of_raised_later(x):
    error = None
    try:
        x += 6 // (x - 1)
    except ZeroDivisionError as e:
        error = e
    if x != 3:
        raise error
    return x


@cutaway.jit
def of_cause_or_none(x):
    error = None
    try:
        x += 6 // (x - 1)
    except ZeroDivisionError as e:
        error = e
    raise KeyError(x) from error


@cutaway.jit
def ending(x):
    yield x
    try:
        x += 6 // x
    except KeyError:
        x += 1


@cutaway.jit
def returning(x):
    yield x
    try:
        x += 6 // x
    except ZeroDivisionError:
        return


@cutaway.jit
def of_ends(x):
    a, b = ending(x + 1), returning(x)
    s = next(a) + next(b)
    for v in a:
        s += v
    for v in b:
        s += v
    return s
"""
CALLS = (
    ("of_inlined", 0),
    ("of_loop", 2),
    ("of_loop", 5),
    ("of_sum", 5),
    ("of_sum", 2),
    ("of_handler", 5),
    ("of_expression", 5),
    ("of_inner", 0),
    ("of_catching", 5),
    ("of_finishing", 5),
    ("of_two", 0),
    ("of_kept", 5),
    ("of_exhausting", 5),
    ("of_cause", 5),
    ("of_nested", 5),
    ("of_callee", 0),
    ("of_ends", 3),
    ("of_raised_later", 1),
    ("of_raised_later", 4),
    ("of_cause_or_none", 1),
    ("of_cause_or_none", 4),
    ("of_ends", 0),
)


@pytest.mark.parametrize(("name", "x"), CALLS)
def test_an_exception_has_the_frames_and_the_context_that_it_has_in_python(name, x):
    wanted, found = compared_with_python(PROGRAM, name, x)
    assert found == wanted
