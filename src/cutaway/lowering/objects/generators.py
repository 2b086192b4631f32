"""Lower a generator whose values are all objects.

    ptr @f(ptr %env, ptr %args)                     makes the generator, with its arguments
    i32 @f.step(ptr %env, ptr %frame, ptr %value)   resumes it: 0 it yields, 1 returns, 2 raises

All variables are in the frame, an array of objects, and so is the number of the suspension point: a
step begins with a switch to it.  `%value` holds the object that is sent, NULL if an exception is
thrown in, and at the end of the step its result.
"""

from __future__ import annotations

from cutaway.ir import nodes
from cutaway.lowering.build.builder import Builder, CodeLine, FunctionCode, symbol
from cutaway.lowering.objects.function import ObjectLowering

YIELDED, RETURNED, RAISED = "0", "1", "2"
_WORD = 8  # bytes of a slot; the state is in front of the first


class GeneratorLowering(ObjectLowering):
    """The lowering of one generator: the function that makes it, and the function of its steps."""

    def run(self) -> FunctionCode:
        """Lower both functions."""
        self.places: list[str] = []  # the labels at which a step may begin
        self.count = len(self.fn.params)
        self.indices: dict[str, int] = {}  # of slots in the frame
        self.rows: list[dict[int, int]] = [{}]  # in each state: the references that slots hold
        step = super().run()
        step.name = f"{step.name}.step"
        maker = self._maker()
        maker.filename, maker.first_line = step.filename, step.first_line
        maker.parts.append(step)
        maker.declarations.update(step.declarations)
        return maker

    def header(self) -> str:
        """See ObjectLowering."""
        return f"define internal i32 {self._step()}(ptr %env, ptr %frame, ptr %value)"

    def _step(self) -> str:
        return symbol(f"{self.build.code.name}.step")

    def _maker(self) -> FunctionCode:
        name = self.build.code.name.removesuffix(".step")
        build = Builder(name)
        build.start("entry")
        operands = [("ptr", "%env"), ("ptr", "%args"), ("i64", str(len(self.fn.params)))]
        operands += [("i64", str(self.count)), ("ptr", symbol(f"{name}.step"))]
        rows = b"".join(bytes(row.get(k, 0) for k in range(self.count)) for row in self.rows)
        where = build.offset("%env", str(self.environment.place(rows)), "ptr")
        operands.append(("ptr", build.load("ptr", where, 8)))
        made = build.call("ptr", "cutaway_py_generator", operands)
        build.emit(f"ret ptr {made}")
        build.closed = True
        return build.finish(f"define internal ptr {symbol(name)}(ptr %env, ptr %args)")

    # --- the frame ------------------------------------------------------------------------------

    def new_slot(self) -> str:
        """Reserve a slot in the frame."""
        name = self.build.fresh()
        offset = _WORD * (1 + self.count)
        self.build.at_entry(f"{name} = getelementptr inbounds i8, ptr %frame, i64 {offset}")
        self.indices[name] = self.count
        self.count += 1
        return name

    def _owning_slots(self, names: list[str]) -> None:
        for name in names:
            self.build.hint = name
            self.slots[name] = self.new_slot()
            if self.owned is None:
                self.owned = self.slots[name], len(names)

    def enter(self, first: str) -> None:
        """Emit the start of a step: a switch to the point where the generator was suspended."""
        build = self.build
        build.at_entry(f"%args = getelementptr inbounds i8, ptr %frame, i64 {_WORD}")
        build.hint = "$handling"
        self.handling = self.new_slot()
        state = build.load("i64", "%frame", 8)
        switch: CodeLine = build.reserve()
        build.closed = True
        build.start("begin")
        self.make_cells()
        build.jump(first)
        self.switch = switch, state

    def finish(self) -> None:
        """Fill in the switch of the step, now that all suspension points are known."""
        line, state = self.switch
        places = " ".join(f"i64 {k}, label %{label}" for k, label in enumerate(self.places, 1))
        line.text = f"switch i64 {state}, label %begin [{places}]"

    # --- waiting --------------------------------------------------------------------------------

    def wait(self) -> None:
        """Suspend: end the step, and begin another one here."""
        build = self.build
        label = build.new_label("goes.on")
        self.places.append(label)
        self.rows.append(self._row())
        if self.depth:
            self.call("cutaway_py_leave_handlers", self.handled[0], self.handling)
        build.store("i64", str(len(self.places)), "%frame", 8)
        build.ret(YIELDED)
        build.start(label)
        if self.depth:
            self.call("cutaway_py_enter_handlers", self.handled[0], self.handling)

    def _row(self) -> dict[int, int]:
        """Return the number of references that each slot holds now, by its index in the frame."""
        names = dict(self.counts)
        names.update((self.self_of(name), 1) for name in self.counts if name in self.methods)
        slots = {self.slots[name]: count for name, count in names.items()}
        slots.update(dict.fromkeys((*self.handled, self.handling), 1))
        return {self.indices[slot]: count for slot, count in slots.items()}

    def suspend(self, op: nodes.Suspend) -> None:
        """Yield an item, with its reference, and suspend; the result is the value that is sent."""
        build = self.build
        build.store("ptr", self.load(op.value), "%value", 8)
        after = self.known.after(op, self.counts)
        self.counts = {name: count for name, count in after.items() if name != op.result}
        self.wait()
        sent = build.load("ptr", "%value", 8)
        self.raise_where(build.compare("eq", "ptr", sent, "null"), "cutaway_py_thrown")
        self.put(op.result, sent)

    def delegate(self, op: nodes.Delegate) -> None:
        """Yield from an iterator until it ends; the result is its return value."""
        build = self.build
        nothing = self.constant(None)
        self.take(nothing)
        build.store("ptr", nothing, "%value", 8)
        again, waits, ends = (build.new_label(word) for word in ("delegates", "waits", "ends"))
        build.jump(again)
        build.start(again)
        outcome = self.call("cutaway_py_delegate", self.load(op.iterator), "%value")
        raised = build.compare("eq", "i32", outcome, RAISED)
        self.fail_where(raised)
        build.branch(build.compare("eq", "i32", outcome, YIELDED), waits, ends)
        build.start(waits)
        self.wait()
        build.jump(again)
        build.start(ends)
        self.put(op.result, build.load("ptr", "%value", 8))

    def leave(self, value: str) -> None:
        """Return from the step with a value, or with an exception."""
        if value == "null":
            self.build.ret(RAISED)
            return
        self.build.store("ptr", value, "%value", 8)
        self.build.ret(RETURNED)
