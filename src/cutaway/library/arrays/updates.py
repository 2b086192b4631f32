"""`a += x` and its like: arrays changed in place, by a number or an array that is broadcast.

Which types are computed in, and what is refused, is asked of NumPy's own ufuncs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing import Apart, Place, apart, broadcast_strides, fitted
from cutaway.library.arrays.kit.operations import ARITHMETIC
from cutaway.library.math.arithmetic import float_divmod, integer_divmod
from cutaway.library.math.numbers import kind_of
from cutaway.lowering.arrays.elements import (
    converted_element,
    element_pointer,
    load_element,
    store_element,
)
from cutaway.lowering.arrays.messages import raise_text, shape_format
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Boolean, Complex, Float, Integer, Type

_OPCODES = {row.function: row.opcodes for row in ARITHMETIC}
_PLAIN = {types.int64: int, types.float64: float, types.complex128: complex}


def _given(ty: Type) -> Any:  # Any: what a ufunc takes for a dtype
    # A number of Python's takes on the type of the array, as far as it is of its kind.
    if isinstance(ty, Array):
        return types.to_dtype(ty.dtype)
    return _PLAIN.get(ty) or types.to_dtype(ty)


def _loop_types(ufunc: np.ufunc, target: Array, operand: Type) -> tuple[Type, Type, Type]:
    """The types of the two operands and the result of one step.

    Raises TypingError, in NumPy's words, where the result cannot be stored in the array.
    """
    dtype = types.to_dtype(target.dtype)
    try:
        dtypes = ufunc.resolve_dtypes((dtype, _given(operand), dtype))
    except TypeError as error:
        raise TypingError(str(error)) from None
    loop = tuple(types.from_dtype(one) for one in dtypes[:2])
    result = _result_type(ufunc, loop)
    return (*loop, result)


def _result_type(ufunc: np.ufunc, loop: tuple[Type, ...]) -> Type:
    dtype = ufunc.resolve_dtypes((*map(types.to_dtype, loop), None))[2]
    result = types.from_dtype(dtype)
    assert result is not None
    return result


def _register(function: Any, ufunc: np.ufunc) -> None:  # Any: an operator's function
    def rule(arguments: Arguments) -> Signature | None:
        target, operand = arguments.types
        if not isinstance(target, Array):
            return None
        if not isinstance(operand, Array) and not types.is_number(operand):
            return None
        if target.readonly:
            raise TypingError("the array is read-only", hint="pass a writeable array")
        if isinstance(operand, Array) and operand.ndim > target.ndim:
            raise TypingError(
                f"an array of {target.ndim} dimensions cannot hold the result for one of"
                f" {operand.ndim}"
            )
        _loop_types(ufunc, target, operand)
        return Signature(target, arguments.types)

    @primitive(function, rule)
    def update(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        _update(build, ufunc, *args)
        return args[0]


for _row in ARITHMETIC:
    _register(_row.in_place, _row.function)


def _update(build: FunctionBuilder, ufunc: np.ufunc, target: Value, operand: Value) -> None:
    ty = target.ty
    assert isinstance(ty, Array)
    first, second, result = _loop_types(ufunc, ty, operand.ty)
    parts = array_parts(target)
    if isinstance(operand.ty, Array):
        kind, read = operand.ty, _broadcast(build, target, operand)
        source = array_parts(operand)
        moved = ArrayParts(source.owner, read.data, source.shape, tuple(read.strides))
        place = Place(parts.data, list(parts.shape), list(parts.strides))
        strides = broadcast_strides(build, moved, place, lambda cond: None)
        missing = ty.ndim - kind.ndim

        def right(index: tuple[str, ...]) -> Value:
            pointer = element_pointer(build, read.data, strides, index[missing:])
            return converted_element(build, load_element(build, kind, pointer), second)
    else:
        number = fitted(build, operand, second, always=True)

        def right(index: tuple[str, ...]) -> Value:
            return number

    def step(index: tuple[str, ...]) -> None:
        pointer = element_pointer(build, parts.data, parts.strides, index)
        left = converted_element(build, load_element(build, ty, pointer), first)
        value = _applied(build, ufunc, left, right(index), result)
        store_element(build, ty, value, pointer)

    build.loop_nest(parts.shape, step)
    if isinstance(operand.ty, Array):
        read.release(build)


def _broadcast(build: FunctionBuilder, target: Value, operand: Value) -> Apart:
    """The second operand, apart from the target; raises where the shapes do not fit."""
    assert isinstance(target.ty, Array) and isinstance(operand.ty, Array)
    parts, source = array_parts(target), array_parts(operand)
    place = Place(parts.data, list(parts.shape), list(parts.strides))
    broadcast_strides(
        build, source, place, lambda cond: _raise_mismatch(build, cond, source.shape, parts.shape)
    )
    return apart(build, place, target.ty, source, operand.ty)


def _raise_mismatch(
    build: FunctionBuilder, cond: str, source: tuple[str, ...], target: tuple[str, ...]
) -> None:
    bad, good = build.new_label("mismatch"), build.new_label("ok")
    build.branch(cond, bad, good)
    build.start(bad)
    # Where the shapes fit each other, it is only the target that is too small.
    common, together = [], "true"
    missing = len(target) - len(source)
    for k, size in enumerate(target):
        if k < missing:
            common.append(size)
            continue
        other = source[k - missing]
        single = build.compare("eq", "i64", size, "1")
        fits = build.binary("or", "i1", single, build.compare("eq", "i64", other, "1"))
        fits = build.binary("or", "i1", fits, build.compare("eq", "i64", other, size))
        together = build.binary("and", "i1", together, fits)
        common.append(build.select(single, "i64", other, size))
    operand, wanted = shape_format(len(source)), shape_format(len(target))
    message = (
        f"non-broadcastable output operand with shape {wanted} doesn't match the broadcast"
        f" shape {wanted}"
    )
    raise_text(build, together, ValueError, message, _sizes((*target, *common)))
    message = f"operands could not be broadcast together with shapes {wanted} {operand} {wanted} "
    raise_text(build, "true", ValueError, message, _sizes((*target, *source, *target)))
    build.jump(good)
    build.start(good)


def _sizes(numbers: tuple[str, ...]) -> list[Value]:
    return [Value(types.int64, (number,)) for number in numbers]


# --- one step ---------------------------------------------------------------------------------


def _applied(
    build: FunctionBuilder, ufunc: np.ufunc, left: Value, right: Value, result: Type
) -> Value:
    if ufunc is np.true_divide:
        return _quotient(build, left, right)
    if ufunc in (np.floor_divide, np.remainder):
        return _floor_divided(build, ufunc, left, right)
    integer, floating, logical = _OPCODES[ufunc]
    match left.ty:
        case Boolean():
            parts = (build.binary(logical, "i1", left.parts[0], right.parts[0]),)
        case Integer():
            kind = kind_of(left.ty)
            parts = (build.binary(integer, kind, left.parts[0], right.parts[0]),)
        case Complex() if ufunc is np.multiply:
            parts = _complex_product(build, left, right)
        case Complex() | Float():
            kind = kind_of(left.ty.part if isinstance(left.ty, Complex) else left.ty)
            pairs = zip(left.parts, right.parts, strict=True)
            parts = tuple(build.binary(floating, kind, a, b) for a, b in pairs)
    return Value(result, parts)


def _complex_product(build: FunctionBuilder, left: Value, right: Value) -> tuple[str, ...]:
    assert isinstance(left.ty, Complex)
    kind, (a, b), (c, d) = kind_of(left.ty.part), left.parts, right.parts
    ac, bd = build.binary("fmul", kind, a, c), build.binary("fmul", kind, b, d)
    ad, bc = build.binary("fmul", kind, a, d), build.binary("fmul", kind, b, c)
    return build.binary("fsub", kind, ac, bd), build.binary("fadd", kind, ad, bc)


def _quotient(build: FunctionBuilder, left: Value, right: Value) -> Value:
    if isinstance(left.ty, Complex):
        return _complex_quotient(build, left, right)
    return Value(left.ty, (build.binary("fdiv", kind_of(left.ty), left.parts[0], right.parts[0]),))


def _complex_quotient(build: FunctionBuilder, left: Value, right: Value) -> Value:
    # Smith's method as NumPy has it, by the reciprocal of the denominator.
    ty = left.ty
    assert isinstance(ty, Complex)
    part, kind = ty.part, kind_of(ty.part)
    one = build.constant(part, 1.0).parts[0]
    (a, b), (c, d) = left.parts, right.parts

    def op(name: str, x: str, y: str) -> str:
        return build.binary(name, kind, x, y)

    size_c, size_d = build.math("fabs", part, c), build.math("fabs", part, d)
    first = build.fcompare("oge", kind, size_c, size_d)
    large, small = build.select(first, kind, c, d), build.select(first, kind, d, c)
    ratio = op("fdiv", small, large)
    scale = op("fdiv", one, op("fadd", large, op("fmul", small, ratio)))
    near, far = build.select(first, kind, a, b), build.select(first, kind, b, a)
    real = op("fadd", near, op("fmul", far, ratio))
    by_first = op("fsub", b, op("fmul", a, ratio))
    by_second = op("fsub", op("fmul", b, ratio), a)
    imag = build.select(first, kind, by_first, by_second)
    zero_c = build.fcompare("oeq", kind, size_c, "0.0")
    zero_d = build.fcompare("oeq", kind, size_d, "0.0")
    none = build.binary("and", "i1", zero_c, zero_d)
    real = build.select(none, kind, op("fdiv", a, size_c), op("fmul", real, scale))
    imag = build.select(none, kind, op("fdiv", b, size_d), op("fmul", imag, scale))
    return Value(ty, (real, imag))


def _floor_divided(build: FunctionBuilder, ufunc: np.ufunc, left: Value, right: Value) -> Value:
    if isinstance(left.ty, Integer):
        return integer_divmod(build, left, right)[ufunc is np.remainder]
    assert isinstance(left.ty, Float)
    quotient, rest = float_divmod(build, left, right)
    kind, (a,), (b,) = kind_of(left.ty), left.parts, right.parts
    zero = build.fcompare("oeq", kind, b, "0.0")
    if ufunc is np.remainder:
        plain = build.binary("frem", kind, a, b)
        return Value(left.ty, (build.select(zero, kind, plain, rest.parts[0]),))
    plain = build.binary("fdiv", kind, a, b)
    return Value(left.ty, (build.select(zero, kind, plain, quotient.parts[0]),))
