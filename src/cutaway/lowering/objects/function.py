"""Lower a function whose values are all objects.

    ptr @f(ptr %env, ptr %args)

returns a new reference, or NULL with an exception set.  Each variable has a slot on the stack, NULL
while it is unbound; LLVM promotes them to registers.  An exception jumps to a landing: it drops the
references that the handler does not need, which `ir/references.py` computes, and goes on to the
handler, or returns.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from cutaway.foundation.source import Loc
from cutaway.ir import nodes
from cutaway.ir.frame_functions import own_globals
from cutaway.ir.function import Function, is_temporary, user_name
from cutaway.ir.nodes import Block, Op
from cutaway.ir.reaches import depths
from cutaway.ir.references import Counts, References, binds
from cutaway.ir.traversal import definitions, targets, uses, walk
from cutaway.lowering.build.builder import FIRST_COLD, Builder, FunctionCode, symbol
from cutaway.lowering.objects.api import API, ApiRow, Raises
from cutaway.lowering.objects.environment import Environment
from cutaway.lowering.objects.module import COUNTERS
from cutaway.lowering.objects.ops import LOWERED
from cutaway.lowering.regions import block_name

POLLED = 1024  # iterations between two checks for signals; a power of two


class ObjectLowering:
    """The lowering of one function at level objects."""

    def __init__(self, fn: Function, name: str, environment: Environment) -> None:
        self.fn = fn
        self.environment = environment
        self.build = Builder(name)
        self.build.code.filename = fn.filename
        self.build.code.first_line = fn.first_line
        self.known = References(fn)
        self.positions = _instructions(environment.code)
        self.slots: dict[str, str] = {}
        self.handled: list[str] = []
        self.depths: dict[int, int] = {}
        self.methods = _methods(fn)
        self.own_globals = own_globals(fn)
        self.looping = _looping(fn)
        self.landings: dict[tuple[Any, ...], str] = {}
        self.waiting: list[tuple[str, tuple[Any, ...]]] = []
        self.arguments = ""
        # Of the op that is lowered: reference counts, variables that are bound, handled exceptions.
        self.block: Block = fn.entry
        self.position = 0  # in its block
        self.counts: Counts = {}
        self.bound: set[str] = set()
        self.depth = 0
        self.owned: tuple[str, int] | None = None
        self.owning: list[str] = []  # the variables whose slots are in it
        self.polled = ""  # the slot that counts the iterations of loops
        self.taken = ""  # a variable whose object may be gone, and that is rebound next

    def run(self) -> FunctionCode:
        """Lower the function."""
        build = self.build
        for name in COUNTERS:
            build.declare("void", name, ["ptr"])
        self._stack()
        at_end = depths(self.fn, self.depths)
        build.start("entry")
        self._require_environment()
        order = self.known.graph.reverse_postorder()
        self.enter(block_name(order[0]))
        starts = _starting_depths(self.fn, at_end)
        for label in order:
            self.block = self.fn.blocks[label]
            self.bound = set(self.known.bound[label])
            self.depth = starts[label]
            build.start(block_name(label))
            if label in self.known.graph.loops():
                self._poll()
            for position, (op, counts) in enumerate(self.known.through(self.block)):
                self.position, self.counts = position, counts
                build.at(op.loc)
                build.hint = next(iter(definitions(op)), "$t")
                LOWERED[type(op)](self, op)
                binds(op, self.bound, self.known.cells)
                self.depth = self.depths.get(op.id, self.depth)
        while self.waiting:
            self._land(*self.waiting.pop())
        self.finish()
        return build.finish(self.header())

    def _require_environment(self) -> None:
        """Return with an exception if the code is called without its environment."""
        build = self.build
        missing, there = build.new_label("no.environment"), build.new_label("begins")
        build.hint = "$alone"
        build.branch(build.compare("eq", "ptr", "%env", "null"), missing, there, FIRST_COLD)
        build.start(missing)
        self._call(API["cutaway_py_no_environment"], ())
        self.leave("null")
        build.start(there)

    def _poll(self) -> None:
        """Begin a loop's iteration: every so often signals are handled and the GIL is released."""
        build = self.build
        if not self.polled:
            build.hint = "$runs"
            self.polled = build.alloca("i32")
            build.at_entry(f"store i32 0, ptr {self.polled}, align 8")
        self.counts = self.known.into[self.block.label]
        build.at(self.block.ops[0].loc)
        runs = build.binary("add", "i32", build.load("i32", self.polled, 8), "1")
        build.store("i32", runs, self.polled, 8)
        rest = build.binary("and", "i32", runs, str(POLLED - 1))
        polls, goes_on = build.new_label("polls"), build.new_label("goes.on")
        build.branch(build.compare("eq", "i32", rest, "0"), polls, goes_on, FIRST_COLD)
        build.start(polls)
        self.call("cutaway_py_poll")
        build.jump(goes_on)
        build.start(goes_on)

    def header(self) -> str:
        """Return the first line of the function."""
        return f"define internal ptr {symbol(self.build.code.name)}(ptr %env, ptr %args)"

    def _stack(self) -> None:
        build = self.build
        build.hint = "$handled"
        most = max([0, *(op.depth + 1 for op in walk(self.fn) if isinstance(op, nodes.Caught))])
        self.handled = [self.new_slot() for _ in range(most)]
        names = {name for op in walk(self.fn) for name in (*definitions(op), *uses(op))}
        self._owning_slots(sorted(self.known.owners & names))
        for name in sorted(names - self.known.owners):
            self._slot(name)
        room = max([1, *(len(uses(op)) for op in walk(self.fn))]) + 2
        build.hint = "$operands"
        self.arguments = build.alloca("ptr", room)

    def _owning_slots(self, names: list[str]) -> None:
        """Reserve adjacent slots for the variables that hold references: all of them are dropped at
        once where an exception leaves the function.  (As registers they would have to be merged
        from all raise sites, which takes LLVM quadratic time.)"""
        if not names:
            return
        build = self.build
        build.hint = "$owned"
        self.owned, self.owning = (build.alloca("ptr", len(names)), len(names)), names
        for k, name in enumerate(names):
            slot = self.slots[name] = build.fresh(name)
            build.at_entry(f"{slot} = getelementptr inbounds ptr, ptr {self.owned[0]}, i64 {k}")
            build.at_entry(f"store ptr null, ptr {slot}, align 8")

    def drop_owned(self) -> None:
        """Drop the references of all variables that are bound."""
        if self.owned is not None:
            first, count = self.owned
            self._call(API["cutaway_py_drop_all"], (first, str(count)))

    def _slot(self, name: str) -> None:
        build = self.build
        build.hint = name
        self.slots[name] = build.alloca("i1") if name in self.known.flags else self.new_slot()
        if name in self.methods:
            build.hint = f"{name}.self"
            self.slots[self.self_of(name)] = self.new_slot()

    def memory_of(self, name: str) -> tuple[str, int]:
        """Return the stack slot that a variable is in, and its offset in bytes from the start."""
        if self.owned is None or name not in self.owning:
            return self.slots[name], 0
        return self.owned[0], 8 * self.owning.index(name)

    def new_slot(self) -> str:
        """Reserve a slot for an object, NULL at first."""
        slot = self.build.alloca("ptr")
        self.build.at_entry(f"store ptr null, ptr {slot}, align 8")
        return slot

    def self_of(self, name: str) -> str:
        """Return the name of the slot for the `self` of a method, beside that of the method."""
        return f"{name}.self"

    def enter(self, first: str) -> None:
        """Emit the code before the first block."""
        self.make_cells()
        self.build.jump(first)

    def finish(self) -> None:
        """Emit code after all blocks; generators override it."""

    def make_cells(self) -> None:
        """Make the cells of variables that inner functions capture; empty at first.

        If out of memory the function returns: the handler of its first block would access missing
        cells.
        """
        self.block = Block(self.fn.entry.label, [], None)
        for name in sorted(self.known.cells):
            self.build.hint = name
            self.put(name, self.call("PyCell_New", "null"))

    # --- values ---------------------------------------------------------------------------------

    def load(self, name: str) -> str:
        """Load the object of a variable; raises UnboundLocalError if it is unbound."""
        self.require(name)
        return self.build.load("ptr", self.slots[name], 8)

    def require(self, name: str) -> None:
        """Raise UnboundLocalError if a user variable is unbound."""
        if is_temporary(name) or name in self.bound or name in self.known.cells:
            return
        value = self.build.load("ptr", self.slots[name], 8)
        self.raise_where(
            self.build.compare("eq", "ptr", value, "null"),
            "cutaway_py_unbound",
            self.unbound_text(user_name(name)),
        )
        self.bound.add(name)

    def put(self, name: str, value: str) -> None:
        """Bind a variable to an object; its old object is dropped afterward."""
        slot = self.slots[name]
        held = not is_temporary(name) and self.counts.get(name, 0) > 0
        old = self.build.load("ptr", slot, 8) if held else ""
        self.build.store("ptr", value, slot, 8)
        if held:
            self.drop(old, sure=name in self.bound and name != self.taken)

    def last_uses(self, op: nodes.Binary | nodes.Inplace) -> str:
        """Return which operands are dropped right after an op, as bits: 1 the first, 2 the second.

        They hold a reference, that is not borrowed.
        """
        dropped = set()
        for following in self.block.ops[self.position + 1 :]:
            if isinstance(following, nodes.Decref):
                dropped.add(following.value)
                continue
            if isinstance(following, nodes.Move) and following.value == op.result:
                dropped.add(following.result)  # its old object is replaced by the result
            break
        bits = 0
        for bit, name in ((1, op.lhs), (2, op.rhs)):
            own = name not in self.known.cells and self.counts.get(name) == 1
            bits |= bit if own and name in dropped else 0
        return str(bits)

    def grows(self, op: nodes.Binary | nodes.Inplace) -> bool:
        """True if the result is assigned next to the first operand, which is the only reference."""
        following = self.block.ops[self.position + 1]
        if not isinstance(following, nodes.Move) or following.value != op.result:
            return False
        plain = op.lhs == following.result and op.lhs not in self.known.cells
        return plain and not is_temporary(op.lhs) and self.counts.get(op.lhs) == 1

    def item(self, place: int) -> str:
        """Load an object of the environment."""
        where = self.build.offset("%env", str(place), "ptr")
        return self.build.load("ptr", where, 8)

    def name(self, text: str) -> str:
        """Load a name of the environment."""
        return self.item(self.environment.name(text))

    def unbound_text(self, name: str) -> str:
        """Add the message for an unbound variable, as text in the module."""
        text = f"cannot access local variable '{name}' where it is not associated with a value"
        data = text.encode() + b"\0"
        label = symbol(f"{self.build.code.name}.unbound.{name}")
        shown = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)
        row = f'{label} = internal constant [{len(data)} x i8] c"{shown}"'
        self.build.code.globals[f"unbound.{name}"] = row
        return label

    def attribute(self) -> str:
        """Add a cache row for an attribute lookup."""
        return str(self.environment.attribute_place())

    def constant(self, value: Any) -> str:
        """Load a constant of the environment."""
        return self.item(self.environment.place(value))

    def operands(self, values: list[str], room: int = 0) -> str:
        """Store objects in adjacent memory, with some room in front."""
        base = self.build.offset(self.arguments, str(room), "ptr")
        for k, value in enumerate(values):
            self.build.store("ptr", value, self.build.offset(base, str(k), "ptr"), 8)
        return base

    # --- references -----------------------------------------------------------------------------

    def take(self, value: str) -> None:
        """Increment a reference count."""
        self.build.emit(f"call void @object.incref(ptr {value})")

    def drop(self, value: str, sure: bool = True) -> None:
        """Decrement a reference count; of an object that may be NULL unless `sure`."""
        how = "object.decref" if sure else "object.xdecref"
        self.build.emit(f"call void @{how}(ptr {value})")

    # --- calls ----------------------------------------------------------------------------------

    def call(self, name: str, *operands: str) -> str:
        """Call a function of the table; its exceptions go to the handler."""
        row = API[name]
        result = self._call(row, operands)
        if row.raises is Raises.NULL:
            self.fail_where(self.build.compare("eq", "ptr", result, "null"))
        elif row.raises is Raises.NEGATIVE:
            self.fail_where(self.build.compare("slt", "i32", result, "0"))
        elif row.raises is Raises.ALWAYS:
            self.build.jump(self.failure())
        return result

    def call_unchecked(self, name: str, *operands: str) -> str:
        """Call a function of the table; the caller checks its result."""
        return self._call(API[name], operands)

    def call_untraced(self, name: str, *operands: str) -> None:
        """Call a function that raises an exception again, with its traceback unchanged."""
        self._call(API[name], operands)
        self.build.jump(self.failure(traced=False))

    def _call(self, row: ApiRow, operands: tuple[str, ...]) -> str:
        assert len(operands) == len(row.takes), f"{row.name} takes {len(row.takes)} arguments"
        return self.build.call(row.returns, row.name, list(zip(row.takes, operands, strict=True)))

    # --- what raises ----------------------------------------------------------------------------

    def fail_where(self, condition: str, traced: bool = True) -> None:
        """Jump to the handler if a condition means that an exception is set; see `failure`."""
        after = self.build.new_label("done")
        self.build.branch(condition, self.failure(traced), after, FIRST_COLD)
        self.build.start(after)

    def raise_where(self, condition: str, name: str, *operands: str) -> None:
        """Raise by a function of the table if a condition holds."""
        raises, after = self.build.new_label("raises"), self.build.new_label("done")
        self.build.branch(condition, raises, after, FIRST_COLD)
        self.build.start(raises)
        self.call(name, *operands)
        self.build.start(after)

    def failure(self, traced: bool = True) -> str:
        """Return the label of the landing from here to the handler; if `traced`, the location of
        this instruction is added to the traceback."""
        released = self.known.released(self.block, self.counts)
        if self.block.handler is None:  # references of variables are dropped at the end
            for name in self.known.owners & released.keys():
                released[name] -= 1
        drops = tuple((name, count) for name, count in sorted(released.items()) if count)
        place = self.place() if traced else None
        return self._landing("raised", (self.block.handler, self.depth, drops, place))

    def _landing(self, stem: str, key: tuple[Any, ...]) -> str:
        """Return the label of a landing, which is emitted at the end."""
        if key not in self.landings:
            self.landings[key] = self.build.new_label(stem)
            self.waiting.append((self.landings[key], key))
        return self.landings[key]

    def place(self) -> tuple[int, int]:
        """Return the bytecode position and the line of the op that is lowered."""
        loc = self.op_loc()
        return self.positions.get((loc.line, loc.col, loc.end_line, loc.end_col), -1), loc.line

    def op_loc(self) -> Loc:
        """Return the source location of the op that is lowered."""
        locs, number = self.build.code.locs, self.build._loc
        return (
            locs[number] if number >= 0 else Loc(self.fn.first_line, 0, self.fn.first_line, 0, "")
        )

    def _land(self, label: str, key: tuple[Any, ...]) -> None:
        """Emit a landing: the code between an exception and its handler."""
        build = self.build
        handler, depth, drops, place = key
        build.start(label)
        if place is not None:
            self._call(API["cutaway_py_failed"], ("%env", str(place[0]), str(place[1])))
            build.jump(self._landing("leaves", (handler, depth, drops, None)))
            return
        if not drops and handler is None and not depth:
            self.drop_owned()
            self.leave("null")
            return
        for name, count in drops:
            self._drop_slot(name, count)
        outer = 0 if handler is None else _depth_of(self.fn.blocks[handler])
        for slot in reversed(self.handled[outer:depth]):
            self._call(API["cutaway_py_end_handler"], (slot,))
        if handler is None:
            build.jump(self._landing("leaves", (None, 0, (), None)))
        else:
            build.jump(block_name(handler))

    def _drop_slot(self, name: str, count: int) -> None:
        """Drop references that a variable holds, if it is bound."""
        build = self.build
        build.hint = name
        value = build.load("ptr", self.slots[name], 8)
        for _ in range(count):
            self._call(API["cutaway_py_drop"], (value,))
        if name in self.methods:
            own = build.load("ptr", self.slots[self.self_of(name)], 8)
            self._call(API["cutaway_py_drop"], (own,))
        if is_temporary(name):
            build.store("ptr", "null", self.slots[name], 8)

    def leave(self, value: str) -> None:
        """Return an object, or NULL if an exception is set."""
        self.build.emit(f"ret ptr {value}")
        self.build.closed = True


