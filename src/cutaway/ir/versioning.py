"""Two versions of a loop behind one test: a fast one for when the test holds.

    entry -> header ... -> exit     =>     entry -test-> header  ... -> meet -> exit
                                                  \\---> header' ... -> meet

The loop's blocks are copied under new labels and names.  Each exit gets a block of its own, where
the values of both versions merge in phis; a handler outside of the loop takes them as it takes
those of the blocks that it handles.  SSA holds before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.editing import Editor
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, Loop, graph_of
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.traversal import definitions, rename_definitions, rename_uses, retarget, uses

Pair = tuple[int, str]


def can_version(fn: Function, loop: Loop) -> bool:
    """True if the loop has one entry, by a plain jump, and one block that it exits to; several are
    fine if nothing defined in the loop is used after it."""
    graph = graph_of(fn)
    outside = [p for p in graph.predecessors(loop.header) if p not in loop.body]
    if len(outside) != 1 or not isinstance(fn.blocks[outside[0]].terminator, nodes.Jump):
        return False
    ways, handlers = _targets(graph, loop), _handlers(fn, loop)
    if len(ways) <= 1 and not handlers:
        return True
    inside = set(_defined(fn, loop))
    below = _below(graph, loop, ways[0]) if len(ways) == 1 else frozenset()
    return not any(name in inside for _, name in _used_outside(fn, loop, below))


@dataclass(frozen=True, slots=True)
class Versions:
    """The additions made by versioning: variables and ops (by their ids) with their originals, and
    the ops of the test."""

    variables: dict[str, str]
    copies: dict[int, int]
    test: tuple[Op, ...]


def version_loop(
    editor: Editor,
    loop: Loop,
    test: Callable[[], tuple[list[Op], str]],
    change: Callable[[Op], Op],
) -> Versions:
    """Copy a loop that `can_version` and select a version before it.

    `test` returns ops that compute the condition, and its variable.  If the condition holds the
    original runs, with `change` applied to each of its ops; else the copy, which is unchanged.
    """
    fn = editor.fn
    graph = graph_of(fn)
    handlers = _handlers(fn, loop)
    (entry,) = (p for p in graph.predecessors(loop.header) if p not in loop.body)
    origin: dict[str, str] = {}
    meets = [_make_meet(editor, graph, loop, target, origin) for target in _targets(graph, loop)]
    for name in _escaping(fn, loop, meets):
        # With several exits nothing escapes (`can_version`), so the first meet is the only one.
        _close(editor, loop, name, meets[0], origin)
    copied = {name: _fresh(fn, name, origin) for name in _defined(fn, loop)}
    ids: dict[int, int] = {}
    labels = _copy_blocks(editor, loop, copied, origin, ids)
    for block in (*meets, *handlers):
        _add_copies(editor, fn.blocks[block], labels, copied)
    for label in loop.body:
        editor.set_ops(fn.blocks[label], [change(op) for op in fn.blocks[label].ops])
    ops, cond = test()
    before = fn.blocks[entry]
    jump = before.terminator
    ways = (loop.header, labels[loop.header])
    branch = nodes.Branch(cond, *ways, rare=("orelse",), loc=jump.loc, id=jump.id)
    editor.cut(before, len(before.ops) - 1, *ops, branch)
    return Versions(origin, ids, (*ops, branch))


def _targets(graph: Graph, loop: Loop) -> list[int]:
    """Return the blocks that the loop exits to, other than by an exception."""
    targets = {
        s for label in loop.body for s in graph.successors(label) if s != graph.handlers.get(label)
    }
    return sorted(targets - set(loop.body))


def _handlers(fn: Function, loop: Loop) -> list[int]:
    """Return the handlers outside of the loop of its exceptions."""
    handlers = {fn.blocks[label].handler for label in loop.body}
    return sorted(h for h in handlers if h is not None and h not in loop.body)


def _below(graph: Graph, loop: Loop, target: int) -> frozenset[int]:
    """Return the blocks that are only reachable by this exit."""
    if not loop.body.issuperset(graph.predecessors(target)):
        return frozenset()
    return frozenset(label for label in graph.nodes if graph.dominates(target, label))


def _used_outside(
    fn: Function, loop: Loop, skipped: frozenset[int] | set[int]
) -> Iterator[tuple[int, str]]:
    """Yield the uses outside of the loop, with their blocks, except in skipped ones."""
    for label, block in fn.blocks.items():
        for op in block.ops if label not in loop.body else ():
            if isinstance(op, nodes.Phi):
                pairs = zip(op.labels, op.values, strict=True)
                places = [(one, name) for one, name in pairs if one not in loop.body]
            else:
                places = [(label, name) for name in uses(op)]
            yield from ((place, name) for place, name in places if place not in skipped)


def _defined(fn: Function, loop: Loop) -> list[str]:
    blocks = [fn.blocks[label] for label in sorted(loop.body)]
    return [name for block in blocks for op in block.ops for name in definitions(op)]


def _escaping(fn: Function, loop: Loop, meets: list[int]) -> list[str]:
    """Variables of the loop that are used after it, other than by phis fed from the loop."""
    inside = set(_defined(fn, loop))
    used = _used_outside(fn, loop, set(meets))
    return list(dict.fromkeys(name for _, name in used if name in inside))


def _fresh(fn: Function, name: str, origin: dict[str, str]) -> str:
    fresh = fn.fresh(name.lstrip("$"))
    origin[fresh] = name
    return fresh


def _make_meet(
    editor: Editor, graph: Graph, loop: Loop, target: int, origin: dict[str, str]
) -> int:
    """Make a block between the loop and a target, which merges the target's phi operands first."""
    fn = editor.fn
    sources = [p for p in graph.predecessors(target) if p in loop.body]
    label = fn.new_label()
    ops: list[Op] = []
    block = fn.blocks[target]
    for position, op in enumerate(block.ops):
        if not isinstance(op, nodes.Phi):
            break
        pairs = list(zip(op.labels, op.values, strict=True))
        name = _fresh(fn, op.result, origin)
        ops.append(_phi(fn, name, [pair for pair in pairs if pair[0] in sources], op))
        kept = [pair for pair in pairs if pair[0] not in sources]
        editor.replace(block, position, _with_pairs(op, [*kept, (label, name)]))
    loc = fn.blocks[sources[0]].terminator.loc
    editor.add_block(Block(label, [*ops, nodes.Jump(target, loc=loc, id=fn.new_id())]))
    for source in sources:
        leaving = fn.blocks[source]
        end = retarget(leaving.terminator, lambda old: label if old == target else old)
        editor.cut(leaving, len(leaving.ops) - 1, end)
    return label


