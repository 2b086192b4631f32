"""The types, by the names that programs use: to write signatures, to ask in extensions.

`types.float64[:, ::1]` is an array, `types.float64(types.int64)` a signature, and
`isinstance(ty, types.Integer)` asks what kind a type is.
"""

from __future__ import annotations

import sys

import numpy as np

from cutaway.typing import types as own
from cutaway.typing.inference import literals
from cutaway.typing.types import asked, buffers, enums, kinds
from cutaway.typing.types.conversions import Conversion  # noqa: F401  a name of the reference's
from cutaway.typing.types.interning import Identity
from cutaway.typing.values.names import NAMES

globals().update(asked.ABSENT)
globals().update(NAMES)  # int64, f8, unicode_type, ...: the table that signatures are read with

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
Optional = optional = own.Optional
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

Iterable = IterableType = own.IterableType
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
Function = BaseFunction = own.Function
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
np_long = NAMES["long_"]
py_bool = own.boolean

signed_domain = frozenset((own.int8, own.int16, own.int32, own.int64))
unsigned_domain = frozenset((own.uint8, own.uint16, own.uint32, own.uint64))
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset((own.float16, own.float32, own.float64))
complex_domain = frozenset((own.complex64, own.complex128))
number_domain = integer_domain | real_domain | complex_domain

for _name in "signed unsigned integer real complex number".split():
    globals()[f"np_{_name}_domain"] = globals()[f"py_{_name}_domain"] = globals()[f"{_name}_domain"]

# Its submodules, whose names are all here.
abstract = common = containers = function_type = functions = sys.modules[__name__]
iterators = misc = npytypes = scalars = abstract

_MODULES = {"asked", "annotations", "buffers", "enums", "kinds", "literals", "own", "NAMES"}
_MODULES |= {"sys", "np", "Identity"}
__all__ = sorted(name for name in globals().keys() - _MODULES if name[0] != "_")
