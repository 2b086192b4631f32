"""References of objects: the number that each variable holds, at level objects.

    $0.1 = getattr(value=a, attr=x)    # holds a new one
    $0.2 = $0.1                        # the same object: holds none
    incref $0.2                        # one
    decref $0.1

An op's result is a new reference, which the variable holds; aliases of existing objects (`a =
arg(0)`, constants, copies) hold none until an `incref`.  `move` passes one on.  A user variable
drops its reference when it is rebound or unbound.  A captured variable is a cell: it holds that
from the function's beginning, and a read of a cell returns a new reference.

An exception drops all references that its handler does not need.  So the counts follow from the ops
alone, and are the same on every path to a block; a variable that may be unbound holds nothing then.

A value that only branches use is a flag, not an object.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cutaway.foundation.lazy import cached_property
from cutaway.ir import nodes
from cutaway.ir.dataflow import Facts
from cutaway.ir.function import Function, is_temporary
from cutaway.ir.graph import graph_of
from cutaway.ir.liveness import liveness
from cutaway.ir.nodes import Block, Op
from cutaway.ir.traversal import definitions, uses, walk

Counts = dict[str, int]  # references per variable; absent variables hold none

MOST = 9  # of one variable: an edited program may add one in each iteration, and drop none

# Aliases of existing objects.
NAMES = (nodes.Arg, nodes.Const, nodes.Copy, nodes.Cast, nodes.Undef)
# The same container with more items, which is passed on.
GROWING = (nodes.Extend, nodes.ListAppend)
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"})


def flags(fn: Function) -> frozenset[str]:
    """Return the temporaries with a truth value that only branches use."""
    made, used, asked = set(), set(), set()
    for op in walk(fn):
        match op:
            case nodes.IterNext(valid=valid):
                made.add(valid)
            case nodes.Matches() | nodes.IsPattern():
                made.add(op.result)
            case nodes.Unary() if op.op.symbol in ("not", "bool"):
                made.add(op.result)
            case nodes.Binary() if op.op.symbol in _COMPARISONS:
                made.add(op.result)
        (asked if isinstance(op, nodes.Branch) else used).update(uses(op))
    return frozenset(name for name in (made & asked) - used if is_temporary(name))


def cells(fn: Function) -> frozenset[str]:
    """Return the variables of the function that inner functions capture."""
    makers = (op for op in walk(fn) if isinstance(op, nodes.MakeFunction))
    captured = {name for op in makers for name in op.captured}
    captured.update(op.value for op in walk(fn) if isinstance(op, nodes.Deref))
    return frozenset(captured - set(fn.closure))


def container_of(op: Op) -> str:
    """Return the container that an op extends."""
    assert isinstance(op, nodes.Extend | nodes.ListAppend)
    return op.container if isinstance(op, nodes.Extend) else op.items


_NEVER_FAIL = (
    *(
        nodes.Arg,
        nodes.Const,
        nodes.Move,
        nodes.Incref,
        nodes.Decref,
        nodes.Undef,
        nodes.Unreachable,
    ),
    *(nodes.Caught, nodes.EndHandler, nodes.Jump, nodes.Branch, nodes.Return),
)


def can_fail(op: Op, bound: Collection[str]) -> bool:
    """True if an op may raise while these variables are bound."""
    if isinstance(op, nodes.Copy | nodes.Cast):
        return not is_temporary(op.value) and op.value not in bound
    return not isinstance(op, _NEVER_FAIL)


def binds(op: Op, bound: set[str], taken: frozenset[str]) -> None:
    """Update the variables that are definitely bound after an op, except those `taken` by cells."""
    if isinstance(op, nodes.Undef):
        bound.discard(op.result)
        return
    names = definitions(op)
    if not isinstance(op, nodes.RunLoop):
        names = (*names, *uses(op))  # an unbound operand raises
    bound.update(name for name in names if name not in taken)
    if isinstance(op, nodes.Move):
        bound.discard(op.value)


class References:
    """The reference counts of a function at every point.

    `into` has those at the beginning of each reachable block.
    """

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.cells = cells(fn)
        self.flags = flags(fn)
        self.graph = graph_of(fn)
        self.live = liveness(fn).into
        self.bound = bound_into(fn, self.cells)
        self.into: dict[int, Counts] = {}
        self._solve()

    @cached_property
    def owners(self) -> frozenset[str]:
        """The user variables that ever hold a reference: then they do as long as they are bound."""
        holders: set[str] = set()
        for label in self.into:
            for _, counts in self.through(self.fn.blocks[label]):
                holders.update(counts)
        return frozenset(name for name in holders if not is_temporary(name))

    def _solve(self) -> None:
        entry = self.fn.entry.label
        self.into[entry] = dict.fromkeys(sorted(self.cells), 1)
        waiting = {entry}
        while waiting:
            for label in filter(waiting.__contains__, self.graph.reverse_postorder()):
                waiting.remove(label)
                for target, counts in self.leaving(self.fn.blocks[label]):
                    known = self.into.get(target)
                    merged = counts if known is None else self._merged(known, counts)
                    if merged != known:
                        self.into[target] = merged
                        waiting.add(target)

    def _merged(self, one: Counts, other: Counts) -> Counts:
        """Merge the counts of two paths; a user variable bound on one may hold a reference."""
        names = {*one, *other}
        return {name: max(one.get(name, 0), other.get(name, 0)) for name in sorted(names)}

    def leaving(self, block: Block) -> Iterator[tuple[int, Counts]]:
        """Yield the counts on each edge out of a block."""
        ended, guarded = None, False
        bound = set(self.bound[block.label])
        for op, counts in self.through(block):
            if block.handler is not None and can_fail(op, bound):
                guarded = True
                yield block.handler, self.kept_by(block.handler, counts)
            binds(op, bound, self.cells)
            ended = op, counts
        assert ended is not None
        op, counts = ended  # a terminator changes no counts
        if block.handler is not None and not guarded:  # no op before it can raise
            yield block.handler, self.kept_by(block.handler, counts)
        match op:
            case nodes.Branch(cond, then, orelse):
                yield then, counts
                yield orelse, self._without_item(block, cond, counts)
            case nodes.Jump(target):
                yield target, counts

    def _without_item(self, block: Block, cond: str, counts: Counts) -> Counts:
        """Remove the item of an iterator, which is unbound at its end."""
        for op in block.ops:
            if isinstance(op, nodes.IterNext) and op.valid == cond:
                return {name: count for name, count in counts.items() if name != op.result}
        return counts

    def through(self, block: Block) -> Iterator[tuple[Op, Counts]]:
        """Yield each op of a block with the counts before it, which are updated afterward."""
        counts = dict(self.into[block.label])
        for op in block.ops:
            yield op, counts
            self._count(op, counts)

    def after(self, op: Op, counts: Counts) -> Counts:
        """Return the counts after an op, from those before it."""
        changed = dict(counts)
        self._count(op, changed)
        return changed

    def _count(self, op: Op, changed: Counts) -> None:
        match op:
            case nodes.Incref(name):
                changed[name] = min(changed.get(name, 0) + 1, MOST)
            case nodes.Decref(name):
                changed[name] = changed.get(name, 0) - 1
            case nodes.Copy(result, value) if result == value:
                pass
            case nodes.Move(result, value):
                changed[value] = changed.get(value, 0) - 1
                changed[result] = 1
            case nodes.Suspend(result, value):  # the receiver of the item takes the reference
                changed[value] = changed.get(value, 0) - 1
                changed[result] = 1
            case nodes.Extend() | nodes.ListAppend():
                container = container_of(op)
                changed[container] = changed.get(container, 0) - 1
                changed[op.result] = 1
            case _:
                for name in definitions(op):
                    if name not in self.cells and name not in self.flags:
                        changed[name] = 0 if self.is_name(op) else 1
        for name in (*definitions(op), *uses(op)):
            if not changed.get(name, 1):
                del changed[name]

    def is_name(self, op: Op) -> bool:
        """True if an op's result aliases an existing object."""
        if isinstance(op, nodes.Copy | nodes.Cast) and op.value in self.cells:
            return False  # read from its cell
        return isinstance(op, NAMES)

    def kept_by(self, handler: int, counts: Counts) -> Counts:
        """Return the references held where an op raises that its handler holds at its start."""
        live = self.live[handler]
        return {
            name: 1
            for name, count in counts.items()
            if count > 0 and (not is_temporary(name) or name in live)
        }

    def released(self, block: Block, counts: Counts) -> Counts:
        """Return the references dropped where an op of a block raises, with their numbers."""
        kept = {} if block.handler is None else self.into[block.handler]
        dropped = {name: count - kept.get(name, 0) for name, count in counts.items()}
        return {name: count for name, count in dropped.items() if count > 0}


