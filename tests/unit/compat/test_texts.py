"""Types and signatures are written as Numba writes them where a program runs in the layer."""

from __future__ import annotations

import cutaway

PROGRAM = """
    import enum
    from collections import namedtuple
    import numba
    import numpy as np
    from numba import types, typeof

    Point = namedtuple("Point", "x y")
    Color = enum.Enum("Color", "red green")
    fixed = np.ones(3)
    fixed.flags.writeable = False
    for ty in (
        types.unicode_type, types.ellipsis, types.slice2_type, types.slice3_type,
        types.optional(types.float64[::1]), types.UniTuple(types.int64, 1),
        types.Tuple((types.unicode_type, types.int64)), typeof(fixed),
        types.Array(types.int64, 1, "C", aligned=False), types.literal("abc"), types.literal(3),
        typeof(Point(1, 2.5)), typeof(Point(1, 2)), typeof(Color.red), typeof(b"a"),
        typeof(np.dtype("i8")), typeof(np.float64), types.int64(types.unicode_type), types.void(),
    ):
        print(ty)
    f = numba.njit(lambda x: x)
    f("a")
    print(f.nopython_signatures)
"""
WRITTEN = """\
unicode_type
...
slice<a:b>
slice<a:b:c>
OptionalType(array(float64, 1d, C))
UniTuple(int64 x 1)
Tuple(unicode_type, int64)
readonly array(float64, 1d, C)
unaligned array(int64, 1d, C)
Literal[str](abc)
Literal[int](3)
Point(int64, float64)
Point(int64 x 2)
Enum<int64>(Color)
readonly bytes(uint8, 1d, C)
dtype(int64)
class(float64)
(unicode_type,) -> int64
() -> none
[(unicode_type,) -> unicode_type]
"""


def test_they_are_written_in_the_layer(run):
    done = run("-m", "cutaway.as_numba", "--beside", "program.py", files={"program.py": PROGRAM})
    assert done.stdout == WRITTEN, done.stderr


def test_they_are_ours_without_it():
    assert str(cutaway.types.unicode_type) == "str"
    assert str(cutaway.types.int64(cutaway.types.float64)) == "int64(float64)"
