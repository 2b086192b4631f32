"""Conversion kinds and unification."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutaway.typing import types
from cutaway.typing.conversions import Conversion, conversion, unify
from cutaway.typing.types import Array, Range, Tuple

NUMBERS = list(types.SCALARS.values())
numbers = st.sampled_from(NUMBERS)


@pytest.mark.parametrize(
    ("source", "wanted", "kind"),
    [
        (types.int64, types.int64, Conversion.EXACT),
        (types.int32, types.int64, Conversion.PROMOTION),
        (types.float32, types.float64, Conversion.PROMOTION),
        (types.boolean, types.int8, Conversion.SAFE),
        (types.int32, types.float64, Conversion.SAFE),
        (types.uint32, types.int64, Conversion.SAFE),
        (types.int64, types.float32, Conversion.UNSAFE),
        (types.int64, types.int32, Conversion.UNSAFE),
        (types.float64, types.int64, Conversion.UNSAFE),
        (types.complex128, types.float64, Conversion.NONE),
        (Array(types.float64, 1, "C"), Array(types.float64, 1, "F"), Conversion.NONE),
        (Array(types.float64, 2, "C"), Array(types.float64, 2, "A"), Conversion.PROMOTION),
        (Array(types.float64, 1, "C", True), Array(types.float64, 1, "C"), Conversion.NONE),
        (types.none, types.int64, Conversion.NONE),
    ],
)
def test_each_pair_of_types_has_its_kind_of_conversion(source, wanted, kind):
    assert conversion(source, wanted) is kind


@given(numbers, numbers)
def test_unification_is_commutative_and_not_below_either(a, b):
    union = unify(a, b)
    assert union is unify(b, a)
    assert unify(a, union) is union
    assert unify(b, union) is union


def test_unification_of_three_numbers_does_not_depend_on_the_order():
    for trio in itertools.combinations(NUMBERS, 3):
        results = {unify(unify(a, b), c) for a, b, c in itertools.permutations(trio)}
        assert len(results) == 1, (trio, results)


@pytest.mark.parametrize(
    ("first", "second", "union"),
    [
        (types.boolean, types.int8, types.int8),
        (types.int32, types.uint32, types.int64),
        (types.int64, types.uint64, types.float64),
        (types.int64, types.float32, types.float64),
        (types.int16, types.float32, types.float32),
        (types.float64, types.complex64, types.complex128),
        (types.undefined, types.none, types.none),
        (types.none, types.int64, types.Optional(types.int64)),
        (types.none, types.Tuple(()), types.Optional(types.Tuple(()))),
        (types.Optional(types.int64), types.float64, types.Optional(types.float64)),
        (Range(types.int64, 1), Range(types.int64, 2), Range(types.int64, None)),
        (Tuple((types.int64,)), Tuple((types.float64,)), Tuple((types.float64,))),
        (Tuple((types.int64,)), Tuple((types.int64,) * 2), None),
        (
            Array(types.float64, 2, "C"),
            Array(types.float64, 2, "F", True),
            Array(types.float64, 2, "A", True),
        ),
    ],
)
def test_the_least_type_above_two(first, second, union):
    assert unify(first, second) is union
