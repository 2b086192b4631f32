"""A call that leaves parameters out, or gives `*args` some, is looked into as any other."""

from __future__ import annotations

import numpy as np
import pytest

import cutaway
from cutaway.inspection.witness.execution import sample_calls
from cutaway.typing.overloads.parameters import parameters_of
from cutaway.typing.types import float64, int64, omitted

pytestmark = pytest.mark.sampled(test=8, others=24, fast=0)


def defaults(a, n=2, *, scale=1.5):
    s = 0.0
    for i in range(n):
        s += a[i] * scale
    return s


def star(a, *rest):
    s = 0.0
    for one in rest:
        s += one
    return s + a


def none(x, w=None):
    return x if w is None else x + w


def both(x, y=1, *rest, k=3):
    return x + y + len(rest) + k


def nothing(x=3):
    return x


CALLS = [
    (defaults, (np.arange(5.0),)),
    (defaults, (np.arange(5.0), 3)),
    (star, (1,)),
    (star, (1, 2, 3)),
    (star, (1, 2.5)),
    (none, (1,)),
    (none, (1, 2)),
    (none, (1, None)),
    (both, (1,)),
    (both, (1, 2, 3, 4.5)),
    (nothing, ()),
]
each_call = pytest.mark.parametrize(
    ("function", "args"), CALLS, ids=[f"{f.__name__}-{len(args)}" for f, args in CALLS]
)


@each_call
def test_every_level_does_what_python_does(function, args):
    c = cutaway.trace(function, *args)
    assert {c.at(level).run(*args) for level in c.levels} == {function(*args)}
    for found in (c.witness(), c.witness(*args)):
        assert found.ok
        assert {row.mark.name for row in found} <= {"equal", "value"}
    assert c.bisect().ok


@each_call
def test_the_record_has_the_values_of_the_call(function, args):
    record = cutaway.trace(function, *args).record.function
    assert record.values.outcome.startswith("returns ")
    names = function.__code__.co_varnames[: len(record.arguments)]
    assert tuple(a.name for a in record.arguments) == names
    assert all(a.value and a.type for a in record.arguments)


@each_call
def test_an_edited_program_takes_the_same_call(function, args):
    c = cutaway.trace(function, *args)
    for level in ("ir", "typed", "llvm_opt"):
        assert c.at(level).edit(lambda text: text).resume()(*args) == function(*args)


def test_samples_leave_out_what_the_call_left_out():
    assert sample_calls(both, (int64, omitted(1), omitted(3), cutaway.typeof(())))[0] == (3,)
    assert sample_calls(both, (int64, int64, omitted(3), cutaway.typeof((1, 2))))[0] == (3, 0, 2, 3)
    assert sample_calls(both, (int64, omitted(1), float64, cutaway.typeof(()))) == []


def test_a_call_that_needs_a_keyword_has_no_positional_form():
    parameters = parameters_of(both)
    assert parameters.unbind((1, 2, 3, ()), (False, False, False, False)) is None
    assert parameters.unbind((1, 2, 3, (5,)), (False, True, True, False)) is None
    assert parameters.unbind((1, 2, 3, (5,)), (False, False, True, False)) == (1, 2, 5)


def test_an_array_among_args_is_taken_as_it_is():
    def first(*given):
        return given[0][0] + given[1]

    assert cutaway.trace(first, np.ones(3), 2).witness().ok
