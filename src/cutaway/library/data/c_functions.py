"""C functions of ctypes: calls by their address, and array addresses as arguments.

Arguments are converted as in ctypes: an integer parameter takes integers, of which C gets the low
bits, a float takes integers too, a bool any number; a pointer takes `None`, an address if it is a
`c_void_p`, and an array as `a.ctypes`, `a.ctypes.data` or by an `ndpointer`. Results have Python's
types: an `int` of 64 bits, a `float`, a `bool`, None.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cutaway.errors import TypingError, UnsupportedError
from cutaway.extending.registry import attribute, method, primitive
from cutaway.foundation.foreign import attribute as read
from cutaway.foundation.foreign import bases_of, class_name, is_a
from cutaway.lowering.build.c_functions import c_function
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, CFunction, Optional, Type
from cutaway.typing.types.enums import as_number
from cutaway.typing.types.functions import (
    FUNCTION,
    ArrayAddress,
    ArrayCTypes,
    LentArray,
    c_name,
)
from cutaway.typing.types.kinds import CPointer, RawPointer

_INTEGERS = (
    *(ctypes.c_byte, ctypes.c_ubyte, ctypes.c_short, ctypes.c_ushort, ctypes.c_int, ctypes.c_uint),
    *(ctypes.c_long, ctypes.c_ulong, ctypes.c_longlong, ctypes.c_ulonglong),
)
_NUMBERS: tuple[tuple[Any, Type], ...] = (
    *((cls, types.from_dtype(np.dtype(cls))) for cls in _INTEGERS),
    (ctypes.c_float, types.float32),
    (ctypes.c_double, types.float64),
    (ctypes.c_bool, types.boolean),
)
# Bits of `_flags_`: the call holds Python's lock; errno is exchanged.
_NEEDS_PYTHON, _EXCHANGES_ERRNO = 4, 8 | 16


def _number(cls: Any) -> Type | None:
    """The type of a C number class; None for subclasses, which may convert differently."""
    return next((ty for one, ty in _NUMBERS if one is cls), None)


def _target(cls: Any) -> Any:
    """The target class of a typed pointer class; None for other classes."""
    plain = is_a(cls, type) and bases_of(cls)[1] is ctypes._Pointer
    return read(cls, "_type_", None) if plain else None


def _element(cls: Any) -> Type | None:
    """The number type that a pointer class points to, or None."""
    return _number(_target(cls))


# --- declarations of functions ----------------------------------------------------------------


def _checked(target: CFunction) -> tuple[Any, ...]:
    """The argument types of a function that can be called.

    Raises TypingError if it does not declare them, and UnsupportedError if ctypes does more than
    call it.
    """
    function = target.value
    name, flags = c_name(function), function._flags_
    reason = ""
    if flags & _NEEDS_PYTHON:
        reason = "it needs Python's lock, as a function of a PyDLL does"
    elif flags & _EXCHANGES_ERRNO:
        reason = "its library keeps a copy of errno, by use_errno or use_last_error"
    elif read(function, "errcheck", None) is not None:
        reason = "it has an errcheck, which is Python code"
    elif not _address(function):
        reason = "it is a null pointer"
    if reason:
        raise UnsupportedError(f"compiled code cannot call {name}: {reason}", hint=_OUTSIDE)
    if target.argtypes is None:
        raise TypingError(
            f"{name} does not say what it takes: its argtypes are not set",
            hint=f"set {name}.argtypes = [...] and {name}.restype before the function is compiled",
        )
    return target.argtypes


_OUTSIDE = "call it outside, or in a block that runs as Python: with cutaway.objmode(...)"


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _result_type(target: CFunction) -> Type:
    """The type of the result in Python."""
    declared = target.restype
    if declared is None:
        return types.none
    if declared is ctypes.c_void_p:
        return Optional(types.uint64)
    element = _element(declared)
    if element is not None:
        return CPointer(element)
    match _number(declared):
        case None:
            shown = class_name(declared) if is_a(declared, type) else class_name(type(declared))
            raise UnsupportedError(
                f"{c_name(target.value)} returns {shown}, which compiled code does not have",
                hint="its restype can be a class of numbers, a pointer to them, c_void_p or None",
            )
        case types.Float():
            return types.float64
        case types.Integer() as number:
            return types.uint64 if number is types.uint64 else types.int64
        case number:
            return number


# --- typing -----------------------------------------------------------------------------------


def _rule(arguments: Arguments) -> Signature:
    """The signature of a call, whose first argument is the function.

    Raises TypingError for arguments that do not fit.
    """
    target, *given = arguments.types
    assert isinstance(target, CFunction)
    parameters = _checked(target)
    if len(given) != len(parameters):
        count = f"{len(parameters)} argument{'s' * (len(parameters) != 1)}"
        raise TypingError(f"{c_name(target.value)} takes {count}, not {len(given)}")
    pairs = enumerate(zip(given, parameters, strict=True))
    passed = [_accepted(target.value, place, *pair) for place, pair in pairs]
    return Signature(_result_type(target), (target, *passed))


def _accepted(function: Any, place: int, given: Type, wanted: Any) -> Type:
    """The type in which C receives an argument.

    Raises TypingError if the parameter's class does not accept it.
    """
    rule = next((rule for test, rule in _PARAMETERS if test(wanted)), None)
    shown = class_name(wanted) if is_a(wanted, type) else class_name(type(wanted))
    if rule is None:
        raise UnsupportedError(
            f"argument {place + 1} of {c_name(function)} is of {shown}, which compiled code cannot"
            " make",
            hint="declare it as a c_void_p, and pass an address or a.ctypes",
        )
    passed = rule(as_number(given), wanted)
    if isinstance(passed, Type):
        return passed
    raise TypingError(
        f"argument {place + 1} of {c_name(function)}: {given} cannot be passed as {shown}",
        hint=passed,
    )


# The rule of a kind of parameter: returns an argument's type in C, or a hint why it is refused.
Accepting = Callable[[Type, Any], Type | str]


def _as_number(given: Type, wanted: Any) -> Type | str:
    number = _number(wanted)
    assert number is not None
    if number is types.boolean or types.is_integral(given):
        return number if types.is_real(given) else "pass a bool"
    if isinstance(number, types.Float):
        return number if types.is_real(given) else "pass a number: float(x)"
    return "convert it: int(x)" if types.is_real(given) else "pass an integer"


def _as_address(given: Type, wanted: Any) -> Type | str:
    if types.is_integral(given):
        return types.uint64
    may_be_none = isinstance(given, Optional) and types.is_integral(given.inner)
    if may_be_none:
        return Optional(types.uint64)
    if given is types.none or isinstance(given, LentArray | CFunction | RawPointer):
        return given
    return _LEND if isinstance(given, Array) else "pass an address, an array's a.ctypes or None"


_LEND = "pass its memory: a.ctypes"


def _as_pointer(given: Type, wanted: Any) -> Type | str:
    element = _element(wanted)
    if given is types.none or (isinstance(given, CPointer) and given.dtype is element):
        return given
    if not isinstance(given, ArrayCTypes):
        if isinstance(given, Array):
            return _LEND
        return "declare it as a c_void_p to pass an address" if element else "pass None"
    return given if given.array.dtype is element else f"pass an array of {element}"


def _as_array(given: Type, wanted: Any) -> Type | str:
    """The array if it meets an `ndpointer`'s requirements, which ctypes checks at each call."""
    if not isinstance(given, Array):
        return "pass an array"
    dtype, ndim, flags = wanted._dtype_, wanted._ndim_, wanted._flags_ or 0
    if dtype is not None and types.element_type(dtype) is not given.dtype:
        return f"pass an array of {dtype}"
    if ndim is not None and ndim != given.ndim:
        return f"pass an array of {ndim} dimension{'s' * (ndim != 1)}"
    if flags & _WRITEABLE and given.readonly:
        return "pass a writeable array"
    if flags & _ALIGNED and not given.aligned:
        return "pass a copy of it, which is aligned"
    for flag, layout in ((_C, "C"), (_F, "F")):
        if flags & flag and given.layout != layout and (given.layout == "A" or given.ndim > 1):
            return f"pass an array in {layout} order: np.as{_CONTIGUOUS[layout]}array(a)"
    return given


