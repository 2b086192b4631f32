"""Conversion of arguments to the explicit signature of a callee.

A call from Python converts to a signature, and refuses a number that the type cannot hold; so does
a call from compiled code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from cutaway.lowering.arrays import elements
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.callee import Callee
from cutaway.lowering.layout import Value, float_type, make_tuple, part_types, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads import choice
from cutaway.typing.overloads.resolution import Call
from cutaway.typing.types import Boolean, Float, Integer, Tuple, Type
from cutaway.typing.types.conversions import Conversion, conversion
from cutaway.typing.values.typeof import typeof


def arguments_of(
    build: FunctionBuilder, callee: Callee, call: Call, args: Sequence[Value]
) -> list[Value]:
    """Arrange the arguments of a call as one value per parameter of a callee, of its type."""
    parameters = callee.parameters
    assert parameters is not None
    layout = parameters.lay_out(call)
    assert layout is not None
    values = []
    for k, (ty, place) in enumerate(zip(callee.argtypes, layout, strict=True)):
        if isinstance(place, tuple):
            argument = make_tuple([args[one] for one in place])
        elif place is not None:
            argument = args[place]
        elif isinstance(ty, types.Omitted):
            argument = Value(ty, ())
        else:  # an explicit signature has a type for omitted arguments, too
            default = parameters.defaults[k]
            argument = build.constant(typeof(default), default)
        values.append(_as_asked(build, argument, ty, parameters.names[k]))
    return values


def _as_asked(build: FunctionBuilder, value: Value, ty: Type, name: str) -> Value:
    """Convert an argument to a parameter's type; raises TypeError or OverflowError, with the name
    of the parameter, for a number that the type cannot hold."""
    if value.ty is ty:
        return value
    if isinstance(value.ty, Tuple) and isinstance(ty, Tuple):
        pairs = zip(tuple_items(value), ty.items, strict=True)
        items = make_tuple([_as_asked(build, item, kind, name) for item, kind in pairs])
        return build.cast(items, ty)
    is_number = isinstance(ty, Integer | Boolean | Float) and types.is_real(value.ty)
    if not is_number or conversion(value.ty, ty) is not Conversion.UNSAFE:
        return build.cast(value, ty)
    result = elements.converted_element(build, value, ty)
    message = choice.lost_argument(ty, name)
    if isinstance(ty, Float):  # digits may be lost, but not all of them
        if isinstance(value.ty, Float):
            finite = build.binary("xor", "i1", _is_infinite(build, value), "true")
            lost = build.binary("and", "i1", finite, _is_infinite(build, result))
            build.raise_if(lost, OverflowError, message)
        return result
    lost = _is_another(build, value, result)
    if isinstance(value.ty, Float) and isinstance(ty, Integer):
        is_broken = build.binary("and", "i1", lost, _is_broken(build, value))
        build.raise_if(is_broken, TypeError, message)
    build.raise_if(lost, TypeError if isinstance(ty, Boolean) else OverflowError, message)
    return result


def _is_another(build: FunctionBuilder, value: Value, result: Value) -> str:
    """Emit an i1: whether conversion to an integer or a bool changed a number's value."""
    source, ty, part = value.ty, result.ty, value.parts[0]
    back = build.cast(result, source)
    if isinstance(source, Float):
        return build.fcompare("une", float_type(source), back.parts[0], part)
    kind = part_types(source)[0]
    differs = build.compare("ne", kind, back.parts[0], part)
    if not (isinstance(source, Integer) and isinstance(ty, Integer)) or source.signed == ty.signed:
        return differs
    signed = value if source.signed else result
    negative = build.compare("slt", part_types(signed.ty)[0], signed.parts[0], "0")
    return build.binary("or", "i1", differs, negative)


def _is_broken(build: FunctionBuilder, value: Value) -> str:
    """Emit an i1: whether a float has no integer value."""
    assert isinstance(value.ty, Float)
    rounded = build.math("floor", value.ty, value.parts[0])
    broken = build.fcompare("une", float_type(value.ty), rounded, value.parts[0])
    return build.binary("or", "i1", broken, _is_infinite(build, value))


def _is_infinite(build: FunctionBuilder, value: Value) -> str:
    assert isinstance(value.ty, Float)
    size = build.math("fabs", value.ty, value.parts[0])
    infinity = build.constant(value.ty, math.inf).parts[0]
    return build.fcompare("oeq", float_type(value.ty), size, infinity)
