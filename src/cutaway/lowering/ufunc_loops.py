"""The inner loop of a ufunc as the entry point of a compiled function, its kernel.

    entry(ret, (args, dims, steps), exc)       for k in range(dims[0]): out[k] = kernel(in[k], ...)

NumPy passes the stride of each operand.  If these strides are those of contiguous arrays, or of a
reduction, the loop runs in a version of its own, in which they are constants: that LLVM can
vectorize.  Metadata declares that no iteration reads what another one writes; the loop checks the
addresses first, since `accumulate` does just that.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.errors import TypingError
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import line_of
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.build import raising
from cutaway.lowering.build.builder import FIRST_COLD, Builder, symbol
from cutaway.lowering.callee import Callee
from cutaway.lowering.layout import Value, item_size, part_types, slot_types
from cutaway.lowering.module import entry_function, entry_name, module_codes
from cutaway.lowering.slots import load_slots
from cutaway.typing.types import Array, Boolean, Integer, Tuple, Type, is_number

# Larger kernels get one version, into which LLVM inlines them: several would take long to compile,
# and hardly be faster.
_LONGEST = 160
_MOST_OPERANDS = 16  # whose sizes fit in one number
_DENSE, _RUNNING = 1, 2  # see `cutaway_operands_lie` in runtime/numeric.h
# The loops' metadata has numbers that the module's own never reaches.
FIRST_HINT = 1_000_000
INTERLEAVE = 1
PLAIN = "!{0} = distinct !{{!{0}, !2, !3}}"  # neither unrolled nor vectorized


@dataclass(frozen=True, slots=True)
class _Version:
    """One version of the loop: the distance between the elements of each operand, as a number or a
    variable; with `running`, the first operand is the result of the run before."""

    steps: tuple[str, ...]
    running: bool = False


def _outputs(callee: Callee) -> tuple[Type, ...]:
    """Return the types of a kernel's results.

    Raises TypingError unless they are a number, or a tuple of numbers.
    """
    made = callee.returns
    outputs = made.items if isinstance(made, Tuple) else (made,)
    if not outputs or not all(map(is_number, outputs)):
        assert callee.origin is not None
        code = callee.origin.__code__
        raise TypingError(
            f"the kernel {code.co_name} returns {made}, which cannot be an element of an array",
            line_of(code.co_filename, code.co_firstlineno),
            "return a number, or a tuple of numbers: one for each output",
        )
    return outputs


class _LoopBuilder(Builder):
    """Builds the loop of one kernel."""

    def __init__(self, callee: Callee) -> None:
        super().__init__(entry_name(callee))
        self.callee = callee
        self.outputs = _outputs(callee)
        self.types = (*callee.argtypes, *self.outputs)
        self.pointers: list[str] = []
        self.given: list[str] = []  # the strides that NumPy passes
        self.tables = ("", "")  # the tables of the addresses, and of the strides
        self.count = ""
        self.hints: list[str] = []
        self.group = ""  # the access group of a loop whose iterations are independent

    def load(self, ty: str, pointer: str, align: int) -> str:
        return self.result(f"load {ty}, ptr {pointer}, align {align}{self.group}")

    def store(self, ty: str, value: str, pointer: str, align: int) -> None:
        self.emit(f"store {ty} {value}, ptr {pointer}, align {align}{self.group}")

    def cast(self, value: Value, wanted: Type) -> Value:
        """Return the value itself: a kernel's results have the types of the elements."""
        assert value.ty is wanted
        return value

    # --- the whole ------------------------------------------------------------------------------

    def run(self) -> None:
        """Emit the body: one version per common set of strides, and a general one."""
        self.start("entry")
        self._read()
        some, none = self.new_label("some"), self.new_label("none")
        self.branch(self.compare("sgt", "i64", self.count, "0"), some, none)
        self.start(none)
        self.ret(raising.OK)
        self.start(some)
        if self._is_short():
            how = self._how_operands_lie()
            for number, version in self._versions().items():
                self._versioned(self.compare("eq", "i32", how, str(number)), version)
        self._loop(_Version(tuple(self.given)))

    def _is_short(self) -> bool:
        lines = sum(len(code.lines) for code in module_codes(self.callee))
        is_small = lines <= _LONGEST and len(self.types) <= _MOST_OPERANDS
        return is_small and not self.callee.loops

    def _read(self) -> None:
        args, dims, steps = (self._load_slot("ptr", "%args", k) for k in range(3))
        self.tables = (args, steps)
        self.hint = "n"
        self.count = self._load_slot("i64", dims, 0)
        for k in range(len(self.types)):
            self.hint = f"operand.{k}"
            self.pointers.append(self._load_slot("ptr", args, k))
            self.hint = f"step.{k}"
            self.given.append(self._load_slot("i64", steps, k))
        self.hint = "$t"

    def _load_slot(self, kind: str, pointer: str, place: int) -> str:
        return self.load(kind, self.offset(pointer, str(8 * place)), 8)

    def _versions(self) -> dict[int, _Version]:
        """Return the versions, by the runtime's classification of the operands."""
        sizes = tuple(str(item_size(ty)) for ty in self.types)
        versions = {_DENSE: _Version(sizes)}
        if len(self.callee.argtypes) == 2 and self.outputs == self.callee.argtypes[:1]:
            versions[_RUNNING] = _Version(("0", sizes[1], "0"), running=True)
        return versions

    def _how_operands_lie(self) -> str:
        """Call the runtime's classification of the operands.  In C, since inline it would be a
        third of the code and half of LLVM's time for it."""
        sizes = 0
        for place, ty in enumerate(self.types):
            sizes |= (item_size(ty).bit_length() - 1) << 4 * place
        numbers = (self.count, str(len(self.callee.argtypes)), str(len(self.types)), str(sizes))
        operands = [("ptr", one) for one in self.tables] + [("i64", one) for one in numbers]
        return self.call("i32", "cutaway_operands_lie", operands)

    def _versioned(self, fits_here: str, version: _Version) -> None:
        """Emit a version, and continue behind it if its test fails."""
        fits, other = self.new_label("fits"), self.new_label("other")
        self.branch(fits_here, fits, other)
        self.start(fits)
        self._loop(version)
        self.start(other)

    # --- one version ----------------------------------------------------------------------------

    def _loop(self, version: _Version) -> None:
        """Emit the loop, and the return."""
        inputs = self.callee.argtypes
        first = self._element(inputs[0], self.pointers[0]) if version.running else None
        head, body, done = (self.new_label(stem) for stem in ("loop", "body", "done"))
        before = self.block
        self.jump(head)
        self.start(head)
        counter = self.reserve()
        k = self.fresh("$k")
        held = [] if first is None else [(self.reserve(), self.fresh("$sum")) for _ in first.parts]
        self.branch(self.compare("slt", "i64", k, self.count), body, done)
        self.start(body)
        number = FIRST_HINT + 4 * len(self.hints)
        is_vector = self._is_vector(version)
        self.group = f", !llvm.access.group !{number + 3}" if is_vector else ""
        args = []
        for place, ty in enumerate(inputs):
            if first is not None and place == 0:
                args.append(Value(ty, tuple(name for _, name in held)))
            else:
                args.append(self._element(ty, self._address(version, place, k)))
        self.group, group = "", self.group
        results = self._called(args)
        self.group = group
        if first is None:
            for place, value in enumerate(results, len(inputs)):
                array = Array(value.ty, 1, "C")
                store_element(self, array, value, self._address(version, place, k))
        following = self.binary("add nuw nsw", "i64", k, "1")
        last = self.block
        self.group = ""
        self.emit(f"br label %{head}, !llvm.loop !{self._hint(number, is_vector)}")
        self.closed = True
        counter.text = f"{k} = phi i64 [ 0, %{before} ], [ {following}, %{last} ]"
        if first is not None:
            kinds = part_types(first.ty)
            rows = zip(held, kinds, first.parts, results[0].parts, strict=True)
            for (line, name), kind, start, part in rows:
                line.text = f"{name} = phi {kind} [ {start}, %{before} ], [ {part}, %{last} ]"
        self.start(done)
        if first is not None:
            value = Value(first.ty, tuple(name for _, name in held))
            store_element(self, Array(first.ty, 1, "C"), value, self.pointers[-1])
        self.ret(raising.OK)

    def _is_vector(self, version: _Version) -> bool:
        """True for a version that LLVM may vectorize: not one with unknown strides, nor one of
        floats that must be added in order."""
        in_order = version.running and not isinstance(self.types[0], Integer | Boolean)
        return all(step.isdigit() for step in version.steps) and not in_order

    def _hint(self, number: int, is_vector: bool) -> int:
        """Add the metadata of a loop; returns its number."""
        lines = [
            f"!{number} = distinct !{{!{number}, !2, !{number + 1}, !{number + 2}}}",
            f'!{number + 1} = !{{!"llvm.loop.interleave.count", i32 {INTERLEAVE}}}',
            f'!{number + 2} = !{{!"llvm.loop.parallel_accesses", !{number + 3}}}',
            f"!{number + 3} = distinct !{{}}",
        ]
        self.hints.append("\n".join(lines if is_vector else [PLAIN.format(number)]))
        return number

    def _element(self, ty: Type, pointer: str) -> Value:
        return load_element(self, Array(ty, 1, "C"), pointer)

    def _address(self, version: _Version, place: int, k: str) -> str:
        step = version.steps[place]
        if step == "0":
            return self.pointers[place]
        return self.offset(self.pointers[place], self.binary("mul nsw", "i64", k, step))

    def _called(self, args: Sequence[Value]) -> list[Value]:
        """Call the kernel for one element of each operand; returns its results."""
        returns = self.callee.returns
        assert returns is not None
        result = self.alloca("i64", max(len(slot_types(returns)), 1))
        operands = [f"ptr {result}", "ptr %exc"]
        for value in args:
            pairs = zip(part_types(value.ty), value.parts, strict=True)
            operands += [f"{kind} {part}" for kind, part in pairs]
        status = self.result(f"call i32 {symbol(self.callee.symbol)}({', '.join(operands)})")
        failed, good = self.new_label("failed"), self.new_label("good")
        self.branch(self.compare("ne", "i32", status, raising.OK), failed, good, FIRST_COLD)
        self.start(failed)
        self.ret(status)
        self.start(good)
        values, first = [], 0
        for ty in self.outputs:
            values.append(load_slots(self, ty, result, first))
            first += len(slot_types(ty))
        return values


def loop_text(callee: Callee) -> str:
    """Return the entry point of a kernel that NumPy calls for many elements."""
    build = _LoopBuilder(callee)
    build.run()
    text = entry_function(callee, build)
    return "\n".join([text, *build.code.declarations.values(), *build.hints, ""])
