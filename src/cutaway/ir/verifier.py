"""What must hold of IR at each level.

1. A block has ops; its last one, and only that, is a terminator.
2. Every label that is gone to exists; nothing goes to the entry.
3. Value ids are unique and not zero.
4. `arg` ops stand in the entry and fit the parameters, each once.
5. Only ops that are legal at the level occur (`FIRST_LEVEL`).
6. Level ir: a variable that is used is defined on some path to the use.
7. From ssa on: one definition a variable, which dominates every use; the use of a phi counts at
   the end of the predecessor.
8. From ssa on: phis stand first in their block, with one value for each predecessor.
9. Nothing is used after its `del`.
10. From typed on: every variable has a type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.dataflow import Analysis, Facts, solve
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.graph import Graph, graph_of
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Block, Op
from cutaway.ir.printer import op_text
from cutaway.ir.traversal import definitions, targets, uses, walk

# The first and the last of our own levels at which an op may occur; all others may always.
FIRST_LEVEL: dict[type[Op], Level] = {
    nodes.Phi: Level.ssa,
    nodes.Incref: Level.typed,
    nodes.Decref: Level.typed,
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong, and where."""

    label: int
    position: int
    message: str

    def __str__(self) -> str:
        return f"label {self.label}, op {self.position}: {self.message}"


def verify(
    fn: Function, level: Level, types: Mapping[str, object] | None = None
) -> list[Violation]:
    """Everything that is wrong with a function at a level; an empty list when nothing is."""
    found = list(_structure(fn))
    if found:
        return found  # the rest needs a graph that makes sense
    found += _ids(fn)
    found += _arguments(fn)
    found += _legality(fn, level)
    graph = graph_of(fn)
    if Level.ssa.leads_to(level):
        found += _single_definitions(fn)
        found += _phis(fn, graph)
        found += _dominance(fn, graph)
    else:
        found += _defined_somewhere(fn)
    found += _deleted(fn)
    if Level.typed.leads_to(level) and types is not None:
        found += _typed(fn, types)
    return found


def _each(fn: Function) -> Iterator[tuple[Block, int, Op]]:
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            yield block, position, op


def _structure(fn: Function) -> Iterator[Violation]:
    for label, block in fn.blocks.items():
        if label != block.label:
            yield Violation(label, 0, f"the block calls itself {block.label}")
        if not block.ops or not block.terminator.TERMINATOR:
            yield Violation(label, len(block.ops), "the block does not end with a terminator")
    for block, position, op in _each(fn):
        if op.TERMINATOR and op is not block.ops[-1]:
            yield Violation(block.label, position, "a terminator in the middle of a block")
        for target in targets(op):
            if target not in fn.blocks:
                yield Violation(block.label, position, f"there is no label {target}")
            elif target == fn.entry.label:
                yield Violation(block.label, position, "control goes back to the entry")


def _ids(fn: Function) -> Iterator[Violation]:
    seen: set[int] = set()
    for block, position, op in _each(fn):
        if op.id == 0 or op.id in seen:
            yield Violation(block.label, position, f"value id {op.id} is not unique")
        seen.add(op.id)


def _arguments(fn: Function) -> Iterator[Violation]:
    seen: set[int] = set()
    for block, position, op in _each(fn):
        if not isinstance(op, nodes.Arg):
            continue
        fits = 0 <= op.index < len(fn.params) and fn.params[op.index] == op.name
        if not fits or op.index in seen or block is not fn.entry:
            yield Violation(block.label, position, f"{op_text(op)} fits no parameter")
        seen.add(op.index)


def _legality(fn: Function, level: Level) -> Iterator[Violation]:
    for block, position, op in _each(fn):
        first = FIRST_LEVEL.get(type(op), Level.ir)
        if not first.leads_to(level):
            message = f"{type(op).__name__} is not legal at level {level.value}"
            yield Violation(block.label, position, message)


def _single_definitions(fn: Function) -> Iterator[Violation]:
    seen: set[str] = set()
    for block, position, op in _each(fn):
        for name in definitions(op):
            if name in seen:
                yield Violation(block.label, position, f"{name} is defined a second time")
            seen.add(name)


def _phis(fn: Function, graph: Graph) -> Iterator[Violation]:
    for block in fn.blocks.values():
        started = False
        for position, op in enumerate(block.ops):
            if not isinstance(op, nodes.Phi):
                started = True
                continue
            if started:
                yield Violation(block.label, position, "a phi behind other ops")
            if sorted(op.labels) != sorted(graph.predecessors(block.label)):
                message = f"{op_text(op)} does not fit the predecessors"
                yield Violation(block.label, position, message)
            elif len(op.labels) != len(op.values):
                yield Violation(block.label, position, "a phi with labels and values uneven")


def _dominance(fn: Function, graph: Graph) -> Iterator[Violation]:
    places = {n: (b.label, k) for b, k, op in _each(fn) for n in definitions(op)}
    reachable = set(graph.reverse_postorder())
    for block, position, op in _each(fn):
        if block.label not in reachable:
            continue
        for name, label, at in _uses_with_places(op, block, position, fn):
            if label not in reachable:
                continue
            place = places.get(name)
            if place is None:
                yield Violation(block.label, position, f"{name} is used and never defined")
            elif not (place[0] == label and place[1] < at) and not (
                place[0] != label and graph.dominates(place[0], label)
            ):
                message = f"the definition of {name} does not reach every use"
                yield Violation(block.label, position, message)


def _uses_with_places(
    op: Op, block: Block, position: int, fn: Function
) -> Iterator[tuple[str, int, int]]:
    if isinstance(op, nodes.Phi):
        for label, name in zip(op.labels, op.values, strict=False):
            if label in fn.blocks:
                yield name, label, len(fn.blocks[label].ops)
    else:
        for name in uses(op):
            yield name, block.label, position


def _defined_somewhere(fn: Function) -> Iterator[Violation]:
    def after(block: Block, facts: Facts) -> Facts:
        return facts.union(*[definitions(op) for op in block.ops])

    nothing: Facts = frozenset()
    maybe = solve(fn, Analysis(True, nothing, nothing, frozenset.union, after)).before
    anything = {n for op in walk(fn) for n in definitions(op)}  # in blocks that are never reached
    for block in fn.blocks.values():
        current = set(maybe.get(block.label, anything))
        for position, op in enumerate(block.ops):
            for name in uses(op):
                if name not in current and is_temporary(name):  # a variable may be unbound
                    message = f"{name} is used and defined on no path to here"
                    yield Violation(block.label, position, message)
            current.update(definitions(op))


def _deleted(fn: Function) -> Iterator[Violation]:
    def after(block: Block, facts: Facts) -> Facts:
        current = set(facts)
        for op in block.ops:
            current.difference_update(definitions(op))
            if isinstance(op, nodes.Del):
                current.add(op.value)
        return frozenset(current)

    nothing: Facts = frozenset()
    gone = solve(fn, Analysis(True, nothing, nothing, frozenset.union, after)).before
    for label, facts in gone.items():
        current = set(facts)
        for position, op in enumerate(fn.blocks[label].ops):
            used = () if isinstance(op, nodes.Phi) else uses(op)
            for name in used:
                if name in current:
                    yield Violation(label, position, f"{name} is used after its del")
            current.difference_update(definitions(op))
            if isinstance(op, nodes.Del):
                current.add(op.value)


def _typed(fn: Function, types: Mapping[str, object]) -> Iterator[Violation]:
    for block, position, op in _each(fn):
        for name in definitions(op):
            if name not in types:
                yield Violation(block.label, position, f"{name} has no type")