_C, _F, _ALIGNED, _WRITEABLE = 1, 2, 0x100, 0x400  # NumPy's flags of arrays
_CONTIGUOUS = {"C": "contiguous", "F": "fortran"}


def _is_array_class(cls: Any) -> bool:
    pointer = np.ctypeslib._ndptr
    plain = is_a(cls, type) and bases_of(cls)[1:2] == (pointer,)
    return plain and cls._shape_ is None


def _as_function(given: Type, wanted: Any) -> Type | str:
    fits = isinstance(given, CFunction) and type(given.value) is wanted
    return given if fits else "pass a function made by the same CFUNCTYPE"


def _is_function_class(cls: Any) -> bool:
    return is_a(cls, type) and FUNCTION in bases_of(cls)[1:]


_PARAMETERS: tuple[tuple[Callable[[Any], bool], Accepting], ...] = (
    (lambda cls: _number(cls) is not None, _as_number),
    (lambda cls: cls is ctypes.c_void_p, _as_address),
    (lambda cls: _target(cls) is not None, _as_pointer),
    (_is_array_class, _as_array),
    (_is_function_class, _as_function),
)


# --- lowering ---------------------------------------------------------------------------------


@primitive(method(CFunction, "__call__"), _rule, any_elements=True)
def call(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`f(x)` of a C function."""
    target = args[0].ty
    assert isinstance(target, CFunction) and target.argtypes is not None
    number = _number(target.restype)
    returns = "ptr" if number is None else _machine_type(number)
    if target.restype is None:
        returns = "void"
    passed = [_passed(build, *pair) for pair in zip(args[1:], target.argtypes, strict=True)]
    called = _symbol(build, target.value, (returns, [kind for kind, _ in passed]))
    text = f"call {returns} {called}({', '.join(' '.join(pair) for pair in passed)})"
    if sig.returns is types.none:
        build.emit(text)
        return Value(types.none, ())
    return _in_python(build, build.result(text), number, sig.returns)


def _machine_type(number: Type) -> str:
    """The LLVM type of a number in C, where a bool is a byte."""
    return "i8" if number is types.boolean else part_types(number)[0]


def _symbol(
    build: FunctionBuilder, function: Any, kinds: tuple[str, Sequence[str]] | None = None
) -> str:
    return c_function(build, function, _address(function), c_name(function), kinds)


def _passed(build: FunctionBuilder, value: Value, wanted: Any) -> tuple[str, str]:
    """The LLVM type and value of an argument for a parameter of a ctypes class."""
    if wanted is ctypes.c_void_p:
        return "ptr", _address_of(build, value)
    match value.ty:
        case types.Boolean():
            return "i32", build.convert("zext", "i1", value.parts[0], "i32")
        case types.Integer(bits=bits, signed=signed) if bits < 32:  # C callers widen these
            opcode = "sext" if signed else "zext"
            return "i32", build.convert(opcode, f"i{bits}", value.parts[0], "i32")
        case types.Number():
            return part_types(value.ty)[0], value.parts[0]
    return "ptr", _address_of(build, value)


def _address_of(build: FunctionBuilder, value: Value) -> str:
    """The address that a value represents, null for None."""
    match value.ty:
        case Array():
            return array_parts(value).data
        case LentArray(array=array):
            return array_parts(Value(array, value.parts)).data
        case CFunction():
            return _symbol(build, value.ty.value)
        case RawPointer():
            return value.parts[0]
        case types.Integer():
            return build.convert("inttoptr", "i64", value.parts[0], "ptr")
        case Optional():
            there, address = value.parts
            return build.select(
                there, "ptr", build.convert("inttoptr", "i64", address, "ptr"), "null"
            )
    return "null"


def _in_python(build: FunctionBuilder, result: str, number: Type | None, wanted: Type) -> Value:
    """The Python value of a result."""
    if isinstance(wanted, Optional):
        address = build.convert("ptrtoint", "ptr", result, "i64")
        return Value(wanted, (build.compare("ne", "i64", address, "0"), address))
    if number is types.boolean:
        return Value(wanted, (build.compare("ne", "i8", result, "0"),))
    if number is None:
        return Value(wanted, (result,))
    return build.cast(Value(number, (result,)), wanted)


# --- addresses of arrays ----------------------------------------------------------------------


def _lent(array: Array) -> Type:
    if array.readonly:
        raise TypingError(
            "a.ctypes of an array that is read-only would let C write to it",
            hint="pass the memory of a copy: a.copy().ctypes",
        )
    return ArrayCTypes(array)


@attribute(Array, "ctypes", _lent, any_elements=True)
def lend(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.ctypes`."""
    return Value(sig.returns, args[0].parts)


@attribute(ArrayCTypes, "data", lambda owner: ArrayAddress(owner.array), any_elements=True)
def address(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.ctypes.data`."""
    return Value(sig.returns, args[0].parts)


def _typed_rule(arguments: Arguments) -> Signature | None:
    """The rule of `a.ctypes.data_as(ctypes.POINTER(T))`, where T is the array's element type."""
    if len(arguments) != 2 or not isinstance(arguments.types[1], types.Class):
        return None
    owner, pointer = arguments.types
    assert isinstance(owner, ArrayCTypes) and isinstance(pointer, types.Class)
    fits = pointer.value is ctypes.c_void_p or _element(pointer.value) is owner.array.dtype
    return Signature(owner, (owner, pointer)) if fits else None


@primitive(method(ArrayCTypes, "data_as"), _typed_rule, any_elements=True, shares=True)
def typed_address(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a.ctypes.data_as(pointer class)`."""
    return Value(sig.returns, args[0].parts)
