"""Variables that an iteration assigns before it reads them, though not on every path.

    for i in prange(n):                     header: c.1 = phi(before: c, body: c.2)
        if flag:                                    ...
            c = y[i]                                c.2 = phi(c.1, $7.1)
        b[i] = 0.0                  ->      body:   $none.5 = undef
        if flag:                                    $c.6 = phi($none.5, $7.1)
            b[i] += c                               ... $c.6

No iteration reads a value of another one where the conditions of the assignment and of the read are
equal.  Where a flag says whether the variable has a value, as for one that has none before the loop
(`check_unbound`), each iteration begins with a flag that is false: a read of another iteration's
value raises UnboundLocalError (`parallel-own` in the ledger).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.editing import Editor, Rule
from cutaway.ir.function import flagged_stem, stem_of
from cutaway.ir.graph import Graph
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.traversal import rename_uses, uses, walk
from cutaway.stages.parallel.conditions import Conditions, Facts
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types

OWN_VALUE = Rule(
    "own_value",
    "a variable of which no iteration reads what another one left => a new one in each",
    note="each iteration has a {0!v} of its own",
)
MOST_STEPS = 2000  # of one proof
OWN = "; each iteration of a parallel loop has its own"
_KEPT = (nodes.Phi, nodes.Copy, nodes.Cast)


class OwnValues:
    """The variables of a loop whose values never reach another iteration."""

    def __init__(
        self, unit: CompileUnit, editor: Editor, graph: Graph, header: Block, inside: Sequence[int]
    ) -> None:
        self.unit, self.editor, self.fn, self.header = unit, editor, unit.fn, header
        self.blocks = {label: unit.fn.blocks[label] for label in inside}
        self.conditions = Conditions(unit, graph, header.label, inside)

    def separate(self) -> None:
        """Start each iteration without a value of every variable that no iteration reads from
        another one."""
        first = next(iter(self.blocks.values()))
        if isinstance(first.ops[0], nodes.Phi):
            return  # a phi would use a definition of its own block
        phis = [op.result for op in self.header.ops if isinstance(op, nodes.Phi)]
        flags = {stem: name for name in phis if (stem := flagged_stem(name))}
        values = {stem_of(name): name for name in phis if not flagged_stem(name)}
        for stem in dict.fromkeys((*values, *flags)):
            name, flag = values.get(stem, ""), flags.get(stem, "")
            guards = self._guards(flag) if flag else {}
            if name and not self._is_own(name, guards):
                continue
            if guards:
                self._explain(guards)
                self._begin_anew(flag, nodes.Const, False)
            if name:
                self._begin_anew(name, nodes.Undef)

    # --- the values of a variable ---------------------------------------------------------------

    def _web(self, name: str) -> dict[str, Op]:
        """Return the variables that hold, or may hold, a variable's value from the start of the
        iteration, with their definitions."""
        web: dict[str, Op] = {}
        size = -1
        while size != len(web):
            size = len(web)
            for block in self.blocks.values():
                for op in block.ops:
                    if isinstance(op, _KEPT) and any(n == name or n in web for n in uses(op)):
                        web[op.result] = op
        return web

    def _readers(self, name: str, web: Mapping[str, Op]) -> list[tuple[str, int]]:
        """Return the variables of a web that are used for more than to keep them, and in which
        blocks; an iteration that leaves one to another variable uses it at its end."""
        held = {name, *web}
        found = [
            (one, label)
            for label, block in self.blocks.items()
            for op in block.ops
            if not isinstance(op, _KEPT)
            for one in uses(op)
            if one in held
        ]
        for phi in self.header.ops:
            if isinstance(phi, nodes.Phi) and phi.result != name:
                rows = zip(phi.values, phi.labels, strict=True)
                found += [row for row in rows if row[0] in held and row[1] in self.blocks]
        return found

    def _guards(self, flag: str) -> dict[int, int]:
        """Return the blocks that raise UnboundLocalError unless a flag is true, with their other
        successor; none if the flag has other uses, or can become false again."""
        web = self._web(flag)
        guards: dict[int, int] = {}
        for _, label in self._readers(flag, web):
            end = self.blocks[label].terminator
            bad = self.blocks.get(end.orelse) if isinstance(end, nodes.Branch) else None
            if bad is None or not isinstance(bad.terminator, nodes.StaticRaise):
                return {}
            guards[label] = end.then
        given = {
            value
            for op in (*web.values(), *(p for p in self.header.ops if flag in _results(p)))
            for value, label in _sources(op)
            if label in self.blocks and value != flag and value not in web
        }
        true = {
            op.result for op in walk(self.fn) if isinstance(op, nodes.Const) and op.value is True
        }
        return guards if true.issuperset(given) else {}

    # --- is it read -----------------------------------------------------------------------------

    def _source(self, name: str, web: Mapping[str, Op]) -> str:
        """Return the source of a chain of copies."""
        op = web.get(name)
        while isinstance(op, nodes.Copy | nodes.Cast):
            name = op.value
            op = web.get(name)
        return name

    def _is_own(self, name: str, guards: Mapping[int, int]) -> bool:
        """True if a variable is never read where it may hold a value of another iteration."""
        web = self._web(name)
        readers = self._readers(name, web)
        if any(self._source(value, web) == name for value, _ in readers):
            return False  # it is never assigned before
        seen: set[tuple[str, int, Facts]] = set()
        passed = [self.conditions.below(label, then) for label, then in guards.items()]
        guarded = frozenset(label for row in passed for label in row)

        def is_apart(value: str, label: int, known: Facts) -> bool:
            """True if a value at the end of a block never comes from another iteration."""
            facts = self.conditions.added(known, self.conditions.at(label))
            if facts is None or label in guarded:
                return True
            state = value, label, facts
            if state in seen:
                return True
            seen.add(state)
            if value == name or len(seen) > MOST_STEPS:
                return False
            op = web.get(value)
            if op is None:
                return True
            home = self.conditions.homes[value]
            if not isinstance(op, nodes.Phi):
                return is_apart(op.value, home, facts)
            for one, source in _sources(op):
                there = self.conditions.added(facts, self.conditions.along(source, home))
                if there is not None and not is_apart(one, source, there):
                    return False
            return True

        return all(is_apart(value, label, frozenset()) for value, label in readers)

    # --- values per iteration -------------------------------------------------------------------

    def _begin_anew(self, name: str, kind: type[Op], *value: object) -> None:
        """Start iterations with a new value of a variable, and rewrite its uses to it."""
        web, first = self._web(name), next(iter(self.blocks.values()))
        if not self._readers(name, web):
            return
        own = self.fn.fresh("none")
        self.unit.types[own] = types.boolean if value else types.undefined
        names = {name: own}
        for one in web:
            names[one] = self.fn.fresh(one.lstrip("$"))
            self.unit.types[names[one]] = self.unit.types[one]
        loc = first.ops[0].loc
        begun = kind(own, *value, loc=loc, id=self.fn.new_id())
        for block in self.blocks.values():
            ops = [one for op in block.ops for one in self._with_own(op, web, names)]
            if block is first:
                ops.insert(0, begun)
            self.editor.set_ops(block, ops)
        ops = [self._at_header(op, name, names) for op in self.header.ops]
        self.editor.set_ops(self.header, ops)
        self._drop_unused({name, *web, *names.values()})
        self.editor.commit(OWN_VALUE, loc, name, types=tuple(names.values()))

    def _with_own(self, op: Op, web: Mapping[str, Op], names: Mapping[str, str]) -> list[Op]:
        changed = rename_uses(op, lambda one: names.get(one, one))
        if not isinstance(op, _KEPT) or op.result not in web:
            return [changed]
        return [op, replace(changed, result=names[op.result], id=self.fn.new_id())]

    def _at_header(self, op: Op, name: str, names: Mapping[str, str]) -> Op:
        """Return a phi of the header, with the iteration's own values for other variables."""
        if not isinstance(op, nodes.Phi) or op.result == name:
            return op
        values = [
            names.get(value, value) if label in self.blocks else value
            for value, label in _sources(op)
        ]
        return op if values == list(op.values) else replace(op, values=tuple(values))

    def _drop_unused(self, names: set[str]) -> None:
        """Remove ops that only keep these variables where nothing else uses them."""
        ops = list(walk(self.fn))
        makers = {one: op for op in ops if isinstance(op, _KEPT) for one in (op.result,)}
        needed = {
            one
            for op in ops
            for one in uses(op)
            if not isinstance(op, _KEPT) or op.result not in names
        }
        rest = list(needed)
        while rest:
            op = makers.get(rest.pop())
            fresh = [one for one in uses(op) if one not in needed] if op is not None else []
            needed.update(fresh)
            rest += fresh
        for block in (self.header, *self.blocks.values()):
            kept = [
                op
                for op in block.ops
                if not isinstance(op, _KEPT) or op.result not in names or op.result in needed
            ]
            if len(kept) != len(block.ops):
                self.editor.set_ops(block, kept)

    def _explain(self, guards: Iterable[int]) -> None:
        """Explain in the errors that each iteration has its own copy of a variable."""
        for label in guards:
            end = self.blocks[label].terminator
            assert isinstance(end, nodes.Branch)
            bad = self.blocks[end.orelse]
            raised = bad.terminator
            assert isinstance(raised, nodes.StaticRaise)
            (message,) = raised.args
            new = replace(raised, args=(message + OWN,))
            self.editor.set_ops(bad, [*bad.ops[:-1], new])


def _results(op: Op) -> tuple[str, ...]:
    return (op.result,) if isinstance(op, nodes.Phi) else ()


def _sources(op: Op) -> list[tuple[str, int]]:
    return list(zip(op.values, op.labels, strict=True)) if isinstance(op, nodes.Phi) else []
