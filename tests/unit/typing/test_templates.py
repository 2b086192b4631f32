"""Overload resolution."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cutaway
from cutaway.errors import AmbiguousCallError
from cutaway.typing import types
from cutaway.typing.overloads.resolution import (
    MISSING,
    REQUIRED,
    Arguments,
    Call,
    Overload,
    Signature,
    resolve,
)


def nothing(*args):
    raise AssertionError("typing must not lower")


def concrete(*signatures, parameters=None, defaults=()):
    made = tuple(Signature(returns, args) for returns, *args in signatures)
    made = tuple(Signature(s.returns, tuple(s.args)) for s in made)
    return Overload(None, made, nothing, parameters, defaults)


def call(*given, keywords=()):
    return Call(Arguments(given, (MISSING,) * len(given)), keywords)


UNARY = concrete((types.float64, types.float64), (types.float32, types.float32))


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        (types.float64, types.float64),
        (types.float32, types.float32),
        (types.int64, types.float64),
    ],
)
def test_the_best_conversion_wins(given, chosen):
    assert resolve([UNARY], call(given)).signature.returns is chosen


def test_equally_good_overloads_are_ambiguous_and_named():
    overload = concrete(
        (types.int64, types.int16, types.int32), (types.int64, types.int32, types.int16)
    )
    with pytest.raises(AmbiguousCallError) as caught:
        resolve([overload], call(types.int32, types.int32))
    assert len(caught.value.notes) == 2


def test_nothing_fits():
    assert resolve([UNARY], call(types.none)) is None
    assert resolve([UNARY], call(types.float64, types.float64)) is None


def test_abstract_overloads_are_asked_first():
    rule = Overload(lambda given: Signature(types.none, given.types), (), nothing)
    assert resolve([UNARY, rule], call(types.float64)).signature.returns is types.none


def test_keywords_and_defaults_are_laid_out_by_name():
    overload = concrete(
        (types.none, types.int64, types.float64),
        parameters=("a", "b"),
        defaults=(REQUIRED, 0.5),
    )
    found = resolve([overload], call(types.float64, types.int64, keywords=("b", "a")))
    assert found.layout == (1, 0)
    assert resolve([overload], call(types.int64)).layout == (0, None)
    assert resolve([overload], call(types.int64, keywords=("b",))) is None
    assert resolve([overload], call(types.int64, keywords=("c",))) is None


def test_a_bool_or_a_small_integer_counts_as_pythons_float_among_floats():
    @cutaway.jit
    def f(x):
        return math.sin(x), math.sqrt(x), math.isnan(x)

    for value in (True, np.int8(3), np.uint16(3)):
        assert f(value) == (math.sin(value), math.sqrt(value), False)
