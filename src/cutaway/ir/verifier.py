"""The invariants of IR at each level, and their checks.

1. A block has ops; its last one, and only that, is a terminator.
2. Every target label exists; nothing jumps to the entry.
3. Value ids are unique and not zero, and so are labels, in all of the function.
4. `arg` ops are in the entry and match the parameters, each once.
5. Only ops that are legal at the level occur (`FIRST_LEVEL`).
6. Level ir: a variable that is used is defined on some path to the use.
7. From ssa on: one definition a variable, which dominates every use; the use of a phi counts at
   the end of the predecessor.
8. From ssa on: phis come first in their block, with one value for each predecessor.
9. Nothing is used after its `del`.
10. From typed on: every variable has a type.

Handlers have rules of their own (`handler_rules.py`).

A region is a function in these respects: control stays in it, and facts before its op hold at its
entry.  Besides

11. a run of a region ends in a `yield` of as many values as it carries, and only regions do so;
12. a variable belongs to one region, or to the function: nothing outside uses or assigns it;
13. a region ends no live range of a variable that it captures, for it may run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import starmap

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.dataflow import Analysis, Facts, solve
from cutaway.ir.elements import ArrayOp, wrong_body, wrong_element
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.graph import Graph, graph_of
from cutaway.ir.handler_rules import wrong_handlers, wrong_reaches
from cutaway.ir.levels import Level
from cutaway.ir.nodes import Block, Op
from cutaway.ir.printer import op_text
from cutaway.ir.reaches import deleted_behind
from cutaway.ir.references import wrong_references
from cutaway.ir.region_views import RegionView, view, views
from cutaway.ir.regions import FrozenBlock, Region
from cutaway.ir.traversal import (
    arguments,
    captured_by,
    definitions,
    located,
    operands,
    regions,
    targets,
    walk,
)

# The first and the last level of Cutaway's IR at which an op may occur; others may always.
FIRST_LEVEL: dict[type[Op], Level] = {
    nodes.Phi: Level.ssa,
    nodes.Move: Level.objects,
    nodes.ArrayExpr: Level.typed,
    nodes.ArrayStore: Level.typed,
    nodes.ArrayReduce: Level.typed,
    nodes.Element: Level.typed,
    nodes.Parfor: Level.typed,
    nodes.OwnStreams: Level.typed,
    nodes.SizesOf: Level.typed,
    nodes.NewArray: Level.typed,
    nodes.Apart: Level.typed,
    nodes.RequireElements: Level.typed,
    nodes.Load: Level.typed,
    nodes.Line: Level.typed,
    nodes.Store: Level.typed,
}


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation, and its position."""

    label: int
    position: int
    message: str

    def __str__(self) -> str:
        return f"label {self.label}, op {self.position}: {self.message}"


def verify(
    fn: Function, level: Level, types: Mapping[str, object] | None = None
) -> list[Violation]:
    """Check a function at a level; returns all violations."""
    violations = [*_structure(fn), *_labels(fn), *starmap(Violation, wrong_handlers(fn))]
    if violations:
        return violations  # the other checks require a valid graph
    violations += _ids(fn)
    violations += _arguments(fn)
    violations += _legality(fn, level)
    if Level.ssa.leads_to(level):
        violations += _single_definitions(fn)
        violations += _ssa_form(fn, frozenset(_defined(fn)), lambda name: False)
    else:
        violations += _homes(fn)
        violations += _defined_somewhere(fn, frozenset())
    violations += starmap(Violation, wrong_reaches(fn, level is Level.objects))
    if level is Level.objects and not violations:
        violations += starmap(Violation, wrong_references(fn))
    violations += _deleted(fn, frozenset())
    if Level.typed.leads_to(level) and types is not None:
        violations += _typed(fn, types)
    return violations


AnyBlock = Block | FrozenBlock


def _own(fn: Function) -> Iterator[tuple[Block, int, Op]]:
    """Yield every op of the function's own blocks, with its position."""
    for block in fn.blocks.values():
        for position, op in enumerate(block.ops):
            yield block, position, op


def _bound(op: Op) -> tuple[str, ...]:
    return (*definitions(op), *arguments(op)) if op.REGIONS else definitions(op)


def _defined(fn: Function) -> Iterator[str]:
    for op in walk(fn):
        yield from _bound(op)


# --- blocks -------------------------------------------------------------------------------------


def _structure(fn: Function) -> Iterator[Violation]:
    for label, block in fn.blocks.items():
        if label != block.label:
            yield Violation(label, 0, f"the block calls itself {block.label}")
    yield from _structure_of(tuple(fn.blocks.values()), None)


