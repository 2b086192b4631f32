"""Lower a parfor: its body becomes a function of its own, a kernel, which threads call for parts of
the nest (SPEC A9).

    %parts = call i64 @cutaway_parts(dimensions, sizes, schedule, cost)
    one:       call i32 @f.parfor.7(slot, %exc, the whole nest, carried values, captured values)
    several:   the captured values are stored in a context
               call i32 @cutaway_parallel(@f.parfor.7.part, context, dimensions, sizes, ...)
               the slots are combined in the order of the parts

The kernel is a function in Cutaway's IR: the loop nest over a part, with the blocks of the body, so
that all analyses of loops apply to it too.  A part has a slot for each carried variable, which the
kernel writes once, at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.combining import is_compared
from cutaway.ir.nodes import replace
from cutaway.ir.own_streams import has_streams, with_streams
from cutaway.ir.traversal import bound_names, captured, definitions, makers_of
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.box_kernels import code_of, plan_of
from cutaway.lowering.build import raising
from cutaway.lowering.build.builder import FunctionCode, symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import RaiseTable
from cutaway.lowering.callee import Callee
from cutaway.lowering.layout import META_BYTES, Value, part_types, slot_types
from cutaway.lowering.llvm_values import items_of
from cutaway.lowering.parfor_costs import ParforCosts, as_text
from cutaway.lowering.parfor_kernels import ParforMaker, all_joined, identity
from cutaway.lowering.private_arrays import PrivateArrays, begin
from cutaway.lowering.random_streams import LoopStreams, leave
from cutaway.lowering.ranges import count_of
from cutaway.lowering.slots import load_slots
from cutaway.lowering.slow_loops import ATTRIBUTES
from cutaway.typing import types
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.inference.resolving import resolve_ops
from cutaway.typing.types import Tuple, Type

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering

MOST_PARTS = 1024
SCHEDULES = {"static": (0, 2), "dynamic": (1, 3)}  # of one loop, of a nest
MOST_STACK = 32 * 1024  # bytes for the results of parts
LEAST_WORK = "cutaway_least_work"  # nanoseconds; with less `runtime/pieces.c` need not be called
PER_BYTE = 0.5  # nanoseconds to initialize a private array and to combine it

_CONSTANTS = (nodes.Const, nodes.Global, nodes.FreeVar)


def lower(into: FunctionLowering, op: nodes.Parfor) -> None:
    """Lower a parfor in place."""
    _Nest(into, op).lower()


@dataclass(frozen=True, slots=True)
class _Axis:
    """One dimension of a nest: its values, and its trip count."""

    start: str
    stop: str
    step: str
    known_step: int | None
    count: str

    @property
    def bounds(self) -> tuple[str, ...]:
        """The bounds that a part needs."""
        return self.start, self.stop, self.step, self.count

    def middle(self, build: FunctionBuilder, count: str) -> str:
        """Compute the value in the middle, as a double; `count` is one as well."""
        start = build.convert("sitofp", "i64", self.start, "double")
        step = build.convert("sitofp", "i64", self.step, "double")
        half = build.binary("fmul", "double", build.binary("fmul", "double", count, "0.5"), step)
        return build.binary("fadd", "double", start, half)

    def value(self, build: FunctionBuilder, place: str, bounds: Sequence[str]) -> str:
        """Compute the value at a position; at the end of the nest that is its stop, since the next
        value may overflow.  `bounds` are those of the dimension, by their names in `build`."""
        start, stop, step, count = bounds
        if self.known_step is not None:
            step = str(self.known_step)
        value = build.binary("add", "i64", start, build.binary("mul", "i64", place, step))
        if step == "1" or place == "0":
            return value
        return build.select(build.compare("eq", "i64", place, count), "i64", stop, value)


class _Nest:
    """The lowering of one parfor."""

    def __init__(self, into: FunctionLowering, op: nodes.Parfor) -> None:
        self.into, self.op, self.build = into, op, into.build
        makers = makers_of(into.fn)
        self.plan = plan_of(into, op)
        names = captured(op)
        if self.plan is not None:  # it compares sizes of arrays with those of the nest
            names = tuple(dict.fromkeys((*names, *op.stops)))
        self.pushed = [m for name in names if isinstance(m := makers.get(name), _CONSTANTS)]
        known = {definition for one in self.pushed for definition in definitions(one)}
        self.captured = [name for name in names if name not in known]
        self.carried = op.body.carried
        returned = Tuple(tuple(into.types[name] for name in self.carried))
        self.returned, self.bytes = returned, 8 * max(len(slot_types(returned)), 1)
        values = {name: into.values[name] for name in op.private}
        self.kept: tuple[str, str] | None = None  # memory of slots, and its stack slot
        self.streams: LoopStreams | None = None
        self.private = PrivateArrays(self.build, values, op.joining)
        self.axes = [self._axis(*row) for row in zip(op.starts, op.stops, op.steps, strict=True)]
        if self.plan is not None and self.plan.is_line:
            count = element_count(self.build, [axis.count for axis in self.axes])
            self.axes = [_Axis("0", count, "1", 1, count)]

    def _axis(self, start: str, stop: str, step: str) -> _Axis:
        build, into = self.build, self.into
        first, last, by = (
            build.cast(into.values[name], types.int64).parts[0] for name in (start, stop, step)
        )
        known = int(by) if by.lstrip("-").isdigit() else None
        return _Axis(first, last, by, known, count_of(build, first, last, by))

    # --- the call -------------------------------------------------------------------------------

    def lower(self) -> None:
        """Emit the kernel, and its calls."""
        kernel = self._kernel()
        into, build = self.into, self.build
        build.links.callees.append(kernel)
        returned = self.returned
        first = self.first = [
            build.cast(into.values[name], into.types[carried])
            for name, carried in zip(self.op.body.initial, self.carried, strict=True)
        ]
        sizes = self._stored([axis.count for axis in self.axes])
        whole_slots = build.alloca("i64", self.bytes // 8)
        dimensions = str(len(self.axes))
        # Observers of the thread pool get the number of the loop.
        schedule = str(SCHEDULES[self.op.schedule][len(self.axes) > 1] | self.op.id << 8)
        labels = ("divided", "serial", "parallel", "joined")
        divided, serial, several, done = (build.new_label(stem) for stem in labels)
        cost, work = self._work()
        self.table = self.streams.open() if self.streams else ""
        build.code.globals[LEAST_WORK] = f"{symbol(LEAST_WORK)} = external global double"
        least = build.load("double", symbol(LEAST_WORK), 8)
        build.branch(build.fcompare("olt", "double", work, least), serial, divided)
        build.start(divided)
        parts = build.call(
            "i64",
            "cutaway_parts",
            [("i64", dimensions), ("ptr", sizes), ("i64", schedule), ("double", cost)],
        )
        if self.op.private:
            parts = self._worthwhile(parts, work)
        build.branch(build.compare("eq", "i64", parts, "1"), serial, several)
        build.start(several)
        slots = self._slots(parts, serial)
        if self.op.private:
            self.private.allocate(parts, serial)
        status = build.call(
            "i32",
            "cutaway_parallel",
            [
                *(("ptr", symbol(f"{kernel.symbol}.part")), ("ptr", self._context(slots))),
                *(("i64", dimensions), ("ptr", sizes), ("i64", schedule), ("i64", parts)),
                ("ptr", "%exc"),
            ],
        )
        kernel.code.parts.append(self._part(kernel))
        self._leave_if_failed(status)
        combined = self._combined(parts, slots, first, returned)
        if self.op.private:
            self.private.combine(parts)
        self._free_slots()
        several_end = build.block
        build.jump(done)
        build.start(serial)
        self._serially(kernel, whole_slots, first)
        whole = load_slots(build, returned, whole_slots) if self.carried else None
        serial_end = build.block
        build.jump(done)
        build.start(done)
        if whole is None:
            return
        kinds = part_types(returned)
        joined = [
            build.phi(kind, [(a, serial_end), (b, several_end)])
            for kind, a, b in zip(kinds, whole.parts, combined, strict=True)
        ]
        for name, carried in zip(self.op.results, self.carried, strict=True):
            count = len(part_types(into.types[carried]))
            into.values[name] = Value(into.types[carried], tuple(joined[:count]))
            del joined[:count]

    def _slots(self, parts: str, otherwise: str) -> str:
        """Memory for the results of the parts: on the stack, or on the heap if it is large; if that
        is exhausted, jumps to a label."""
        build = self.build
        if not self.carried or MOST_PARTS * self.bytes <= MOST_STACK:
            return build.alloca("i64", MOST_PARTS * self.bytes // 8 if self.carried else 1)
        nbytes = build.binary("mul", "i64", parts, str(self.bytes))
        owner = build.call("ptr", "cutaway_alloc", [("i64", nbytes)])
        there = build.new_label("slots")
        build.branch(build.compare("eq", "ptr", owner, "null"), otherwise, there)
        build.start(there)
        self.kept = owner, build.keep(owner)
        return build.offset(owner, str(META_BYTES))

    def _free_slots(self) -> None:
        if self.kept is not None:
            owner, place = self.kept
            self.build.let_go(place)
            self.build.call("void", "cutaway_decref", [("ptr", owner)])

    def _work(self) -> tuple[str, str]:
        """Estimates, in nanoseconds, of an iteration and of all of them."""
        build, places, middle = self.build, "1.0", []
        costs = ParforCosts(build, self.into.fn, self.into.types, self.op, self.into.values)
        for axis in self.axes:
            count = build.convert("sitofp", "i64", axis.count, "double")
            places = build.binary("fmul", "double", places, count)
            middle.append(axis.middle(build, count))
        each = as_text(costs.of_iteration(middle, self.plan is not None))
        return each, build.binary("fmul", "double", places, each)

    def _worthwhile(self, parts: str, work: str) -> str:
        """Limit the parts, so that the loop takes longer than to make and combine their arrays."""
        build = self.build
        price = build.binary("fmul", "double", self.private.total(), f"{PER_BYTE:.6e}")
        most = build.binary("fdiv", "double", work, build.binary("fadd", "double", price, "1.0"))
        bounded = build.fcompare("olt", "double", most, f"{float(MOST_PARTS):.6e}")
        most = build.select(bounded, "double", most, f"{float(MOST_PARTS):.6e}")
        most = build.convert("fptosi", "double", most, "i64")
        parts = build.select(build.compare("slt", "i64", most, parts), "i64", most, parts)
        return build.select(build.compare("slt", "i64", parts, "1"), "i64", "1", parts)

    def _stored(self, numbers: Sequence[str]) -> str:
        place = self.build.alloca("i64", len(numbers))
        for k, number in enumerate(numbers):
            self.build.store("i64", number, self.build.offset(place, str(8 * k)), 8)
        return place

    def _ranges(self, firsts: Sequence[str], lasts: Sequence[str]) -> list[str]:
        """Return the bounds of a kernel's ranges, for the positions of a part's start and end."""
        build, bounds = self.build, []
        for axis, low, high in zip(self.axes, firsts, lasts, strict=True):
            bounds += [axis.value(build, place, axis.bounds) for place in (low, high)]
            if axis.known_step is None:
                bounds.append(axis.step)
        return bounds

    def _serially(self, kernel: Callee, slots: str, first: Sequence[Value]) -> None:
        build = self.build
        ranges = self._ranges(["0"] * len(self.axes), [axis.count for axis in self.axes])
        values = [part for value in first for part in value.parts]
        values += [part for name in self.captured for part in self.into.values[name].parts]
        kinds = [kind for ty in kernel.argtypes for kind in part_types(ty)]
        pairs = zip(kinds, [*ranges, *values], strict=True)
        args = ", ".join([f"ptr {slots}", "ptr %exc", *(f"{kind} {text}" for kind, text in pairs)])
        self._leave_if_failed(self._called(build, kernel, args, self.table))

    def _called(self, build: FunctionBuilder, kernel: Callee, args: str, table: str) -> str:
        """Call a kernel for a part, with its iterations' random streams; returns the status."""
        call = f"call i32 {symbol(kernel.symbol)}({args})"
        if self.streams is None:
            return build.result(call)
        memory = self.streams.enter(build, table)
        status = build.result(call)
        leave(build, memory)
        return status

    def _leave_if_failed(self, status: str) -> None:
        """Propagate a kernel's failure, without another location in the traceback."""
        build = self.build
        bad, good = build.new_label("failed"), build.new_label("ok")
        build.branch(build.compare("ne", "i32", status, raising.OK), bad, good)
        build.start(bad)
        build.leave(status)
        build.start(good)

    # --- the arguments of a part
    # --------------------------------------------------------------------

    def _shared(self) -> list[tuple[str, str]]:
        """Return the common arguments of all parts: types and texts, in the context's order."""
        pairs = [("ptr", self.table)] if self.streams else []
        pairs += [("i64", text) for axis in self.axes for text in axis.bounds]
        for value in self._compared(self.first):
            pairs += zip(part_types(value.ty), value.parts, strict=True)
        for name in self.captured:
            value = self.into.values[name]
            if name in self.op.private:
                value = self.private.value_of(name)
            pairs += zip(part_types(value.ty), value.parts, strict=True)
        return [*pairs, *self.private.sizes()]

    def _compared(self, first: Sequence[Value]) -> list[Value]:
        """Return the initial values of variables that parts compare: those of the loop, so that
        facts proved by such a comparison hold in a part."""
        pairs = zip(first, self.op.operators, strict=True)
        return [value for value, operator in pairs if is_compared(operator)]

    def _context(self, slots: str) -> str:
        build, pairs = self.build, [("ptr", slots), *self._shared()]
        self.shared = [kind for kind, _ in pairs]
        place = build.alloca("i64", len(pairs))
        for k, (kind, text) in enumerate(pairs):
            build.store(kind, text, build.offset(place, str(8 * k)), 8)
        return place

    # --- the results of the parts
    # -------------------------------------------------------------------

    def _combined(
        self, parts: str, slots: str, first: Sequence[Value], returned: Tuple
    ) -> list[str]:
        build, into = self.build, self.into
        if not self.carried:
            return []
        held = []
        for value in first:
            row = [build.alloca(kind) for kind in part_types(value.ty)]
            for kind, part, place in zip(part_types(value.ty), value.parts, row, strict=True):
                build.store(kind, part, place, 8)
            held.append(row)

        def read(k: int) -> Value:
            ty = into.types[self.carried[k]]
            kinds = zip(part_types(ty), held[k], strict=True)
            return Value(ty, tuple(build.load(kind, place, 8) for kind, place in kinds))

        def combine(part: str) -> None:
            place = build.offset(slots, build.binary("mul", "i64", part, str(self.bytes)))
            whole, at = load_slots(build, returned, place), 0
            given = []
            for name in self.carried:
                ty = into.types[name]
                count = len(part_types(ty))
                given.append(Value(ty, whole.parts[at : at + count]))
                at += count
            before = [read(k) for k in range(len(held))]
            after = all_joined(build, self.op.operators, before, given)
            for value, row in zip(after, held, strict=True):
                for kind, text, slot in zip(part_types(value.ty), value.parts, row, strict=True):
                    build.store(kind, text, slot, 8)

        build.loop(parts, combine, plain=True)
        return [part for k in range(len(held)) for part in read(k).parts]

    # --- the kernel -----------------------------------------------------------------------------

    def _is_rare(self) -> bool:
        """True for the version of a loop that runs if a test before it fails: as for other such
        loops, its kernel is not worth LLVM's time."""
        blocks = self.into.fn.blocks.values()
        labels = {block.label for block in blocks if any(op is self.op for op in block.ops)}
        ends = (block.terminator for block in blocks)
        return any(
            getattr(end, word) in labels
            for end in ends
            if isinstance(end, nodes.Branch)
            for word in end.rare
        )

    def _kernel(self) -> Callee:
        from_outer = self.into.callee
        name = f"{from_outer.symbol}.parfor.{self.op.id}"
        assert from_outer.table is not None
        steps = [axis.known_step for axis in self.axes]
        bounds = [types.int64] * sum(2 if step is not None else 3 for step in steps)
        given = [self.into.types[one] for one in (*self.carried, *self.captured)]
        argtypes = (*bounds, *given)
        returns: Type = self.returned if self.carried else types.none
        table = RaiseTable(name, hidden=from_outer.table.hidden)
        kernel = Callee(name, argtypes, returns, table=table, target=from_outer.target)
        kernel.flags, kernel.unstable = from_outer.flags, from_outer.unstable
        kernel.is_lasting = from_outer.is_lasting
        kernel.loops = kernel.loops_over_arrays = True
        if self.plan is not None:
            kernel.code = code_of(self.into, self.plan, kernel, self.captured)
        else:
            kernel.code = self._loops(kernel, steps)
            self._give_streams(kernel, steps)
        kernel.code.header += f" {ATTRIBUTES}" if self._is_rare() else " noinline"
        return kernel

    def _give_streams(self, kernel: Callee, steps: Sequence[int | None]) -> None:
        """Set up streams of random numbers for iterations that draw.  The kernel's callees are
        known when it is lowered: if only these draw, it is lowered once more."""
        captured = [self.into.values[name] for name in self.captured]
        streams = LoopStreams(self.build, kernel, captured)
        if not streams.are_needed:
            return
        self.streams = streams
        if not has_streams(self.op.body):
            body = with_streams(self.op.body, self._op, self.into.fn.highest_label() + 1)
            self.op = replace(self.op, body=body)
            kernel.code = self._loops(kernel, steps)

    def _op(self, kind: type[nodes.Op], operand: object) -> nodes.Op:
        return kind(operand, loc=self.op.loc, id=self.into.fn.new_id())

    def _loops(self, kernel: Callee, steps: Sequence[int | None]) -> FunctionCode:
        """Lower a kernel that is a function in Cutaway's IR."""
        links, resolutions = self.build.links, dict(self.into.resolutions)
        maker = ParforMaker(self.into.fn, self.into.types, self.op, self.pushed, self.captured)
        fn = maker.function(steps)
        table_of_types = maker.types
        resolve_ops(
            maker.made, table_of_types, constants_of(fn), links.target.registry, resolutions
        )
        # Captured values belong to the function around, which releases them if this one raises.
        owned = set(bound_names(self.op)).intersection(self.into.owned)
        lowering = type(self.into)(
            *(fn, table_of_types, resolutions, owned, kernel, links.target),
            *(links.callee_of, self.build.flags),
        )
        code = lowering.run()
        self.build.notes.update(lowering.build.notes)
        self.into.kernels |= lowering.kernels | {kernel.symbol: (lowering.values, items_of(fn))}
        return code

    def _part(self, kernel: Callee) -> FunctionCode:
        """Build the function that threads call: it loads the context and the bounds, and calls the
        kernel with its part's initial values."""
        assert kernel.table is not None
        name = f"{kernel.symbol}.part"
        build = FunctionBuilder(name, self.build.function, self.build.flags, kernel.table)
        build.code.globals.clear()
        build.links = self.build.links
        build.start("entry")
        slots, *loaded = [
            build.load(kind, build.offset("%context", str(8 * k)), 8)
            for k, kind in enumerate(self.shared)
        ]
        table = loaded.pop(0) if self.streams else ""
        texts = []
        for k, axis in enumerate(self.axes):
            bounds = loaded[4 * k : 4 * k + 4]
            for side in range(2):
                place = build.load("i64", build.offset("%bounds", str(16 * k + 8 * side)), 8)
                texts.append(axis.value(build, place, bounds))
            if axis.known_step is None:
                texts.append(bounds[2])
        del loaded[: 4 * len(self.axes)]
        for name, operator in zip(self.carried, self.op.operators, strict=True):
            ty = self.into.types[name]
            if is_compared(operator):
                texts.append(loaded.pop(0))
            else:
                texts += identity(build, operator, ty).parts
        texts += self._captured_by_part(build, loaded)
        slot = build.offset(slots, build.binary("mul", "i64", "%part", str(self.bytes)))
        kinds = [kind for ty in kernel.argtypes for kind in part_types(ty)]
        pairs = zip(kinds, texts, strict=True)
        args = ", ".join([f"ptr {slot}", "ptr %exc", *(f"{kind} {text}" for kind, text in pairs)])
        build.ret(self._called(build, kernel, args, table))
        parameters = "ptr %context, ptr %bounds, i64 %part, ptr %exc"
        return build.finish(f"define internal i32 {symbol(build.code.name)}({parameters})")

    def _captured_by_part(self, build: FunctionBuilder, loaded: list[str]) -> list[str]:
        """Return the captured values of a part, with arrays of its own in place of private ones."""
        texts, sizes = [], loaded[len(loaded) - len(self.op.private) :]
        rows = {
            name: (how, size)
            for name, how, size in zip(self.op.private, self.op.joining, sizes, strict=True)
        }
        for name in self.captured:
            ty = self.into.types[name]
            count = len(part_types(ty))
            parts = tuple(loaded[:count])
            del loaded[:count]
            if name in rows:
                parts = begin(build, Value(ty, parts), rows[name][0], "%part", rows[name][1])
            texts += parts
        return texts
