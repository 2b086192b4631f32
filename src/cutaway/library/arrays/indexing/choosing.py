"""The types of `a[i]`, `a[m]` and `a[i] = x` with arrays or bools in the index.

`gathering` lowers them, and is loaded with the first such index.
"""

from __future__ import annotations

import operator

from cutaway.errors import TypingError
from cutaway.extending.registry import CONTEXT
from cutaway.foundation.loading import load
from cutaway.library.arrays.indexing.basic import is_storable, selection_type
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.analysis.indices import chooses, chosen, items_of, with_numbers
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature
from cutaway.typing.types import Array, Boolean, Integer, Type


def result_of(array: Array, index: Type) -> Type | None:
    """The type of `array[index]`; None for an invalid index, or one without arrays and bools."""
    if not chooses(index):
        return None
    _check_dtypes(index)
    plain = with_numbers(index)
    if plain is not None:
        selected = selection_type(array, plain)
        if isinstance(selected, Array):
            return Array(selected.dtype, selected.ndim, "C")
        return None if isinstance(selected, types.Record) else selected  # it would be a copy
    selection = chosen(array, index)
    return None if selection is None else selection.result(array)


def _check_dtypes(index: Type) -> None:
    for item in items_of(index):
        if isinstance(item, Array) and not isinstance(item.dtype, Integer | Boolean):
            raise TypingError(
                "arrays used as indices must be of integer (or boolean) type",
                hint="convert it: index.astype(np.int64)",
            )


def _getitem_rule(arguments: Arguments) -> Signature | None:
    array, index = arguments.types
    result = result_of(array, index) if isinstance(array, Array) else None
    return None if result is None else Signature(result, arguments.types)


def _setitem_rule(arguments: Arguments) -> Signature | None:
    array, index, value = arguments.types
    if not isinstance(array, Array) or array.readonly:
        return None
    result = result_of(array, index)
    if result is None:
        return None
    if isinstance(result, Array) and with_numbers(index) is None:
        result = result.copy(ndim=types.LARGEST_NDIM)  # the leading axes of length one are dropped
    return (
        Signature(types.none, arguments.types) if is_storable(result, array.dtype, value) else None
    )


def _gather(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    value: Value = load("cutaway.library.arrays.indexing.gathering").gather(build, sig, args)
    return value


def scatter(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a[index] = value`."""
    load("cutaway.library.arrays.indexing.gathering").scatter(build, args)
    return Value(types.none, ())


CONTEXT.add(
    operator.getitem,
    Overload(_getitem_rule, (), _gather, any_elements=True, gives_new_reference=True),
)
CONTEXT.add(operator.setitem, Overload(_setitem_rule, (), scatter, any_elements=True))
