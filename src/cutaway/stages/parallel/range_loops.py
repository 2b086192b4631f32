"""Turning loops over `prange` into parfors: the work of pass `prange_to_parfor`."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence

from cutaway.errors import RaceWarning, UnsupportedError
from cutaway.foundation.loops import prange
from cutaway.foundation.options import RACY
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.decisions import DONE, Decision
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import Function, flagged_stem, stem_of, user_name
from cutaway.ir.graph import Graph, Loop, graph_of
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.regions import Region
from cutaway.ir.traversal import definitions, makers_of, rename_uses, retarget, targets, uses, walk
from cutaway.stages.parallel import comprehensions
from cutaway.stages.parallel.choices import FLAG, MIRRORED, Choices, Flag
from cutaway.stages.parallel.drawing import with_own_streams
from cutaway.stages.parallel.nests import Numbers, ending, inner_loop
from cutaway.stages.parallel.own_values import OwnValues
from cutaway.stages.parallel.private_arrays import private_arrays, unchanging
from cutaway.stages.parallel.races import Races
from cutaway.stages.parallel.raising import separate
from cutaway.stages.parallel.reductions import BY_SYMBOL, operator_of
from cutaway.stages.parallel.tuples import drop_unused, split_tuples
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.analysis.counting import linear_values
from cutaway.typing.analysis.ownership import holds_memory
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.types import Boolean

MAKE_PARFOR = Rule(
    "make_parfor",
    "for i in prange(n): ... => parfor",
    note="the iterations of the loop over {0!v} run on all cores",
)


def convert(unit: CompileUnit, editor: Editor) -> None:
    """Turn each outermost loop over `prange` into a parfor.

    Raises UnsupportedError for a loop that is left early, or whose iterations depend on each other.
    """
    if "comprehension" in unit.flags.parallel and _has_lists(unit.fn):
        comprehensions.rewrite(unit, editor)
    if "prange" not in unit.flags.parallel:
        return
    if _next(unit) is not None:
        separate(unit, editor)
    doubts: dict[tuple[str, Loc], None] = {}  # equal for a loop and its other version
    while (found := _next(unit)) is not None:
        _PrangeLoop(unit, editor, *found).convert(doubts)
    for message, loc in doubts:
        warnings.warn_explicit(message, RaceWarning, loc.filename, loc.line)


def _has_lists(fn: Function) -> bool:
    return any(isinstance(op, nodes.ListAppend) for op in walk(fn))


def _next(unit: CompileUnit) -> tuple[Graph, Loop, nodes.Call] | None:
    """Return the first loop over `prange` that is not within another one."""
    graph = graph_of(unit.fn)
    makers, constants = makers_of(unit.fn), constants_of(unit.fn)
    loops = sorted(graph.loops().values(), key=lambda one: -len(one.body))
    for loop in loops:
        call = _range_of(unit.fn, loop, makers)
        if call is None or constants.get(call.func) is not prange or call.keywords or call.star:
            continue
        if len(call.args) == 3 and constants.get(call.args[2], 1) == 0:
            continue  # the call of prange raises
        return graph, loop, call
    return None


def _range_of(fn: Function, loop: Loop, makers: dict[str, Op]) -> nodes.Call | None:
    for op in fn.blocks[loop.header].ops:
        if isinstance(op, nodes.IterNext):
            start = makers.get(op.iterator)
            call = makers.get(start.value) if isinstance(start, nodes.GetIter) else None
            return call if isinstance(call, nodes.Call) else None
    return None


class _PrangeLoop:
    """One loop to be converted to a parfor."""

    def __init__(
        self, unit: CompileUnit, editor: Editor, graph: Graph, loop: Loop, call: nodes.Call
    ) -> None:
        self.unit, self.editor, self.fn, self.call = unit, editor, unit.fn, call
        self.graph = graph
        self.header = self.fn.blocks[loop.header]
        (self.next,) = (op for op in self.header.ops if isinstance(op, nodes.IterNext))
        end = self.header.terminator
        assert isinstance(end, nodes.Branch)
        self.first, self.after = end.then, end.orelse
        (self.before,) = (
            label for label in graph.predecessors(loop.header) if label not in loop.body
        )
        inside = [label for label in self.fn.blocks if graph.dominates(self.first, label)]
        self.new = Numbers(self.fn)
        self.inside = inside if self.first != self.header.label else []
        drop_unused(editor, [self.fn.blocks[label] for label in self.inside])
        self.tuples = split_tuples(unit, editor, self.header, self.inside, self.before)
        if self.inside:
            OwnValues(unit, editor, graph, self.header, self.inside).separate()
        self.phis = [op for op in self.header.ops if isinstance(op, nodes.Phi)]
        self.same = self._unchanging()
        self.off = self.on = ""  # the constants False and True, where a flag needs them
        self.made: list[Op] = []
        self.dimensions = [call.args]  # the arguments of their ranges

    def _unchanging(self) -> dict[str, str]:
        """Return the names whose value is always the loop's initial value or array, with that;
        remove their phis."""
        ops = [op for label in self.inside for op in self.fn.blocks[label].ops]
        same: dict[str, str] = {}
        for phi in list(self.phis):
            names = unchanging(phi, self.before, ops, self.unit.types)
            same |= dict.fromkeys(names, phi.values[phi.labels.index(self.before)])
            self.phis = [one for one in self.phis if one.result not in same]
        return same

    def convert(self, doubts: dict[tuple[str, Loc], None]) -> None:
        """Replace the loop by a parfor; possible races are added to `doubts`."""
        self._require_closed()
        region, operators = self._region()
        results = tuple(self.fn.fresh(user_name(name).lstrip("$")) for name in region.carried)
        for result, name in zip(results, region.carried, strict=True):
            self.unit.types[result] = self.unit.types[name]
        carried = region.carried
        constants, region, columns = self._nest(region, operators)
        constants += self.made
        private = self._private(region)
        body = with_own_streams(self.fn, self.unit.types, region, self.call, self.new)
        parfor = nodes.Parfor(
            *(results, *zip(*columns, strict=True), operators, self._schedule(region), body),
            *(tuple(private), tuple(private.values())),
            loc=self.call.loc,
            id=self.next.id,
        )
        if RACY not in self.unit.flags.parallel:
            self._require_apart(region, private, doubts)
        self._remove_iterator()
        after = self.same | dict(zip(carried, results, strict=True))
        built = self._built(after)
        self._put(*constants, parfor, *built)
        for label in (self.header.label, *self.inside):
            self.editor.drop_block(label)
        self._rename_after(after)
        self.fn.forget_labels()
        self.editor.commit(
            MAKE_PARFOR,
            self.call.loc,
            region.indices[0],
            types=(*results, *(name for one in (*constants, *built) for name in definitions(one))),
        )
        if self.unit.recording:
            reason = "its iterations are divided among threads"
            self.unit.note(Decision("the loop", DONE, "parfor", reason, self.call.loc))

    def _built(self, after: dict[str, str]) -> list[Op]:
        """Return ops that rebuild the split tuples from their items after the loop."""
        built: list[Op] = []
        for name, items in self.tuples.items():
            result = self.fn.fresh(user_name(name).lstrip("$"))
            self.unit.types[result] = self.unit.types[name]
            values = tuple(after[item] for item in items)
            new = nodes.BuildTuple(result, values, loc=self.call.loc, id=self.fn.new_id())
            built.append(new)
            after[name] = result
        return built

    def _put(self, *ops: Op) -> None:
        """Insert ops where the loop is entered; `before` is their block from here on."""
        before = self.fn.blocks[self.before]
        end = before.terminator
        if isinstance(end, nodes.Jump):
            jump = replace(end, target=self.after)
            self.editor.cut(before, len(before.ops) - 1, *ops, jump)
            return
        label, header = self.new.label(), self.header.label
        branch = retarget(end, lambda one: label if one == header else one)
        self.editor.cut(before, len(before.ops) - 1, branch)
        jump = nodes.Jump(self.after, loc=end.loc, id=self.fn.new_id())
        self.editor.add_block(Block(label, [*ops, jump]))
        self.before = label

    # --- requirements ---------------------------------------------------------------------------

    def _require_closed(self) -> None:
        allowed = {self.header.label, *self.inside}
        for label in self.inside:
            end = self.fn.blocks[label].terminator
            if isinstance(end, nodes.Return) or not allowed.issuperset(targets(end)):
                raise _refused("a parallel loop cannot be left by break or return", end)

    def _private(self, region: Region) -> dict[str, str]:
        """Return the arrays of which each part of the loop has its own, with their operators."""
        candidates = frozenset(self.same.values())  # `private_arrays` selects the arrays
        operators = {}
        rows = private_arrays(region, self.unit.types, candidates, makers_of(self.fn))
        for name, found in rows.items():
            if isinstance(found, Op):
                shown = self._shown(name)
                raise _refused(
                    f"the iterations of a parallel loop change {shown} as a whole",
                    found,
                    f"each may only change {shown} by +=, *=, &=, |= or ^=, always by the same, and"
                    " do nothing else with it; or give each a row of its own and add up the rows",
                )
            operators[name] = found
        return operators

    def _require_apart(
        self, region: Region, private: Collection[str], doubts: dict[tuple[str, Loc], None]
    ) -> None:
        constants, table = constants_of(self.fn), self.unit.types
        bounds = []
        for args in self.dimensions:
            step = constants.get(args[2], 0) if len(args) == 3 else 1
            start, stop = ("", args[0]) if len(args) == 1 else args[:2]
            bounds.append((start, stop, step if isinstance(step, int) else 0))
        races = Races(self.fn, region, table, bounds, self.call.loc.line, private)
        for finding in races.findings():
            if finding.is_certain:
                raise _refused(finding.message, finding.op, finding.hint)
            doubts[finding.message, finding.op.loc] = None

    # --- its region -----------------------------------------------------------------------------

    def _region(self) -> tuple[Region, tuple[str, ...]]:
        names = tuple(phi.result for phi in self.phis)
        initial = tuple(phi.values[phi.labels.index(self.before)] for phi in self.phis)
        blocks = [
            block
            for label in self.inside
            for block in ending(self.fn.blocks[label], self.header.label, self.phis, self.new)
        ]
        for block in blocks if self.same else ():
            ops = [op for op in block.ops if self.same.keys().isdisjoint(definitions(op))]
            block.ops[:] = [rename_uses(op, lambda n: self.same.get(n, n)) for op in ops]
        operators, flagged = self._operators(blocks)
        for name in flagged:
            flag = self._add_flag(name, blocks)
            names, initial, operators = (*names, flag), (*initial, self.off), (*operators, FLAG)
        region = Region.of(blocks, (self.next.result,), names, initial)
        return region, operators

    def _operators(self, blocks: Sequence[Block]) -> tuple[tuple[str, ...], list[str]]:
        """Return the operator of each variable, and the variables that need a flag, whose numbers
        follow those of the variables."""
        names = [phi.result for phi in self.phis]
        found = [self._operator(phi, blocks) for phi in self.phis]
        unknown = [n for n, one in zip(names, found, strict=True) if isinstance(one, Op)]
        if not unknown:
            return tuple(one for one in found if isinstance(one, str)), []
        self.choices = Choices(self.fn, self.unit.types, self.graph, self.inside, self.header)
        chosen = self.choices.find(unknown)
        flagged = [name for name, one in chosen.items() if one.flagged]
        operators: list[str] = []
        for name, one in zip(names, found, strict=True):
            if isinstance(one, str):
                operators.append(one)
                continue
            choice = chosen.get(name)
            if choice is None:
                raise self._dependent(name, one, blocks)
            number = names.index(choice.key) if choice.key else None
            if choice.flagged:
                number = len(names) + flagged.index(name)
            operators.append(choice.operator + ("" if number is None else f".{number}"))
        return tuple(operators), flagged

    def _add_flag(self, name: str, blocks: Sequence[Block]) -> str:
        """Add a variable that records whether a part has assigned another one."""
        if not self.off:
            self.off = self._constant(False, self.made)
            on = nodes.Const(self.fn.fresh("on"), True, loc=self.call.loc, id=self.fn.new_id())
            self.on = on.result
            self.unit.types[on.result] = types.boolean
            first = blocks[0].ops
            first.insert(sum(isinstance(op, nodes.Phi) for op in first), on)
        flag, held = self.fn.fresh("given"), self.choices.holders(name)
        index = [phi.result for phi in self.phis].index(name)
        for one in (flag, *Flag(self.fn, name, held, flag, self.on).add_to(blocks, index)):
            self.unit.types[one] = types.boolean
        return flag

    def _operator(self, phi: nodes.Phi, blocks: Sequence[Block]) -> str | Op:
        """Return the operator of a variable; or the op because of which it has none."""
        ops = [op for block in blocks for op in block.ops]
        if holds_memory(self.unit.types[phi.result]):
            raise _refused(
                f"the iterations of a parallel loop change {self._shown(phi.result)} as a whole",
                next((op for op in ops if phi.result in uses(op)), phi),
                "write acc += ..., which keeps the array; or give each iteration a row of its own"
                " and add up the rows",
            )
        ends = {one.result: self._back(one) for one in self.phis}
        return operator_of(phi.result, ops, ends, constants_of(self.fn))

    def _dependent(self, name: str, op: Op, blocks: Sequence[Block]) -> UnsupportedError:
        shown = self._shown(name)
        message = f"the iterations of a parallel loop depend on each other by {shown}"
        return _refused(message, op, self._remedy(name, shown, op, blocks))

    def _remedy(self, name: str, shown: str, op: Op, blocks: Sequence[Block]) -> str:
        by = op.op.symbol if isinstance(op, nodes.Binary | nodes.Inplace | nodes.Unary) else ""
        in_order = "write range in the place of prange"
        if flagged_stem(name):
            return (
                f"assign to {shown} on every path to the loop if iterations change it by one"
                f" operator, as by +=, or else in each iteration before it is read; or {in_order}"
            )
        if isinstance(op, nodes.Branch) and not isinstance(self.unit.types[name], Boolean):
            return (
                f"`or`, `and` and `if` may only decide by {shown} where it is True or False, and"
                f" becomes that alone; or {in_order}"
            )
        if by.rstrip("=") not in BY_SYMBOL and by not in ("", *MIRRORED):
            return f"what {shown} becomes by `{by}` depends on the order, so {in_order}"
        if by not in MIRRORED and self._is_assigned(name, blocks):
            return f"assign to {shown} in each iteration before it is read; or {in_order}"
        return (
            f"each may only change {shown} by +=, *=, &=, |=, ^=, min, max or `if x < s: s = x`,"
            f" and always by the same; or {in_order}"
        )

    def _is_assigned(self, name: str, blocks: Sequence[Block]) -> bool:
        """True if an iteration assigns a variable a value independent of its previous one."""
        ops = [op for block in blocks for op in block.ops]
        computed, size = {name}, 0
        while size != len(computed):
            size = len(computed)
            for op in ops:
                if not computed.isdisjoint(uses(op)):
                    computed.update(definitions(op))
        ends = [back for phi in self.phis if phi.result == name for back in self._back(phi)]
        merged = [
            value
            for op in ops
            if isinstance(op, nodes.Phi) and op.result in computed
            for value in op.values
        ]
        return not computed.issuperset((*ends, *merged))

    def _shown(self, name: str) -> str:
        """Return a variable's name in the source, which a copy of a loop does not have."""
        stem = user_name(flagged_stem(name) or stem_of(name))
        is_users = any(user_name(one) == stem for one in self.unit.types)
        return f"`{stem}`" if is_users else "a temporary value"

    def _back(self, phi: nodes.Phi) -> list[str]:
        """Return the possible values of a variable at the end of an iteration."""
        pairs = zip(phi.values, phi.labels, strict=True)
        return [value for value, label in pairs if label != self.before]

    def _schedule(self, region: Region) -> str:
        """Return the schedule: dynamic if the iterations have inner loops that depend on them."""
        labels = {block.label for block in region.blocks}
        return "static" if labels.isdisjoint(self.graph.loops()) else "dynamic"

    # --- around it ------------------------------------------------------------------------------

    def _nest(
        self, region: Region, operators: tuple[str, ...]
    ) -> tuple[list[Op], Region, list[list[str]]]:
        """Return ops that compute bounds, and the region and the bounds with loops that stand
        directly in this one."""
        made, bounds = self._bounds(self.call.args)
        columns = [bounds]
        if self.unit.flags.overflow == "raise":
            return made, region, columns
        constants = constants_of(self.fn)
        while True:
            inner = inner_loop(
                *(region, operators, self.unit.types, constants),
                *(lambda: linear_values(self.fn, self.unit.types), self.new),
            )
            if inner is None:
                return made, region, columns
            more, bounds = self._bounds(inner.bounds)
            made += [*inner.before, *more]
            region = inner.region
            columns.append(bounds)
            self.dimensions.append(inner.bounds)

    def _bounds(self, given: Sequence[str]) -> tuple[list[Op], list[str]]:
        """Return constants, and the variables that are start, stop and step."""
        args, made = list(given), []
        if len(args) == 1:
            args.insert(0, self._constant(0, made))
        if len(args) == 2:
            args.append(self._constant(1, made))
        return made, args

    def _constant(self, value: int, made: list[Op]) -> str:
        name = self.fn.fresh("const")
        self.unit.types[name] = types.boolean if isinstance(value, bool) else types.int64
        made.append(nodes.Const(name, value, loc=self.call.loc, id=self.fn.new_id()))
        return name

    def _remove_iterator(self) -> None:
        """Remove the iterator, and the range, if nothing else uses them; a range whose step is not
        known raises where that is 0."""
        gone = self.next.iterator
        is_known = len(self.call.args) < 3 or constants_of(self.fn).get(self.call.args[2])
        for _ in range(2 if is_known else 1):
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


def _refused(message: str, op: Op, hint: str = "") -> UnsupportedError:
    return UnsupportedError(message, op.loc, hint or "write range in the place of prange")
