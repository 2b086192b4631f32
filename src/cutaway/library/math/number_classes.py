"""NumPy's classes of numbers as conversions: `np.uint8(x)`, which takes what an array of them
would hold."""

from __future__ import annotations

from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing.basic import fitted
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Complex, Type


def _rule(ty: Type, arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not types.is_number(arguments.types[0]):
        return None
    if isinstance(arguments.types[0], Complex) and not isinstance(ty, Complex):
        return None
    return Signature(ty, arguments.types)


def _register(ty: Type) -> None:
    cls = types.to_dtype(ty).type

    @primitive(cls, lambda arguments: _rule(ty, arguments))
    def convert(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return fitted(build, args[0], ty)


for _ty in types.SCALARS.values():
    _register(_ty)
