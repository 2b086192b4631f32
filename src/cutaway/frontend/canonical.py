"""Brings the IR of a source to a canonical form that is the same for every version of Python.

CPython copies blocks (the test of a `while` at its end, the `return` after a conditional
expression), threads jumps, and does so differently from version to version.  Here copies are
merged again, and blocks are ordered and numbered by their contents:

1. jumps to blocks that only jump are threaded to the final target,
2. a branch on a merged value is moved into each predecessor; a value that was tested on the path
   is not tested again,
3. a short block that returns a merged value is copied to each jump to it,
4. the common tail of two blocks, with equal ops and source locations, becomes one block,
5. a block whose only predecessor has no other successor is appended to it,
6. blocks in reverse postorder get labels, temporaries names, and ops ids, by position.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from cutaway.ir import nodes
from cutaway.ir.dataflow import Facts
from cutaway.ir.editing import Editor
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.liveness import liveness
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.operators import UNARY
from cutaway.ir.reaches import depths, has_handlers, split_reaches
from cutaway.ir.traversal import (
    definitions,
    may_raise,
    rename_definitions,
    rename_uses,
    retarget,
    successors,
    targets,
    uses,
    walk,
)


def canonicalize(
    fn: Function, doubtful: frozenset[str] = frozenset(), taken: frozenset[str] = frozenset()
) -> Function:
    """Bring a freshly built function into canonical form; `doubtful` are the variables that may be
    unbound at a read, `taken` constants that instructions have absorbed."""
    _drop_taken(fn, taken)
    _sink_returned_constants(fn)
    _decide_constants(fn)
    _drop_idle_reaches(fn, doubtful)
    _forward_merges(fn)
    _drop_unused_merges(fn)
    _thread_jumps(fn)
    while _split_merged_branches(fn):
        _drop_unreachable(fn)
        _decide_known_branches(fn)
        _forward_merges(fn)
        _drop_unused_merges(fn)
        _thread_jumps(fn)
    while _copy_returns(fn):
        pass
    _drop_unreachable(fn)
    while _merge_tails(fn):
        _thread_jumps(fn)
        _drop_unreachable(fn)
    _drop_idle_reaches(fn, doubtful)
    _join_chains(fn, doubtful)
    _forward_merges(fn)
    _drop_unused_merges(fn)
    if split_reaches(Editor(fn), lambda op: _may_raise([op], doubtful)):
        _drop_idle_reaches(fn, doubtful)
        _drop_unreachable(fn)  # it also sorts the blocks
    return _renumbered(fn)


def _drop_taken(fn: Function, taken: frozenset[str]) -> None:
    if taken:
        _drop_unused_merges(fn)
        _drop_constants(fn, taken)


def _drop_constants(fn: Function, names: Collection[str]) -> None:
    """Remove constants of these names that nothing uses."""
    used = {name for op in walk(fn) for name in uses(op)}
    for block in fn.blocks.values():
        block.ops[:] = [
            op
            for op in block.ops
            if not (isinstance(op, nodes.Const) and op.result in names and op.result not in used)
        ]


def _decide_constants(fn: Function) -> None:
    """Replace a branch on a constant defined right before it by a jump: from 3.14 on Python does
    not fold `while ():`."""
    decided = set()
    for block in fn.blocks.values():
        end, before = block.ops[-1], block.ops[-2] if len(block.ops) > 1 else None
        if isinstance(end, nodes.Branch) and isinstance(before, nodes.Const):
            if end.cond == before.result and before.result[:2] == "$t":
                target = end.then if before.value else end.orelse
                block.ops[-1] = nodes.Jump(target, loc=end.loc)
                decided.add(before.result)  # `2 and True or 3` uses it as its value, too
    if decided:
        _drop_unreachable(fn)
        _drop_taken(fn, frozenset(decided))


def _sink_returned_constants(fn: Function) -> None:
    """Load a constant where it is returned, not before the exit of a handler or a `with`, and
    return it at its own location: from 3.14 on `-1` and `(1, 2)` become constants after the order
    of instructions is fixed."""
    returning = [
        one
        for one in fn.blocks.values()
        if isinstance(one.ops[-1], nodes.Return) and isinstance(one.ops[-2], nodes.Cast)
    ]
    values = {value for one in returning for value in uses(one.ops[-2]) if value[:2] == "$t"}
    made = {op.result: op for op in walk(fn) if isinstance(op, nodes.Const) and op.result in values}
    for block in returning:
        cast, end = block.ops[-2:]
        (value,) = uses(cast)
        if value in made:
            loc, own = made[value].loc, f"{value}.{block.label}"
            constant = replace(made[value], result=own)
            moved = replace(rename_uses(cast, lambda _, own=own: own), loc=loc)
            block.ops[-2:] = [constant, moved, replace(end, loc=loc)]
    if made:
        _drop_constants(fn, made)


def _drop_idle_reaches(fn: Function, doubtful: frozenset[str]) -> None:
    """Remove the handler of each block whose ops cannot raise."""
    for block in fn.blocks.values():
        if block.handler is not None and not _may_raise(block.ops, doubtful):
            block.handler = None
    if any(block.handler is not None for block in fn.blocks.values()) or doubtful:
        _drop_unreachable(fn)


def _may_raise(ops: Sequence[Op], doubtful: frozenset[str]) -> bool:
    return any(may_raise(op) or not doubtful.isdisjoint(uses(op)) for op in ops)


def _redirect(fn: Function, relabel: Callable[[int], int]) -> None:
    for block in fn.blocks.values():
        block.ops[-1] = retarget(block.ops[-1], relabel)


def _thread_jumps(fn: Function) -> None:
    def final(label: int) -> int:
        seen = {label}
        while len(fn.blocks[label].ops) == 1 and isinstance(fn.blocks[label].ops[0], nodes.Jump):
            # A cycle of blocks that only jump is `while True: pass`.
            label = fn.blocks[label].ops[0].target
            if label in seen:
                break
            seen.add(label)
        return label

    _redirect(fn, final)
    for block in fn.blocks.values():
        end = block.ops[-1]
        if isinstance(end, nodes.Branch) and end.then == end.orelse:
            # The truth value is still computed: `__bool__` may raise.
            truth = nodes.Unary(f"$t.{block.label}", UNARY["bool"], end.cond, loc=end.loc)
            block.ops[-1:] = [truth, nodes.Jump(end.then, loc=end.loc)]


def _forward_merges(fn: Function) -> None:
    """Propagate copies from merge temporary to merge temporary within a block, and drop those that
    become assignments of a temporary to itself."""
    for block in fn.blocks.values():
        sources: dict[str, str] = {}
        handed: dict[str, list[str]] = {}  # the temporaries that are copies of each source
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Copy) and op.result[:4] == "$phi":
                op = block.ops[position] = replace(op, value=sources.get(op.value, op.value))
                sources[op.result] = op.value
                handed.setdefault(op.value, []).append(op.result)
                continue
            for changed in definitions(op):
                for name in handed.pop(changed, ()):
                    if sources.get(name) == changed:
                        del sources[name]
        block.ops[:] = [op for op in block.ops if not _keeps(op)]


def _keeps(op: Op) -> bool:
    return isinstance(op, nodes.Copy) and op.value == op.result and op.result[:4] == "$phi"


def _drop_unused_merges(fn: Function) -> None:
    """Remove assignments to merge temporaries that nothing reads."""
    copies: dict[str, list[str]] = {}  # the values assigned to each merge temporary
    counts: dict[str, int] = {}
    for op in walk(fn):
        for name in uses(op):
            counts[name] = counts.get(name, 0) + 1
        if isinstance(op, nodes.Copy) and op.result[:4] == "$phi":
            copies.setdefault(op.result, []).append(op.value)
    waiting = [name for name in copies if name not in counts]
    gone = set(waiting)
    while waiting:
        for value in copies[waiting.pop()]:
            counts[value] -= 1
            if not counts[value] and value in copies:
                gone.add(value)
                waiting.append(value)
    if gone:
        for block in fn.blocks.values():
            block.ops[:] = [
                op for op in block.ops if not (isinstance(op, nodes.Copy) and op.result in gone)
            ]


# --- branches on merged values: `(a or b) and c` ------------------------------------------------


def _split_merged_branches(fn: Function) -> bool:
    """Move each branch that is alone in its block, on a merged value, into the predecessors.

    Return whether there was one.
    """
    graph = graph_of(fn)
    splits = []
    for label, block in fn.blocks.items():
        end = block.terminator
        if len(block.ops) > 1 or not isinstance(end, nodes.Branch) or end.cond[:4] != "$phi":
            continue
        sources = [fn.blocks[p] for p in graph.predecessors(label)]
        if all(_assigned(source, end.cond) for source in sources):
            splits.append((end, sources))
    if splits:
        live = liveness(fn).into
        for end, sources in splits:
            for source in sources:
                source.ops[-1] = replace(end, cond=_assigned(source, end.cond))
                _sink_copies(fn, source, live)
    return bool(splits)


def _assigned(block: Block, name: str) -> str:
    """Return the value that a block that ends with a jump assigns to a merge temporary; empty if
    there is none."""
    if isinstance(block.terminator, nodes.Jump):
        for op in reversed(block.ops):
            if isinstance(op, nodes.Copy) and op.result == name:
                return op.value
    return ""


def _sink_copies(fn: Function, block: Block, live: dict[int, Facts]) -> None:
    """Move assignments of merge temporaries before a branch to the edges where they are live."""
    end = block.terminator
    assert isinstance(end, nodes.Branch)
    moved = [op for op in block.ops if isinstance(op, nodes.Copy) and op.result[:4] == "$phi"]
    block.ops[:] = [
        op for op in block.ops if not (isinstance(op, nodes.Copy) and op.result[:4] == "$phi")
    ]
    sides = []
    for target in (end.then, end.orelse):
        needed: list[Op] = [op for op in moved if op.result in live.get(target, ())]
        if needed:
            label = fn.new_label()
            fn.blocks[label] = Block(label, [*needed, nodes.Jump(target, loc=end.loc)])
            target = label
        sides.append(target)
    block.ops[-1] = replace(end, then=sides[0], orelse=sides[1])


def _decide_known_branches(fn: Function) -> None:
    """Replace a branch on the condition that the only predecessor has just tested by a jump."""
    graph = graph_of(fn)
    for label, block in fn.blocks.items():
        end = block.terminator
        sources = graph.predecessors(label)
        if len(block.ops) > 1 or not isinstance(end, nodes.Branch) or len(sources) != 1:
            continue
        tested = fn.blocks[sources[0]].terminator
        if isinstance(tested, nodes.Branch) and tested.cond == end.cond:
            target = end.then if tested.then == label else end.orelse
            block.ops[-1] = nodes.Jump(target, loc=end.loc)


LARGEST_COPY = 16  # ops of a returning block that is copied to the jumps to it


def _copy_returns(fn: Function) -> bool:
    """Copy blocks that return a merged value to the jumps to them, as later Pythons do.

    Return whether there was one.
    """
    changed = False
    for block in fn.blocks.values():
        end = block.ops[-1]
        if not isinstance(end, nodes.Jump):
            continue
        target = fn.blocks[end.target]
        if target.handler != block.handler:
            continue
        ops = target.ops
        merged = [name for op in ops for name in uses(op) if name.startswith("$phi")]
        if merged and isinstance(ops[-1], nodes.Return) and len(ops) <= LARGEST_COPY:
            block.ops[-1:] = _copied(ops, block.label)
            for name in dict.fromkeys(merged):
                _forward_copy(block, name)
            changed = True
    return changed


def _copied(ops: list[Op], label: int) -> list[Op]:
    names = {name: f"{name}.{label}" for op in ops for name in definitions(op) if name[0] == "$"}

    def rename(name: str) -> str:
        return names.get(name, name)

    return [rename_uses(rename_definitions(op, rename), rename) for op in ops]


def _forward_copy(block: Block, name: str) -> None:
    """Replace a merge temporary by the value that the block assigns to it.

    If that variable is assigned before the last use of the temporary, as `v` is in
    `(v or 1) - (v := 2)`, its value is saved first, as in code without a merge.
    """
    position = next(
        (k for k, op in enumerate(block.ops) if isinstance(op, nodes.Copy) and op.result == name),
        None,
    )
    if position is None:
        return
    copy, rest = block.ops[position], block.ops[position + 1 :]
    last = max((k for k, op in enumerate(rest) if name in uses(op)), default=-1)
    now = source = copy.value
    ops: list[Op] = []
    for k, op in enumerate(rest):
        if now == source and k < last and source in definitions(op):
            now = f"$t{name[4:]}.{block.label}"
            ops.append(replace(copy, result=now, loc=op.loc))
        ops.append(rename_uses(op, lambda used, now=now: now if used == name else used))
    block.ops[position:] = ops


def _drop_unreachable(fn: Function) -> None:
    order = graph_of(fn).reverse_postorder()
    fn.blocks = {label: fn.blocks[label] for label in order}


# --- merging copies ---------------------------------------------------------------------------


def _merge_tails(fn: Function) -> bool:
    """Merge the common tails of blocks into one block each.  False if there is none.

    Blocks are visited from the last to the first, so that blocks that jump to a merged tail are
    merged in the same traversal.
    """
    crossing = _crossing(fn)
    depth = depths(fn) if has_handlers(fn) else {}
    groups: dict[tuple[object, ...], list[Block]] = {}
    forward: dict[int, int] = {}  # the target of each block that only jumps now
    merged = False

    def final(label: int) -> int:
        while label in forward:
            label = forward[label]
        return label

    for block in list(reversed(fn.blocks.values())):
        block.ops[-1] = retarget(block.ops[-1], final)
        if len(block.ops) == 1 and isinstance(block.ops[0], nodes.Jump):
            continue
        group = groups.setdefault((depth.get(block.label), *_kind_of_end(block, crossing)), [])
        for position, other in enumerate(group):
            count = _common_tail(block, other)
            if count:
                tail = _share(fn, block, other, count)
                group[position] = tail
                for changed in (block, other):
                    if changed is not tail:
                        _note_jump(fn, changed, forward)
                merged = True
                break
        else:
            group.append(block)
    return merged


def _note_jump(fn: Function, block: Block, forward: dict[int, int]) -> None:
    """Record the target of a block that only jumps, so that jumps bypass it."""
    if len(block.ops) > 1 or block is fn.entry:
        return
    (target,) = targets(block.terminator)
    while target in forward:
        target = forward[target]
    if target != block.label:
        forward[block.label] = target


def _crossing(fn: Function) -> set[str]:
    """Return the variables that occur in several blocks."""
    home: dict[str, int] = {}
    crossing: set[str] = set()
    for label, block in fn.blocks.items():
        for op in block.ops:
            for name in (*definitions(op), *uses(op)):
                if home.setdefault(name, label) != label:
                    crossing.add(name)
    return crossing


DEEPEST_KIND = 3  # length of the def-use chains in the key of a block's end


def _kind_of_end(block: Block, crossing: set[str]) -> tuple[object, ...]:
    """Return a key that is equal for blocks with a common tail.

    A temporary of this block alone is written as its definition and the distance to that.
    """
    numbers: dict[str, int] = {}
    last = len(block.ops) - 1
    nearest = block.ops[-LARGEST_LOOK:]
    for distance, op in enumerate(reversed(nearest)):
        for name in definitions(op):
            numbers.setdefault(name, distance)

    def spelled(name: str, depth: int) -> object:
        if name in crossing or name[:2] != "$t":
            return name
        distance = numbers.get(name)
        if distance is None or not depth:
            return None
        return distance, kind(block.ops[last - distance], depth - 1)

    def kind(op: Op, depth: int) -> tuple[object, ...]:
        return (type(op), op.loc, *(spelled(name, depth) for name in uses(op)))

    return (successors(block), block.handler, *kind(block.ops[last], DEEPEST_KIND))


LARGEST_LOOK = 64  # ops before a block's end that are searched for definitions


def _common_tail(first: Block, second: Block) -> int:
    """Return the number of ops at the end of both blocks that are equal up to the names of
    temporaries."""
    count = 0
    for ours, theirs in zip(reversed(first.ops), reversed(second.ops), strict=False):
        if type(ours) is not type(theirs) or ours.loc != theirs.loc:
            break
        if isinstance(ours, nodes.Caught):
            break  # only exceptions lead to a handler
        count += 1
    # Classes and locations are compared first: cheap, and mostly enough to distinguish tails.
    while count and not _same(first.ops[-count:], second.ops[-count:]):
        count -= 1
    only_jumps = count == 1 and isinstance(first.terminator, nodes.Jump)
    return 0 if only_jumps else count


def _same(first: list[Op], second: list[Op]) -> bool:
    names: dict[str, str] = {}

    def rename(name: str) -> str:
        return names.get(name, name)

    for ours, theirs in zip(first, second, strict=True):
        renamed = rename_uses(theirs, rename)
        for mine, other in zip(definitions(ours), definitions(renamed), strict=True):
            if mine != other:
                if not (mine.startswith("$t") and other.startswith("$t")):
                    return False
                names[other] = mine
        if rename_definitions(renamed, rename) != ours:
            return False
    return True


def _share(fn: Function, first: Block, second: Block, count: int) -> Block:
    """Merge the last `count` ops of both blocks into one block, and return it."""
    for whole, other in ((first, second), (second, first)):
        if len(whole.ops) == count and whole is not fn.entry:
            _jump_instead(other, count, whole.label)
            return whole
    tail = Block(fn.new_label(), first.ops[-count:], first.handler)
    fn.blocks[tail.label] = tail
    _jump_instead(first, count, tail.label)
    _jump_instead(second, count, tail.label)
    return tail


def _jump_instead(block: Block, count: int, label: int) -> None:
    block.ops[-count:] = [nodes.Jump(label, loc=block.ops[-count].loc)]


def _join_chains(fn: Function, doubtful: frozenset[str]) -> None:
    graph = graph_of(fn)
    alone = {label for label in fn.blocks if len(graph.predecessors(label)) == 1}
    for label in list(fn.blocks):
        block = fn.blocks.get(label)
        while block is not None:
            end = block.terminator
            if not isinstance(end, nodes.Jump) or end.target == block.label:
                break
            following = fn.blocks[end.target]
            if end.target not in alone or not _have_one_reach(block, following, doubtful):
                break
            if following.handler is not None:
                block.handler = following.handler
            block.ops[-1:] = fn.blocks.pop(end.target).ops


def _have_one_reach(block: Block, following: Block, doubtful: frozenset[str]) -> bool:
    """True if one handler can guard both blocks without a change of meaning."""
    if block.handler == following.handler:
        return True
    if isinstance(following.ops[0], nodes.Caught):
        return False
    idle = following if following.handler is None else block
    return idle.handler is None and not _may_raise(idle.ops, doubtful)


# --- numbering --------------------------------------------------------------------------------


def _renumbered(fn: Function) -> Function:
    order = graph_of(fn).reverse_postorder()
    labels: dict[int, int] = {}
    position = 0
    for label in order:
        labels[label] = position
        # A label is the number of ops before its block, so that labels ascend along the text.
        position += len(fn.blocks[label].ops)
    names = _temporary_names(fn, order, labels)

    def rename(name: str) -> str:
        return names.get(name, name)

    blocks = {}
    number = 1
    for label in order:
        ops: list[Op] = []
        for op in fn.blocks[label].ops:
            renamed = rename_uses(rename_definitions(op, rename), rename)
            ops.append(replace(retarget(renamed, labels.__getitem__), id=number))
            number += 1
        handler = fn.blocks[label].handler
        blocks[labels[label]] = Block(
            labels[label], ops, None if handler is None else labels[handler]
        )
    return Function(
        fn.name,
        fn.params,
        blocks,
        fn.filename,
        fn.first_line,
        number,
        namespace=fn.namespace,
        generator=fn.generator,
        closure=fn.closure,
    )


def _temporary_names(fn: Function, order: list[int], labels: dict[int, int]) -> dict[str, str]:
    names: dict[str, str] = {}
    for label in order:
        count = 0
        for op in fn.blocks[label].ops:
            for name in definitions(op):
                if name.startswith("$") and name not in names:
                    count += 1
                    stem = "phi" if name.startswith("$phi") else ""
                    names[name] = f"${stem}{labels[label]}.{count}"
    return names
