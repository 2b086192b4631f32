"""Handlers in machine code: the paths from the raise sites of a block to the block's handler.

    label 4, except 20:          B4:        ... store i32 1, ptr %status; br label %landing.4
        y = b / x                landing.4: the exception as an object, into a slot;
        jump 30            =>               release values the handler does not use; br label %B20
    label 20:                    B20:       load from the slot
        $e = caught(depth=0)

Only raise sites jump there, so that a block with a handler is lowered like one without.  An
exception raised during the handling of another one becomes an object as well where it leaves the
function, since its context is the handled one.  Handled exceptions are in slots, which the end of a
handler clears.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.ir.liveness import liveness
from cutaway.ir.nodes import Block
from cutaway.ir.reaches import depths
from cutaway.ir.traversal import definitions
from cutaway.lowering.build.builder import symbol
from cutaway.lowering.build.function_builder import Landing
from cutaway.lowering.build.raising import HANDLED, CallSite, Compared, table_name
from cutaway.lowering.layout import Value
from cutaway.lowering.regions import block_name
from cutaway.typing import types

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


class Handlers:
    """The landings of one function's handlers; `exits` maps a block to the LLVM block from which
    its exceptions enter its handler."""

    def __init__(self, into: FunctionLowering) -> None:
        self.into = into
        self.exits: dict[int, str] = {}
        self.live = liveness(into.fn)
        self.depths: dict[int, int] = {}  # by ids of ops: exceptions being handled after it
        self.at_end = depths(into.fn, self.depths)
        build = into.build
        build.needs_cleanup = True
        build.hint = "status"
        self.status = build.alloca("i32")
        build.hint = "caught"
        self.caught = build.alloca("ptr")
        build.hint = "handled"
        self.handled = [build.alloca("ptr") for _ in range(max(self.depths.values()))]
        for slot in self.handled:
            build.at_entry(f"store ptr null, ptr {slot}, align 8")
        build.kept += self.handled
        build.hint = "outer"
        self.outer = build.alloca("ptr")  # the exception that callers handle
        self.begin_run()
        self._kept = 0

    def begin_run(self) -> None:
        """Save the exception that is being handled where the function is called or resumed."""
        build = self.into.build
        build.store("ptr", build.load("ptr", _handled_at(self.into), 8), self.outer, 8)

    def tell(self, exception: str) -> None:
        """Publish the innermost handled exception for callees; a null pointer: the callers'."""
        build = self.into.build
        outer = build.load("ptr", self.outer, 8)
        is_own = build.compare("ne", "ptr", exception, "null")
        handled = build.select(is_own, "ptr", exception, outer)
        build.store("ptr", handled, _handled_at(self.into), 8)

    def begin(self, block: Block) -> None:
        """Begin a block: its exceptions go to its handler from here on."""
        self._kept = len(self.into.build.kept)
        if block.handler is not None:
            handler = next(
                op for op in self.into.fn.blocks[block.handler].ops if isinstance(op, nodes.Caught)
            )
            depth = len(handler.loc.calls)
            self.into.build.landing = Landing(f"landing.{block.label}", self.status, depth=depth)
        elif self._most_handled(block):
            self.into.build.landing = Landing(f"leaving.{block.label}", self.status)

    def end(self, block: Block) -> None:
        """End a block, whose values are defined, with the landing of its handler."""
        build = self.into.build
        landing, build.landing = build.landing, None
        if landing is None or not landing.is_reached:
            return
        build.start(landing.label)
        if block.handler is None:
            exception = self._exception(self._most_handled(block))
            status = _raised_again(self.into, exception)
            build.call("void", "cutaway_decref", [("ptr", exception)])
            self.tell("null")
            build.leave(status)
            return
        handler = self.into.fn.blocks[block.handler]
        depth = next(op.depth for op in handler.ops if isinstance(op, nodes.Caught))
        build.store("ptr", self._exception(max(depth, self._most_handled(block))), self.caught, 8)
        self._hand_over(block, handler)
        self._release(block, handler)
        for slot in self.handled[depth:]:
            _empty(self.into, slot)
        build.jump(block_name(handler.label))
        self.exits[block.label] = build.block

    def _most_handled(self, block: Block) -> int:
        """Return the greatest number of exceptions that are handled at once in a block."""
        inside = [self.depths[op.id] for op in block.ops if op.id in self.depths]
        ended = sum(isinstance(op, nodes.EndHandler) for op in block.ops)
        return max([self.at_end.get(block.label, 0) + ended, *inside])

    def _exception(self, count: int) -> str:
        """Make the object of a raised exception, whose context is the innermost handled one."""
        build = self.into.build
        outer = self.innermost(count)
        status = build.load("i32", self.status, 4)
        operands = [("ptr", "%exc"), ("i32", status), ("ptr", outer)]
        return build.call("ptr", "cutaway_catch", operands)

    def innermost(self, count: int | None = None) -> str:
        """Load the innermost handled exception, or that of the first `count`; null if none is."""
        build = self.into.build
        outer = "null"
        for slot in self.handled[:count]:
            inner = build.load("ptr", slot, 8)
            is_handled = build.compare("ne", "ptr", inner, "null")
            outer = build.select(is_handled, "ptr", inner, outer)
        return outer

    def _hand_over(self, block: Block, handler: Block) -> None:
        """Add references for the values that the handler's phis take over."""
        for op in handler.ops:
            if isinstance(op, nodes.Phi) and op.result in self.into.owned:
                value = self.into.values[op.values[op.labels.index(block.label)]]
                self.into.count_in("cutaway_incref", value)

    def _release(self, block: Block, handler: Block) -> None:
        """Release values that the block may own and the handler does not need."""
        build, needed = self.into.build, self.live.into[handler.label]
        names = set(self.live.into[block.label])
        for op in block.ops:
            names.update(definitions(op))
        for name in sorted(names - needed):
            for slot in self.into.owner_slots.get(name, ()):
                _empty(self.into, slot)
        for slot in build.kept[self._kept :]:
            _empty(self.into, slot)


