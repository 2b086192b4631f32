"""Types that are written with the arguments that the reference gives them."""

from __future__ import annotations

import enum

import numpy as np

from cutaway import typeof, types


class Color(enum.Enum):
    red = 1


class Level(enum.IntEnum):
    low = 1


class Index(types.Buffer):
    def __init__(self, dtype, layout):
        super().__init__(dtype, 1, layout)


class Series(types.ArrayCompatible):
    def __init__(self, dtype):
        super().__init__(f"series({dtype})")


def test_they_are_the_types_of_values():
    assert types.EnumMember(Color, types.int64) is typeof(Color.red)
    assert types.IntEnumMember(Level, types.intp) is typeof(Level.low)
    assert types.NPDatetime("") is typeof(np.datetime64("NaT"))
    assert types.NPTimedelta("s") is typeof(np.timedelta64(1, "s"))
    assert types.DType(types.int64) is typeof(np.dtype("int64"))


def test_a_class_of_buffers_may_be_a_users():
    one = Index(types.float64, "C")
    assert (one.dtype, one.ndim, one.layout, one.readonly) == (types.float64, 1, "C", False)
    assert Index(types.float64, "C") is one is not Index(types.float64, "A")
    assert isinstance(one, types.Buffer) and str(Series(types.int8)) == "series(int8)"


def test_a_generator_is_what_it_yields():
    told = types.Generator(
        gen_func=None, yield_type=types.int32, arg_types=[], state_types=[], has_finalizer=False
    )
    assert told is types.Generator(types.int32)