def _structure_of(blocks: tuple[AnyBlock, ...], region: Region | None) -> Iterator[Violation]:
    """Violations in the structure of the blocks of a region, or of the function."""
    labels = {block.label for block in blocks}
    for block in blocks:
        if not block.ops or not block.terminator.TERMINATOR:
            message = "the block does not end with a terminator"
            yield Violation(block.label, len(block.ops), message)
        for position, op in enumerate(block.ops):
            if op.TERMINATOR and op is not block.ops[-1]:
                yield Violation(block.label, position, "a terminator in the middle of a block")
            for target in targets(op):
                if target not in labels:
                    where = "" if region is None else " in this region"
                    yield Violation(block.label, position, f"there is no label {target}{where}")
                elif target == blocks[0].label:
                    yield Violation(block.label, position, "control goes back to the entry")
            message = _wrong_end(op, region)
            if message:
                yield Violation(block.label, position, message)
            for name in op.REGIONS:
                inner = getattr(op, name)
                message = wrong_body(op) if isinstance(op, ArrayOp) else ""
                if message:
                    yield Violation(block.label, position, message)
                if not inner.blocks:
                    yield Violation(block.label, position, f"region {name} has no blocks")
                if len(inner.carried) != len(inner.initial):
                    message = f"region {name} does not begin with a value for all that it carries"
                    yield Violation(block.label, position, message)
                yield from _structure_of(inner.blocks, inner)


def _wrong_end(op: Op, region: Region | None) -> str:
    """Return the violation of an op that is restricted to regions, or ends one, or the function."""
    if isinstance(op, nodes.Return) and region is not None:
        return "a return in a region, which ends in a yield"
    if isinstance(op, nodes.Element):
        return wrong_element(op)
    if isinstance(op, nodes.Give) and region is None:
        return "a give outside of the body of an array expression"
    if not isinstance(op, nodes.Yield):
        return ""
    if region is None:
        return "a yield outside of a region"
    if len(op.values) == len(region.carried):
        return ""
    return f"{op_text(op)} does not fit the {len(region.carried)} variables that are carried"


def _labels(fn: Function) -> Iterator[Violation]:
    seen = set(fn.blocks)
    for op in walk(fn):
        for region in regions(op):
            for block in region.blocks:
                if block.label in seen:
                    yield Violation(block.label, 0, f"two blocks have the label {block.label}")
                seen.add(block.label)


def _ids(fn: Function) -> Iterator[Violation]:
    seen: set[int] = set()
    for block, position, op in located(fn):
        if op.id == 0 or op.id in seen:
            yield Violation(block.label, position, f"value id {op.id} is not unique")
        seen.add(op.id)


def _arguments(fn: Function) -> Iterator[Violation]:
    seen: set[int] = set()
    for block, position, op in located(fn):
        if not isinstance(op, nodes.Arg):
            continue
        fits = 0 <= op.index < len(fn.params) and fn.params[op.index] == op.name
        if not fits or op.index in seen or block is not fn.entry:
            yield Violation(block.label, position, f"{op_text(op)} fits no parameter")
        seen.add(op.index)


_COUNTING = (nodes.Incref, nodes.Decref)
_COUNTED = (Level.typed, Level.objects)  # levels from which on references are counted


def _legality(fn: Function, level: Level) -> Iterator[Violation]:
    for block, position, op in located(fn):
        counts = isinstance(op, _COUNTING)
        firsts = _COUNTED if counts else (FIRST_LEVEL.get(type(op), Level.ir),)
        if not any(first.leads_to(level) for first in firsts):
            message = f"{type(op).__name__} is not legal at level {level.value}"
            yield Violation(block.label, position, message)
        if isinstance(op, nodes.Element) and not Level.parfor.leads_to(level):
            if not isinstance(block.ops[-1], nodes.Give):  # parfors have such operations anywhere
                message = "an operation on elements outside of the body of an array expression"
                yield Violation(block.label, position, message)


# --- SSA form -----------------------------------------------------------------------------------


def _single_definitions(fn: Function) -> Iterator[Violation]:
    seen: set[str] = set()
    for block, position, op in located(fn):
        for name in _bound(op):
            if name in seen:
                yield Violation(block.label, position, f"{name} is defined a second time")
            seen.add(name)


Reaches = Callable[[str], bool]


def _ssa_form(fn: Function, defined: frozenset[str], outside: Reaches) -> Iterator[Violation]:
    """Violations of SSA form in a function or a region; `defined` are all variables, `outside` says
    whether an outer variable is defined at the entry."""
    graph = graph_of(fn)
    yield from _phis(fn, graph)
    places = {n: (b.label, k) for b, k, op in _own(fn) for n in definitions(op)}
    own = frozenset(fn.arguments) if isinstance(fn, RegionView) else frozenset()

    def reaches(name: str, label: int, position: int) -> bool:
        place = places.get(name)
        if place is None:
            return name in own or outside(name)
        if place[0] == label:
            return place[1] < position
        return graph.dominates(place[0], label)

    yield from _dominance(fn, graph, defined, reaches)
    for inner in views(fn):

        def from_here(name: str, label: int = inner.label, position: int = inner.position) -> bool:
            return reaches(name, label, position)

        if graph.dominates(graph.entry, inner.label):
            yield from _ssa_form(inner, defined, from_here)


