"""Give every assignment a variable of its own (stage 2).

    s = 0                      s = 0
    while c:                   label 4: s.1 = phi(0, 9: s, s.2)
        s = s + 1      ->               branch ...
    return s                   label 9: s.2 = s.1 + 1
                               ...      return s.1

Pruned SSA: a phi stands where several definitions meet and the variable is still needed
(Cytron et al., "Efficiently computing static single assignment form", 1991).  The first
definition keeps the variable's name, later ones are its versions `s.1`, `s.2`, in block order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.foundation.loading import load_light
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, graph_of
from cutaway.ir.liveness import liveness
from cutaway.ir.nodes import Op
from cutaway.ir.region_views import RegionView, edit_regions, given, whole
from cutaway.ir.traversal import definition_table, definitions, rename_definitions, rename_uses
from cutaway.stages.unit import CompileUnit

if TYPE_CHECKING:
    from cutaway.stages.rewriting import Rewriting


def run(unit: CompileUnit) -> None:
    """Convert the function."""
    told = unit.rewriting()
    _begin(unit.fn, told)
    before = unit.fn if told is None else unit.fn.copy()
    phis = _convert(unit.fn)
    if told is not None:
        load_light("cutaway.stages.untyped.ssa_steps").report(before, unit.fn, phis, told)
    if edit_regions(unit.fn, _convert_region) and told is not None:
        load_light("cutaway.stages.untyped.ssa_steps").report_regions(unit.fn, told)


def _convert_region(fn: RegionView) -> None:
    """Convert a region, in which the names from outside are those of versions already."""
    _begin(fn, None)
    _convert(fn)
    edit_regions(fn, _convert_region)


def _begin(fn: Function, told: Rewriting | None) -> None:
    """Drop blocks that are never reached and `del` ops; put blocks in the order of the graph."""
    order = graph_of(fn).reverse_postorder()
    fn.blocks = {label: fn.blocks[label] for label in order}
    loc = fn.entry.ops[0].loc
    if told is not None:
        told.step("order_blocks", "blocks stand in the order in which they are reached", loc)
    for block in fn.blocks.values():
        block.ops[:] = [op for op in block.ops if not isinstance(op, nodes.Del)]
    if told is not None:
        told.step("drop_dels", "each version of a variable will have a life of its own", loc)


def _convert(fn: Function) -> dict[int, list[str]]:
    """Give each definition a version; gives the variables that got a phi, by block."""
    graph = graph_of(fn)
    table = definition_table(fn)
    several = {name for name, ops in table.items() if len(ops) > 1}
    several.update(name for name in given(fn) if name in table)
    phis = _place_phis(fn, graph, several, table)
    _Renaming(fn, graph, several, phis).run()
    return phis


def _place_phis(
    fn: Function, graph: Graph, several: set[str], table: dict[str, list[Op]]
) -> dict[int, list[str]]:
    """The variables that need a phi, block by block."""
    frontiers = graph.dominance_frontiers()
    live = liveness(fn).into
    defined_in: dict[str, list[int]] = {name: [] for name in sorted(several)}
    for label, block in fn.blocks.items():
        for op in block.ops:
            for name in definitions(op):
                if name in several:
                    defined_in[name].append(label)
    for name in given(fn):
        if name in several:
            defined_in[name].append(fn.entry.label)
    phis: dict[int, list[str]] = {label: [] for label in fn.blocks}
    for name, waiting in defined_in.items():
        placed: set[int] = set()
        while waiting:
            for label in sorted(frontiers[waiting.pop()]):
                if label not in placed and name in live[label]:
                    placed.add(label)
                    phis[label].append(name)
                    waiting.append(label)
    return phis


_LEAVE = -(2**62)  # no block's label: the end of what a block dominates


class _Renaming:
    """The walk over the dominator tree that gives each definition its version."""

    def __init__(
        self, fn: Function, graph: Graph, several: set[str], phis: dict[int, list[str]]
    ) -> None:
        self.fn = fn
        self.graph = graph
        self.several = several
        self.phis = phis
        self.taken = set(definition_table(whole(fn)))
        self.counts: dict[str, int] = dict.fromkeys(given(fn), 1)
        self.versions: dict[tuple[int, str], str] = {}  # of a phi, by block and variable
        self.made: dict[int, list[str]] = {}  # the other versions made in a block, in order
        self.taken_over: dict[tuple[int, str], dict[int, str]] = {}  # what a phi takes, and whence
        self.current: dict[str, str] = {}  # what each variable is on the walk

    def run(self) -> None:
        """Number the versions, rename all blocks, then write the phis."""
        for label in self.fn.blocks:
            self._number(label)
        self._walk()
        for label, names in self.phis.items():
            made = [self._phi(label, name) for name in names]
            self.fn.blocks[label].ops[:0] = made

    def _number(self, label: int) -> None:
        for name in self.phis[label]:
            self.versions[label, name] = self._new_version(name)
        self.made[label] = [
            self._new_version(name)
            for op in self.fn.blocks[label].ops
            for name in definitions(op)
            if name in self.several
        ]

    def _walk(self) -> None:
        """Rename each block, then those that it dominates, with what is current there."""
        below = self.graph.dominated()
        undo: list[tuple[str, str]] = []
        waiting: list[tuple[int, int]] = [(self.graph.entry, 0)]  # a block, or how far to undo
        while waiting:
            label, mark = waiting.pop()
            if label == _LEAVE:
                while len(undo) > mark:
                    name, before = undo.pop()
                    self.current[name] = before
                continue
            waiting.append((_LEAVE, len(undo)))
            self._rename_block(label, undo)
            waiting += [(child, 0) for child in below[label]]

    def _rename_block(self, label: int, undo: list[tuple[str, str]]) -> None:
        current = self.current

        def become(name: str, version: str) -> None:
            undo.append((name, current.get(name, name)))
            current[name] = version

        def renamed(name: str) -> str:
            return current.get(name, name)

        for name in self.phis[label]:
            become(name, self.versions[label, name])
        versions = iter(self.made[label])
        ops: list[Op] = []
        for op in self.fn.blocks[label].ops:
            op = rename_uses(op, renamed)
            for name in definitions(op):
                if name in self.several:
                    become(name, next(versions))
            ops.append(rename_definitions(op, renamed))
        self.fn.blocks[label].ops[:] = ops
        for successor in self.graph.successors(label):
            for name in self.phis[successor]:
                self.taken_over.setdefault((successor, name), {})[label] = renamed(name)

    def _new_version(self, name: str) -> str:
        count = self.counts.get(name, 0)
        self.counts[name] = count + 1
        if count == 0:
            return name
        version = f"{name}.{count}"
        return version if version not in self.taken else self._new_version(name)

    def _phi(self, label: int, name: str) -> nodes.Phi:
        taken = self.taken_over[label, name]
        sources = tuple(p for p in self.graph.predecessors(label) if p in taken)
        values = tuple(taken[source] for source in sources)
        loc = self.fn.blocks[label].ops[0].loc
        result = self.versions[label, name]
        return nodes.Phi(result, sources, values, loc=loc, id=self.fn.new_id())
