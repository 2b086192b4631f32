"""What a reduction does with one element after the other."""

from __future__ import annotations

from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types, zero_value
from cutaway.typing.types import Boolean, Complex, Float, Integer, Type


def identity(build: FunctionBuilder, function: str, ty: Type) -> Value:
    """What a reduction begins with."""
    if function in ("prod", "all"):
        return build.constant(ty, 1 if not isinstance(ty, Boolean) else True)
    if function in ("min", "max"):
        low = function == "max"
        if isinstance(ty, Integer):
            return build.constant(ty, ty.low if low else ty.high)
        if isinstance(ty, Float):
            return build.constant(ty, float("-inf") if low else float("inf"))
        return build.constant(ty, not low)
    return zero_value(ty)


def combined(build: FunctionBuilder, function: str, total: Value, element: Value) -> Value:
    """What an element makes of what was combined before it."""
    if function in ("any", "all", "count_nonzero"):
        truth = _is_nonzero(build, element)
        if function == "count_nonzero":
            one = build.convert("zext", "i1", truth, "i64")
            return Value(total.ty, (build.binary("add", "i64", total.parts[0], one),))
        opcode = "or" if function == "any" else "and"
        return Value(total.ty, (build.binary(opcode, "i1", total.parts[0], truth),))
    element = build.cast(element, total.ty)
    (kind, *_), (a, *_), (b, *_) = part_types(total.ty), total.parts, element.parts
    if function in ("min", "max"):
        return Value(total.ty, (_extreme(build, function, total.ty, a, b),))
    if function in ("sum", "mean") and isinstance(total.ty, Float | Complex):
        pairs = zip(total.parts, element.parts, strict=True)
        return Value(total.ty, tuple(build.binary("fadd", kind, x, y) for x, y in pairs))
    if isinstance(total.ty, Complex):
        return _product(build, total, element)
    if isinstance(total.ty, Float):
        return Value(total.ty, (build.binary("fmul", kind, a, b),))
    return Value(total.ty, (build.binary("add" if function == "sum" else "mul", kind, a, b),))


def _product(build: FunctionBuilder, a: Value, b: Value) -> Value:
    (kind, _), (re, im), (x, y) = part_types(a.ty), a.parts, b.parts
    rr, ii = build.binary("fmul", kind, re, x), build.binary("fmul", kind, im, y)
    ri, ir = build.binary("fmul", kind, re, y), build.binary("fmul", kind, im, x)
    return Value(a.ty, (build.binary("fsub", kind, rr, ii), build.binary("fadd", kind, ri, ir)))


def _extreme(build: FunctionBuilder, function: str, ty: Type, a: str, b: str) -> str:
    kind = part_types(ty)[0]
    if isinstance(ty, Float):
        name = f"llvm.{function}imum.f{ty.bits}"
    elif isinstance(ty, Integer):
        name = f"llvm.{'s' if ty.signed else 'u'}{function}.{kind}"
    else:
        return build.binary("or" if function == "max" else "and", "i1", a, b)
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
