"""Drop what is not needed (stage 3).

    $0.1 = const(0)        s = const(0)
    s = $0.1          ->   jump 4
    $0.2 = global(len)
    jump 4

Copies are forwarded, and a temporary that is only copied into a variable of the user's takes
its name; ops without effect whose results nobody uses go, and so do phis that only feed each
other; straight lines of blocks become one block.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import (
    definition_table,
    definitions,
    rename_definitions,
    rename_uses,
    retarget,
    use_table,
    uses,
    walk,
)
from cutaway.stages.unit import CompileUnit


def run(unit: CompileUnit) -> None:
    """Simplify an SSA function."""
    unit.plain = unit.fn.copy()  # for errors of types, which name the user's variables
    _name_results(unit.fn)
    _forward_copies(unit.fn)
    _remove_dead(unit.fn)
    _join_chains(unit.fn)


def _name_results(fn: Function) -> None:
    """`$1 = a + b; s = $1` with no other use of `$1` becomes `s = a + b`."""
    used = use_table(fn)
    made = {name: ops[0] for name, ops in definition_table(fn).items()}
    names: dict[str, str] = {}
    for op in walk(fn):
        if not isinstance(op, nodes.Copy) or is_temporary(op.result):
            continue
        source = made.get(op.value)
        if is_temporary(op.value) and len(used[op.value]) == 1:
            if source is not None and not isinstance(source, nodes.Phi):
                names[op.value] = op.result
    for block in fn.blocks.values():
        block.ops[:] = [
            rename_definitions(op, lambda name: names.get(name, name))
            for op in block.ops
            if not (isinstance(op, nodes.Copy) and names.get(op.value) == op.result)
        ]


def _forward_copies(fn: Function) -> None:
    """Use the source of a copy instead of the copy.

    A copy from one variable of the user's to another is kept: it has a name to be asked for.
    """
    sources: dict[str, str] = {}
    for op in walk(fn):
        if isinstance(op, nodes.Copy):
            sources[op.result] = op.value

    def source(name: str) -> str:
        found = name
        while found in sources:
            found = sources[found]
        while name != found:  # the next one gets there at once
            sources[name], name = found, sources[name]
        return found

    for block in fn.blocks.values():
        block.ops[:] = [
            op if isinstance(op, nodes.Copy) else rename_uses(op, source) for op in block.ops
        ]


def _remove_dead(fn: Function) -> None:
    """Remove pure ops whose results nothing with an effect needs."""
    made = {name: ops[0] for name, ops in definition_table(fn).items()}
    needed: set[str] = set()
    waiting = [name for op in walk(fn) if not op.PURE for name in uses(op)]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            if name in made:
                waiting.extend(uses(made[name]))
    for block in fn.blocks.values():
        block.ops[:] = [op for op in block.ops if _is_needed(op, needed)]


def _is_needed(op: Op, needed: set[str]) -> bool:
    if not op.PURE or isinstance(op, nodes.Arg):
        return True
    return any(name in needed for name in definitions(op))


def _join_chains(fn: Function) -> None:
    """Append a block to its only predecessor when that goes nowhere else."""
    graph = graph_of(fn)
    moved: dict[int, int] = {}
    for label in graph.reverse_postorder():
        sources = graph.predecessors(label)
        if len(sources) != 1 or label == fn.entry.label:
            continue
        home = sources[0]
        while home in moved:
            home = moved[home]
        block = fn.blocks[home]
        first = fn.blocks[label].ops[0]
        if not isinstance(block.terminator, nodes.Jump) or isinstance(first, nodes.Phi):
            continue
        block.ops[-1:] = fn.blocks.pop(label).ops
        moved[label] = home
    if moved:
        _relabel_phis(fn, moved)


def _relabel_phis(fn: Function, moved: dict[int, int]) -> None:
    def relabel(label: int) -> int:
        while label in moved:
            label = moved[label]
        return label

    for block in fn.blocks.values():
        block.ops[:] = [
            retarget(op, relabel) if isinstance(op, nodes.Phi) else op for op in block.ops
        ]
