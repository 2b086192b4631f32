"""The lines of an array along its last axis, one after the other in C order."""

from __future__ import annotations

from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value
from cutaway.typing.types import Array, Signature


def take_line(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The k-th line, as a view: a division an axis but the last and the first."""
    parts = array_parts(args[0])
    data, position = parts.data, args[1].parts[0]
    for k in range(len(parts.shape) - 2, -1, -1):
        index = position
        if k:
            index = build.binary("urem", "i64", position, parts.shape[k])
            position = build.binary("udiv", "i64", position, parts.shape[k])
        data = build.offset(data, build.binary("mul", "i64", index, parts.strides[k]))
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    assert isinstance(sig.returns, Array)
    made = ArrayParts(parts.owner, data, parts.shape[-1:], parts.strides[-1:])
    return array_value(sig.returns, made)
