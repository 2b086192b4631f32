"""Lower a parfor: its body becomes a function of its own, a kernel, which threads call for parts of
the nest (SPEC A9).

    %parts = call i64 @cutaway_parts(dimensions, sizes, schedule, cost)
    one:       call i32 @f.parfor.7(slot, %exc, the whole nest, what is carried, what is captured)
    several:   the captured values are stored in a context
               call i32 @cutaway_parallel(@f.parfor.7.part, context, dimensions, sizes, ...)
               the slots are combined in the order of the parts

The kernel is a function in our own IR: the loop nest over a part, with the blocks of the body, so
that all that is known about loops serves it too.  A part has a slot for each variable that is
carried, which the kernel writes once, at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.traversal import bound_names, captured, definitions, makers_of
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.box_kernels import code_of, plan_of
from cutaway.lowering.build import raising
from cutaway.lowering.build.builder import FunctionCode, symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.raising import RaiseTable
from cutaway.lowering.callee import Callee
from cutaway.lowering.layout import Value, part_types, slot_types
from cutaway.lowering.parfor_kernels import KernelMaker, identity, joined
from cutaway.lowering.ranges import count_of
from cutaway.lowering.slots import load_slots
from cutaway.typing import types
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.inference.resolving import resolve_ops
from cutaway.typing.types import Range, Tuple, Type

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering

MOST_PARTS = 1024
SCHEDULES = {"static": "0", "dynamic": "1"}
PER_OP, PER_LOOP = 0.4, 40.0  # nanoseconds, a guess

_CONSTANTS = (nodes.Const, nodes.Global, nodes.FreeVar)


def lower(into: FunctionLowering, op: nodes.Parfor) -> None:
    """Lower a parfor where it stands."""
    _Nest(into, op).lower()


@dataclass(frozen=True, slots=True)
class _Axis:
    """One dimension of a nest: its values, and how many places it has."""

    start: str
    step: str
    known_step: int | None
    count: str


class _Nest:
    """One parfor on its way into LLVM IR."""

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
        self.axes = [self._axis(*row) for row in zip(op.starts, op.stops, op.steps, strict=True)]
        if self.plan is not None and self.plan.is_line:
            count = element_count(self.build, [axis.count for axis in self.axes])
            self.axes = [_Axis("0", "1", 1, count)]

    def _axis(self, start: str, stop: str, step: str) -> _Axis:
        build, into = self.build, self.into
        first, last, by = (
            build.cast(into.values[name], types.int64).parts[0] for name in (start, stop, step)
        )
        known = int(by) if by.lstrip("-").isdigit() else None
        return _Axis(first, by, known, count_of(build, first, last, by))

    # --- the call -------------------------------------------------------------------------------

    def lower(self) -> None:
        """Emit the kernel, and what calls it."""
        kernel = self._kernel()
        into, build = self.into, self.build
        build.links.callees.append(kernel)
        returned = self.returned
        first = [
            build.cast(into.values[name], into.types[carried])
            for name, carried in zip(self.op.body.initial, self.carried, strict=True)
        ]
        sizes = self._stored([axis.count for axis in self.axes])
        slots = build.alloca("i64", MOST_PARTS * self.bytes // 8 if self.carried else 1)
        dimensions, schedule = str(len(self.axes)), SCHEDULES[self.op.schedule]
        parts = build.call(
            "i64",
            "cutaway_parts",
            [("i64", dimensions), ("ptr", sizes), ("i64", schedule), ("double", self._cost())],
        )
        serial, several, done = (build.new_label(s) for s in ("serial", "parallel", "joined"))
        build.branch(build.compare("eq", "i64", parts, "1"), serial, several)
        build.start(serial)
        self._serially(kernel, slots, first)
        whole = load_slots(build, returned, slots) if self.carried else None
        serial_end = build.block
        build.jump(done)
        build.start(several)
        context = self._context()
        status = build.call(
            "i32",
            "cutaway_parallel",
            [
                *(("ptr", symbol(f"{kernel.symbol}.part")), ("ptr", self._with(context, slots))),
                *(("i64", dimensions), ("ptr", sizes), ("i64", schedule), ("i64", parts)),
                ("ptr", "%exc"),
            ],
        )
        self._leave_if_failed(status)
        combined = self._combined(parts, slots, first, returned)
        several_end = build.block
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

    def _cost(self) -> str:
        inner = [one for block in self.op.body.blocks for one in block.ops]
        labels = {block.label for block in self.op.body.blocks}
        back = sum(isinstance(one, nodes.Call) or bool(one.REGIONS) for one in inner)
        loops = len(labels) > 3
        return f"{PER_OP * len(inner) + PER_LOOP * (back + loops):.6e}"

    def _stored(self, numbers: Sequence[str]) -> str:
        place = self.build.alloca("i64", len(numbers))
        for k, number in enumerate(numbers):
            self.build.store("i64", number, self.build.offset(place, str(8 * k)), 8)
        return place

    def _ranges(self, firsts: Sequence[str], lasts: Sequence[str]) -> list[str]:
        """The parts of the ranges that a kernel gets, by the first place of a part and its end."""
        build, found = self.build, []
        for axis, low, high in zip(self.axes, firsts, lasts, strict=True):
            for place in (low, high):
                distance = build.binary("mul", "i64", place, axis.step)
                found.append(build.binary("add", "i64", axis.start, distance))
            if axis.known_step is None:
                found.append(axis.step)
        return found

    def _serially(self, kernel: Callee, slots: str, first: Sequence[Value]) -> None:
        build = self.build
        ranges = self._ranges(["0"] * len(self.axes), [axis.count for axis in self.axes])
        values = [part for value in first for part in value.parts]
        values += [part for name in self.captured for part in self.into.values[name].parts]
        kinds = [kind for ty in kernel.argtypes for kind in part_types(ty)]
        pairs = zip(kinds, [*ranges, *values], strict=True)
        args = ", ".join([f"ptr {slots}", "ptr %exc", *(f"{kind} {text}" for kind, text in pairs)])
        status = build.result(f"call i32 {symbol(kernel.symbol)}({args})")
        self._leave_if_failed(status)

    def _leave_if_failed(self, status: str) -> None:
        """The kernel is the same function to its user, so no place is added to the traceback."""
        build = self.build
        bad, good = build.new_label("failed"), build.new_label("ok")
        build.branch(build.compare("ne", "i32", status, raising.OK), bad, good)
        build.start(bad)
        build.leave(status)
        build.start(good)

    # --- what a part gets -----------------------------------------------------------------------

    def _shared(self) -> list[tuple[str, str]]:
        """What all parts get beside their bounds: kinds and texts, in the order of the context."""
        pairs = [pair for axis in self.axes for pair in (("i64", axis.start), ("i64", axis.step))]
        for name in self.captured:
            value = self.into.values[name]
            pairs += zip(part_types(value.ty), value.parts, strict=True)
        return pairs

    def _context(self) -> str:
        build, pairs = self.build, self._shared()
        place = build.alloca("i64", len(pairs) + 1)
        for k, (kind, text) in enumerate(pairs, 1):
            build.store(kind, text, build.offset(place, str(8 * k)), 8)
        return place

    def _with(self, context: str, slots: str) -> str:
        self.build.store("ptr", slots, context, 8)
        return context

    # --- what the parts give --------------------------------------------------------------------

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
            for k, operator in enumerate(self.op.operators):
                ty = into.types[self.carried[k]]
                count = len(part_types(ty))
                one = Value(ty, whole.parts[at : at + count])
                at += count
                value = one if operator == "last" else joined(build, operator, read(k), one)
                for kind, text, slot in zip(part_types(ty), value.parts, held[k], strict=True):
                    build.store(kind, text, slot, 8)

        build.loop(parts, combine, plain=True)
        return [part for k in range(len(held)) for part in read(k).parts]

    # --- the kernel -----------------------------------------------------------------------------

    def _kernel(self) -> Callee:
        from_outer = self.into.callee
        name = f"{from_outer.symbol}.parfor.{self.op.id}"
        assert from_outer.table is not None
        ranges: list[Type] = [Range(types.int64, axis.known_step) for axis in self.axes]
        given = [self.into.types[one] for one in (*self.carried, *self.captured)]
        argtypes = (*ranges, *given)
        returns: Type = self.returned if self.carried else types.none
        table = RaiseTable(name, hidden=from_outer.table.hidden)
        kernel = Callee(name, argtypes, returns, table=table, target=from_outer.target)
        kernel.flags, kernel.unstable = from_outer.flags, from_outer.unstable
        kernel.is_lasting = from_outer.is_lasting
        if self.plan is not None:
            kernel.code = code_of(self.into, self.plan, kernel, self.captured)
        else:
            kernel.code = self._loops(kernel, ranges)
        kernel.code.header += " noinline"
        kernel.code.parts.append(self._part(kernel))
        kernel.loops = kernel.loops_over_arrays = True
        return kernel

    def _loops(self, kernel: Callee, ranges: Sequence[Type]) -> FunctionCode:
        """The code of a kernel that is a function in our own IR."""
        links, resolutions = self.build.links, dict(self.into.resolutions)
        maker = KernelMaker(self.into.fn, self.into.types, self.op, self.pushed, self.captured)
        fn = maker.function(ranges)
        table_of_types = maker.types
        resolve_ops(
            maker.made, table_of_types, constants_of(fn), links.target.registry, resolutions
        )
        # What is captured belongs to the function around it, which releases it if this one raises.
        owned = set(bound_names(self.op)).intersection(self.into.owned)
        lowering = type(self.into)(
            *(fn, table_of_types, resolutions, owned, kernel, links.target),
            *(links.callee_of, self.build.flags),
        )
        code = lowering.run()
        self.build.notes.update(lowering.build.notes)
        return code

    def _part(self, kernel: Callee) -> FunctionCode:
        """The function that threads call: it reads the context and the bounds, and calls the kernel
        with what its part begins with."""
        assert kernel.table is not None
        name = f"{kernel.symbol}.part"
        build = FunctionBuilder(name, self.build.function, self.build.flags, kernel.table)
        build.code.globals.clear()
        build.links = self.build.links
        build.start("entry")
        texts, at = [], 8
        loaded = []
        for kind, _ in self._shared():
            loaded.append(build.load(kind, build.offset("%context", str(at)), 8))
            at += 8
        for k, axis in enumerate(self.axes):
            start, step = loaded[2 * k : 2 * k + 2]
            step = step if axis.known_step is None else str(axis.known_step)
            for side in range(2):
                place = build.load("i64", build.offset("%bounds", str(16 * k + 8 * side)), 8)
                distance = build.binary("mul", "i64", place, step)
                texts.append(build.binary("add", "i64", start, distance))
            if axis.known_step is None:
                texts.append(step)
        for name, operator in zip(self.carried, self.op.operators, strict=True):
            texts += identity(build, operator, self.into.types[name]).parts
        texts += loaded[2 * len(self.axes) :]
        slots = build.load("ptr", "%context", 8)
        slot = build.offset(slots, build.binary("mul", "i64", "%part", str(self.bytes)))
        kinds = [kind for ty in kernel.argtypes for kind in part_types(ty)]
        pairs = zip(kinds, texts, strict=True)
        args = ", ".join([f"ptr {slot}", "ptr %exc", *(f"{kind} {text}" for kind, text in pairs)])
        build.ret(build.result(f"call i32 {symbol(kernel.symbol)}({args})"))
        parameters = "ptr %context, ptr %bounds, i64 %part, ptr %exc"
        return build.finish(f"define internal i32 {symbol(build.code.name)}({parameters})")
