"""`sum any all min max` over tuples, ranges and arrays, from left to right as in Python.

Loops are written in Python, and compiled like a user's function.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

from cutaway.extending.overloads import overload
from cutaway.extending.registry import primitive
from cutaway.library.containers.comprehensions import is_flat, seen_as_array
from cutaway.library.core import messages
from cutaway.library.core.applied import applied, resolved
from cutaway.library.math.numbers import boolean
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, float_type, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, Flat, Iterator, Range, Tuple, Type


def _loops_over_numbers(ty: Type) -> bool:
    match ty:
        case Range():
            return True
        case Flat():
            return not types.has_other_elements(ty)
        case Array(ndim=1):
            return types.is_number(ty.dtype)
        case Iterator(item=item) | types.Container(item=item) | types.DictView(item=item):
            return types.is_number(item) or item is types.undefined  # it stays empty
    return False


# --- sum --------------------------------------------------------------------------------------


@overload(sum)
def _sum(iterable, start=0):
    plain = start == 0 or isinstance(start, types.Omitted) or types.is_number(start)
    if isinstance(start, types.List):
        item = getattr(iterable.iterator(), "item", None)
        if item is start or item is types.undefined:
            return _sum_of_lists
        return _sum_of_items if isinstance(item, types.List) else None
    return _sum_of_items if plain and _loops_over_numbers(iterable) else None


def _sum_of_items(iterable, start=0):
    total = start
    for item in iterable:
        total = total + item
    return total


def _sum_of_lists(iterable, start=0):
    total = start.copy()
    for items in iterable:
        total += items
    return total


def _sum_of_tuple_rule(arguments: Arguments) -> Signature | None:
    owner, start = arguments.types
    if not isinstance(owner, Tuple):
        return None
    total = types.int64 if isinstance(start, types.Omitted) else start
    for item in owner.items:
        resolution = resolved(operator.add, total, item)
        if resolution is None:
            return None
        total = resolution.signature.returns
    return Signature(total, arguments.types)


@primitive(sum, _sum_of_tuple_rule, ("iterable", "start"), (REQUIRED, 0))
def sum_of_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`sum(t, start=0)`: the items added one after the other."""
    omitted = isinstance(args[1].ty, types.Omitted)
    total = build.constant(types.int64, 0) if omitted else args[1]
    items = tuple_items(args[0])
    lost: str | None = None
    for item in items:
        if COMPENSATED and item.ty is total.ty is types.float64:
            total, lost = _add_compensated(build, total, item, lost)
        else:
            if lost is not None and not types.is_integral(item.ty):
                total, lost = _with_lost(build, total, lost), None
            total = applied(build, operator.add, total, item)
    return total if lost is None else _with_lost(build, total, lost)


# Since 3.12 Python carries the rounding errors of float sums along (Neumaier's method).
COMPENSATED = sys.version_info >= (3, 12)


def _add_compensated(
    build: FunctionBuilder, total: Value, item: Value, lost: str | None
) -> tuple[Value, str]:
    kind = float_type(types.float64)
    a, b = build.cast(total, types.float64).parts[0], item.parts[0]
    result = build.binary("fadd", kind, a, b)
    size_a = build.math("fabs", types.float64, a)
    size_b = build.math("fabs", types.float64, b)
    first = build.fcompare("oge", kind, size_a, size_b)
    large, small = build.select(first, kind, a, b), build.select(first, kind, b, a)
    error = build.binary("fadd", kind, build.binary("fsub", kind, large, result), small)
    total_error = error if lost is None else build.binary("fadd", kind, lost, error)
    return Value(types.float64, (result,)), total_error


def _with_lost(build: FunctionBuilder, total: Value, lost: str) -> Value:
    kind = float_type(types.float64)
    infinity = build.constant(types.float64, float("inf")).parts[0]
    size = build.math("fabs", types.float64, lost)
    finite = build.fcompare("olt", kind, size, infinity)
    corrected = build.binary("fadd", kind, total.parts[0], lost)
    nonzero = build.fcompare("one", kind, lost, "0.0")
    use = build.binary("and", "i1", finite, nonzero)
    return Value(types.float64, (build.select(use, kind, corrected, total.parts[0]),))


# --- any and all ------------------------------------------------------------------------------


def _loops_over_truths(ty: Type) -> bool:
    return _loops_over_numbers(ty) or (
        isinstance(ty, types.Container | types.DictView) and resolved(bool, ty.item) is not None
    )


@overload(any)
def _any(iterable):
    return _any_item if _loops_over_truths(iterable) else None


def _any_item(iterable):
    for item in iterable:
        if item:
            return True
    return False


@overload(all)
def _all(iterable):
    return _all_items if _loops_over_truths(iterable) else None


def _all_items(iterable):
    for item in iterable:
        if not item:
            return False
    return True


def _truths_rule(arguments: Arguments) -> Signature | None:
    owner = arguments.types[0] if len(arguments) == 1 else None
    if not isinstance(owner, Tuple) or any(resolved(bool, ty) is None for ty in owner.items):
        return None
    return Signature(types.boolean, (owner,))


def _folded_truth(build: FunctionBuilder, owner: Value, opcode: str, answer: str) -> Value:
    for item in tuple_items(owner):
        truth = applied(build, bool, item).parts[0]
        answer = build.binary(opcode, "i1", answer, truth)
    return boolean(answer)


@primitive(any, _truths_rule)
def any_of_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`any(t)`."""
    return _folded_truth(build, args[0], "or", "false")


@primitive(all, _truths_rule)
def all_of_tuple(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`all(t)`."""
    return _folded_truth(build, args[0], "and", "true")


# --- min and max ------------------------------------------------------------------------------

_NO_MIN = messages.message_of(lambda: min(()))
_NO_MAX = messages.message_of(lambda: max(()))


def _loops_in_order(ty: Type) -> bool:
    if isinstance(ty, types.Container | types.DictView):
        return resolved(operator.lt, ty.item, ty.item) is not None
    return _loops_over_numbers(ty) and (not isinstance(ty, Array) or types.is_real(ty.dtype))


@overload(min)
def _min(iterable):
    return _least_item if _loops_in_order(iterable) else None


def _least_item(iterable):
    found = False
    for item in iterable:
        if not found:
            best = item
            found = True
        elif item < best:
            best = item
    if not found:
        raise ValueError(_NO_MIN)
    return best


@overload(max)
def _max(iterable):
    return _greatest_item if _loops_in_order(iterable) else None


def _greatest_item(iterable):
    found = False
    for item in iterable:
        if not found:
            best = item
            found = True
        elif item > best:
            best = item
    if not found:
        raise ValueError(_NO_MAX)
    return best


# --- lists of numbers ---------------------------------------------------------------------------


def _of_list(function: Any) -> None:
    """Register a function for lists of numbers, which calls it for the list's array."""

    @overload(function)
    def of_list(items):
        return (lambda items: function(seen_as_array(items))) if is_flat(items) else None


for _function in (sum, min, max, any, all):
    _of_list(_function)