def _handled_at(into: FunctionLowering) -> str:
    return into.build.offset("%exc", str(HANDLED))


def _empty(into: FunctionLowering, slot: str) -> None:
    owner = into.build.load("ptr", slot, 8)
    into.build.store("ptr", "null", slot, 8)
    into.build.call("void", "cutaway_decref", [("ptr", owner)])


def caught(into: FunctionLowering, op: nodes.Caught) -> Value:
    """Load the exception that was caught, and begin to handle it."""
    assert into.handlers is not None
    owner = into.build.load("ptr", into.handlers.caught, 8)
    into.build.call("void", "cutaway_incref", [("ptr", owner)])
    into.build.store("ptr", owner, into.handlers.handled[op.depth], 8)
    into.handlers.tell(owner)
    return Value(into.types[op.result], (owner,))


def end_handler(into: FunctionLowering, op: nodes.EndHandler) -> None:
    """End the handling of the exception."""
    assert into.handlers is not None
    depth = into.handlers.depths[op.id]
    into.handlers.tell(into.handlers.innermost(depth))
    _empty(into, into.handlers.handled[depth])


def matches(into: FunctionLowering, op: nodes.Matches) -> Value:
    """Compare the exception with classes, in C: the raise table holds them."""
    build = into.build
    classes = types.classes_of(into.types[op.classes])
    assert classes is not None
    index = build.table.add_call(CallSite(Compared(classes), (), build.loc, build.function))
    table = symbol(table_name(build.code.name))
    operands = [("ptr", table), ("i64", str(index)), ("ptr", into.values[op.exception].parts[0])]
    answer = build.call("i32", "cutaway_matches", operands)
    return Value(types.boolean, (build.compare("ne", "i32", answer, "0"),))


def reraise(into: FunctionLowering, op: nodes.Reraise) -> None:
    """Leave with the exception unchanged."""
    build = into.build
    exception = into.values[op.exception].parts[0]
    build.links.target.exceptions.pass_on(build, _raised_again(into, exception))


def raise_caught(into: FunctionLowering, op: nodes.Raise | nodes.RaiseFrom) -> None:
    """Raise an exception object from this location."""
    exception = into.values[op.exception].parts[0]
    if isinstance(op, nodes.RaiseFrom):
        _set_cause(into, exception, op.cause)
    build = into.build
    build.links.target.exceptions.propagate(build, _raised_again(into, exception))


def raise_with_cause(into: FunctionLowering, op: nodes.RaiseComputedFrom) -> None:
    """Make the exception an object, with its cause, before it is raised from here."""
    build = into.build
    build.hint = "status"
    outer, status = build.landing, build.alloca("i32")
    depth = 0 if outer is None else outer.depth
    build.landing = Landing(build.new_label("raised"), status, depth=depth)
    build.raise_values(op.exception, into.call_values(op), op.keywords)
    build.start(build.landing.label)
    build.landing = outer
    operands = [("ptr", "%exc"), ("i32", build.load("i32", status, 4))]
    operands.append(("ptr", into.handlers.innermost() if into.handlers else "null"))
    exception = build.call("ptr", "cutaway_catch", operands)
    _set_cause(into, exception, op.cause)
    raised = _raised_again(into, exception)
    build.call("void", "cutaway_decref", [("ptr", exception)])
    build.leave(raised)


def _set_cause(into: FunctionLowering, exception: str, name: str) -> None:
    """Set the `__cause__` of an exception; None has no parts, an optional one a flag first."""
    cause, *rest = (*into.values[name].parts, "null")
    if isinstance(into.types[name], types.Optional):
        cause = into.build.select(cause, "ptr", rest[0], "null")
    into.build.call("void", "cutaway_set_cause", [("ptr", exception), ("ptr", cause)])


def _raised_again(into: FunctionLowering, owner: str) -> str:
    """Raise an exception object again; returns the status."""
    return into.build.call("i32", "cutaway_reraise", [("ptr", owner)])
