"""Blocks with a handler: their form at every level.

    label 4, except 20:               label 4, except 20:
        x = f(a)                          $t = f(a)
        y = g(x)                          jump 6
        jump 30                =>     label 6, except 20:
    label 20:                             x = $t
        $e = caught(depth=0)              y = g(x)
        ... uses x                        jump 30

A block with a handler defines the variables that the handler needs before any of its ops may raise.
So a variable has one value on the edge to the handler, whichever op raises, and all graph analyses
hold for exceptional edges as for others: dominators, liveness, SSA form.  A program without
handlers is unaffected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from cutaway.ir import nodes
from cutaway.ir.editing import Editor
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.traversal import definitions, may_raise, rename_definitions, successors, uses

Raises = Callable[[Op], bool]


def has_handlers(fn: Function) -> bool:
    """True if a block of the function has a handler."""
    return any(block.handler is not None for block in fn.blocks.values())


def can_join(fn: Function, first: Block, second: Block) -> bool:
    """True if a block may be appended to its predecessor: the handlers are the same and receive the
    same values, or no op in one of the blocks raises.  The program is in SSA form."""
    if first.handler == second.handler:
        return first.handler is None or _hand_over_alike(fn, first, second)
    if first.handler is None:
        return not any(map(may_raise, first.ops))
    return second.handler is None and not any(map(may_raise, second.ops))


def _hand_over_alike(fn: Function, first: Block, second: Block) -> bool:
    assert first.handler is not None
    phis = (op for op in fn.blocks[first.handler].ops if isinstance(op, nodes.Phi))
    return all(
        op.values[op.labels.index(first.label)] == op.values[op.labels.index(second.label)]
        for op in phis
    )


def depths(fn: Function, of_ops: dict[int, int] | None = None) -> dict[int, int]:
    """Return the number of exceptions being handled at the end of each reachable block; `of_ops`
    receives it after each op that changes it, by ids."""
    depth_by_label: dict[int, int] = {}
    waiting = [(fn.entry.label, 0)]
    while waiting:
        label, depth = waiting.pop()
        if label in depth_by_label:
            continue
        block = fn.blocks[label]
        for op in block.ops:
            if isinstance(op, nodes.Caught):
                depth = op.depth + 1
            elif isinstance(op, nodes.EndHandler):
                depth -= 1
            else:
                continue
            if of_ops is not None:
                of_ops[op.id] = depth
        depth_by_label[label] = depth
        waiting += [(one, depth) for one in successors(block)]
    return depth_by_label


def depth_at(at_end: Mapping[int, int], block: Block, position: int) -> int:
    """Return the number of exceptions being handled before an op other than `caught`, from the
    numbers at the end of each block."""
    ended = sum(isinstance(op, nodes.EndHandler) for op in block.ops[position:])
    return at_end.get(block.label, 0) + ended


def guard_copies(
    editor: Editor, body: Function, labels: Mapping[int, int], block: Block, position: int
) -> None:
    """Set the handlers of copied blocks: exceptions that they do not handle go to the handler of
    the block that calls the function at a position."""
    depth = depth_at(depths(editor.fn) if has_handlers(body) else {}, block, position)
    for old, source in body.blocks.items():
        copied = editor.fn.blocks[labels[old]]
        copied.handler = block.handler if source.handler is None else labels[source.handler]
        for position, op in enumerate(copied.ops if depth else ()):
            if isinstance(op, nodes.Caught):
                editor.replace(copied, position, replace(op, depth=op.depth + depth))


def deleted_behind(fn: Function) -> dict[int, frozenset[str]]:
    """Return the variables that a handler's blocks delete only where no further op can raise."""
    early: dict[int, set[str]] = {}
    late: dict[int, set[str]] = {}
    for block in fn.blocks.values():
        if block.handler is None:
            continue
        names = late.setdefault(block.handler, set())
        for op in reversed(block.ops):
            if may_raise(op):
                names = early.setdefault(block.handler, set())
            elif isinstance(op, nodes.Del):
                names.add(op.value)
    return {label: frozenset(names - early.get(label, set())) for label, names in late.items()}


def needed_by_handlers(fn: Function) -> dict[int, frozenset[str]]:
    """Return the variables that are live at the start of each handler."""
    live = live_into(fn)
    handlers = {b.handler for b in fn.blocks.values() if b.handler is not None}
    return {label: frozenset(live[label]) for label in handlers}


def live_into(fn: Function) -> dict[int, set[str]]:
    """Return the variables that are live at the start of each block, in any form: those that a
    handler needs are live all through a block."""
    live: dict[int, set[str]] = {label: set() for label in fn.blocks}
    kept = {label: _uses_and_definitions(block) for label, block in fn.blocks.items()}
    changed = True
    while changed:
        changed = False
        for label, block in reversed(fn.blocks.items()):
            used, defined = kept[label]
            after: set[str] = set().union(*(live[one] for one in successors(block)))
            now = used | (after - defined)
            if block.handler is not None:
                now |= live[block.handler]
            if now != live[label]:
                live[label], changed = now, True
    return live


def _uses_and_definitions(block: Block) -> tuple[set[str], set[str]]:
    """Return the variables that a block uses before it defines them, and all that it defines."""
    used: set[str] = set()
    defined: set[str] = set()
    for op in block.ops:
        used.update(name for name in uses(op) if name not in defined)
        defined.update(definitions(op))
    return used, defined


def split_reaches(editor: Editor, raises: Raises = may_raise) -> bool:
    """Split blocks with a handler into their required form; True if one was changed.

    `raises` says whether an op may raise.  The program precedes SSA form.
    """
    fn = editor.fn
    if not has_handlers(fn):
        return False
    needed = needed_by_handlers(fn)
    changed = False
    for block in list(fn.blocks.values()):
        if block.handler is not None:
            pieces = list(_pieces(fn, block, needed[block.handler], raises))
            if len(pieces) > 1:
                _put(editor, block, pieces)
                changed = True
    return changed


def _pieces(
    fn: Function, block: Block, needed: frozenset[str], raises: Raises
) -> Iterator[list[Op]]:
    ops: list[Op] = []
    raised = False  # whether an op of the piece may have raised
    for op in block.ops:
        needed_names = [name for name in definitions(op) if name in needed]
        if needed_names and raises(op):
            names = {name: fn.fresh(name.lstrip("$")) for name in needed_names}
            yield [*ops, rename_definitions(op, lambda name, names=names: names.get(name, name))]
            ops = [nodes.Copy(old, new, loc=op.loc, id=fn.new_id()) for old, new in names.items()]
            raised = False
            continue
        if needed_names and raised:
            yield ops
            ops, raised = [], False
        ops.append(op)
        raised = raised or raises(op)
    yield ops


def _put(editor: Editor, block: Block, pieces: list[list[Op]]) -> None:
    """Split a block into consecutive pieces."""
    fn = editor.fn
    labels = [block.label]
    for ops in pieces[1:]:
        labels.append(fn.new_label())
        editor.add_block(Block(labels[-1], ops, block.handler))
    for label, after, ops in zip(labels, labels[1:], pieces, strict=False):
        jump = nodes.Jump(after, loc=ops[-1].loc, id=fn.new_id())
        editor.set_ops(fn.blocks[label], [*ops, jump])
