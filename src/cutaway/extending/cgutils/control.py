"""Branches, loops, and early exits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from llvmlite import ir

from cutaway.errors import ExtensionError
from cutaway.extending.cgutils.basics import increment_index, is_null, is_scalar_zero

if TYPE_CHECKING:
    from cutaway.extending.target_context import TargetContext

# --- branches ---------------------------------------------------------------------------------


@contextmanager
def if_likely(builder: ir.IRBuilder, pred: ir.Value) -> Iterator[ir.Block]:
    """Emit the code inside under a likely condition."""
    with builder.if_then(pred, likely=True) as after:
        yield after


@contextmanager
def if_unlikely(builder: ir.IRBuilder, pred: ir.Value) -> Iterator[ir.Block]:
    """Emit the code inside under an unlikely condition."""
    with builder.if_then(pred, likely=False) as after:
        yield after


@contextmanager
def ifnot(builder: ir.IRBuilder, pred: ir.Value) -> Iterator[ir.Block]:
    """Emit the code inside under the negation of a condition."""
    with builder.if_then(builder.not_(pred)) as after:
        yield after


@contextmanager
def if_zero(builder: ir.IRBuilder, value: ir.Value, likely: bool = False) -> Iterator[None]:
    """Emit the code inside under the condition that a number is zero."""
    with builder.if_then(is_scalar_zero(builder, value), likely=likely):
        yield


def cbranch_or_continue(builder: ir.IRBuilder, cond: ir.Value, bbtrue: ir.Block) -> ir.Block:
    """Branch to a block if a condition holds; the following code goes into a new block, which is
    returned."""
    otherwise = builder.append_basic_block("otherwise")
    builder.cbranch(cond, bbtrue, otherwise)
    builder.position_at_end(otherwise)
    return otherwise


def terminate(builder: ir.IRBuilder, bbend: ir.Block) -> None:
    """Branch to a block, unless this one already has a terminator."""
    if not builder.block.is_terminated:
        builder.branch(bbend)


def early_exit_if_null(builder: ir.IRBuilder, stack: ExitStack, obj: ir.Value) -> Any:
    """Leave a group of statements if a pointer is null: see `early_exit_if`."""
    return early_exit_if(builder, stack, is_null(builder, obj))


@contextmanager
def early_exit_if(builder: ir.IRBuilder, stack: ExitStack, cond: ir.Value) -> Iterator[None]:
    """Emit the code inside under a condition, which skips the rest of the group that `stack`
    closes."""
    then, otherwise = stack.enter_context(builder.if_else(cond, likely=False))
    with then:
        yield
    stack.enter_context(otherwise)


# --- exceptions -------------------------------------------------------------------------------


def guard_null(
    context: TargetContext, builder: ir.IRBuilder, value: ir.Value, exc_tuple: tuple[Any, ...]
) -> None:
    """Raise `(exception, *arguments)` if a number is zero, or a pointer null (Any: a class and
    constants)."""
    if not (isinstance(exc_tuple, tuple) and exc_tuple and _is_exception(exc_tuple[0])):
        raise ExtensionError(f"expected an exception and its arguments, not {exc_tuple!r}")
    pointer = isinstance(value.type, ir.PointerType)
    missing = is_null(builder, value) if pointer else is_scalar_zero(builder, value)
    with if_unlikely(builder, missing):
        exception, *args = exc_tuple
        context.call_conv.return_user_exc(builder, exception, tuple(args))


guard_zero = guard_null


def guard_memory_error(
    context: TargetContext, builder: ir.IRBuilder, pointer: ir.Value, msg: str | None = None
) -> None:
    """Raise MemoryError if a pointer is null."""
    guard_null(context, builder, pointer, (MemoryError, *(() if msg is None else (msg,))))


def _is_exception(cls: object) -> bool:
    return isinstance(cls, type) and issubclass(cls, BaseException)


# --- loops ------------------------------------------------------------------------------------


class Loop(NamedTuple):
    """A loop under construction: its index, and a function that emits a break."""

    index: ir.Value
    do_break: Callable[[], None]


@contextmanager
def for_range(
    builder: ir.IRBuilder,
    count: ir.Value,
    start: ir.Value | None = None,
    intp: ir.Type | None = None,
) -> Iterator[Loop]:
    """Emit a loop over the integers up to a count, with the code inside as its body: `loop.index`
    is the integer, and `loop.do_break()` leaves the loop."""
    kind = count.type if intp is None else intp
    first = ir.Constant(kind, 0) if start is None else start
    one = ir.Constant(kind, 1)
    with _loop(builder, first, one, lambda k: builder.icmp_signed("<", k, count)) as (loop, _):
        yield loop


@contextmanager
def for_range_slice(
    builder: ir.IRBuilder,
    start: ir.Value,
    stop: ir.Value,
    step: ir.Value,
    intp: ir.Type | None = None,
    inc: bool = True,
) -> Iterator[tuple[ir.Value, ir.Value]]:
    """Emit a loop over the integers of a range; yields the integer, and the iterations before this
    one. `inc`: the step is positive."""
    sign = "<" if inc else ">"
    goes_on = lambda k: builder.icmp_signed(sign, k, stop)  # noqa: E731
    with _loop(builder, start, step, goes_on) as (loop, turns):
        yield loop.index, turns


@contextmanager
def for_range_slice_generic(
    builder: ir.IRBuilder, start: ir.Value, stop: ir.Value, step: ir.Value
) -> Iterator[tuple[Any, Any]]:
    """Yield the two loops of a range whose step may have either sign, as `(up, down)`.

    Enter each with `with`; it yields the same as `for_range_slice`, and runs if the step has its
    sign.
    """
    up = builder.icmp_signed(">=", step, ir.Constant(step.type, 0))
    with builder.if_else(up) as (then, otherwise):
        yield (
            _inside(then, for_range_slice(builder, start, stop, step, inc=True)),
            _inside(otherwise, for_range_slice(builder, start, stop, step, inc=False)),
        )


@contextmanager
def _inside(branch: Any, loop: Any) -> Iterator[tuple[ir.Value, ir.Value]]:
    with branch, loop as blocks:
        yield blocks


@contextmanager
def loop_nest(
    builder: ir.IRBuilder, shape: Sequence[ir.Value], intp: ir.Type, order: str = "C"
) -> Iterator[tuple[ir.Value, ...]]:
    """Emit a loop nest over the indices of an array of this shape; yields the index of each axis.
    The last axis is the innermost loop, or the first one with order "F"."""
    if order not in ("C", "F"):
        raise ExtensionError(f"the order of loops must be 'C' or 'F', not {order!r}")
    positions: dict[int, ir.Value] = {}
    axes = range(len(shape)) if order == "C" else reversed(range(len(shape)))
    with ExitStack() as stack:
        for axis in axes:
            positions[axis] = stack.enter_context(for_range(builder, shape[axis], intp=intp)).index
        yield tuple(positions[axis] for axis in range(len(shape)))


@contextmanager
def _loop(
    builder: ir.IRBuilder,
    start: ir.Value,
    step: ir.Value,
    goes_on: Callable[[ir.Value], ir.Value],
) -> Iterator[tuple[Loop, ir.Value]]:
    before = builder.block
    head = builder.append_basic_block("for.head")
    body = builder.append_basic_block("for.body")
    after = builder.append_basic_block("for.end")
    builder.branch(head)
    builder.position_at_end(head)
    index, turns = builder.phi(start.type), builder.phi(start.type)
    builder.cbranch(goes_on(index), body, after)
    builder.position_at_end(body)

    def do_break() -> None:
        builder.branch(after)
        builder.position_at_end(builder.append_basic_block("for.left"))

    yield Loop(index, do_break), turns
    index.add_incoming(start, before)
    index.add_incoming(builder.add(index, step), builder.block)
    turns.add_incoming(ir.Constant(turns.type, 0), before)
    turns.add_incoming(increment_index(builder, turns), builder.block)
    builder.branch(head)
    builder.position_at_end(after)
