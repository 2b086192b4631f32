"""One shape for one source, whatever version of Python compiled it.

CPython copies blocks (the test of a `while` at its end, the `return` behind a conditional
expression), threads jumps, and does so differently from version to version.  Here copies are
found again and merged, and blocks are ordered and numbered by what they hold:

1. jumps to blocks that only jump go to where these lead,
2. a short block that returns a merged value is put in the place of each jump to it,
3. what two blocks have in common at their ends, ops and places in the source alike, becomes
   one block,
4. a block with one predecessor that goes nowhere else becomes its tail,
5. blocks in reverse postorder get labels, temporaries names, and ops ids, by position.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import (
    definitions,
    rename_definitions,
    rename_uses,
    retarget,
    successors,
    uses,
)
from cutaway.source import Loc


def canonicalize(fn: Function) -> Function:
    """Bring a freshly built function into canonical form."""
    _thread_jumps(fn)
    while _copy_returns(fn):
        pass
    _drop_unreachable(fn)
    while _merge_one_tail(fn):
        _thread_jumps(fn)
        _drop_unreachable(fn)
    _join_chains(fn)
    return _renumbered(fn)


def _redirect(fn: Function, relabel: Callable[[int], int]) -> None:
    for block in fn.blocks.values():
        block.ops[-1] = retarget(block.ops[-1], relabel)


def _thread_jumps(fn: Function) -> None:
    def final(label: int) -> int:
        seen = {label}
        while len(fn.blocks[label].ops) == 1 and isinstance(fn.blocks[label].ops[0], nodes.Jump):
            label = fn.blocks[label].ops[0].target
            if label in seen:
                break
            seen.add(label)
        return label

    _redirect(fn, final)
    for block in fn.blocks.values():
        end = block.ops[-1]
        if isinstance(end, nodes.Branch) and end.then == end.orelse:
            block.ops[-1] = nodes.Jump(end.then, loc=end.loc)


LARGEST_COPY = 16  # ops of a returning block that is put in the place of jumps to it


def _copy_returns(fn: Function) -> bool:
    """Conditional expressions in what is returned: one return each, as later Pythons have it.

    Gives whether there was one.
    """
    found = False
    for block in fn.blocks.values():
        end = block.ops[-1]
        if not isinstance(end, nodes.Jump):
            continue
        ops = fn.blocks[end.target].ops
        merged = [name for op in ops for name in uses(op) if name.startswith("$phi")]
        if merged and isinstance(ops[-1], nodes.Return) and len(ops) <= LARGEST_COPY:
            block.ops[-1:] = _copied(ops, block.label)
            for name in dict.fromkeys(merged):
                _forward_copy(block, name)
            found = True
    return found


def _copied(ops: list[Op], label: int) -> list[Op]:
    names = {name: f"{name}.{label}" for op in ops for name in definitions(op) if name[0] == "$"}

    def rename(name: str) -> str:
        return names.get(name, name)

    return [rename_uses(rename_definitions(op, rename), rename) for op in ops]


def _forward_copy(block: Block, name: str) -> None:
    """Use what a merge temporary was assigned in the block instead of the temporary."""
    for position, op in enumerate(block.ops):
        if isinstance(op, nodes.Copy) and op.result == name:
            source = op.value
            rest = block.ops[position + 1 :]
            block.ops[position:] = [
                rename_uses(later, lambda used: source if used == name else used)
                for later in rest
            ]
            return


def _drop_unreachable(fn: Function) -> None:
    order = graph_of(fn).reverse_postorder()
    fn.blocks = {label: fn.blocks[label] for label in order}


# --- merging copies ---------------------------------------------------------------------------


def _merge_one_tail(fn: Function) -> bool:
    """Find two blocks with the same tail and make the tail one block.  False if there is none."""
    by_end: dict[tuple[type[Op], tuple[int, ...], Loc], list[Block]] = {}
    for block in fn.blocks.values():
        end = block.terminator
        group = by_end.setdefault((type(end), successors(block), end.loc), [])
        for other in group:
            count = _common_tail(other, block)
            if count:
                _share(fn, other, block, count)
                return True
        group.append(block)
    return False


def _common_tail(first: Block, second: Block) -> int:
    """How many ops at the end of both blocks are the same, but for names of temporaries."""
    count = 0
    for ours, theirs in zip(reversed(first.ops), reversed(second.ops), strict=False):
        if type(ours) is not type(theirs) or ours.loc != theirs.loc:
            break
        count += 1
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


def _share(fn: Function, first: Block, second: Block, count: int) -> None:
    """Make the last `count` ops of both blocks one block."""
    for whole, other in ((first, second), (second, first)):
        if len(whole.ops) == count and whole is not fn.entry:
            _jump_instead(other, count, whole.label)
            return
    tail = Block(max(fn.blocks) + 1, first.ops[-count:])
    fn.blocks[tail.label] = tail
    _jump_instead(first, count, tail.label)
    _jump_instead(second, count, tail.label)


def _jump_instead(block: Block, count: int, label: int) -> None:
    block.ops[-count:] = [nodes.Jump(label, loc=block.ops[-count].loc)]


def _join_chains(fn: Function) -> None:
    graph = graph_of(fn)
    for label in list(fn.blocks):
        block = fn.blocks.get(label)
        while block is not None:
            end = block.terminator
            if not isinstance(end, nodes.Jump) or end.target == block.label:
                break
            if len(graph.predecessors(end.target)) != 1:
                break
            following = fn.blocks.pop(end.target)
            block.ops[-1:] = following.ops
            graph = graph_of(fn)


# --- numbering --------------------------------------------------------------------------------


def _renumbered(fn: Function) -> Function:
    order = graph_of(fn).reverse_postorder()
    labels: dict[int, int] = {}
    position = 0
    for label in order:
        labels[label] = position
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
        blocks[labels[label]] = Block(labels[label], ops)
    return Function(fn.name, fn.params, blocks, fn.filename, fn.first_line, number)


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
