"""Faults that are planted in handlers and in what they guard are found by the verifier."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from corpus.control.levels import at_ir, at_ssa
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Block, replace
from cutaway.ir.verifier import verify


def program(a, n):
    total = 0
    for i in range(n):
        try:
            total += a[i]
            total = total / a[i + 1]
        except IndexError as e:
            total -= len(str(e))
            try:
                total += a[0]
            except ValueError:
                break
        finally:
            total *= 2
    return total


def waiting(n):
    try:
        got = yield n
    finally:
        n = 0
    return got


def handlers(fn: Function) -> list[Block]:
    labels = {block.handler for block in fn.blocks.values()}
    return [block for block in fn.blocks.values() if block.label in labels]


def guarded(fn: Function) -> Block:
    return next(block for block in fn.blocks.values() if block.handler is not None)


def place_of(block: Block, kind: type[nodes.Op]) -> int:
    return next(k for k, op in enumerate(block.ops) if isinstance(op, kind))


# --- faults ---------------------------------------------------------------------------------------


def handler_that_is_not_there(fn: Function) -> None:
    guarded(fn).handler = 9999


def entry_as_a_handler(fn: Function) -> None:
    guarded(fn).handler = fn.entry.label


def jump_to_a_handler(fn: Function) -> None:
    block = next(b for b in fn.blocks.values() if isinstance(b.terminator, nodes.Jump))
    block.ops[-1] = replace(block.terminator, target=handlers(fn)[0].label)


def handler_that_catches_nothing(fn: Function) -> None:
    block = handlers(fn)[0]
    del block.ops[place_of(block, nodes.Caught)]


def caught_after_another_op(fn: Function) -> None:
    block = handlers(fn)[0]
    caught = block.ops.pop(place_of(block, nodes.Caught))
    block.ops.insert(len(block.ops) - 1, caught)


def caught_where_no_exception_arrives(fn: Function) -> None:
    caught = nodes.Caught("$new", 0, id=fn.new_id())
    block = next(b for b in fn.blocks.values() if b not in handlers(fn) and b is not fn.entry)
    phis = sum(isinstance(op, nodes.Phi) for op in block.ops)
    block.ops.insert(phis, caught)


def two_are_caught(fn: Function) -> None:
    block = handlers(fn)[0]
    block.ops.insert(len(block.ops) - 1, nodes.Caught("$new", 0, id=fn.new_id()))


def depth_that_is_too_large(fn: Function) -> None:
    block = handlers(fn)[0]
    place = place_of(block, nodes.Caught)
    caught = block.ops[place]
    assert isinstance(caught, nodes.Caught)
    block.ops[place] = replace(caught, depth=caught.depth + 1)


def handler_that_does_not_end(fn: Function) -> None:
    ending = next(
        b for b in fn.blocks.values() if any(isinstance(op, nodes.EndHandler) for op in b.ops)
    )
    del ending.ops[place_of(ending, nodes.EndHandler)]


def handler_that_ends_twice(fn: Function) -> None:
    ending = next(
        b for b in fn.blocks.values() if any(isinstance(op, nodes.EndHandler) for op in b.ops)
    )
    place = place_of(ending, nodes.EndHandler)
    ending.ops.insert(place, replace(ending.ops[place], id=fn.new_id()))


def end_of_a_handler_at_the_beginning(fn: Function) -> None:
    args = sum(isinstance(op, nodes.Arg) for op in fn.entry.ops)
    fn.entry.ops.insert(args, nodes.EndHandler(fn.params[0], id=fn.new_id()))


def variable_that_changes_before_something_raises(fn: Function) -> None:
    """A needed variable is assigned where an op after it, and one before it, may raise."""
    for block in fn.blocks.values():
        if block.handler is not None and isinstance(block.terminator, nodes.Jump):
            needed = variables_of(fn, block.handler)
            name = next((n for n in needed if n == "total" or n.startswith("total.")), None)
            raising = [k for k, op in enumerate(block.ops) if isinstance(op, nodes.Inplace)]
            if name is not None and raising:
                block.ops.insert(raising[0] + 1, nodes.Undef(name, id=fn.new_id()))
                return
    raise AssertionError("no such block")


def variables_of(fn: Function, label: int) -> list[str]:
    from cutaway.ir.reaches import needed_by_handlers

    return sorted(needed_by_handlers(fn)[label])


def phi_of_a_handler_that_takes_the_new_value(fn: Function) -> None:
    """The value that an op gives is taken where that op has raised."""
    for block in handlers(fn):
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.Phi):
                break
            for k, label in enumerate(op.labels):
                made = [
                    one.result
                    for one in fn.blocks[label].ops
                    if isinstance(one, nodes.Inplace | nodes.Binary)
                ]
                if made:
                    values = (*op.values[:k], made[-1], *op.values[k + 1 :])
                    block.ops[position] = replace(op, values=values)
                    return
    raise AssertionError("no such phi")


def phi_without_an_exceptional_edge(fn: Function) -> None:
    for block in handlers(fn):
        op = block.ops[0]
        if isinstance(op, nodes.Phi):
            block.ops[0] = replace(op, labels=op.labels[1:], values=op.values[1:])
            return
    raise AssertionError("no such phi")


def generator_that_is_none(fn: Function) -> None:
    fn.generator = False


Fault = Callable[[Function], None]
AT_BOTH: tuple[Fault, ...] = (
    handler_that_is_not_there,
    entry_as_a_handler,
    jump_to_a_handler,
    handler_that_catches_nothing,
    caught_after_another_op,
    caught_where_no_exception_arrives,
    two_are_caught,
    depth_that_is_too_large,
    handler_that_does_not_end,
    handler_that_ends_twice,
    end_of_a_handler_at_the_beginning,
)
AT_IR: tuple[Fault, ...] = (variable_that_changes_before_something_raises,)
AT_SSA: tuple[Fault, ...] = (
    phi_of_a_handler_that_takes_the_new_value,
    phi_without_an_exceptional_edge,
)
FAULTS = [
    *((fault, Level.ir) for fault in (*AT_BOTH, *AT_IR)),
    *((fault, Level.ssa) for fault in (*AT_BOTH, *AT_SSA)),
]


@pytest.mark.parametrize(
    ("fault", "level"), FAULTS, ids=lambda one: getattr(one, "__name__", str(one))
)
def test_a_fault_is_found(fault: Fault, level: Level):
    fn = (at_ir if level is Level.ir else at_ssa)(program)
    assert not verify(fn, level)
    fault(fn)
    assert verify(fn, level)


def test_only_generators_wait():
    fn = at_ir(waiting)
    generator_that_is_none(fn)
    assert [one for one in verify(fn, Level.ir) if "only a generator can wait" in one.message]
