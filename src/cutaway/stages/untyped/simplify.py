"""Remove copies, dead operations and needless blocks (stage 3).

    $0.1 = const(0)        s = const(0)
    s = $0.1          ->   jump 4
    $0.2 = global(len)
    jump 4

Copies are forwarded, and a temporary that is only copied into a variable of the user's takes
its name; ops without effect whose results nobody uses go, and so do phis that only feed each
other; straight lines of blocks become one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import is_temporary
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.reaches import can_join
from cutaway.ir.regions import FrozenBlock
from cutaway.ir.traversal import (
    definition_table,
    definitions,
    is_droppable,
    operands,
    regions,
    rename_definitions,
    rename_uses,
    retarget,
    successors,
    targets,
    use_table,
    walk,
)
from cutaway.stages.unit import CompileUnit


def _dead_note(named: Callable[[str], str], op: Op) -> str:
    if isinstance(op, nodes.Copy):
        return f"nothing needs {named(op.result)} by this name any more"
    names = ", ".join(map(named, definitions(op))) or "the effect of this"
    return f"nothing needs {names} any more"


NAME_RESULT = Rule(
    "name_result", "$1 = a + b; s = $1 => s = a + b", note="{0!v} goes to `{1!u}` at once"
)
FORWARD_COPY = Rule(
    "forward_copy",
    "a use of a copy => a use of what was copied",
    note="{0!v} is only another name of {1!v}",
)
DEAD_OP = Rule("dead_op", "an op whose result nothing needs => nothing", note=_dead_note)
DEAD_CYCLE = Rule(
    "dead_cycle",
    "ops that only need each other => nothing",
    note=lambda named, names: (
        f"nothing but themselves needs the values of {', '.join(map(named, names))}"
    ),
)
JOIN_BLOCKS = Rule(
    "join_blocks",
    "a block and the only one that follows => one block",
    note="what comes next always follows: two blocks become one",
)


def run(unit: CompileUnit) -> None:
    """Simplify an SSA function."""
    unit.plain = unit.fn.copy()  # for type errors, which name the user's variables
    editor = unit.editor()
    _name_results(editor)
    _forward_copies(editor)
    _remove_dead(editor)
    _join_chains(editor)


def _name_results(editor: Editor) -> None:
    """`$1 = a + b; s = $1` with no other use of `$1` becomes `s = a + b`."""
    used = use_table(editor.fn)
    table = definition_table(editor.fn)
    names: dict[str, str] = {}
    for op in walk(editor.fn):
        if not isinstance(op, nodes.Copy) or is_temporary(op.result):
            continue
        if is_temporary(op.value) and len(used[op.value]) == 1 and op.value in table:
            if not isinstance(table[op.value][0], nodes.Phi):
                names[op.value] = op.result
    editor.rename_each(names, _with_results_named, NAME_RESULT)


def _with_results_named(names: Mapping[str, str], ops: Sequence[Op]) -> list[Op]:
    return [
        rename_definitions(op, lambda name: names.get(name, name))
        for op in ops
        if not (isinstance(op, nodes.Copy) and names.get(op.value) == op.result)
    ]


def _forward_copies(editor: Editor) -> None:
    """Use the source of a copy instead of the copy.

    A copy from one user variable to another is kept: its name can be inspected.
    """
    copied = {op.result: op.value for op in walk(editor.fn) if isinstance(op, nodes.Copy)}
    sources: dict[str, str] = {}
    for name, source in copied.items():
        while source in copied:
            source = sources.get(source) or copied[source]
        sources[name] = source
    editor.rename_each(sources, _with_uses_renamed, FORWARD_COPY)


def _with_uses_renamed(names: Mapping[str, str], ops: Sequence[Op]) -> list[Op]:
    """Rename the uses of ops, except those of copies."""

    def renamed(name: str) -> str:
        return names.get(name, name)

    return [op if isinstance(op, nodes.Copy) else rename_uses(op, renamed) for op in ops]


def _remove_dead(editor: Editor) -> None:
    """Remove pure ops whose results nothing with an effect needs."""
    fn = editor.fn
    table = definition_table(fn)
    needed: set[str] = set()
    waiting = list(_needed_by(fn.blocks.values()))
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            if name in table:
                waiting.extend(_taken_by(table[name][0]))

    def is_dead(op: Op) -> bool:
        if not is_droppable(op) or isinstance(op, nodes.Arg):
            return False
        return not any(name in needed for name in definitions(op))

    editor.remove_each(is_dead, DEAD_OP, DEAD_CYCLE)


def _needed_by(blocks: Iterable[Block | FrozenBlock]) -> Iterator[str]:
    """Yield the variables used by ops that cannot be removed."""
    for block in blocks:
        for op in block.ops:
            if not is_droppable(op):
                yield from _taken_by(op)


def _taken_by(op: Op) -> Iterable[str]:
    """Return the variables that an op uses, also in ops of its regions that stay in any case."""
    if not op.REGIONS:
        return operands(op)
    inside = (name for region in regions(op) for name in _needed_by(region.blocks))
    return (*operands(op), *inside)


def _join_chains(editor: Editor) -> None:
    """Append a block to its only predecessor when that goes nowhere else."""
    fn = editor.fn
    graph = graph_of(fn)
    moved: dict[int, int] = {}
    for label in graph.reverse_postorder():
        sources = graph.predecessors(label)
        if len(sources) != 1 or label == fn.entry.label:
            continue
        home = sources[0]
        while home in moved:
            home = moved[home]
        block, following = fn.blocks[home], fn.blocks[label]
        rest, handler = following.ops, following.handler
        if targets(block.terminator) != (label,) or isinstance(rest[0], nodes.Phi):
            continue
        if not can_join(fn, block, following):
            continue
        editor.drop_block(label)
        editor.cut(block, len(block.ops) - 1, *rest)
        if handler is not None and handler == block.handler:
            _forget_source(editor, fn.blocks[handler], label)
        elif handler is not None:
            editor.set_handler(block, handler)
        for target in successors(block):
            _relabel_phis(editor, fn.blocks[target], label, home)
        moved[label] = home
        editor.commit(JOIN_BLOCKS, rest[0].loc)
    editor.in_regions(_join_chains)


def _forget_source(editor: Editor, block: Block, label: int) -> None:
    """Remove the values of a block's phis for a lost predecessor."""
    for position, op in enumerate(block.ops):
        if not isinstance(op, nodes.Phi):
            break
        rows = [row for row in zip(op.labels, op.values, strict=True) if row[0] != label]
        labels, values = zip(*rows, strict=True)
        editor.replace(block, position, replace(op, labels=labels, values=values))


def _relabel_phis(editor: Editor, block: Block, old: int, new: int) -> None:
    for position, op in enumerate(block.ops):
        if not isinstance(op, nodes.Phi):
            break
        relabeled = retarget(op, lambda label: new if label == old else label)
        if relabeled is not op:
            editor.replace(block, position, relabeled)
