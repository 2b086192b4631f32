"""Numbers of Python's beside arrays: they take on the dtype of the array, and have to fit in it.

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
from cutaway.typing.types import Array, DType


def fitting(x, dtype):
    """A number as one of a dtype, an array as it is.  Raises OverflowError where it does not fit
    in integers."""
    return x if isinstance(x, np.ndarray) or dtype.kind not in "iu" else dtype.type(x)


def _rule(arguments: Arguments) -> Signature | None:
    args, dtype = arguments.types
    if isinstance(args, Array):
        return Signature(args, arguments.types)
    result = types.element_type(dtype.value) if isinstance(dtype, DType) else None
    if result is None or not types.is_number(args):
        return None
    return Signature(result if isinstance(result, types.Integer) else args, arguments.types)


@primitive(fitting, _rule)
def look_at(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Two comparisons at most, none where the type of the number is not wider."""
    if isinstance(sig.returns, Array):
        build.call("void", "cutaway_incref", [("ptr", args[0].parts[0])])
        return args[0]
    return fitted(build, args[0], sig.returns, always=True)
