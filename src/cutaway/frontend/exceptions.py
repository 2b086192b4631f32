"""Executes the instructions of exception handlers, context managers and generators symbolically.

While a handler runs, CPython keeps the previously handled exception on the stack.  Here a
`Handled` takes its place, with the variable of the exception that is being handled.
"""

from __future__ import annotations

from cutaway.frontend.block_builder import BlockBuilder
from cutaway.frontend.bytecode import Instruction
from cutaway.frontend.entries import Handled
from cutaway.frontend.versions import VERSION
from cutaway.ir import nodes


def push_exc_info(block: BlockBuilder, i: Instruction) -> None:
    """PUSH_EXC_INFO"""
    exception = block.pop()
    block.stack += [Handled(exception), exception]


def pop_except(block: BlockBuilder, i: Instruction) -> None:
    """POP_EXCEPT"""
    handled = block.pop()
    assert isinstance(handled, Handled)
    block.add(nodes.EndHandler, handled.exception)


def check_exc_match(block: BlockBuilder, i: Instruction) -> None:
    """CHECK_EXC_MATCH"""
    classes = block.pop()
    block.push(nodes.Matches, block.stack[-1], classes)


def reraise(block: BlockBuilder, i: Instruction) -> None:
    """RERAISE"""
    block.add(nodes.Reraise, block.pop())


def raise_varargs(block: BlockBuilder, i: Instruction) -> None:
    """RAISE_VARARGS"""
    operands = block.pop_many(i.arg)
    block.drop_iterators(reversed(block.stack))
    if i.arg == 2:
        block.add(nodes.RaiseFrom, *operands)
    elif i.arg == 1:
        block.add(nodes.Raise, *operands)
    else:
        handled = [entry for entry in block.stack if isinstance(entry, Handled)]
        if handled:
            block.add(nodes.Reraise, handled[-1].exception)
        else:
            block.add(nodes.RaiseCurrent)


# --- context managers -----------------------------------------------------------------------------


def before_with(block: BlockBuilder, i: Instruction) -> None:
    """BEFORE_WITH"""
    leave, value = block.fresh(), block.fresh()
    block.add(nodes.Enter, leave, value, block.pop())
    block.stack += [leave, *[block.null] * VERSION.exit_null, value]


def with_except_start(block: BlockBuilder, i: Instruction) -> None:
    """WITH_EXCEPT_START: below the exception are the handled one, an offset, and the exit."""
    block.push(nodes.ExitWith, block.stack[-4 - VERSION.exit_null], block.stack[-1])


# --- generators -----------------------------------------------------------------------------------


def yield_value(block: BlockBuilder, i: Instruction) -> None:
    """YIELD_VALUE"""
    block.push(nodes.Suspend, block.pop())


def yield_from(block: BlockBuilder, i: Instruction) -> None:
    """YIELD_FROM, the instruction of `delegation.py`"""
    block.push(nodes.Delegate, block.pop())
