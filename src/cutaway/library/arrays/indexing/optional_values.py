"""`a[i] = x` of a number that may be None, which NumPy converts to nan or False."""

from __future__ import annotations

import math
import operator

from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing.basic import is_storable, selection_type, setitem
from cutaway.lowering.build.constants import constant
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Boolean, Complex, Float, Optional

_NO_INTEGER = (
    "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'"
)


def _rule(arguments: Arguments) -> Signature | None:
    array, index, value = arguments.types
    if not isinstance(array, Array) or array.readonly or not isinstance(value, Optional):
        return None
    selected = selection_type(array, index)
    numbers = types.is_number(array.dtype) and types.is_number(value.inner)
    if selected is None or isinstance(selected, Array) or not numbers:
        return None
    fits = is_storable(selected, array.dtype, value.inner)
    return Signature(types.none, arguments.types) if fits else None


@primitive(operator.setitem, _rule)
def set_optional(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a[i] = x` where `x` may be None."""
    array, index, value = args
    assert isinstance(array.ty, Array) and isinstance(value.ty, Optional)
    there, *parts = value.parts
    inner, dtype = Value(value.ty.inner, tuple(parts)), array.ty.dtype
    if isinstance(dtype, Float | Complex | Boolean):
        none = False if isinstance(dtype, Boolean) else math.nan
        if isinstance(dtype, Complex):
            none = complex(none, none)
        pairs = zip(
            part_types(dtype),
            build.cast(inner, dtype).parts,
            constant(build, dtype, none).parts,
            strict=True,
        )
        chosen = tuple(build.select(there, kind, one, other) for kind, one, other in pairs)
        inner = Value(dtype, chosen)
    else:
        build.raise_if(build.binary("xor", "i1", there, "true"), TypeError, _NO_INTEGER)
    return setitem(build, sig, [array, index, inner])