def _dominance(
    fn: Function,
    graph: Graph,
    defined: frozenset[str],
    reaches: Callable[[str, int, int], bool],
) -> Iterator[Violation]:
    reachable = set(graph.reverse_postorder())
    for block, position, op in _own(fn):
        if block.label not in reachable:
            continue
        for name, label, at in _uses_with_places(op, block, position, fn):
            if label not in reachable:
                continue
            if name not in defined:
                yield Violation(block.label, position, f"{name} is used and never defined")
            elif not reaches(name, label, at):
                message = f"the definition of {name} does not reach every use"
                yield Violation(block.label, position, message)


def _uses_with_places(
    op: Op, block: Block, position: int, fn: Function
) -> Iterator[tuple[str, int, int]]:
    if isinstance(op, nodes.Phi):
        for label, name in zip(op.labels, op.values, strict=False):
            if label in fn.blocks:
                # A phi reads its values on the edges, so at the ends of the predecessors.
                yield name, label, len(fn.blocks[label].ops)
    else:
        for name in operands(op):
            yield name, block.label, position


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


# --- before SSA form ----------------------------------------------------------------------------


def _homes(fn: Function) -> Iterator[Violation]:
    """Variables that belong to more than one region, or to a region and to the function."""
    homes: dict[str, int] = {}

    def entered(blocks: Iterable[AnyBlock], home: int) -> Iterator[Violation]:
        for block in blocks:
            for position, op in enumerate(block.ops):
                for name in definitions(op):
                    if homes.setdefault(name, home) != home:
                        message = f"{name} is defined inside of a region and outside of it"
                        yield Violation(block.label, position, message)
                for region in regions(op):
                    for name in region.arguments:
                        if name in homes:
                            message = f"{name} is defined a second time"
                            yield Violation(block.label, position, message)
                        homes[name] = id(region)
                    yield from entered(region.blocks, id(region))

    if any(op.REGIONS for op in walk(fn)):
        yield from entered(fn.blocks.values(), 0)


def _defined_somewhere(fn: Function, start: Facts) -> Iterator[Violation]:
    def after(block: Block, facts: Facts) -> Facts:
        return facts.union(*[definitions(op) for op in block.ops])

    maybe = solve(fn, Analysis(True, start, frozenset(), frozenset.union, after)).before
    own = (n for _, _, op in _own(fn) for n in definitions(op))
    anything = start.union(own)  # in unreachable blocks
    for block in fn.blocks.values():
        current = set(maybe.get(block.label, anything))
        for position, op in enumerate(block.ops):
            for name in operands(op):
                if name not in current and is_temporary(name):  # a user variable may be unbound
                    message = f"{name} is used and defined on no path to here"
                    yield Violation(block.label, position, message)
            for region in regions(op):
                known = frozenset(current.union(region.arguments))
                yield from _defined_somewhere(view(fn, region), known)
            current.update(definitions(op))


# --- lives and types ----------------------------------------------------------------------------


def _deleted(fn: Function, start: Facts) -> Iterator[Violation]:
    kept = deleted_behind(fn)  # a handler does not see the `del`

    def after(block: Block, facts: Facts) -> Facts:
        current = set(facts - kept.get(block.label, frozenset()))
        for op in block.ops:
            current.difference_update(definitions(op))
            if isinstance(op, nodes.Del):
                current.add(op.value)
        return frozenset(current)

    gone = solve(fn, Analysis(True, start, frozenset(), frozenset.union, after)).before
    for label, facts in gone.items():
        current = set(facts - kept.get(label, frozenset()))
        for position, op in enumerate(fn.blocks[label].ops):
            used = () if isinstance(op, nodes.Phi) else operands(op)
            for name in used:
                if name in current:
                    yield Violation(label, position, f"{name} is used after its del")
            for region in regions(op):
                yield from _deleted(view(fn, region), frozenset(current))
                yield from _deleted_too_early(region)
            current.difference_update(definitions(op))
            if isinstance(op, nodes.Del):
                current.add(op.value)


def _deleted_too_early(region: Region) -> Iterator[Violation]:
    outside = frozenset(captured_by(region))
    for block in region.blocks:
        for position, op in enumerate(block.ops):
            if isinstance(op, nodes.Del) and op.value in outside:
                message = f"{op.value} is deleted in a region that may run again and needs it"
                yield Violation(block.label, position, message)


def _typed(fn: Function, types: Mapping[str, object]) -> Iterator[Violation]:
    for block, position, op in located(fn):
        for name in _bound(op):
            if name not in types:
                yield Violation(block.label, position, f"{name} has no type")
