"""Exceptions that compiled code handles: their texts."""

from __future__ import annotations

from cutaway.extending.registry import primitive
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.lowering.slots import load_slots
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature


def _rule(arguments: Arguments) -> Signature | None:
    fits = arguments.types == (types.caught_exception,)
    return Signature(types.str_type, arguments.types) if fits else None


@primitive(str, _rule)
def text_of(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`str(e)`."""
    place = build.alloca("i64", 4)
    operands = [("ptr", args[0].parts[0]), ("ptr", place)]
    status = build.call("i32", "cutaway_exception_text", operands)
    build.propagate_if(build.compare("ne", "i32", status, "0"), status)
    return load_slots(build, types.str_type, place)
