"""The invariants of blocks with handlers, and of generators: a part of the verifier.

A handler begins with `caught`, behind its phis, and only exceptions enter it.  A block defines the
variables that its handler needs before any of its ops may raise, so that a variable has one value
on that edge (`reaches.py`).  `caught` and `end_handler` are paired on every path: where paths
merge, the same number of exceptions is being handled, and a handler runs where at most its `depth`
of them are.  Only a generator can suspend.
"""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.liveness import liveness
from cutaway.ir.nodes import Block
from cutaway.ir.reaches import has_handlers
from cutaway.ir.traversal import definitions, located, may_raise, targets

Wrong = tuple[int, int, str]  # a label, the position of an op, and the violation


def wrong_handlers(fn: Function) -> Iterator[Wrong]:
    """Yield the violations of edges to handlers; the other checks require a valid graph."""
    handlers = {block.handler for block in fn.blocks.values()} - {None}
    for label, block in fn.blocks.items():
        if block.handler is not None and block.handler not in fn.blocks:
            yield label, 0, f"there is no handler {block.handler}"
        elif block.handler == fn.entry.label:
            yield label, 0, "the entry is no handler"
        for target in targets(block.ops[-1]) if block.ops else ():
            if target in handlers:
                yield label, len(block.ops) - 1, f"control goes to handler {target} by itself"
        first = next((k for k, op in enumerate(block.ops) if not isinstance(op, nodes.Phi)), 0)
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Caught) and (position != first or label not in handlers):
                yield label, position, "an exception is caught where none arrives"
        if label in handlers and not isinstance(block.ops[first], nodes.Caught):
            yield label, first, "a handler does not begin with `caught`"


def wrong_reaches(fn: Function, counted: bool = False) -> Iterator[Wrong]:
    """Yield the violations of blocks that have a handler, and of suspensions.

    If references of all variables are `counted`, as at level objects, an unbound variable may be
    dropped: that is not a use.
    """
    if has_handlers(fn):
        yield from _wrong_definitions(fn, _without_drops(fn) if counted else fn)
        yield from _wrong_depths(fn)
    for block, position, op in located(fn):
        if isinstance(op, nodes.Suspend | nodes.Delegate) and not fn.generator:
            yield block.label, position, "only a generator can wait"
        if isinstance(op, nodes.EndHandler) and not has_handlers(fn):
            yield block.label, position, "no exception is being handled"


def _without_drops(fn: Function) -> Function:
    made = fn.copy()
    for block in made.blocks.values():
        block.ops = [op for op in block.ops if not isinstance(op, nodes.Decref)]
    return made


def _wrong_definitions(fn: Function, used: Function) -> Iterator[Wrong]:
    live = liveness(used).into
    for label, block in fn.blocks.items():
        if block.handler is None or label not in live:
            continue
        needed = live.get(block.handler, frozenset()) | _taken(fn.blocks[block.handler], label)
        raised = False
        for position, op in enumerate(block.ops):
            raised = raised or may_raise(op)
            for name in definitions(op) if raised else ():
                if name in needed:
                    message = f"{name} changes where an exception may lead to a handler"
                    yield label, position, f"{message} that uses it"


def _taken(handler: Block, source: int) -> frozenset[str]:
    """Return the variables that the phis of a handler take from a block."""
    return frozenset(
        value
        for op in handler.ops
        if isinstance(op, nodes.Phi)
        for label, value in zip(op.labels, op.values, strict=False)
        if label == source
    )


def _wrong_depths(fn: Function) -> Iterator[Wrong]:
    known: dict[int, int] = {}
    waiting = [(fn.entry.label, 0, fn.entry.label)]
    while waiting:
        label, depth, source = waiting.pop()
        if label in known:
            if known[label] != depth:
                message = f"{depth} exceptions are being handled on this way to label {label}"
                position = len(fn.blocks[source].ops) - 1
                yield source, position, f"{message}, and {known[label]} on another"
            continue
        known[label] = depth
        block = fn.blocks[label]
        wanted = 0 if block.handler is None else _depth_of(fn.blocks[block.handler])
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Caught):
                depth = op.depth + 1
            elif isinstance(op, nodes.EndHandler):
                depth -= 1
            if depth < 0:
                yield label, position, "no exception is being handled"
                return
            if may_raise(op) and wanted > depth:
                message = f"handler {block.handler} is for {wanted} exceptions being handled"
                yield label, position, f"{message}, and here are {depth}"
        waiting += [(target, depth, label) for target in targets(block.terminator)]
        if block.handler is not None:
            waiting.append((block.handler, wanted, label))


def _depth_of(handler: Block) -> int:
    return next((op.depth for op in handler.ops if isinstance(op, nodes.Caught)), 0)
