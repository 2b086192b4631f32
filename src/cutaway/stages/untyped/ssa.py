"""Give every assignment a variable of its own: SSA form (stage 2).

    s = 0                      s = 0
    while c:                   label 4: s.1 = phi(0, 9: s, s.2)
        s = s + 1      ->               branch ...
    return s                   label 9: s.2 = s.1 + 1
                               ...      return s.1

Pruned SSA: a phi is placed where several definitions meet and the variable is still needed
(Cytron et al., "Efficiently computing static single assignment form", 1991).  The first
definition keeps the variable's name, later ones are its versions `s.1`, `s.2`, in block order.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, graph_of
from cutaway.ir.liveness import liveness
from cutaway.ir.nodes import Op, replace
from cutaway.ir.region_views import entry_variables, outermost
from cutaway.ir.traversal import definition_table, definitions, rename_definitions, rename_uses
from cutaway.stages.unit import CompileUnit

ORDER_BLOCKS = Rule(
    "order_blocks",
    "blocks => in the order in which they are reached",
    note="blocks stand in the order in which they are reached",
)
DROP_DELS = Rule(
    "drop_dels",
    "del => nothing: versions have lives of their own",
    note="each version of a variable will have a life of its own",
)
PLACE_PHI = Rule(
    "place_phi",
    "several values of a variable meet => phi",
    note="several values of {0!v} meet here",
)
RENAME_VERSION = Rule(
    "rename_version",
    "a definition and its uses => a version of the variable",
    note="this value of {0!v} gets a name of its own",
)


def run(unit: CompileUnit) -> None:
    """Convert the function."""
    _convert(unit.editor())


def _convert(editor: Editor) -> None:
    """Convert a function, or a region, in which the names from outside are versions already."""
    _begin(editor)
    fn = editor.fn
    graph = graph_of(fn)
    table = definition_table(fn)
    several = {name for name, ops in table.items() if len(ops) > 1}
    several.update(name for name in entry_variables(fn) if name in table)
    phis = _phis(fn, graph, several, table)
    editor.unsettle()  # until each value has one definition
    _place_phis(editor, graph, phis)
    editor.version_each(_Renaming(fn, graph, several, phis).run(), RENAME_VERSION)
    editor.settle()
    editor.in_regions(_convert)


def _begin(editor: Editor) -> None:
    """Drop unreachable blocks and `del` ops; sort blocks in the order of the graph."""
    loc = editor.fn.entry.ops[0].loc
    editor.order_blocks(graph_of(editor.fn).reverse_postorder())
    editor.commit(ORDER_BLOCKS, loc)
    for block in editor.fn.blocks.values():
        editor.set_ops(block, [op for op in block.ops if not isinstance(op, nodes.Del)])
    editor.commit(DROP_DELS, loc)


def _place_phis(editor: Editor, graph: Graph, phis: dict[int, list[str]]) -> None:
    """Insert phis of variables that have no versions yet."""
    fn = editor.fn
    for label, names in phis.items():
        block, sources = fn.blocks[label], graph.predecessors(label)
        loc = block.ops[0].loc
        for position, name in enumerate(names):
            values = (name,) * len(sources)
            phi = nodes.Phi(name, tuple(sources), values, loc=loc, id=fn.new_id())
            editor.insert(block, position, phi)
            editor.commit(PLACE_PHI, loc, name)


def _phis(
    fn: Function, graph: Graph, several: set[str], table: dict[str, list[Op]]
) -> dict[int, list[str]]:
    """Return the variables that need a phi, block by block."""
    frontiers = graph.dominance_frontiers()
    live = liveness(fn).into
    defined_in: dict[str, list[int]] = {name: [] for name in sorted(several)}
    for label, block in fn.blocks.items():
        for op in block.ops:
            for name in definitions(op):
                if name in several:
                    defined_in[name].append(label)
    for name in entry_variables(fn):
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


_LEAVE = -(2**62)  # not a label: marks the end of a dominated subtree


class _Renaming:
    """The walk over the dominator tree that assigns each definition its version."""

    def __init__(
        self, fn: Function, graph: Graph, several: set[str], phis: dict[int, list[str]]
    ) -> None:
        self.fn = fn
        self.graph = graph
        self.several = several
        self.phis = phis
        self.taken = set(definition_table(outermost(fn)))
        self.counts: dict[str, int] = dict.fromkeys(entry_variables(fn), 1)
        self.versions: dict[int, list[str]] = {}  # that a block defines, in order
        self.values: dict[tuple[int, str], dict[int, str]] = {}  # of a phi, by predecessor
        self.current: dict[str, str] = {}  # what each variable is on the walk
        self.renamed: dict[int, list[Op]] = {}  # the ops of each block, phis without their values

    def run(self) -> dict[int, list[Op]]:
        """Number the versions and rename all blocks; return their ops."""
        for label, block in self.fn.blocks.items():
            self.versions[label] = [
                self._new_version(name)
                for op in block.ops
                for name in definitions(op)
                if name in self.several
            ]
        self._walk()
        return {label: self._with_values(label) for label in self.fn.blocks}

    def _walk(self) -> None:
        """Rename each block, then those that it dominates, with the current versions there."""
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

        versions = iter(self.versions[label])
        phi_count = len(self.phis[label])
        ops: list[Op] = []
        for position, op in enumerate(self.fn.blocks[label].ops):
            if position >= phi_count:
                op = rename_uses(op, renamed)
            for name in definitions(op):
                if name in self.several:
                    become(name, next(versions))
            ops.append(rename_definitions(op, renamed))
        self.renamed[label] = ops
        for successor in self.graph.successors(label):
            for name in self.phis[successor]:
                self.values.setdefault((successor, name), {})[label] = renamed(name)

    def _new_version(self, name: str) -> str:
        count = self.counts.get(name, 0)
        self.counts[name] = count + 1
        if count == 0:
            return name
        version = f"{name}.{count}"
        return version if version not in self.taken else self._new_version(name)

    def _with_values(self, label: int) -> list[Op]:
        """Return the ops of a block, its phis with the values that come from each predecessor."""
        ops = self.renamed[label]
        for position, name in enumerate(self.phis[label]):
            phi, values = ops[position], self.values[label, name]
            assert isinstance(phi, nodes.Phi)
            ops[position] = replace(phi, values=tuple(values[source] for source in phi.labels))
        return ops
