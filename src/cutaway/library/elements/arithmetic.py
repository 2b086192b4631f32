"""`add subtract multiply divide` of elements."""

from __future__ import annotations

from cutaway.library.elements.table import inline
from cutaway.library.math.numbers import float_op, kind_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing.types import Complex, Float
from cutaway.typing.ufuncs import Loop

_OPCODES = {"add": ("add", "fadd"), "subtract": ("sub", "fsub"), "multiply": ("mul", "fmul")}


def _register(name: str, integer: str, floating: str) -> None:
    @inline(name, "iu")
    def of_integers(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = args
        return Value(a.ty, (build.binary(integer, kind_of(a.ty), a.parts[0], b.parts[0]),))

    @inline(name, "f" if name == "multiply" else "fc")
    def of_floats(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
        a, b = args
        ty = a.ty.part if isinstance(a.ty, Complex) else a.ty
        assert isinstance(ty, Float)
        pairs = zip(a.parts, b.parts, strict=True)
        return Value(a.ty, tuple(float_op(build, floating, ty, x, y) for x, y in pairs))


for _name, (_integer, _floating) in _OPCODES.items():
    _register(_name, _integer, _floating)


@inline("divide true_divide", "f")
def divide(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """`a / b` of floats."""
    a, b = args
    assert isinstance(a.ty, Float)
    return Value(a.ty, (float_op(build, "fdiv", a.ty, a.parts[0], b.parts[0]),))


@inline("sqrt", "f")
def sqrt(build: FunctionBuilder, loop: Loop, args: list[Value]) -> Value:
    """The square root, which is exact to the last bit."""
    (a,) = args
    assert isinstance(a.ty, Float)
    return Value(a.ty, (build.math("sqrt", a.ty, a.parts[0]),))
