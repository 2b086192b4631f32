"""NumPy's scalar classes as conversions: `np.uint8(x)` accepts what such an array can store; and
Python numbers beside arrays, which adopt the array's dtype.

An int64 beside an array of narrower integers counts as a Python int, which in NumPy does not change
the result's dtype. Only `fitting` checks whether it fits, once per call, before the loops.
"""

from __future__ import annotations

import numpy as np

from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing.basic import fitted
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Complex, DType, Type


def _class_rule(ty: Type, arguments: Arguments) -> Signature | None:
    if len(arguments) != 1 or not types.is_number(arguments.types[0]):
        return None
    if isinstance(arguments.types[0], Complex) and not isinstance(ty, Complex):
        return None
    return Signature(ty, arguments.types)


def _register(ty: Type) -> None:
    cls = types.to_dtype(ty).type

    @primitive(cls, lambda arguments: _class_rule(ty, arguments))
    def convert(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return fitted(build, args[0], ty)


for _ty in types.SCALARS.values():
    _register(_ty)


def fitting(x, dtype):
    """A number converted to a dtype; arrays unchanged. Raises OverflowError for integers out of
    range."""
    return x if isinstance(x, np.ndarray) or dtype.kind not in "iu" else dtype.type(x)


def _fitting_rule(arguments: Arguments) -> Signature | None:
    args, dtype = arguments.types
    if isinstance(args, Array):
        return Signature(args, arguments.types)
    result = types.element_type(dtype.value) if isinstance(dtype, DType) else None
    if result is None or not types.is_number(args):
        return None
    return Signature(result if isinstance(result, types.Integer) else args, arguments.types)


@primitive(fitting, _fitting_rule)
def look_at(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit at most two comparisons, none if the number's type is not wider."""
    if isinstance(sig.returns, Array):
        build.call("void", "cutaway_incref", [("ptr", args[0].parts[0])])
        return args[0]
    return fitted(build, args[0], sig.returns, always=True)