def _phi(fn: Function, name: str, pairs: list[Pair], like: Op) -> nodes.Phi:
    labels, values = tuple(p for p, _ in pairs), tuple(v for _, v in pairs)
    return nodes.Phi(name, labels, values, loc=like.loc, id=fn.new_id())


def _with_pairs(op: nodes.Phi, pairs: list[Pair]) -> nodes.Phi:
    return replace(op, labels=tuple(p for p, _ in pairs), values=tuple(v for _, v in pairs))


def _close(editor: Editor, loop: Loop, name: str, meet: int, origin: dict[str, str]) -> None:
    """Close a variable that escapes the loop with a phi in the block where the versions meet."""
    fn = editor.fn
    sources = graph_of(fn).predecessors(meet)
    merged = _fresh(fn, name, origin)
    like = fn.blocks[meet].terminator
    editor.insert(fn.blocks[meet], 0, _phi(fn, merged, [(p, name) for p in sources], like))
    for label, block in fn.blocks.items():
        if label not in loop.body and label != meet:
            editor.set_ops(block, [_renamed_outside(op, loop, name, merged) for op in block.ops])


def _renamed_outside(op: Op, loop: Loop, old: str, new: str) -> Op:
    if isinstance(op, nodes.Phi):
        pairs = zip(op.labels, op.values, strict=True)
        changed = [
            (label, new if value == old and label not in loop.body else value)
            for label, value in pairs
        ]
        return _with_pairs(op, changed)
    return rename_uses(op, lambda name: new if name == old else name)


def _copy_blocks(
    editor: Editor,
    loop: Loop,
    copied: dict[str, str],
    origin: dict[str, str],
    ids: dict[int, int],
) -> dict[int, int]:
    fn = editor.fn
    labels: dict[int, int] = {}
    for label in [label for label in fn.blocks if label in loop.body]:
        # None of the new blocks is in the function yet, so `new_label` returns the same number each
        # time.
        labels[label] = fn.new_label() + len(labels)

    def rename(name: str) -> str:
        return copied.get(name, name)

    def relabel(label: int) -> int:
        return labels.get(label, label)

    for old, new in labels.items():
        ops: list[Op] = []
        for op in fn.blocks[old].ops:
            renamed = retarget(rename_uses(rename_definitions(op, rename), rename), relabel)
            ops.append(replace(renamed, id=fn.new_id()))
            ids[ops[-1].id] = op.id
        handler = fn.blocks[old].handler
        editor.add_block(Block(new, ops, None if handler is None else relabel(handler)))
    editor.renew_regions(labels.values(), origin, ids)
    return labels


def _add_copies(
    editor: Editor, block: Block, labels: dict[int, int], copied: dict[str, str]
) -> None:
    for position, op in enumerate(block.ops):
        if not isinstance(op, nodes.Phi):
            break
        pairs = list(zip(op.labels, op.values, strict=True))
        more = [(labels[at], copied.get(value, value)) for at, value in pairs if at in labels]
        editor.replace(block, position, _with_pairs(op, pairs + more))


def rare_blocks(fn: Function) -> set[int]:
    """Return the blocks that run only if a test fails which hardly ever fails: copies of loops."""
    heads = {
        getattr(block.terminator, word)
        for block in fn.blocks.values()
        if isinstance(block.terminator, nodes.Branch)
        for word in block.terminator.rare
    }
    graph = graph_of(fn)
    return {label for head in heads for label in graph.nodes if graph.dominates(head, label)}
