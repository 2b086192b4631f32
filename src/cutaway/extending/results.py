"""Results of an extension's code: values with references, and items of iterators.

return impl_ret_borrowed(context, builder, sig.return_type, value)

@lower_builtin("iternext", CountdownType)
@iternext_impl(RefType.BORROWED)
def advance(context, builder, sig, args, result):
    result.set_valid(there)
    with builder.if_then(there):
        result.yield_(item)
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending import cgutils
from cutaway.typing import types
from cutaway.typing.inference.questions import advance, iterate
from cutaway.typing.types import Signature, Type

if TYPE_CHECKING:
    from cutaway.extending.target_context import TargetContext


class RefType(enum.Enum):
    """The references of an iterator's item: `NEW` ones, which the code owns; those of the container
    that it is `BORROWED` from; or uncounted ones, `UNTRACKED`."""

    NEW = 1
    BORROWED = 2
    UNTRACKED = 3


def impl_ret_new_ref(
    context: TargetContext, builder: ir.IRBuilder, ty: Type, value: ir.Value
) -> ir.Value:
    """Return a result that has a new reference: itself."""
    return value


impl_ret_untracked = impl_ret_new_ref


def impl_ret_borrowed(
    context: TargetContext, builder: ir.IRBuilder, ty: Type, value: ir.Value
) -> ir.Value:
    """Return a result that is a part of something else, with references of its own."""
    context.nrt.incref(builder, ty, value)
    return value


class Advanced:
    """The result of advancing an iterator: whether there is an item, and the item."""

    def __init__(self, context: TargetContext, builder: ir.IRBuilder, item: Type) -> None:
        self._context, self._builder = context, builder
        self._place = cgutils.alloca_once(builder, context.get_value_type(item))
        self._there = cgutils.alloca_once(builder, cgutils.bool_t)
        builder.store(cgutils.false_bit, self._there)

    def set_valid(self, is_valid: Any = True) -> None:
        """Set whether there is an item."""
        if isinstance(is_valid, bool):
            is_valid = ir.Constant(cgutils.bool_t, is_valid)
        self._builder.store(is_valid, self._there)

    def set_exhausted(self) -> None:
        """Mark the iterator as exhausted."""
        self.set_valid(False)

    def is_valid(self) -> ir.Value:
        """Emit an i1: there is an item."""
        return self._builder.load(self._there)

    def yield_(self, value: ir.Value) -> None:
        """Set the item.

        Raises ExtensionError for a value of another LLVM type.
        """
        wanted = self._place.type.pointee
        if getattr(value, "type", None) != wanted:
            raise ExtensionError(
                f"the item is {wanted}, not {getattr(value, 'type', repr(value))}",
                hint="convert it: context.cast, or a method of builder",
            )
        self._builder.store(value, self._place)

    def yielded_value(self) -> ir.Value:
        """The item."""
        return self._builder.load(self._place)


def iternext_impl(ref_type: RefType) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate the code of "iternext", `(context, builder, sig, args, result)`, for
    `lower_builtin`: it sets on `result` whether there is an item, and the item.

    Raises ExtensionError for anything but a RefType.
    """
    if not isinstance(ref_type, RefType):
        raise ExtensionError(
            f"iternext_impl expects a RefType, not {ref_type!r}",
            hint="decorate with iternext_impl(RefType.BORROWED)",
        )

    def decorate(code: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(code)
        def lower(
            context: TargetContext, builder: ir.IRBuilder, sig: Signature, args: Any
        ) -> tuple[ir.Value, ir.Value]:
            result = Advanced(context, builder, sig.returns)
            code(context, builder, sig, args, result)
            if ref_type is RefType.BORROWED:
                with builder.if_then(result.is_valid(), likely=True):
                    context.nrt.incref(builder, sig.returns, result.yielded_value())
            return result.yielded_value(), result.is_valid()

        return lower

    return decorate


def call_getiter(
    context: TargetContext, builder: ir.IRBuilder, iterable_type: Type, value: ir.Value
) -> ir.Value:
    """Emit a call of the iterator over a value."""
    sig = Signature(_iterator_type(context, iterable_type), (iterable_type,))
    return context.get_function(iterate, sig)(builder, (value,))


def call_iternext(
    context: TargetContext, builder: ir.IRBuilder, iterator_type: Type, value: ir.Value
) -> Advanced:
    """Advance an iterator; return the result."""
    item = _resolved(context, advance, iterator_type)
    result = Advanced(context, builder, item)
    taken, there = context.advanced(builder, iterator_type, item, value)
    result.set_valid(there)
    result.yield_(taken)
    return result


@contextmanager
def for_iter(
    context: TargetContext, builder: ir.IRBuilder, iterable_type: Type, value: ir.Value
) -> Iterator[cgutils.Loop]:
    """Emit a loop over the items of a value with the code inside as its body; the item is
    `loop.index`, and `loop.do_break()` leaves the loop."""
    iterator_type = _iterator_type(context, iterable_type)
    iterator = call_getiter(context, builder, iterable_type, value)
    body, end = builder.append_basic_block("for_iter"), builder.append_basic_block("for_iter.end")
    builder.branch(body)
    builder.position_at_end(body)
    taken = call_iternext(context, builder, iterator_type, iterator)
    with builder.if_then(builder.not_(taken.is_valid())):
        builder.branch(end)
    item = taken.yielded_value()
    yield cgutils.Loop(item, lambda: builder.branch(end))
    context.nrt.decref(builder, _resolved(context, advance, iterator_type), item)
    builder.branch(body)
    builder.position_at_end(end)
    context.nrt.decref(builder, iterator_type, iterator)


def _iterator_type(context: TargetContext, iterable: Type) -> Type:
    return _resolved(context, iterate, iterable)


def _resolved(context: TargetContext, function: Any, ty: Type) -> Type:
    """Return the result type of `iterate` or `advance`."""
    sig = context.typing_context.resolve_function_type(function, (ty,), {})
    if sig is None:
        raise ExtensionError(f"a value of type {ty} cannot be iterated over")
    returns: Type = sig.returns
    return types.unliteral(returns) if hasattr(types, "unliteral") else returns
