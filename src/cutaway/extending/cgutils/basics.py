"""Small helpers for extensions that write LLVM IR with llvmlite.ir."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from cutaway.extending.struct_proxies import StructProxy
from cutaway.extending.values import POINTER, aggregate
from cutaway.typing.types import Type

bool_t, int8_t, int32_t = ir.IntType(1), ir.IntType(8), ir.IntType(32)
intp_t = int64_t = ir.IntType(64)
voidptr_t = POINTER
true_bit, false_bit = ir.Constant(bool_t, 1), ir.Constant(bool_t, 0)
true_byte, false_byte = ir.Constant(int8_t, 1), ir.Constant(int8_t, 0)


def create_struct_proxy(ty: Type) -> Callable[..., StructProxy]:
    """What makes a value's members attributes, of `(context, builder, value=None)`: without a
    value all of them are zero.  `_getvalue()` of it is the value."""
    return lambda context, builder, value=None: StructProxy(context, builder, ty, value)


def is_null(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Whether a pointer is null."""
    return builder.icmp_unsigned("==", value, ir.Constant(value.type, None))


def is_not_null(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Whether a pointer is not null."""
    return builder.not_(is_null(builder, value))


def is_true(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Whether an integer is not zero."""
    return builder.icmp_signed("!=", value, ir.Constant(value.type, 0))


def is_false(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Whether an integer is zero."""
    return builder.not_(is_true(builder, value))


def alloca_once(builder: ir.IRBuilder, kind: ir.Type, size: Any = None, name: str = "") -> ir.Value:
    """Stack memory that is taken once, however often the place is passed (Any: a count)."""
    count = ir.Constant(intp_t, size) if isinstance(size, int) else size
    with builder.goto_entry_block():
        return builder.alloca(kind, size=count, name=name)


def alloca_once_value(builder: ir.IRBuilder, value: ir.Value, name: str = "") -> ir.Value:
    """The same, with a value stored here."""
    pointer = alloca_once(builder, value.type, name=name)
    builder.store(value, pointer)
    return pointer


@contextmanager
def if_likely(builder: ir.IRBuilder, cond: ir.Value) -> Iterator[None]:
    """What is written inside runs where a condition holds, which it mostly does."""
    with builder.if_then(cond, likely=True):
        yield


@contextmanager
def if_unlikely(builder: ir.IRBuilder, cond: ir.Value) -> Iterator[None]:
    """What is written inside runs where a condition holds, which it hardly ever does."""
    with builder.if_then(cond, likely=False):
        yield


@contextmanager
def for_range(
    builder: ir.IRBuilder, count: ir.Value, start: ir.Value | None = None
) -> Iterator[ir.Value]:
    """What is written inside runs for each integer up to a count; gives the integer."""
    first = ir.Constant(count.type, 0) if start is None else start
    before = builder.block
    head = builder.append_basic_block("for.head")
    body = builder.append_basic_block("for.body")
    after = builder.append_basic_block("for.end")
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(count.type)
    builder.cbranch(builder.icmp_signed("<", index, count), body, after)
    builder.position_at_end(body)
    yield index
    following = builder.add(index, ir.Constant(count.type, 1))
    index.add_incoming(first, before)
    index.add_incoming(following, builder.block)
    builder.branch(head)
    builder.position_at_end(after)


def unpack_tuple(
    builder: ir.IRBuilder, value: ir.Value, count: int | None = None
) -> list[ir.Value]:
    """The items of a tuple, or the members of a struct."""
    found = len(value.type.elements) if count is None else count
    return [builder.extract_value(value, k) for k in range(found)]


def pack_array(builder: ir.IRBuilder, items: Sequence[ir.Value], kind: Any = None) -> ir.Value:
    """An LLVM array of these items (Any: their type, where there are none)."""
    return aggregate(builder, ir.ArrayType(kind or items[0].type, len(items)), items)


def pack_struct(builder: ir.IRBuilder, items: Sequence[ir.Value]) -> ir.Value:
    """A struct of these items."""
    return aggregate(builder, ir.LiteralStructType([item.type for item in items]), items)


def get_or_insert_function(module: ir.Module, kind: ir.FunctionType, name: str) -> ir.Function:
    """A C function of the process, declared once."""
    known = module.globals.get(name)
    return ir.Function(module, kind, name) if known is None else known


def early_exit_if_null(builder: ir.IRBuilder, stack: Any, value: ir.Value) -> Any:
    """Leave a group of statements where a pointer is null: see `early_exit_if`."""
    return early_exit_if(builder, stack, is_null(builder, value))


@contextmanager
def early_exit_if(builder: ir.IRBuilder, stack: Any, cond: ir.Value) -> Iterator[None]:
    """What is written inside runs where a condition holds, and then the rest of the group that
    `stack`, an ExitStack, closes is left out (Any: it)."""
    then, otherwise = stack.enter_context(builder.if_else(cond, likely=False))
    with then:
        yield
    stack.enter_context(otherwise)
