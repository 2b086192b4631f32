"""The bodies of generators, and of the loops that replace Python functions, before they are
inserted."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType, SimpleNamespace

from cutaway.foundation.source import CallSite, Loc
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.traversal import use_table
from cutaway.stages.untyped.check_unbound import unbound_reads
from cutaway.stages.untyped.copied_loops import renamed
from cutaway.stages.untyped.inlined_functions import Inlined, inlined


def stand_in(
    fn: Function,
    call: nodes.Call,
    function: FunctionType,
    name: str,
    build_ir: Callable[[FunctionType | CodeType], Function],
) -> Inlined:
    """Return a built-in replacement for the Python function `name`, for one call in `fn`."""
    called = inlined(SimpleNamespace(py_func=function), fn, call.loc, build_ir)
    body = called.body.copy()
    # Bound wherever it is read, though that takes more than an analysis of paths.
    names = {name: body.fresh(name) for name in unbound_reads(body) if name not in body.params}
    site = CallSite.of(call.loc)  # its errors are located there
    for block in body.blocks.values():
        block.ops[:] = renamed([replace(op, loc=site) for op in block.ops], names)
    undefined = [nodes.Undef(name, loc=call.loc, id=body.new_id()) for name in names.values()]
    body.entry.ops[len(body.params) : len(body.params)] = undefined
    return Inlined(called.dispatcher, body, called.parameters, called.ops, name)


def spread_delegates(body: Function) -> None:
    """Replace `yield from` whose value is unused by a loop."""
    used = use_table(body)
    for block in list(body.blocks.values()):
        rest: Block | None = block
        while rest is not None:
            rest = _spread_first(body, rest, used)


def _spread_first(body: Function, block: Block, used: dict[str, list[Op]]) -> Block | None:
    for position, op in enumerate(block.ops):
        if isinstance(op, nodes.Delegate) and not used.get(op.result):
            item, valid, sent = body.fresh("item"), body.fresh("valid"), body.fresh("sent")
            iterator = body.fresh("iterator")
            header, inside = _add(body, block), _add(body, block)
            rest = _add(body, block)
            rest.ops += block.ops[position + 1 :]
            _fill(body, header, op.loc, nodes.IterNext(item, valid, iterator))
            _fill(body, header, op.loc, nodes.Branch(valid, inside.label, rest.label))
            _fill(body, inside, op.loc, nodes.Suspend(sent, item))
            _fill(body, inside, op.loc, nodes.Jump(header.label))
            del block.ops[position:]
            _fill(body, block, op.loc, nodes.GetIter(iterator, op.iterator))
            _fill(body, block, op.loc, nodes.Jump(header.label))
            return rest
    return None


def _add(body: Function, near: Block) -> Block:
    block = Block(body.new_label(), [], near.handler)
    body.blocks[block.label] = block
    return block


def _fill(body: Function, block: Block, loc: Loc, op: Op) -> None:
    block.ops.append(replace(op, loc=loc, id=body.new_id()))
