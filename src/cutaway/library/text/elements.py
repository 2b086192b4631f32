"""Arrays of text and bytes by element: `a[i]`, `for s in a`, `a[i] = s`, `a == b`, `s in a`.

An element is read as a new str or bytes. Assigned texts are truncated to the length of elements;
trailing zeros of an element are ignored.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from cutaway.errors import InternalError
from cutaway.extending.overloads import overload, overload_method
from cutaway.extending.registry import CONTEXT, primitive
from cutaway.foundation import loading
from cutaway.ir.operators import BINARY, COMPARISONS
from cutaway.library.arrays.indexing import basic, choosing
from cutaway.library.containers import iteration
from cutaway.lowering.arrays.texts import as_element, compared
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, owner_positions, tuple_items
from cutaway.typing import types
from cutaway.typing.inference.questions import advance
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature
from cutaway.typing.types import Array, FixedString, Iterator, Type
from cutaway.typing.types.buffers import bytes_type


def _texts(ty: object) -> FixedString | None:
    """The element type of an array of texts; None for other types."""
    is_array = isinstance(ty, Array) and isinstance(ty.dtype, FixedString)
    return ty.dtype if is_array else None


def text_type(ty: Type) -> Type | None:
    """The type by which a str or bytes is passed on: one from outside; None for other types."""
    if ty in (types.str_type, bytes_type):
        return ty
    classes = types.text_classes(ty)
    return types.str_type if classes == {str} else bytes_type if classes == {bytes} else None


# --- an element -------------------------------------------------------------------------------


def _getitem_rule(arguments: Arguments) -> Signature | None:
    array, index = arguments.types
    if _texts(array) is None or choosing.chooses(index):
        return None
    selected = basic.selection_type(array, index)
    one = selected is not None and not isinstance(selected, Array)
    return Signature(selected, arguments.types) if one and selected is not None else None


loading.run(basic, iteration)  # their overloads are asked first
CONTEXT.add(
    operator.getitem,
    Overload(_getitem_rule, (), basic.getitem, any_elements=True, gives_new_reference=True),
)


# --- iteration --------------------------------------------------------------------------------


_COPYING = (Array, types.Enumerated, types.Zipped)


def _next_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    fits = isinstance(ty, Iterator) and isinstance(ty.source, _COPYING) and ty.source.items_are_new
    return Signature(ty.item, (ty,)) if fits else None


def _next(build: FunctionBuilder, sig: Signature, args: list[Value]) -> tuple[Value, str]:
    """The next item, with its own references."""
    iterator = args[0].ty
    assert isinstance(iterator, Iterator)
    match iterator.source:
        case Array():
            return basic.next_of_array(build, sig, args)
        case types.Enumerated():
            return iteration.next_of_enumerate(build, sig, args)
        case types.Zipped(inner=several):
            value, valid = iteration.next_of_zip(build, sig, args)
            for inner, item in zip(several, tuple_items(value), strict=True):
                if not inner.source.items_are_new:  # it is borrowed
                    for place in owner_positions(item.ty):
                        build.call("void", "cutaway_incref", [("ptr", item.parts[place])])
            return value, valid
    raise InternalError(f"no item of {iterator}")


CONTEXT.add(advance, Overload(_next_rule, (), _next, any_elements=True, gives_new_reference=True))


# --- assignment -------------------------------------------------------------------------------


def storable(kind: Type, value: Type) -> Type | None:
    """The type in which a value is assigned to an element of a kind; None if it cannot be."""
    if not isinstance(kind, FixedString):
        return None
    text = text_type(value)
    return text if text is types.str_type or text is kind.taken else None


def _setitem_rule(arguments: Arguments) -> Signature | None:
    array, index, value = arguments.types
    kind = _texts(array)
    stored = None if kind is None else storable(kind, value)
    if stored is None or array.readonly:
        return None
    if basic.selection_type(array, index) is None:
        if choosing.result_of(array, index) is None:
            return None
    return Signature(types.none, (array, index, stored))


@primitive(operator.setitem, _setitem_rule, any_elements=True)
def store_text(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`a[index] = s`, at one position or at many."""
    array, index, value = args
    assert isinstance(array.ty, Array) and isinstance(array.ty.dtype, FixedString)
    element = as_element(build, value, array.ty.dtype)
    lower = choosing.scatter if choosing.chooses(index.ty) else basic.setitem
    return lower(build, sig, [array, index, element])


@overload_method(Array, "fill")
def _fill(array, value):
    kind = _texts(array)
    if kind is None or array.readonly or storable(kind, value) is None:
        return None

    def fill(array, value):
        array[...] = value

    return fill


# --- comparison -------------------------------------------------------------------------------


def _comparison_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2 or not any(map(_texts, arguments.types)):
        return None
    kinds, wanted = set(), []
    for ty in arguments.types:
        kind = _texts(ty)
        wanted.append(ty if kind is not None else text_type(ty))
        kinds.add(wanted[-1] if kind is None else kind.taken)
    if len(kinds) > 1:
        return None
    ndim = max(ty.ndim for ty in wanted if _texts(ty) is not None)
    result = Array(types.boolean, ndim, "C") if ndim else types.boolean
    return Signature(result, tuple(wanted))


def _compares(sign: str, *functions: Any) -> None:
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        return compared(build, sig.returns, args, sign)

    for function in functions:
        CONTEXT.add(
            function,
            Overload(_comparison_rule, (), lower, any_elements=True, gives_new_reference=True),
        )


for _row in COMPARISONS.values():
    _compares(_row.symbol, _row.function, getattr(np, _row.ufunc))


def _is_sought(item: Type, array: Type) -> bool:
    return _texts(array) is not None and _comparison_rule(Arguments((array, item), ())) is not None


@overload(BINARY["in"].function)
def _in(item, array):
    def contains(item, array):
        return np.any(array == item)

    return contains if _is_sought(item, array) else None


@overload(BINARY["not in"].function)
def _not_in(item, array):
    def lacks(item, array):
        return not np.any(array == item)

    return lacks if _is_sought(item, array) else None
