"""Turn loops over `prange` into parfors (stage 5b).

    head:  s.2 = phi(before: s, body: s.3)          $s.9 = parfor from 0 to n by 1, s.2 = s
           i, more = iternext($it)                         body(i; s.2):
           branch more, body, after          ->              s.3 = s.2 + a[i]
    body:  s.3 = s.2 + a[i]                                  yield s.3
           jump head                                after:  ... $s.9
    after: ... s.2

A loop within a parfor stays one: its iterations are run by the thread that runs the outer one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from cutaway.errors import RaceWarning, UnsupportedError
from cutaway.foundation.loading import load
from cutaway.foundation.loops import prange
from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, MISSED, Decision
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import Graph, Loop, graph_of
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.regions import Region
from cutaway.ir.traversal import definitions, makers_of, rename_uses, retarget, targets, uses, walk
from cutaway.stages.parallel.races import doubtful_update, shared_write
from cutaway.stages.parallel.reductions import operator_of
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.analysis.counting import linear_values
from cutaway.typing.analysis.ownership import holds_memory
from cutaway.typing.inference.questions import constants_of

MAKE_PARFOR = Rule(
    "make_parfor",
    "for i in prange(n): ... => parfor",
    note="the iterations of the loop over {0!v} run on all cores",
)


def run(unit: CompileUnit) -> None:
    """Turn each outermost loop over `prange` into a parfor.

    Raises UnsupportedError for a loop that is left early, or whose iterations depend on each other.
    """
    editor = unit.editor()
    if "comprehension" in unit.flags.parallel and _has_lists(unit.fn):
        load("cutaway.stages.parallel.comprehensions").rewrite(unit, editor)
    if "prange" not in unit.flags.parallel:
        return
    while (found := _next(unit)) is not None:
        _Loop(unit, editor, *found).convert()


def _has_lists(fn: Function) -> bool:
    return any(isinstance(op, nodes.ListAppend) for op in walk(fn))


def _next(unit: CompileUnit) -> tuple[Graph, Loop, nodes.Call] | None:
    """The first loop over `prange` that is in no other such loop."""
    graph = graph_of(unit.fn)
    makers, constants = makers_of(unit.fn), constants_of(unit.fn)
    loops = sorted(graph.loops().values(), key=lambda one: -len(one.body))
    for loop in loops:
        call = _range_of(unit.fn, loop, makers)
        if call is None or constants.get(call.func) is not prange or call.keywords or call.star:
            continue
        step = constants.get(call.args[2]) if len(call.args) == 3 else 1
        if not isinstance(step, int) or step == 0:
            if unit.recording:
                reason = "its step is not known when the program is compiled"
                unit.note(Decision("the loop", MISSED, "prange_to_parfor", reason, call.loc))
            continue
        return graph, loop, call
    return None


def _range_of(fn: Function, loop: Loop, makers: dict[str, Op]) -> nodes.Call | None:
    for op in fn.blocks[loop.header].ops:
        if isinstance(op, nodes.IterNext):
            start = makers.get(op.iterator)
            call = makers.get(start.value) if isinstance(start, nodes.GetIter) else None
            return call if isinstance(call, nodes.Call) else None
    return None


class _Loop:
    """One loop on its way to a parfor."""

    def __init__(
        self, unit: CompileUnit, editor: Editor, graph: Graph, loop: Loop, call: nodes.Call
    ) -> None:
        self.unit, self.editor, self.fn, self.call = unit, editor, unit.fn, call
        self.graph = graph
        self.header = self.fn.blocks[loop.header]
        self.phis = [op for op in self.header.ops if isinstance(op, nodes.Phi)]
        (self.next,) = (op for op in self.header.ops if isinstance(op, nodes.IterNext))
        end = self.header.terminator
        assert isinstance(end, nodes.Branch)
        self.first, self.after = end.then, end.orelse
        (self.before,) = (
            label for label in graph.predecessors(loop.header) if label not in loop.body
        )
        inside = [label for label in self.fn.blocks if graph.dominates(self.first, label)]
        self.added = 0  # blocks of the region, which the function does not have
        self.inside = inside if self.first != self.header.label else []

    def convert(self) -> None:
        """Put the parfor in the place of the loop."""
        self._require_closed()
        region, operators = self._region()
        results = tuple(self.fn.fresh(user_name(name).lstrip("$")) for name in region.carried)
        for result, name in zip(results, region.carried, strict=True):
            self.unit.types[result] = self.unit.types[name]
        constants, bounds = self._bounds()
        columns = tuple(zip(bounds))
        parfor = nodes.Parfor(
            *(results, *columns, operators, self._schedule(region), region),
            loc=self.call.loc,
            id=self.next.id,
        )
        self._require_apart(region)
        self._remove_iterator()
        self._put(*constants, parfor)
        for label in (self.header.label, *self.inside):
            self.editor.drop_block(label)
        self._rename_after(dict(zip(region.carried, results, strict=True)))
        self.fn.forget_labels()
        self.editor.commit(
            MAKE_PARFOR,
            self.call.loc,
            region.indices[0],
            types=(*results, *(name for one in constants for name in definitions(one))),
        )
        if self.unit.recording:
            reason = "its iterations are divided among threads"
            self.unit.note(Decision("the loop", DONE, "parfor", reason, self.call.loc))

    def _put(self, *ops: Op) -> None:
        """Put ops where the loop is entered; `before` is their block from here on."""
        before = self.fn.blocks[self.before]
        end = before.terminator
        if isinstance(end, nodes.Jump):
            jump = replace(end, target=self.after)
            self.editor.cut(before, len(before.ops) - 1, *ops, jump)
            return
        label, header = self.fn.new_label() + self.added, self.header.label
        branch = retarget(end, lambda one: label if one == header else one)
        self.editor.cut(before, len(before.ops) - 1, branch)
        jump = nodes.Jump(self.after, loc=end.loc, id=self.fn.new_id())
        self.editor.add_block(Block(label, [*ops, jump]))
        self.before = label

    # --- what it must be ------------------------------------------------------------------------

    def _require_closed(self) -> None:
        allowed = {self.header.label, *self.inside}
        for label in self.inside:
            end = self.fn.blocks[label].terminator
            if isinstance(end, nodes.Return) or not allowed.issuperset(targets(end)):
                raise _refused("a parallel loop cannot be left by break or return", end)

    def _require_apart(self, region: Region) -> None:
        values = linear_values(self.fn, self.unit.types)
        op = shared_write(self.fn, region, self.unit.types, values)
        if op is not None:
            raise _refused(
                "all iterations of a parallel loop write the same element",
                op,
                "sum up in a variable, as s += ..., and store it after the loop",
            )
        doubtful = doubtful_update(region, self.unit.types, values)
        if doubtful is not None:
            loc = doubtful.loc
            message = (
                f"iterations of the parallel loop in line {self.call.loc.line} may change the same"
                f" element of {_shown(doubtful.target)} at once, and lose changes; give each an"
                " element of its own, or write range in the place of prange"
            )
            warnings.warn_explicit(message, RaceWarning, loc.filename, loc.line)

    # --- its region -----------------------------------------------------------------------------

    def _region(self) -> tuple[Region, tuple[str, ...]]:
        names = tuple(phi.result for phi in self.phis)
        initial = tuple(phi.values[phi.labels.index(self.before)] for phi in self.phis)
        blocks = [block for label in self.inside for block in self._ending(self.fn.blocks[label])]
        operators = tuple(self._operator(phi, blocks) for phi in self.phis)
        region = Region.of(blocks, (self.next.result,), names, initial)
        return region, operators

    def _ending(self, block: Block) -> list[Block]:
        """A block of the body, whose ways back to the header end in a yield."""
        end, header = block.terminator, self.header.label
        if header not in targets(end):
            return [block.copy()]
        values = tuple(phi.values[phi.labels.index(block.label)] for phi in self.phis)
        stop = nodes.Yield(values, loc=end.loc, id=self.fn.new_id())
        if isinstance(end, nodes.Jump):
            return [Block(block.label, [*block.ops[:-1], stop])]
        label = self.fn.new_label() + self.added
        self.added += 1
        new = Block(label, [stop])
        branch = retarget(end, lambda one: label if one == header else one)
        return [Block(block.label, [*block.ops[:-1], branch]), new]

    def _operator(self, phi: nodes.Phi, blocks: Sequence[Block]) -> str:
        ops = [op for block in blocks for op in block.ops]
        back = [v for v, label in zip(phi.values, phi.labels, strict=True) if label != self.before]
        if holds_memory(self.unit.types[phi.result]):
            raise _refused(
                f"the iterations of a parallel loop change {_shown(phi.result)} as a whole",
                next((op for op in ops if phi.result in uses(op)), phi),
                "sum up numbers, or give each iteration a row of its own and add up the rows",
            )
        found = operator_of(phi.result, ops, back, constants_of(self.fn))
        if isinstance(found, Op):
            name = _shown(phi.result)
            raise _refused(
                f"the iterations of a parallel loop depend on each other by {name}",
                found,
                f"each may only change {name} by +=, *=, &=, |=, ^=, min or max,"
                " and always by the same; or write range in the place of prange",
            )
        return found

    def _schedule(self, region: Region) -> str:
        """Dynamic where iterations take different times: they have loops that depend on them."""
        return "dynamic" if any(label in self.inside for label in self.graph.loops()) else "static"

    # --- around it ------------------------------------------------------------------------------

    def _bounds(self) -> tuple[list[Op], list[str]]:
        """Constants, and the variables that are start, stop and step."""
        args, made = list(self.call.args), []
        if len(args) == 1:
            args.insert(0, self._constant(0, made))
        if len(args) == 2:
            args.append(self._constant(1, made))
        return made, args

    def _constant(self, value: int, made: list[Op]) -> str:
        name = self.fn.fresh("const")
        self.unit.types[name] = types.int64
        made.append(nodes.Const(name, value, loc=self.call.loc, id=self.fn.new_id()))
        return name

    def _remove_iterator(self) -> None:
        """Take out the iterator, and the range, if nothing else uses them."""
        gone = self.next.iterator
        for _ in range(2):
            others = [op for op in walk(self.fn) if gone in uses(op) and op.id != self.next.id]
            if others:
                return
            for block in self.fn.blocks.values():
                for op in list(block.ops):
                    if gone in definitions(op):
                        self.editor.remove(block, op)
                        self.next = replace(self.next, id=op.id)  # its only user from here on
                        gone = uses(op)[0]
                        break

    def _rename_after(self, names: dict[str, str]) -> None:
        for block in self.fn.blocks.values():
            ops = []
            for op in block.ops:
                if isinstance(op, nodes.Parfor) and names.keys() & set(op.body.carried):
                    ops.append(op)
                    continue
                op = rename_uses(op, lambda name: names.get(name, name))
                if isinstance(op, nodes.Phi):
                    op = retarget(op, lambda one: self.before if one == self.header.label else one)
                ops.append(op)
            if any(one is not other for one, other in zip(ops, block.ops, strict=True)):
                self.editor.set_ops(block, ops)


def _shown(name: str) -> str:
    return "a temporary value" if is_temporary(name) else f"`{user_name(name)}`"


def _refused(message: str, op: Op, hint: str = "") -> UnsupportedError:
    return UnsupportedError(message, op.loc, hint or "write range in the place of prange")