def bound_into(fn: Function, taken: frozenset[str]) -> dict[int, Facts]:
    """Return the variables, except those `taken` by cells, that are definitely bound at the
    beginning of each reachable block."""
    entry = fn.entry.label
    graph = graph_of(fn)
    bound_at_start: dict[int, Facts] = {entry: frozenset()}
    waiting = {entry}
    while waiting:
        for label in filter(waiting.__contains__, graph.reverse_postorder()):
            waiting.remove(label)
            block = fn.blocks[label]
            bound, least = _bound_after(block, bound_at_start[label], taken)
            for target in graph.successors(label):
                some = least if target == block.handler else bound
                now = bound_at_start[target] & some if target in bound_at_start else some
                if now != bound_at_start.get(target):
                    bound_at_start[target] = now
                    waiting.add(target)
    return bound_at_start


def _bound_after(block: Block, before: Facts, taken: frozenset[str]) -> tuple[Facts, Facts]:
    """Return the variables that are bound at the end of a block, and wherever it raises."""
    bound, least = set(before), set(before)
    for op in block.ops:
        binds(op, bound, taken)
        if isinstance(op, nodes.Undef | nodes.Move):
            least.discard(op.result if isinstance(op, nodes.Undef) else op.value)
    return frozenset(bound), frozenset(least)


def wrong_references(fn: Function) -> Iterator[tuple[int, int, str]]:
    """Yield the violations of reference counting in a function at level objects: a label, the
    position of an op, and a message."""
    known = References(fn)
    for label in known.graph.reverse_postorder():
        block = fn.blocks[label]
        for position, (op, counts) in enumerate(known.through(block)):
            for name, count in counts.items():
                if count < 0:
                    yield label, position, f"{name} drops a reference that it does not hold"
                    return
            if isinstance(op, nodes.Return):
                left = {name for name in counts if name != op.value}
                for name in sorted(left):
                    yield label, position, f"{name} still holds a reference at the end"
                if counts.get(op.value, 0) != 1:
                    yield label, position, f"{op.value} holds no reference for the caller"
        yield from _wrong_edges(known, block)


def _wrong_edges(known: References, block: Block) -> Iterator[tuple[int, int, str]]:
    last = len(block.ops) - 1
    for target, counts in known.leaving(block):
        wanted = known.into[target]
        for name in sorted({*wanted, *counts}):
            differ = counts.get(name, 0) != wanted.get(name, 0)
            if differ and (is_temporary(name) or counts.get(name, 0) > 1):
                yield block.label, last, f"{name} holds a reference on one way to label {target}"
