"""A rich sample of types: one of each class, and those whose rules overlap."""

from __future__ import annotations

import collections
import ctypes
import enum
import math

import numpy as np

from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.inference.literals import maybe_literal
from cutaway.typing.types import (
    Array,
    Enumerated,
    Flat,
    Indices,
    Iterator,
    Optional,
    Range,
    Slice,
    Tuple,
    Type,
    Zipped,
)
from cutaway.typing.types.arrays import optional_int64
from cutaway.typing.types.buffers import array_type, bytearray_type, bytes_type, memoryview_type
from cutaway.typing.types.enums import enum_type
from cutaway.typing.types.interning import Identity
from cutaway.typing.types.kinds import Dummy, MemInfoPointer, any_type, pyobject, voidptr
from cutaway.typing.values.typeof import typeof_constant


class Thing:
    """Something that compiled code only passes on."""


def outer():
    def inner(x):
        return x

    return inner


Level = enum.IntEnum("Level", "LOW HIGH")
Step = enum.IntEnum("Step", "UP DOWN")
Color = enum.Enum("Color", "RED BLUE")
Point = collections.namedtuple("Point", "x y")

INNER = outer()
WORD, OTHER, DATA = (types.constant_type(types.String, value) for value in ("a", "bc", b"a"))
SINE, COSINE, MODULE, DTYPE, CLASS, ERROR = (
    types.constant_type(types.Function, math.sin),
    types.constant_type(types.Function, math.cos),
    types.constant_type(types.Module, math),
    types.constant_type(types.DType, np.dtype("f8")),
    types.constant_type(types.Class, int),
    types.constant_type(types.Class, ValueError),
)
C_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double)(int)
RECORD = types.element_type(np.dtype([("x", "f8"), ("n", "i4")]))
NAMED_RECORD = types.element_type(np.dtype((np.record, [("x", "f8"), ("n", "i4")])))
VECTOR = Array(types.float64, 1, "C")
CLOSURE = types.closure_type(
    INNER.__code__.replace(co_firstlineno=1), {}, (("a", VECTOR),), (("n", types.int8),)
)

TYPES: tuple[Type, ...] = (
    *types.SCALARS.values(),
    maybe_literal(3),
    maybe_literal(True),
    enum_type(Level),
    enum_type(Step),
    enum_type(Color),
    WORD,
    OTHER,
    DATA,
    types.choice_of(WORD, OTHER),
    types.choice_of(WORD, DATA),
    types.str_type,
    bytes_type,
    bytearray_type,
    memoryview_type("d", 2, "A", True),
    array_type("i"),
    types.none,
    types.ellipsis,
    types.undefined,
    *map(types.omitted, (None, 1, 2**63, -(2**70), 1.5, True, 1j, "a")),
    VECTOR,
    Array(types.float64, 1, "C", True),
    Array(types.float64, 1, "A", False, False),
    Array(types.float64, 2, "F"),
    Array(types.int64, 0, "C"),
    Array(RECORD, 1, "C"),
    Array(types.element_type(np.dtype("U3")), 1, "C"),
    types.element_type(np.dtype("U3")),
    types.element_type(np.dtype("S3")),
    RECORD,
    RECORD.protected(True),
    NAMED_RECORD,
    types.element_type(np.dtype("M8[s]")),
    types.element_type(np.dtype("m8[10ms]")),
    Tuple(()),
    Tuple((types.int64, types.float64)),
    Tuple((types.int8, types.int64)),
    Tuple((types.int64, VECTOR, types.none)),
    types.ListDisplay((types.int64, types.float64)),
    types.Collected(types.float64, 2),
    *map(types.List, (types.int64, types.float64, VECTOR, types.undefined)),
    types.List(types.List(types.int64)),
    *map(types.Set, (types.int64, types.str_type)),
    types.FrozenSet(types.int64),
    types.OpenTuple(types.float64),
    types.Deque(types.int64),
    types.Dict(types.str_type, types.List(types.float64)),
    types.Dict(Tuple((types.int64, types.int64)), types.float64),
    types.List(types.List(types.str_type)).natively(),
    types.Dict(types.int64, types.float64).natively(),
    types.Set(types.int64).natively(),
    types.constant_type(types.TypeConstant, types.str_type),
    types.Reversed(types.List(types.int64)),
    types.DictView(types.Dict(types.int64, VECTOR), "items"),
    Optional(types.List(types.str_type)),
    types.FieldArray(types.int16, (2, 3)),
    types.NamedTuple((types.int64, types.int64), Point),
    types.NamedTuple((types.float64, VECTOR), Point),
    Range(types.int64, None),
    Range(types.int64, 2),
    Range(types.int64, -1),
    Tuple((Range(types.int64, 2), types.boolean)),
    Slice(types.none, types.int64, types.none),
    Slice(types.int64, types.int64, types.none),
    Slice(optional_int64, types.int64, types.int64),
    *map(
        Optional, (types.int64, types.float32, VECTOR, Range(types.int64, 2), types.str_type, WORD)
    ),
    Optional(Tuple((types.int64, VECTOR))),
    Optional(enum_type(Level)),
    types.opaque(Thing),
    types.caught_exception,
    *(types.Generator(types.int64), types.Generator(VECTOR)),
    types.pyobject,
    *(types.exception_class, types.exception_arguments, types.exception_argument),
    types.GeneratorSource(Identity(np.random.Generator)),
    types.StateSource(Identity(np.random.RandomState)),
    Flat(VECTOR),
    types.ArrayFlags(VECTOR),
    types.NdIter((VECTOR,), "C", True, False, ()),
    types.Window(VECTOR, ((-1, 1),)),
    types.Span(types.float64, types.float64, types.none),
    types.Span(types.int64, types.float64, types.complex128),
    typeof_constant(np.r_),
    Indices(2),
    *(ty.iterator() for ty in (VECTOR, Range(types.int64, None), Flat(VECTOR), bytes_type)),
    Tuple((types.str_type, types.str_type)).iterator(),
    Iterator(Indices(2), Tuple((types.int64, types.int64))),
    Iterator(Enumerated(VECTOR.iterator()), Tuple((types.int64, types.float64))),
    Iterator(Zipped((VECTOR.iterator(),) * 2), Tuple((types.float64, types.float64))),
    Enumerated(VECTOR.iterator()),
    Zipped((VECTOR.iterator(),)),
    types.Text(("n is ", ("", ""), ("r", "")), (types.int64, types.str_type)),
    SINE,
    COSINE,
    CLASS,
    ERROR,
    MODULE,
    DTYPE,
    CLOSURE,
    types.functions_of(SINE, COSINE),
    types.functions_of(SINE, CLOSURE),
    types.BoundMethod(VECTOR, "sum"),
    types.ArrayCTypes(VECTOR),
    types.ArrayAddress(VECTOR),
    typeof_constant(C_FUNCTION),
    typeof_constant(ctypes.CDLL(None)),
    MemInfoPointer(voidptr),
    voidptr,
    any_type,
    pyobject,
    Dummy("dummy"),
)


def value_of(ty: Type, count: int) -> Value:
    """A value of a type, whose parts are named by their places."""
    return Value(ty, tuple(f"%part{k}" for k in range(count)))
