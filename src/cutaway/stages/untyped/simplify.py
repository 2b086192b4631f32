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

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.region_views import edit_regions
from cutaway.ir.regions import FrozenBlock
from cutaway.ir.traversal import (
    change_blocks,
    definition_table,
    definitions,
    drop_op,
    is_droppable,
    operands,
    regions,
    rename_definitions,
    rename_uses,
    retarget,
    successors,
    use_table,
    uses,
    walk,
    walk_block,
)
from cutaway.stages.unit import CompileUnit

if TYPE_CHECKING:
    from cutaway.stages.rewriting import Rewriting


def run(unit: CompileUnit) -> None:
    """Simplify an SSA function."""
    unit.plain = unit.fn.copy()  # for errors of types, which name the user's variables
    told = unit.rewriting()
    _name_results(unit.fn, told)
    _forward_copies(unit.fn, told)
    _remove_dead(unit.fn, told)
    _join_chains(unit.fn, told)


def _name_results(fn: Function, told: Rewriting | None) -> None:
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
    if told is None:
        _rename_results(fn.blocks.values(), names)
        return
    places = _places(fn)
    for old, new in names.items():
        note, loc = f"{told.named(old)} goes to `{user_name(new)}` at once", made[old].loc
        _rename_results([fn.blocks[label] for label in places[old]], {old: new})
        told.step("name_result", note, loc, places[old])


def _places(fn: Function) -> dict[str, dict[int, None]]:
    """The blocks in which each variable is defined or used."""
    found: dict[str, dict[int, None]] = {}
    for label, block in fn.blocks.items():
        for op in walk_block(block):
            for name in (*definitions(op), *uses(op)):
                found.setdefault(name, {})[label] = None
    return found


def _rename_results(blocks: Iterable[Block], names: dict[str, str]) -> None:
    def renamed(ops: Sequence[Op]) -> list[Op]:
        return [
            rename_definitions(op, lambda name: names.get(name, name))
            for op in ops
            if not (isinstance(op, nodes.Copy) and names.get(op.value) == op.result)
        ]

    change_blocks(blocks, renamed)


def _forward_copies(fn: Function, told: Rewriting | None) -> None:
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

    if told is None:
        _rename_uses(fn.blocks.values(), source)
        return
    places = _places(fn)
    for copy in [op for op in walk(fn) if isinstance(op, nodes.Copy)]:
        note = f"{told.named(copy.result)} is only another name of {told.named(copy.value)}"
        found = {copy.result: source(copy.result)}
        labels = places[copy.result]
        _rename_uses([fn.blocks[k] for k in labels], lambda name, f=found: f.get(name, name))
        told.step("forward_copy", note, copy.loc, labels)


def _rename_uses(blocks: Iterable[Block], rename: Callable[[str], str]) -> None:
    """Rename what ops use, but for copies, which stay what they are."""
    change_blocks(
        blocks,
        lambda ops: [op if isinstance(op, nodes.Copy) else rename_uses(op, rename) for op in ops],
    )


def _remove_dead(fn: Function, told: Rewriting | None) -> None:
    """Remove pure ops whose results nothing with an effect needs."""
    made = {name: ops[0] for name, ops in definition_table(fn).items()}
    needed: set[str] = set()
    waiting = list(_needed_by(fn.blocks.values()))
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            if name in made:
                waiting.extend(_taken_by(made[name]))
    if told is not None:
        _report_dead(fn, needed, told)
    change_blocks(fn.blocks.values(), lambda ops: [op for op in ops if _is_needed(op, needed)])


def _needed_by(blocks: Iterable[Block | FrozenBlock]) -> Iterator[str]:
    """What the ops use that stay in any case."""
    for block in blocks:
        for op in block.ops:
            if not is_droppable(op):
                yield from _taken_by(op)


def _taken_by(op: Op) -> Iterable[str]:
    """What an op uses that stays, of its regions what stays in them in any case."""
    if not op.REGIONS:
        return operands(op)
    inside = (name for region in regions(op) for name in _needed_by(region.blocks))
    return (*operands(op), *inside)


def _report_dead(fn: Function, needed: set[str], told: Rewriting) -> None:
    """Remove dead ops one at a time, each behind those that use it; what is left are phis that
    only feed each other."""
    blocks = fn.blocks.values()
    dead = [(b, op) for b in blocks for op in walk_block(b) if not _is_needed(op, needed)]
    counts = {name: len(ops) for name, ops in use_table(fn).items()}
    waiting = [one for one in reversed(dead) if not any(map(counts.get, definitions(one[1])))]
    homes = {name: one for one in dead for name in definitions(one[1])}
    while waiting:
        block, op = waiting.pop(0)
        note = _dead_note(op, told)
        drop_op(block, op)
        told.step("dead_op", note, op.loc, (block.label,))
        for name in operands(op):
            counts[name] -= 1
            if not counts[name] and name in homes:
                waiting.append(homes[name])
    left = [op for op in walk(fn) if not _is_needed(op, needed)]
    if left:
        names = ", ".join(dict.fromkeys(told.named(n) for op in left for n in definitions(op)))
        change_blocks(blocks, lambda ops: [op for op in ops if _is_needed(op, needed)])
        told.step("dead_cycle", f"nothing but themselves needs the values of {names}", left[0].loc)


def _dead_note(op: Op, told: Rewriting) -> str:
    if isinstance(op, nodes.Copy):
        return f"nothing needs {told.named(op.result)} by this name any more"
    names = ", ".join(map(told.named, definitions(op))) or "what is done here"
    return f"nothing needs {names} any more"


def _is_needed(op: Op, needed: set[str]) -> bool:
    if not is_droppable(op) or isinstance(op, nodes.Arg):
        return True
    return any(name in needed for name in definitions(op))


def _join_chains(fn: Function, told: Rewriting | None) -> None:
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
        if told is not None:
            after = [fn.blocks[target] for target in successors(block)]
            _relabel_phis(after, {label: home})
            note = "what comes next always follows: two blocks become one"
            told.step("join_blocks", note, first.loc)
    if moved:
        _relabel_phis(fn.blocks.values(), moved)
    if edit_regions(fn, lambda inner: _join_chains(inner, None)) and told is not None:
        note = "in a region two blocks become one"
        told.step("join_blocks", note, fn.entry.ops[0].loc)


def _relabel_phis(blocks: Iterable[Block], moved: dict[int, int]) -> None:
    def relabel(label: int) -> int:
        while label in moved:
            label = moved[label]
        return label

    for block in blocks:
        block.ops[:] = [
            retarget(op, relabel) if isinstance(op, nodes.Phi) else op for op in block.ops
        ]
