"""Conversion kinds and unification."""

from __future__ import annotations

import enum
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutaway.typing import types
from cutaway.typing.types import Array, OpenTuple, Range, Tuple
from cutaway.typing.types.buffers import bytearray_type, bytes_type
from cutaway.typing.types.conversions import Conversion, conversion, unify
from cutaway.typing.types.enums import enum_type
from unhurried import unhurried

Level = enum_type(enum.IntEnum("Level", "LOW HIGH"))
Step = enum_type(enum.IntEnum("Step", "UP DOWN"))
Color = enum_type(enum.Enum("Color", "RED BLUE"))
WORD, OTHER_WORD = (types.constant_type(types.String, word) for word in ("a", "b"))
DATA = types.constant_type(types.String, b"a")

NUMBERS = [*types.SCALARS.values(), Level, Step]
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
        (Array(types.float64, 2, "C"), Array(types.float64, 2, "F"), Conversion.NONE),
        (Array(types.float64, 2, "C"), Array(types.float64, 2, "A"), Conversion.PROMOTION),
        (Array(types.float64, 1, "C", True), Array(types.float64, 1, "C"), Conversion.NONE),
        (types.none, types.int64, Conversion.NONE),
        (Level, types.int64, Conversion.SAFE),
        (Level, types.float64, Conversion.SAFE),
        (Level, types.int8, Conversion.UNSAFE),
        (Level, Step, Conversion.NONE),
        (Color, types.int64, Conversion.NONE),
        (types.int64, Level, Conversion.NONE),
        (WORD, types.str_type, Conversion.PROMOTION),
        (types.choice_of(WORD, OTHER_WORD), types.str_type, Conversion.PROMOTION),
        (types.choice_of(WORD, DATA), types.str_type, Conversion.NONE),
        (DATA, types.str_type, Conversion.NONE),
        (DATA, bytes_type, Conversion.PROMOTION),
        (DATA, bytearray_type, Conversion.NONE),
        (types.str_type, WORD, Conversion.NONE),
        (types.str_type, bytes_type, Conversion.NONE),
        (bytes_type, bytearray_type, Conversion.NONE),
    ],
)
def test_each_pair_of_types_has_its_kind_of_conversion(source, wanted, kind):
    assert conversion(source, wanted) is kind


@unhurried
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
        (Tuple((types.int64,)), Tuple((types.int64,) * 2), OpenTuple(types.int64)),
        (Tuple((types.int64,)), Tuple((types.float64,) * 2), None),
        (Level, types.boolean, types.int64),
        (Level, Step, types.int64),
        (types.Optional(Level), types.int8, types.Optional(types.int64)),
        (Level, types.none, types.Optional(Level)),
        (Color, types.int64, None),
        (Color, Level, None),
        (WORD, types.str_type, types.str_type),
        (types.str_type, types.choice_of(WORD, OTHER_WORD), types.str_type),
        (types.str_type, DATA, None),
        (DATA, bytes_type, bytes_type),
        (bytes_type, types.str_type, None),
        (types.none, bytearray_type, types.Optional(bytearray_type)),
        (
            Array(types.float64, 2, "C"),
            Array(types.float64, 2, "F", True),
            Array(types.float64, 2, "A", True),
        ),
    ],
)
def test_the_least_type_above_two(first, second, union):
    assert unify(first, second) is union
