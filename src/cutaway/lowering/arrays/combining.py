"""The combining step of a reduction."""

from __future__ import annotations

from cutaway.ir.reductions import Reduction
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types
from cutaway.typing.reductions import identity_of
from cutaway.typing.types import Boolean, Complex, Float, Integer, Type


def identity(build: FunctionBuilder, how: Reduction, ty: Type) -> Value:
    """Return the initial value of a reduction."""
    return build.constant(ty, identity_of(how, ty))


def combined(build: FunctionBuilder, how: Reduction, total: Value, element: Value) -> Value:
    """Combine the running total with one more element."""
    if how.is_of_truths:
        element = Value(types.boolean, (_is_nonzero(build, element),))
    return joined(build, how.operator, total, build.cast(element, total.ty))


def joined(build: FunctionBuilder, operator: str, total: Value, element: Value) -> Value:
    """Combine two numbers of one type with an operator."""
    ty = total.ty
    (kind, *_), (a, *_), (b, *_) = part_types(ty), total.parts, element.parts
    if operator in ("minimum", "maximum"):
        return Value(ty, (_extreme(build, operator, ty, a, b),))
    if operator in ("or", "and"):
        return Value(ty, (build.binary(operator, kind, a, b),))
    adds = operator == "add"
    if isinstance(ty, Complex) and not adds:
        return _product(build, total, element)
    opcode = "add" if adds else "mul"
    opcode = f"f{opcode}" if isinstance(ty, Float | Complex) else opcode
    pairs = zip(total.parts, element.parts, strict=True)
    return Value(ty, tuple(build.binary(opcode, kind, x, y) for x, y in pairs))


def _product(build: FunctionBuilder, a: Value, b: Value) -> Value:
    (kind, _), (re, im), (x, y) = part_types(a.ty), a.parts, b.parts
    rr, ii = build.binary("fmul", kind, re, x), build.binary("fmul", kind, im, y)
    ri, ir = build.binary("fmul", kind, re, y), build.binary("fmul", kind, im, x)
    return Value(a.ty, (build.binary("fsub", kind, rr, ii), build.binary("fadd", kind, ri, ir)))


def _extreme(build: FunctionBuilder, operator: str, ty: Type, a: str, b: str) -> str:
    kind = part_types(ty)[0]
    if isinstance(ty, Float):
        name = f"llvm.{operator}.f{ty.bits}"
    elif isinstance(ty, Integer):
        name = f"llvm.{'s' if ty.signed else 'u'}{operator[:3]}.{kind}"
    else:
        return build.binary("or" if operator == "maximum" else "and", "i1", a, b)
    return build.call(kind, name, [(kind, a), (kind, b)])


def _is_nonzero(build: FunctionBuilder, value: Value) -> str:
    answer = "false"
    for kind, part in zip(part_types(value.ty), value.parts, strict=True):
        if isinstance(value.ty, Float | Complex):
            one = build.fcompare("une", kind, part, "0.0")
        elif isinstance(value.ty, Boolean):
            one = part
        else:
            one = build.compare("ne", kind, part, "0")
        answer = one if answer == "false" else build.binary("or", "i1", answer, one)
    return answer
