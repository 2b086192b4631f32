"""NumPy's classes of numbers as conversions: `np.uint8(x)`, which takes what an array of them
would hold; and numbers of Python's beside arrays, which take on the dtype of the array.

An int64 beside an array of narrower integers is taken for an int of Python's, which NumPy does
not let change the dtype of a result.  `fitting` is the one place that looks at whether it fits:
once a call, in front of the loops.
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
    """A number as one of a dtype, an array as it is.  Raises OverflowError where it does not fit
    in integers."""
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
    """Two comparisons at most, none where the type of the number is not wider."""
    if isinstance(sig.returns, Array):
        build.call("void", "cutaway_incref", [("ptr", args[0].parts[0])])
        return args[0]
    return fitted(build, args[0], sig.returns, always=True)
