"""Generators in machine code: suspendable functions, as coroutines of LLVM.

    i32 @f(ptr %ret, ptr %exc, ...)   makes the frame, and the Python object that owns it
    ptr @f.frame(...)                 the function's body, which suspends at each `yield`
    i32 @f.next(ptr %frame)           resumes until the next `yield`, and returns a status
    void @f.close(ptr %frame)         releases the objects that the frame owns, and the frame

LLVM turns a body that calls `llvm.coro.suspend` into one function that resumes at each suspension
point, and keeps the live values in the frame.  The frame begins with the record of an exception, a
status and the slots of the item: `runtime/generators.c` reads these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.ir import nodes
from cutaway.lowering.build.builder import Builder, CodeLine, FunctionCode, symbol
from cutaway.lowering.layout import Value, owner_positions, slot_types
from cutaway.lowering.slots import store_slots
from cutaway.typing import types

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering

# The status of a generator function, besides those of `raising`.
ENDED, CLOSED = "3", "-1"

# Offsets in bytes from the record of an exception, at the start of the frame's promise, which LLVM
# places at this offset in the frame.  See runtime/generators.c.
STATUS, ITEM = 584, 592
PROMISE = 16


class GeneratorFrame:
    """The frame of one generator, while its function is lowered."""

    def __init__(self, into: FunctionLowering) -> None:
        self.into = into
        returns = into.callee.returns
        assert isinstance(returns, types.Generator)
        slots = (len(slot_types(ty)) for ty in (returns.item, returns.value))
        self.size = ITEM + 8 * max(*slots, 1)
        self.returns = returns
        self.gives_back = returns.value is not types.none
        build = into.build
        build.needs_cleanup = True
        build.on_return = self.leave
        build.code.repeats = True  # the short pipeline has no passes for coroutines
        build.stack.append(CodeLine(f"%exc = alloca [{self.size} x i8], align 16", -1))

    def header(self) -> str:
        """Return the first line of the body's function."""
        params = ", ".join(f"{ty} {name}" for ty, name in self.into._parameters())
        return f"define internal ptr {self._name('frame')}({params}) noinline presplitcoroutine"

    def _name(self, what: str) -> str:
        return symbol(f"{self.into.callee.symbol}.{what}")

    def begin(self) -> None:
        """Make the frame, which owns the arguments, and suspend until an item is requested."""
        build = self.into.build
        build.hint = "frame"
        for name, returns, taken in (
            ("llvm.coro.id", "token", ["i32", "ptr", "ptr", "ptr"]),
            ("llvm.coro.begin", "ptr", ["token", "ptr"]),
            ("llvm.coro.suspend", "i8", ["token", "i1"]),
            ("llvm.coro.free", "ptr", ["token", "ptr"]),
            ("llvm.coro.end", "void", ["ptr", "i1", "token"]),
        ):
            build.declare(returns, name, taken)
        build.emit("%id = call token @llvm.coro.id(i32 16, ptr %exc, ptr null, ptr null)")
        size = build.call("i64", "llvm.coro.size.i64", [])
        build.emit(f"%memory = call ptr @cutaway_new_frame(i64 {size})")
        build.declare("ptr", "cutaway_new_frame", ["i64"])
        failed = build.compare("eq", "ptr", "%memory", "null")
        lent = []
        for owner in self._owners():
            lent.append(build.call("ptr", "cutaway_lend", [("ptr", owner)]))
            there = build.compare("ne", "ptr", owner, "null")
            gone = build.compare("eq", "ptr", lent[-1], "null")
            failed = build.binary("or", "i1", failed, build.binary("and", "i1", there, gone))
        build.branch(failed, "no.frame", "frame.there")
        build.start("no.frame")
        for owner in lent:
            build.call("void", "cutaway_decref", [("ptr", owner)])
        build.call("void", "cutaway_free_frame", [("ptr", "%memory")])
        build.emit("ret ptr null")
        build.closed = True
        build.start("frame.there")
        build.emit("%frame = call ptr @llvm.coro.begin(token %id, ptr %memory)")
        for owner in lent:
            build.keep(owner)
        self._wait("started")

    def _owners(self) -> list[str]:
        """Return the owners among the parts of the arguments."""
        return [
            self.into.argument_parts(param, ty)[position]
            for param, ty in zip(self.into.fn.params, self.into.callee.argtypes, strict=True)
            for position in owner_positions(ty)
        ]

    def _wait(self, then: str) -> None:
        """Suspend, and resume at a new block; a closed generator releases everything."""
        build = self.into.build
        how = build.result("call i8 @llvm.coro.suspend(token none, i1 false)")
        closed = build.new_label("closed")
        build._end(f"switch i8 {how}, label %waits [i8 0, label %{then} i8 1, label %{closed}]")
        build.start(closed)
        self.end(CLOSED)
        build.start(then)

    def give_back(self, value: Value) -> None:
        """End the generator with its return value."""
        build = self.into.build
        if self.gives_back:
            returned = build.cast(value, self.returns.value)
            store_slots(build, returned, build.offset("%exc", str(ITEM)))
        self.end(ENDED)

    def end(self, status: str) -> None:
        """End the generator; that is not an exception, so no handler runs."""
        build = self.into.build
        landing, build.landing = build.landing, None
        build.leave(status)
        build.landing = landing

    def suspend(self, op: nodes.Suspend) -> None:
        """Yield an item, and suspend."""
        build = self.into.build
        store_slots(build, self.into.values[op.value], build.offset("%exc", str(ITEM)))
        build.store("i32", "0", build.offset("%exc", str(STATUS)), 4)
        self._wait(build.new_label("resumed"))
        if self.into.handlers is not None:
            self.into.handlers.begin_run()

    def leave(self, status: str) -> None:
        """Emit the final suspension, after everything was released, with the status of the end."""
        build = self.into.build
        build.store("i32", status, build.offset("%exc", str(STATUS)), 4)
        is_closed = build.compare("eq", "i32", status, CLOSED)
        build.branch(is_closed, "free", "done")
        build.start("done")
        build.emit("%final = call i8 @llvm.coro.suspend(token none, i1 true)")
        build._end("switch i8 %final, label %waits [i8 1, label %free]")
        build.start("free")
        build.emit("%freed = call ptr @llvm.coro.free(token %id, ptr %frame)")
        build.call("void", "cutaway_free_frame", [("ptr", "%freed")])
        build.jump("waits")
        build.start("waits")
        build.emit("call void @llvm.coro.end(ptr %frame, i1 false, token none)")
        build.emit("ret ptr %frame")
        build.closed = True

    def parts(self) -> list[FunctionCode]:
        """Return the functions around the body."""
        code = self.into.build.code
        functions = []
        for builder, header in (self._maker(), self._next(), self._closer()):
            part = builder.finish(header)
            part.filename, part.first_line = code.filename, code.first_line
            functions.append(part)
        return functions

    def _maker(self) -> tuple[Builder, str]:
        build = Builder(self.into.callee.symbol)
        given = ", ".join(f"{ty} {name}" for ty, name in self.into._parameters())
        build.start("entry")
        frame = build.result(f"call ptr {self._name('frame')}({given})")
        operands = [("ptr", frame), ("ptr", self._name("next")), ("ptr", self._name("close"))]
        made = build.call("ptr", "cutaway_new_generator", operands)
        build.branch(build.compare("eq", "ptr", made, "null"), "failed", "made")
        build.start("failed")
        build.ret("2")
        build.start("made")
        build.store("ptr", made, "%ret", 8)
        build.ret("0")
        taken = ", ".join(["ptr noalias %ret", "ptr noalias %exc", *([given] if given else [])])
        return build, f"define internal i32 {symbol(self.into.callee.symbol)}({taken})"

    def _next(self) -> tuple[Builder, str]:
        build = Builder(f"{self.into.callee.symbol}.next")
        build.start("entry")
        build.call("void", "llvm.coro.resume", [("ptr", "%frame")])
        where = build.offset("%frame", str(PROMISE + STATUS))
        build.ret(build.load("i32", where, 4))
        return build, f"define internal i32 {self._name('next')}(ptr %frame)"

    def _closer(self) -> tuple[Builder, str]:
        build = Builder(f"{self.into.callee.symbol}.close")
        build.start("entry")
        build.call("void", "llvm.coro.destroy", [("ptr", "%frame")])
        build.emit("ret void")
        build.closed = True
        return build, f"define internal void {self._name('close')}(ptr %frame)"
