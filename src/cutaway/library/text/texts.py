"""Texts that come from outside, str and bytes: length, equality, truth."""

from __future__ import annotations

import operator

from cutaway.extending.overloads import overload
from cutaway.extending.registry import primitive
from cutaway.library.math.numbers import both_ways
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Type
from cutaway.typing.types.buffers import Buffer, bytearray_type, bytes_type
from cutaway.typing.types.texts import is_written

_DATA, _LENGTH, _WIDTH = 1, 2, 3  # parts of a str; of bytes the first two


def _text_rule(returns: Type, arguments: Arguments) -> Signature | None:
    ty = arguments.types[0] if len(arguments) == 1 else None
    fits = ty is types.str_type or (ty is not None and is_written(ty, str))
    return Signature(returns, (types.str_type,)) if fits else None


@primitive(len, lambda arguments: _text_rule(types.int64, arguments))
def length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`len(s)`."""
    return Value(types.int64, (args[0].parts[_LENGTH],))


@both_ways(bool, operator.not_, lambda arguments: _text_rule(types.boolean, arguments))
def _truth(build: FunctionBuilder, value: Value) -> str:
    return build.compare("ne", "i64", value.parts[_LENGTH], "0")


@primitive(str, lambda arguments: _text_rule(types.str_type, arguments), ("object",), (REQUIRED,))
def same_text(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`str(s)`, `str(object=s)`."""
    build.call("void", "cutaway_incref", [("ptr", args[0].parts[0])])
    return args[0]


@overload(str)
def _no_text():
    return lambda: ""


# --- equality ---------------------------------------------------------------------------------


def _common_type(ty: Type, other: Type) -> Type | None:
    """The value that a text is compared by; None for a type that is not compared here."""
    if ty in (bytes_type, bytearray_type):
        return ty
    if isinstance(ty, Buffer):
        return None
    classes, others = types.text_classes(ty), types.text_classes(other)
    if classes == {str} and others == {str}:
        return types.str_type
    return bytes_type if classes == {bytes} else None


def _equality_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2:
        return None
    lhs, rhs = arguments.types
    if not any(isinstance(ty, types.Str | Buffer) for ty in (lhs, rhs)):
        return None
    wanted = _common_type(lhs, rhs), _common_type(rhs, lhs)
    return None if None in wanted else Signature(types.boolean, wanted)


@both_ways(operator.eq, operator.ne, _equality_rule)
def _equal(build: FunctionBuilder, lhs: Value, rhs: Value) -> str:
    """True if lengths and all characters are the same; an i1."""
    size = lhs.parts[_LENGTH]
    same = build.compare("eq", "i64", size, rhs.parts[_LENGTH])

    def same_characters() -> str:
        name, args = "cutaway_same_bytes", [("ptr", one.parts[_DATA]) for one in (lhs, rhs)]
        if lhs.ty is types.str_type:
            name = "cutaway_same_characters"
            args += [("i64", one.parts[_WIDTH]) for one in (lhs, rhs)]
        result = build.call("i32", name, [*args, ("i64", size)])
        return build.compare("ne", "i32", result, "0")

    return build.either(same, "i1", same_characters, "false")
