"""Outlining: blocks of a function as a function of their own.

    label 8:                          func f(a, s):
        $1, $2 = iternext($0)             ...
        branch $2, 12, 30             label 8:
    label 12:                             $1, $2 = iternext($0)
        x = $1                            branch $2, 12, 31
        s = s + x              ->     label 12:
        jump 8                            ...
    label 30:                         label 31:
        return s                          $4 = build_tuple(items=(0, s))
                                          return $4

The live-in variables of the blocks are the parameters.  The function returns a tuple: the number of
the exit by which control has left the blocks, then their live-out variables, and at last flags for
those that may be unbound there.

The blocks have one entry.  Exceptions that they do not handle leave the new function; so all of its
blocks have one outer handler, which needs none of their variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.foundation.dataclass import dataclass, field
from cutaway.foundation.dataclass import replace as changed
from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op, replace
from cutaway.ir.reaches import depths, live_into
from cutaway.ir.references import bound_into
from cutaway.ir.traversal import definitions, may_raise, retarget, successors, uses


class CannotOutline(Exception):
    """The reason why blocks cannot be a function, in the user's words."""

    def __init__(self, reason: str, loc: Loc, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.loc = loc
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Outline:
    """Blocks of `fn` with the labels `labels`, entered at `entry`.

    `inputs` are their live-in variables, of which those in `uncertain` may be unbound; `outputs`
    the live-out ones, of which those in `flagged` may be.  `exits` are the labels to which control
    leaves, in the order of their numbers.  Their exceptions go to `handler`, and `depth` exceptions
    are being handled around them.
    """

    fn: Function = field(repr=False)
    labels: frozenset[int]
    entry: int
    inputs: tuple[str, ...]
    uncertain: frozenset[str]
    outputs: tuple[str, ...]
    flagged: tuple[str, ...]
    exits: tuple[int, ...]
    handler: int | None
    depth: int

    @property
    def loc(self) -> Loc:
        """The location where the blocks begin in the source."""
        return self.fn.blocks[self.entry].ops[0].loc

    def function(self, unbound: frozenset[str] = frozenset()) -> Function:
        """Build the blocks as a function, for a run in which the inputs in `unbound` are."""
        return _Body(self, unbound).build()


def absorbed(fn: Function, labels: Iterable[int], entry: int) -> frozenset[int]:
    """Extend blocks with the handlers of their exceptions alone, up to where nothing is handled any
    more."""
    region = set(labels)
    graph = graph_of(fn)
    starts = starting_depths(fn)
    outer = fn.blocks[entry].handler
    grows = True
    while grows:
        handlers = {fn.blocks[label].handler for label in region} - {None, outer}
        more = {one for label in region for one in graph.successors(label)} - region
        belongs = {
            label
            for label in more
            if (starts.get(label, 0) > starts.get(entry, 0) or label in handlers)
            and label != outer
            and region.issuperset(graph.predecessors(label))
        }
        grows = bool(belongs)
        region |= belongs
    return frozenset(region)


def starting_depths(fn: Function) -> dict[int, int]:
    """Return the number of exceptions being handled at the start of each reachable block."""
    return {
        label: depth - sum(map(_deeper, fn.blocks[label].ops))
        for label, depth in depths(fn).items()
    }


def _deeper(op: Op) -> int:
    return isinstance(op, nodes.Caught) - isinstance(op, nodes.EndHandler)


def outline(
    fn: Function,
    labels: frozenset[int],
    entry: int,
    kept: frozenset[str] = frozenset(),
    shared: frozenset[str] = frozenset(),
) -> Outline:
    """Outline blocks with a single entry; variables in `kept` are not outputs, even if they are
    used later, and those in `shared` with an inner function are, even if they are not.

    Raises CannotOutline if they cannot be a function of their own.
    """
    handler = _handler_around(fn, labels, entry)
    starts, live = starting_depths(fn), live_into(fn)
    exits = tuple(dict.fromkeys(_leaving(fn, labels, handler)))
    for label in exits:
        if starts.get(label, 0) != starts.get(entry, 0):
            raise CannotOutline("control leaves it while an exception is handled", _loc(fn, entry))
    defined = _defined(fn, labels)
    taken = (
        live[handler] & _defined_before_raises(fn, labels, handler) if handler is not None else ()
    )
    if taken:
        name = user_name(min(taken, key=lambda one: (is_temporary(one), one)))
        raise CannotOutline(
            f"what handles its exceptions reads `{name}` as it is when one is raised",
            _loc(fn, entry),
            f"assign to a variable of its own in the loop, and to `{name}` after it",
        )
    for label in (entry, *exits):
        live[label] = live[label].union(shared.intersection(defined))
    inputs, uncertain = _inputs(fn, labels, entry, live, defined)
    given = [name for name in defined if name not in kept]
    outputs = tuple(name for name in given if any(name in live[one] for one in exits))
    plain = Outline(
        *(fn, labels, entry, inputs, uncertain, outputs, (), exits, handler),
        depth=starts.get(entry, 0),
    )
    bound = _Body(plain, uncertain).bound_at_exits()
    flagged = tuple(
        name
        for name in outputs
        if any(name in live[one] and name not in bound[one] for one in exits)
    )
    return changed(plain, flagged=flagged)


def _loc(fn: Function, label: int) -> Loc:
    return fn.blocks[label].ops[0].loc


def _handler_around(fn: Function, labels: frozenset[int], entry: int) -> int | None:
    """Return the outer handler of the exceptions that the blocks do not handle."""
    handlers = {
        fn.blocks[label].handler
        for label in labels
        if fn.blocks[label].handler not in labels and any(map(may_raise, fn.blocks[label].ops))
    }
    if len(handlers) > 1:
        raise CannotOutline("its exceptions go to several places", _loc(fn, entry))
    return next(iter(handlers), None)


def _leaving(fn: Function, labels: frozenset[int], handler: int | None) -> Iterator[int]:
    """Yield the labels to which control leaves blocks, except by exceptions."""
    for label in fn.blocks:
        if label in labels:
            yield from (
                one
                for one in successors(fn.blocks[label])
                if one not in labels and one != fn.blocks[label].handler
            )


def _defined(fn: Function, labels: frozenset[int]) -> dict[str, None]:
    """Return the definitions in blocks, in order."""
    ops = (op for label in fn.blocks if label in labels for op in fn.blocks[label].ops)
    return dict.fromkeys(name for op in ops for name in definitions(op))


def _defined_before_raises(fn: Function, labels: frozenset[int], handler: int) -> set[str]:
    """Return the variables that may be defined in blocks when one of them raises to the outer
    handler: a block defines the variables that its handler needs before it raises."""
    before: dict[int, set[str]] = {label: set() for label in labels}
    waiting = list(labels)
    while waiting:
        block = fn.blocks[waiting.pop()]
        out = before[block.label].union(*map(definitions, block.ops))
        for target in labels.intersection(successors(block)):
            if not out <= before[target]:
                before[target] |= out
                waiting.append(target)
    raising = [
        fn.blocks[label]
        for label in labels
        if fn.blocks[label].handler == handler and any(map(_may_raise, fn.blocks[label].ops))
    ]
    return {
        name
        for block in raising
        for name in before[block.label].union(*map(definitions, block.ops))
    }


def _may_raise(op: Op) -> bool:
    """True if an op may raise, including UnboundLocalError."""
    return may_raise(op) or not all(map(is_temporary, uses(op)))


def _inputs(
    fn: Function,
    labels: frozenset[int],
    entry: int,
    live: dict[int, set[str]],
    defined: dict[str, None],
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the live-in variables of blocks, and those of them that may be unbound before."""
    ops = [op for label in fn.blocks if label in labels for op in fn.blocks[label].ops]
    named = dict.fromkeys(name for op in ops for name in uses(op)) | defined
    needed = [name for name in named if name in live[entry]]
    before = bound_into(fn, frozenset()).get(entry, frozenset())
    ever = _ever_bound(fn, labels, entry)
    inputs = tuple(name for name in needed if name in ever)
    return inputs, frozenset(name for name in inputs if name not in before)


def _ever_bound(fn: Function, labels: frozenset[int], entry: int) -> set[str]:
    """Return the variables that may be bound where blocks are entered from outside."""
    found: dict[int, set[str]] = {fn.entry.label: set()}
    waiting = [fn.entry.label]
    while waiting:
        block = fn.blocks[waiting.pop()]
        names = {
            name for op in block.ops if not isinstance(op, nodes.Undef) for name in definitions(op)
        }
        out = found[block.label] | names
        for target in successors(block):
            if block.label in labels and target == entry:
                continue
            if target not in found or not out <= found[target]:
                found[target] = found.get(target, set()) | out
                waiting.append(target)
    return found.get(entry, set())


class _Body:
    """Builds the outlined function."""

    def __init__(self, outline: Outline, unbound: frozenset[str]) -> None:
        fn = outline.fn
        self.outline = outline
        self.unbound = unbound
        self.given = tuple(name for name in outline.inputs if name not in unbound)
        self.made = Function(
            *(fn.name, self.given, {}, fn.filename, fn.first_line, fn.next_id, fn.next_temp),
            namespace=fn.namespace,
            closure=fn.closure,
        )
        self.first = fn.highest_label() + 1
        self.ends = {label: self.first + 1 + k for k, label in enumerate(outline.exits)}
        self.loc = outline.loc

    def bound_at_exits(self) -> dict[int, frozenset[str]]:
        """Return the variables that are definitely bound at each exit."""
        self._enter(())
        self._copy(())
        for label in self.ends.values():
            self._block(label, [nodes.Unreachable(loc=self.loc)])
        bound = bound_into(self.made, frozenset())
        return {label: bound.get(end, frozenset()) for label, end in self.ends.items()}

    def build(self) -> Function:
        """Build the whole function."""
        flags = {name: self.made.fresh(f"has.{name}") for name in self.outline.flagged}
        bound = _Body(self.outline, self.unbound).bound_at_exits()
        self._enter(tuple(flags.items()))
        self._copy(tuple(flags.items()))
        for label in self.ends.values():
            self._block(label, [])  # this reserves their labels
        for number, label in enumerate(self.outline.exits):
            self._leave(number, self.ends[label], bound[label], flags)
        return self.made

    def _block(self, label: int, ops: list[Op], handler: int | None = None) -> Block:
        block = self.made.blocks[label] = Block(label, ops, handler)
        return block

    def _add(self, block: Block, cls: type[Op], *fields: Any, loc: Loc | None = None) -> None:
        block.ops.append(cls(*fields, loc=loc or self.loc, id=self.made.new_id()))

    def _enter(self, flags: tuple[tuple[str, str], ...]) -> None:
        block = self._block(self.first, [])
        for k, name in enumerate(self.given):
            self._add(block, nodes.Arg, name, k, name)
        for name, flag in flags:
            self._add(block, nodes.Const, flag, name in self.given)
        self._add(block, nodes.Jump, self.outline.entry)

    def _copy(self, flags: tuple[tuple[str, str], ...]) -> None:
        outline, by_name = self.outline, dict(flags)
        for label, block in outline.fn.blocks.items():
            if label not in outline.labels:
                continue
            handler = block.handler if block.handler in outline.labels else None
            ops: list[Op] = []
            for op in block.ops:
                ops.append(self._copied(op))
                for name in definitions(op):
                    if name in by_name:
                        is_bound = not isinstance(op, nodes.Undef)
                        number = self.made.new_id()
                        ops.append(nodes.Const(by_name[name], is_bound, loc=op.loc, id=number))
            self._block(label, ops, handler)

    def _copied(self, op: Op) -> Op:
        if isinstance(op, nodes.Caught):
            return replace(op, depth=op.depth - self.outline.depth)
        return retarget(op, lambda label: self.ends.get(label, label)) if op.TERMINATOR else op

    def _leave(self, number: int, label: int, bound: frozenset[str], flags: dict[str, str]) -> None:
        """Emit an exit: return its number, then each output, and the flags."""
        made = self.made
        block = made.blocks[label]
        code = made.fresh("way")
        self._add(block, nodes.Const, code, number)
        values, has = [code], []
        for name in self.outline.outputs:
            if name in bound:
                values.append(name)
            elif name in flags:
                block, value = self._if_bound(block, name, flags[name])
                values.append(value)
            else:
                values.append(self._none(block))
        for name in self.outline.flagged:
            has.append(flags[name])
        result, given = made.fresh("results"), made.fresh("results")
        self._add(block, nodes.BuildTuple, result, (*values, *has))
        self._add(block, nodes.Cast, given, result)
        self._add(block, nodes.Return, given)

    def _none(self, block: Block) -> str:
        name = self.made.fresh("none")
        self._add(block, nodes.Const, name, None)
        return name

    def _if_bound(self, block: Block, name: str, flag: str) -> tuple[Block, str]:
        """Emit the value of a variable, None if it is unbound; returns the next block, too."""
        value = self.made.fresh(f"given.{user_name(name)}")
        here = self.made.new_label()
        there, after = self._block(here, []), self._block(here + 1, [])
        other = self._block(here + 2, [])
        self._add(block, nodes.Branch, flag, there.label, other.label)
        self._add(there, nodes.Copy, value, name)
        self._add(there, nodes.Jump, after.label)
        self._add(other, nodes.Const, value, None)
        self._add(other, nodes.Jump, after.label)
        return after, value