def _depth_of(handler: Block) -> int:
    return next(op.depth for op in handler.ops if isinstance(op, nodes.Caught))


def _starting_depths(fn: Function, at_end: dict[int, int]) -> dict[int, int]:
    """Return the number of exceptions that are being handled at the start of each block."""
    depths_by_label = {fn.entry.label: 0}
    for label, depth in at_end.items():
        for target in targets(fn.blocks[label].terminator):
            depths_by_label.setdefault(target, depth)
        handler = fn.blocks[label].handler
        if handler is not None:
            depths_by_label.setdefault(handler, _depth_of(fn.blocks[handler]))
    return depths_by_label


def _methods(fn: Function) -> frozenset[str]:
    """Return the attributes that are only called, and the ends of context managers: no bound method
    is made for them."""
    attributes, ends, elsewhere = set(), set(), set()
    calls: Counter[str] = Counter()
    for op in walk(fn):
        others = list(uses(op))
        if isinstance(op, nodes.GetAttr):
            attributes.add(op.result)
        elif isinstance(op, nodes.Enter):
            ends.add(op.exit)
        called = _called(op)
        if called is not None:
            calls[called] += 1
            others.remove(called)
        if not isinstance(op, nodes.Decref):
            elsewhere.update(others)
    once = {name for name in attributes if calls[name] == 1}
    return frozenset(name for name in (once | ends) - elsewhere if is_temporary(name))


