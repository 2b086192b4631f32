"""Error messages for indices and methods that are not supported; registered last."""

from __future__ import annotations

import operator

from cutaway.errors import TypingError
from cutaway.extending.overloads import overload_method
from cutaway.extending.registry import primitive
from cutaway.library.arrays.indexing.basic import index_items
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array


def _refusal(arguments: Arguments) -> Signature | None:
    array, index = arguments.types[:2]
    if not isinstance(array, Array):
        return None
    items = index_items(index)
    if items.count(types.ellipsis) > 1:
        raise TypingError("an index can only have a single ellipsis ('...')")
    used = sum(item is not types.none and item is not types.ellipsis for item in items)
    for item in items:
        if isinstance(item, types.Boolean):
            raise TypingError(
                "an array cannot be indexed by a bool in compiled code", hint="use int(...)"
            )
        if isinstance(item, types.Float | types.Complex):
            raise TypingError(
                f"an array is indexed by integers and slices, not by {item}", hint="use int(...)"
            )
    if used > array.ndim:
        raise TypingError(
            f"too many indices for array: array is {array.ndim}-dimensional, but {used} were"
            " indexed"
        )
    return None


@primitive(operator.setitem, _refusal, any_elements=True)
@primitive(operator.getitem, _refusal, any_elements=True)
def refuse(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Never called: the rule raises or matches nothing."""
    raise AssertionError("no call fits this rule")


@overload_method(Array, "resize")
def _resize(a, *shape):
    raise TypingError(
        "an array cannot be resized in place in compiled code",
        hint="make a new one: np.resize(a, shape)",
    )
