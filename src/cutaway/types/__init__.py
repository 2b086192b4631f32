"""The types, by the names that programs use: to write signatures, to ask in extensions.

`types.float64[:, ::1]` is an array, `types.float64(types.int64)` a signature, and
`isinstance(ty, types.Integer)` asks what kind a type is.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from cutaway.typing import types as own
from cutaway.typing.inference import literals
from cutaway.typing.types import asked, buffers, enums, kinds
from cutaway.typing.types.conversions import Conversion as Conversion
from cutaway.typing.types.interning import Identity
from cutaway.typing.values.names import NAMES

globals().update(asked.ABSENT)
globals().update(NAMES)  # int64, f8, unicode_type, ...: the table that signatures are read with
if TYPE_CHECKING:  # a checker knows no tables; a test holds these against them
    bool = b1 = bool_ = boolean = py_bool = own.boolean
    byte = u1 = uchar = uint8 = own.uint8
    short = i2 = int16 = own.int16
    ushort = u2 = uint16 = own.uint16
    intc = i4 = int32 = own.int32
    uintc = u4 = uint32 = own.uint32
    intp = i8 = int64 = int_ = long_ = longlong = ssize_t = np_long = own.int64
    uintp = u8 = uint64 = uint = ulong = ulonglong = size_t = own.uint64
    char = i1 = int8 = own.int8
    half = f2 = float16 = own.float16
    single = f4 = float32 = own.float32
    double = f8 = float64 = float_ = own.float64
    c8 = complex64 = own.complex64
    c16 = complex128 = own.complex128
    none = void = own.none
    undefined = own.undefined
    ellipsis = own.ellipsis
    str = unicode_type = own.str_type
    bytes = bytes_type = buffers.bytes_type
    bytearray = buffers.bytearray_type
    np_bool = c_bool = np_bool_ = c_bool_ = boolean
    np_int8 = c_int8 = np_char = c_char = int8
    np_int16 = c_int16 = np_short = int16
    np_int32 = c_int32 = np_intc = c_intc = int32
    np_int64 = c_int64 = np_intp = c_intp = np_int_ = c_int_ = np_long_ = np_longlong = int64
    np_uint8 = c_uint8 = np_uchar = uint8
    np_uint16 = c_uint16 = np_ushort = uint16
    np_uint32 = c_uint32 = np_uintc = c_uintc = uint32
    np_uint64 = c_uint64 = np_uintp = c_uintp = np_uint = c_uint = uint64
    np_ulong = np_ulonglong = uint64
    np_float16 = c_float16 = float16
    np_float32 = c_float32 = float32
    np_float64 = c_float64 = np_double = np_float_ = float64
    np_complex64 = c_complex64 = complex64
    np_complex128 = c_complex128 = complex128
    ArrayIterator = BaseContainerIterator = BaseContainerPayload = ByteArray = asked.Absent
    ClassDataType = ClassInstanceType = ClassType = ContextManager = DeferredType = asked.Absent
    DictItemsIterableType = DictIteratorType = DictKeysIterableType = asked.Absent
    DictValuesIterableType = EnumClass = EphemeralArray = ExceptionClass = asked.Absent
    ExceptionInstance = FunctionPrototype = InitialValue = IntEnumClass = ListIter = asked.Absent
    ListPayload = ListTypeIterableType = ListTypeIteratorType = asked.Absent
    LiteralList = LiteralStrKeyDict = MakeFunctionLiteral = MemoryView = asked.Absent
    NamedTupleClass = NumPyRandomBitGeneratorType = NumpyNdEnumerateType = asked.Absent
    NumpyNdIndexType = ObjModeDispatcher = Object = Pair = Phantom = Poison = asked.Absent
    PolynomialType = PyArray = RangeIteratorType = RecursiveCall = Set = SetEntry = asked.Absent
    SetIter = SetIterableType = SetIteratorType = SetPayload = SetType = SliceLiteral = asked.Absent
    StructRef = StructRefPayload = TypeRef = UndefVar = UndefinedFunctionType = asked.Absent
    UnicodeIteratorType = UnionType = UniTupleIter = WeakType = asked.Absent

Type = own.Type
Hashable = own.Type  # each type can be a key: it is known by identity
Dummy = kinds.Dummy
Opaque = own.OpaqueType
PyObject = kinds.PyObject
pyobject = kinds.pyobject
Any = kinds.any_type
VarArg = kinds.VarArg
List = kinds.List
MemInfoPointer = kinds.MemInfoPointer
voidptr = kinds.voidptr
RawPointer = kinds.RawPointer
CPointer = kinds.CPointer
EphemeralPointer = kinds.EphemeralPointer

# What extensions build on, and ask for.
Sized = asked.Sized
ConstSized = asked.ConstSized
Container = asked.Container
Sequence = asked.Sequence
MutableSequence = asked.MutableSequence
ListType = asked.ListType
DictType = asked.DictType
ArrayCompatible = own.BufferType
DTypeSpec = asked.DTypeSpec

Number = own.Number
NumberClass = asked.NumberClass
Boolean = own.Boolean
Integer = own.Integer
Float = own.Float
Complex = own.Complex
EnumMember = enums.EnumMember
IntEnumMember = enums.IntEnumMember
NPDatetime = own.DateTime
NPTimedelta = own.TimeDelta
Record = own.Record

Literal = own.Literal
IntegerLiteral = literals.IntegerLiteral
BooleanLiteral = literals.BooleanLiteral
StringLiteral = own.String
literal = literals.literal
maybe_literal = literals.maybe_literal
unliteral = literals.unliteral

NoneType = own.NoneType
EllipsisType = own.EllipsisType
Omitted = own.Omitted
Optional = own.Optional
optional = own.Optional
Undefined = own.Undefined
UnicodeType = own.Str
UnicodeCharSeq = own.UnicodeCharSeq
CharSeq = own.CharSeq

Buffer = own.BufferType
Array = own.Array
ArrayCTypes = own.ArrayCTypes
ArrayFlags = own.ArrayFlags
NestedArray = own.FieldArray
Bytes = buffers.Buffer
NumpyFlatType = own.Flat
NumpyNdIterType = own.NdIter
NumPyRandomGeneratorType = own.GeneratorSource
npy_rng = own.GeneratorSource(Identity(np.random.Generator))

BaseTuple = own.Tuple
BaseAnonymousTuple = own.AnonymousTuple
BaseNamedTuple = own.NamedTuple
Tuple = own.MixedTuple
UniTuple = own.UniTuple
NamedTuple = own.MixedNamedTuple
NamedUniTuple = own.NamedUniTuple
StarArgTuple = own.MixedTuple
StarArgUniTuple = own.UniTuple

Iterable = own.IterableType
IterableType = own.IterableType
IteratorType = own.IteratorType
SimpleIterableType = kinds.SimpleIterableType
SimpleIteratorType = kinds.SimpleIteratorType
RangeType = own.Range
EnumerateType = own.Enumerated
ZipType = own.Zipped
SliceType = own.Slice
range_state32_type = own.Range(own.int32)
range_state64_type = own.Range(own.int64)
unsigned_range_state64_type = own.Range(own.uint64)
slice2_type = own.Slice(own.int64, own.int64, own.none)
slice3_type = own.Slice(own.int64, own.int64, own.int64)

Callable = own.CallableType
Function = own.Function
BaseFunction = own.Function
FunctionType = own.FunctionType
BoundFunction = own.BoundMethod
Dispatcher = own.Dispatcher
Functions = own.Functions
Class = own.Class
Module = own.Module
DType = own.DType
Generator = own.Generator

unknown = Dummy("unknown")
deferred_type = asked.ABSENT["DeferredType"]
ffi = Opaque("ffi")
ffi_forced_object = Opaque("ffi_forced_object")
string = own.str_type
py_int, py_float, py_complex = own.int64, own.float64, own.complex128
# The reference has types of Python's, NumPy's and C's numbers under names of their own.
for _name in (*own.SCALARS, "bool_", "intp", "uintp", "intc", "uintc", "int_", "uint", "char"):
    globals()[f"np_{_name}"] = globals()[f"c_{_name}"] = NAMES[_name]
for _name in "short ushort uchar long_ ulong longlong ulonglong double float_".split():
    globals()[f"np_{_name}"] = NAMES[_name]
globals().update(np_long=NAMES["long_"], py_bool=own.boolean)

signed_domain = frozenset((own.int8, own.int16, own.int32, own.int64))
unsigned_domain = frozenset((own.uint8, own.uint16, own.uint32, own.uint64))
integer_domain = signed_domain | unsigned_domain
real_domain: frozenset[own.Type] = frozenset((own.float16, own.float32, own.float64))
complex_domain = frozenset((own.complex64, own.complex128))
number_domain = integer_domain | real_domain | complex_domain

np_signed_domain = py_signed_domain = signed_domain
np_unsigned_domain = py_unsigned_domain = unsigned_domain
np_integer_domain = py_integer_domain = integer_domain
np_real_domain = py_real_domain = real_domain
np_complex_domain = py_complex_domain = complex_domain
np_number_domain = py_number_domain = number_domain

# Its submodules, whose names are all here.
abstract = common = containers = function_type = functions = sys.modules[__name__]
iterators = misc = npytypes = scalars = abstract

_MODULES = {"asked", "annotations", "buffers", "enums", "kinds", "literals", "own", "NAMES"}
_MODULES |= {"sys", "np", "Identity", "TYPE_CHECKING"}
__all__ = sorted(name for name in globals().keys() - _MODULES if name[0] != "_")