def _called(op: nodes.Op) -> str | None:
    """Return the variable that an op calls."""
    if isinstance(op, nodes.Call) and op.star is None:
        return op.func
    return op.exit if isinstance(op, nodes.ExitWith) else None


def _looping(fn: Function) -> frozenset[str]:
    """Return the iterators that are only advanced by a loop, and dropped at its exits."""
    iterators = {op.iterator for op in walk(fn) if isinstance(op, nodes.IterNext)}
    counting = (nodes.IterNext, nodes.Incref, nodes.Decref)
    using = [op for op in walk(fn) if not isinstance(op, counting)]
    used = {name for op in using for name in uses(op)}
    others = {name for op in using if not _only_drops(op, used) for name in uses(op)}
    return frozenset(name for name in iterators - others if is_temporary(name))


def _only_drops(op: Op, used: set[str]) -> bool:
    """True for an unused alias, which only keeps its object alive."""
    return isinstance(op, nodes.Copy | nodes.Move) and op.result not in used


def _instructions(code: Any) -> dict[tuple[int, int, int, int], int]:
    """Return the offset of the first instruction with each place in the source."""
    found: dict[tuple[int, int, int, int], int] = {}
    for k, (line, end_line, col, end_col) in enumerate(code.co_positions()):
        if line is not None and col is not None:
            found.setdefault((line, col, end_line or line, end_col or 0), 2 * k)
    return found
