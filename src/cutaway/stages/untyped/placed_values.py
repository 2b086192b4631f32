"""The values of variables, site by site, before SSA form: which inner function is called."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.constants import waits
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import definitions, successors
from cutaway.typing.overloads.resolution import MISSING
from cutaway.typing.values.holders import held_by


@dataclass(frozen=True, slots=True)
class OpSite:
    """A site in a function: an op by its block and position."""

    label: int
    position: int


class PlacedValues:
    """The values of variables, site by site, in a function whose blocks are split meanwhile."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        graph = graph_of(fn)
        self.sources = {label: list(graph.predecessors(label)) for label in fn.blocks}
        self.positions: dict[str, dict[int, list[int]]] = {}  # of definitions, by block
        for block in fn.blocks.values():
            self._add_positions(block)
        self._loops: set[int] | None = None

    def split(self, block: Block, call: Op, rest: Block, labels: Iterable[int]) -> None:
        """Update the tables after a block was split before a call: the blocks of these labels and
        then the `rest` follow it."""
        for following in successors(rest):
            self.sources[following] = [
                rest.label if label == block.label else label for label in self.sources[following]
            ]
        for label in (rest.label, *labels):
            self.sources[label] = []
        for label in (block.label, *labels):
            for following in successors(self.fn.blocks[label]):
                self.sources[following].append(label)
        for op in (call, *rest.ops):
            for name in definitions(op):
                self.positions[name].pop(block.label, None)
        for changed in (block, rest, *(self.fn.blocks[label] for label in labels)):
            self._add_positions(changed)
        self._loops = None

    def _add_positions(self, block: Block) -> None:
        own: dict[str, list[int]] = {}
        for position, op in enumerate(block.ops):
            for name in definitions(op):
                own.setdefault(name, []).append(position)
        for name, positions in own.items():
            self.positions.setdefault(name, {})[block.label] = positions

    @property
    def repeated(self) -> set[int]:
        """Return the blocks in loops."""
        if self._loops is None:
            loops = graph_of(self.fn).loops().values()
            self._loops = {label for loop in loops for label in loop.body}
        return self._loops

    def reaching(self, name: str, site: OpSite) -> list[OpSite]:
        """Return the reaching definitions of a variable at a site."""
        where = self.positions.get(name, {})
        sites: list[OpSite] = []
        waiting, seen = [(site.label, site.position)], set()
        while waiting:
            label, limit = waiting.pop()
            before = [position for position in where.get(label, ()) if position < limit]
            if before:
                sites.append(OpSite(label, before[-1]))
                continue
            for source in self.sources[label]:
                if source not in seen:
                    seen.add(source)
                    waiting.append((source, len(self.fn.blocks[source].ops)))
        return sites

    def source(self, name: str, site: OpSite) -> Op | None:
        """Return the only op that defines a variable, looking through copies; else None."""
        origin = self.origin(name, site)
        return None if origin is None else self.op(origin)

    def _trace(self, name: str, site: OpSite, seen: frozenset[OpSite]) -> tuple[OpSite | None, int]:
        """Return the site of the one source of a variable, and through how many of the user's
        variables it came from there."""
        origin: OpSite | None = None
        named = 0
        for definition in self.reaching(name, site):
            op, count = self.op(definition), 0
            if definition in seen or isinstance(op, nodes.Undef):
                continue
            source: OpSite | None = definition
            if isinstance(op, nodes.Copy | nodes.Cast | nodes.Deref):
                source, count = self._trace(op.value, definition, seen | {definition})
                count += not is_temporary(name)
            if source is None or origin not in (None, source):
                return None, 0
            origin, named = source, max(named, count)
        return origin, named

    def value(self, name: str, site: OpSite) -> Any:
        """Return the global or captured value that a variable holds at a site, or that is an
        attribute of a module or a class; None for any other."""
        match self.source(name, site):
            case nodes.Global(_, _, value) | nodes.FreeVar(_, _, value):
                return value
            case nodes.GetAttr(_, owner, attr):
                held = held_by(self.value(owner, site), attr)
                return None if held is MISSING else held
        return None

    def origin(self, name: str, site: OpSite) -> OpSite | None:
        """Return the site of the one op that defines a variable, looking through copies; None if
        there are several."""
        return self._trace(name, site, frozenset())[0]

    def op(self, site: OpSite) -> Op:
        """Return the op at a site."""
        return self.fn.blocks[site.label].ops[site.position]

    def function(self, name: str, site: OpSite, waiting: bool = False) -> nodes.MakeFunction | None:
        """Return the inner function that a variable holds at a site, if it can hold nothing else;
        one that is `waiting` is a generator.

        A function made in a loop is a new one each time, with defaults of its own: it is followed
        only where it cannot have been kept from an earlier iteration.  Recursive functions cannot
        be inlined, and the body of a generator does not run at its call.
        """
        origin, named = self._trace(name, site, frozenset())
        op = None if origin is None else self.op(origin)
        if not isinstance(op, nodes.MakeFunction) or op.itself or waits(op.code) != waiting:
            return None
        assert origin is not None
        return None if named > 1 and origin.label in self.repeated else op
