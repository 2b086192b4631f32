"""Lower a typed SSA function to LLVM IR (SPEC A9, stage 6a).

Shape of the result: `i32 @f(ptr %ret, ptr %exc, parts of the arguments...)`, a status code
returned, the result stored in the slots at `%ret`.  Blocks are visited in reverse postorder, so
that every definition is lowered before its uses, except around a loop: phis are written last.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cutaway.errors import InternalError
from cutaway.foundation.options import Flags
from cutaway.foundation.python_words import too_many
from cutaway.foundation.source import UNKNOWN, Loc
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import graph_of
from cutaway.ir.nodes import Block, Op
from cutaway.ir.reaches import has_handlers
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.lowering import (
    alias_scopes,
    generators,
    handlers,
    latches,
    llvm_values,
    loop_marks,
    slow_loops,
    tables,
)
from cutaway.lowering.build import builder, raising
from cutaway.lowering.build import constants as build_constants
from cutaway.lowering.build.builder import CodeLine, FunctionCode, local, symbol
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.callee import Callee
from cutaway.lowering.calls import Apart, CalleeOf, Links, apply, call_function
from cutaway.lowering.layout import (
    Value,
    functions_in,
    make_tuple,
    owner_positions,
    part_names,
    part_types,
    tuple_items,
    zero_value,
)
from cutaway.lowering.ops import LOWERED
from cutaway.lowering.phis import Phis
from cutaway.lowering.regions import RegionRun, block_name
from cutaway.lowering.slots import store_slots
from cutaway.targets.target import Target
from cutaway.typing import types
from cutaway.typing.analysis import changing, guesses, intervals, magnitudes
from cutaway.typing.analysis import sizes as array_sizes
from cutaway.typing.analysis.escapes import local_arrays
from cutaway.typing.analysis.outliving import outliving_iterators
from cutaway.typing.analysis.ownership import brings_reference, shares
from cutaway.typing.inference.resolutions import (
    Bound,
    Chosen,
    CompiledCall,
    Field,
    Held,
    MadeTuple,
    OneOf,
    Resolutions,
    Resolved,
    is_never_executed,
)
from cutaway.typing.overloads.resolution import Call
from cutaway.typing.types import NamedTuple, Tuple, Type, named_tuples
from cutaway.typing.types.structure import cells

if TYPE_CHECKING:
    from cutaway.lowering.generators import GeneratorFrame
    from cutaway.lowering.handlers import Handlers
    from cutaway.typing.analysis.magnitudes import Magnitude, Magnitudes

# The most available expressions that a block inherits from its dominator: each block copies them.
MOST_COMPUTED = 200


class FunctionLowering:
    """The lowering of one function."""

    def __init__(
        self,
        fn: Function,
        variable_types: dict[str, Type],
        resolutions: Resolutions,
        owned: Collection[str],
        callee: Callee,
        target: Target,
        callee_of: CalleeOf,
        flags: Flags,
        apart: Apart | None = None,
    ) -> None:
        assert callee.table is not None
        self.fn = fn
        self.types = variable_types
        self.resolutions = resolutions
        self.owned = owned
        self.callee = callee
        self.build = FunctionBuilder(callee.symbol, fn.name, flags, callee.table)
        self.build.links = Links(target, callee_of, callee.callees, apart)
        self.build.operands_of = self._operands_of
        self.build.magnitude_of = self._magnitude_of
        self.build.code.filename = fn.filename
        self.build.code.first_line = fn.first_line
        self.values: dict[str, Value] = {}
        self.kernels: dict[str, llvm_values.KernelValues] = {}  # of parallel loops, by symbol
        self.exits: dict[int, str] = {}  # block label -> LLVM label that leaves it
        self.handlers: Handlers | None = None
        self.frame: GeneratorFrame | None = None  # of a generator
        self.computed: dict[int, dict[str, str]] = {}  # available expressions at a block's end
        self.entries: dict[int, dict[tuple[str, ...], str]] = {}  # looked up, at a block's end
        self.lines: dict[int, list[CodeLine]] = {}  # block label -> its lines in LLVM IR
        self.phis = Phis(self)
        self.owner_slots: dict[str, list[str]] = {}
        self.graph = graph_of(fn)
        self.dominators = self.graph.immediate_dominators()
        self.label: int | None = None  # of the block that is being lowered
        self.outliving: set[str] = set()  # iterators, by the variables that ops define
        self.counts_cells = False
        self.local: dict[int, int] = {}  # the bytes of arrays on the stack, by ids of ops
        self.runs: list[RegionRun] = []  # of the regions around the op that is being lowered
        self.latches = latches.Latches(fn, variable_types, self.graph, lambda: self.sizes.values)
        self.loop_marks: dict[int, tuple[str, ...]] = {}
        self.scopes: alias_scopes.AliasScopes | None = None
        loops = self.graph.loops()
        self.looping = {label for loop in loops.values() for label in loop.body}
        if loops:
            self._look_at_loops(not flags.fastmath)

    def _look_at_loops(self, in_order: bool) -> None:
        known = (self.fn, self.types, self.graph, lambda: self.sizes.values)
        self.loop_marks = loop_marks.loop_marks(*known, in_order=in_order)
        self.scopes = alias_scopes.AliasScopes(*known)
        self.build.rows = self.scopes.rows

    @cached_property
    def sizes(self) -> array_sizes.Sizes:
        """Facts about the sizes of arrays."""
        return array_sizes.Sizes(self.fn, self.types)

    @cached_property
    def intervals(self) -> intervals.Intervals:
        """The intervals of integer variables."""
        values = self.sizes.values
        return intervals.Intervals(
            self.fn, self.types, values.definitions, values.constants, self.sizes.is_size
        )

    @cached_property
    def magnitudes(self) -> Magnitudes:
        """The magnitudes of float variables."""
        values = self.sizes.values
        return magnitudes.Magnitudes(
            self.types,
            values.definitions,
            values.constants,
            lambda name, block: self.intervals.at(name, block),
        )

    def _magnitude_of(self, side: int) -> Magnitude:
        """Return the magnitude of one side of a float operator that is being lowered."""
        match self.build.op:
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
                if self.label is not None and row.symbol.rstrip("=") in ("/", "**"):
                    return self.magnitudes.at((lhs, rhs)[side], self.label)
        return magnitudes.ANY

    def _operands_of(self, op: Op | None) -> guesses.Operands | None:
        """Return the proven and likely properties of both sides of an integer division or shift."""
        constants = self.sizes.values.constants if op is not None else {}
        sides = guesses.sides_of(op, constants)
        if op is None or sides is None or self.label is None:
            return None
        return guesses.operands(self.intervals, self.label, *sides, op)

    def run(self) -> FunctionCode:
        """Lower the whole function."""
        build = self.build
        order = self.graph.reverse_postorder()
        build.closed = True
        self.local = local_arrays(self.fn, self.types, self.resolutions, lambda: self.sizes)
        if build.links.target.hosted:
            self.outliving = outliving_iterators(self.fn, self.types, self.resolutions)
        self.counts_cells = bool(self.outliving) or any(map(cells, self.callee.argtypes))
        build.start("entry")
        self._make_owner_slots()
        if self.fn.generator:
            self.frame = generators.GeneratorFrame(self)
            self.frame.begin()
        if has_handlers(self.fn):
            self.handlers = handlers.Handlers(self)
        if self._calls_compiled():
            self._check_stack()
        build.jump(block_name(order[0]))
        for label in order:
            self.lower_block(self.fn.blocks[label])
        self.phis.write()
        ends = [block.terminator for block in self.fn.blocks.values()]
        is_rare = any(isinstance(op, nodes.Branch) and "orelse" in op.rare for op in ends)
        if is_rare and self.handlers is None and self.frame is None:
            slow_loops.move_out(build, self.fn, self.graph, self.lines, self._parameters())
        build.at(UNKNOWN)
        # Last, since only now all exits are known.
        build.finish_cleanup(self._release_all)
        if self.frame is not None:
            build.code.parts += self.frame.parts()
            return build.finish(self.frame.header())
        return build.finish(self._header())

    def _header(self) -> str:
        parts = [f"{ty} {name}" for ty, name in self._parameters()]
        parameters = ", ".join(["ptr noalias %ret", "ptr noalias %exc", *parts])
        return f"define internal i32 {symbol(self.callee.symbol)}({parameters})"

    def _parameters(self) -> list[tuple[str, str]]:
        parameters = []
        for param, ty in zip(self.fn.params, self.callee.argtypes, strict=True):
            names = part_names(ty, f"arg.{param}")
            parameters.extend(zip(part_types(ty), map(local, names), strict=True))
        return parameters

    # --- blocks ---------------------------------------------------------------------------------

    def lower_block(self, block: Block) -> None:
        """Lower the ops of a block."""
        build = self.build
        self.label = block.label
        build.in_loop = block.label in self.looping
        first = len(build.code.lines)
        build.start(block_name(block.label), self._computed_before(block.label))
        build.entries = tables.entries_before(self, block) if self.entries else {}
        computed = dict(build.computed) if block.handler is not None else build.computed
        if self.handlers is not None:
            self.handlers.begin(block)
        merged: list[str] = []
        for op in block.ops:
            if merged and not isinstance(op, nodes.Phi):
                self.take_ownership(merged)
                merged = []
            self._locate(op)
            if build.entries and not changing.keeps_entries(op, self.types, self.resolutions):
                build.entries = {}
            if is_never_executed(op, self.types):
                for name in definitions(op):
                    self.values[name] = zero_value(self.types[name])
            else:
                self._lower(op, block)
                if build.cells:
                    build.settle_cells(shares(op, self.resolutions))
            if isinstance(op, nodes.Phi):
                merged.append(op.result)
            elif not build.closed:
                self.take_ownership(definitions(op))
            else:
                _check_is_last(op, block)
                break
        # A phi names the LLVM block that its value comes from; lowering an op may have begun
        # others.
        self.exits[block.label] = build.block
        # The expressions of the block are not available after its handler.
        self.computed[block.label] = computed
        self.entries |= {block.label: build.entries} if build.entries else {}
        header = self.latches.headers.get(block.label)
        if header is not None:
            self.mark_loop(header)
        if self.handlers is not None:
            self.handlers.end(block)
        self.lines[block.label] = build.code.lines[first:]

    def mark_loop(self, header: int) -> None:
        """Mark the back edge in the last line with the hints of its loop for LLVM."""
        self.build.code.lines[-1].loop = self.loop_marks[header]

    def _computed_before(self, label: int) -> dict[str, str]:
        """Return the available expressions at a block's start, unless they are too many to copy."""
        computed = self.computed.get(self.dominators.get(label, label), {})
        return dict(computed) if len(computed) < MOST_COMPUTED else {}

    def _lower(self, op: Op, block: Block) -> None:
        """Lower an op, and mark its loads and stores with their alias scopes."""
        lines = self.build.code.lines
        if self.scopes is not None and op is block.terminator:
            self._declare_scopes(self.scopes.begun.get(block.label, ()))
        first = len(lines)
        LOWERED[type(op)](self, op)
        scopes = None if self.scopes is None else self.scopes.marks.get(op.id)
        if scopes is not None:
            for line in lines[first:]:
                if " = load " in line.text or line.text.startswith("store "):
                    line.scopes = scopes

    def _declare_scopes(self, scopes: Sequence[int]) -> None:
        for scope in scopes:
            name = alias_scopes.DECLARE
            self.build.code.declarations[name] = f"declare void @{name}(metadata)"
            self.build.emit(f"call void @{name}(metadata !)")
            self.build.code.lines[-1].declares = scope

    def _locate(self, op: Op) -> None:
        defined = definitions(op)
        self.build.op = op
        self.build.on_stack = op.id in self.local
        self.build.outlives = bool(defined) and defined[0] in self.outliving
        self.build.lends = bool(defined) and defined[0] not in self.owned
        self.build.loc = op.loc
        self.build.at(op.loc)
        self.build.hint = defined[0] if defined else "$t"

    # --- values ---------------------------------------------------------------------------------

    def _argument(self, op: nodes.Arg) -> Value:
        ty = self.callee.argtypes[op.index]
        if isinstance(ty, types.Omitted):
            return self.build.constant(self.types[op.result], ty.value)
        if isinstance(ty, types.Literal):
            return self.build.constant(self.types[op.result], ty.literal_value)
        parts = self.argument_parts(op.name, ty)
        self.build.parameters.update(parts)
        return self.build.cast(Value(ty, parts), self.types[op.result])

    def argument_parts(self, name: str, ty: Type) -> tuple[str, ...]:
        """Return the LLVM names of the parts of an argument."""
        return tuple(map(local, part_names(ty, f"arg.{name}")))

    def _unwrap(self, op: nodes.Unwrap) -> None:
        value = self.values[op.value]
        assert isinstance(value.ty, types.Optional)
        missing = self.build.binary("xor", "i1", value.parts[0], "true")
        self.build.raise_if(missing, op.exception, op.message)
        self.values[op.result] = Value(value.ty.inner, value.parts[1:])

    def _slice(self, op: nodes.BuildSlice) -> Value:
        names = [op.start, op.stop] + ([] if op.step is None else [op.step])
        ty = self.types[op.result]
        assert isinstance(ty, types.Span)
        parts: list[str] = []
        for name, bound in zip(names, ty.bounds, strict=False):
            parts += self.build.cast(self.values[name], bound).parts
        return Value(ty, tuple(parts))

    def _unpack(self, op: nodes.Unpack) -> None:
        value = self.values[op.value]
        if isinstance(value.ty, Tuple):
            self._unpack_tuple(op, value, value.ty)
            return
        count = self.build.constant(types.int64, op.count)
        self.values[op.result] = self._answer(op, [value, count])

    def _unpack_tuple(self, op: nodes.Unpack, value: Value, ty: Tuple) -> None:
        if len(ty.items) == op.count:
            self.values[op.result] = Value(self.types[op.result], value.parts)
            return
        self.build.raise_now(ValueError, unpack_message(op.count, ty))

    def _static_getitem(self, op: nodes.StaticGetItem) -> None:
        value = self.values[op.value]
        if isinstance(value.ty, Tuple):
            self._tuple_item(op, value)
            return
        self.values[op.result] = self._answer(
            op, [value, build_constants.typed_constant(self.build, op.index)]
        )

    def _tuple_item(self, op: nodes.StaticGetItem, value: Value) -> None:
        items = tuple_items(value)
        assert isinstance(value.ty, Tuple)
        if isinstance(op.index, slice):
            parts = make_tuple(items[op.index]).parts
            self.values[op.result] = Value(self.types[op.result], parts)
        elif -len(items) <= op.index < len(items):
            self.values[op.result] = items[op.index]
        else:
            self.build.raise_now(IndexError, f"{value.ty.word} index out of range")

    def _static_setitem(self, op: nodes.StaticSetItem) -> None:
        target, value = self.values[op.target], self.values[op.value]
        self._answer(op, [target, build_constants.typed_constant(self.build, op.index), value])

    def _attribute(self, op: nodes.GetAttr) -> None:
        owner, wanted = self.values[op.value], self.types[op.result]
        match self._resolution(op):
            case Field(position):
                self.values[op.result] = tuple_items(owner)[position]
            case Bound():
                self.values[op.result] = Value(wanted, owner.parts)
            case Held(value):
                self.values[op.result] = self.build.constant(wanted, value)
            case _:
                self.values[op.result] = self._answer(op, [owner])

    # --- operators and calls --------------------------------------------------------------------

    def _resolution(self, op: Op) -> Resolved:
        resolved = self.resolutions.get(op.id)
        if resolved is None:
            raise InternalError(f"nothing is known of what {type(op).__name__} does", op.loc)
        return resolved

    def _answer(self, op: Op, arguments: list[Value] | None = None) -> Any:
        chosen = self._resolution(op)
        assert isinstance(chosen, Chosen)
        if arguments is None:
            arguments = [self.values[name] for name in uses(op)]
        return apply(self.build, chosen.resolution, arguments)

    def _next(self, op: nodes.IterNext) -> None:
        item, valid = self._answer(op)
        self.values[op.result] = item
        self.values[op.valid] = Value(types.boolean, (valid,))

    def _call(self, op: nodes.Call) -> None:
        result = self._result_of(op, self._resolution(op), self.values[op.func])
        self.values[op.result] = self.build.cast(result, self.types[op.result])

    def _result_of(self, op: nodes.Call, resolved: Resolved, function: Value) -> Value:
        """Emit the result of a call, by its resolution."""
        arguments = self.call_values(op)
        match resolved:
            case Chosen(owner=owner):
                front = [] if owner is None else [Value(owner, function.parts)]
                result: Value = apply(self.build, resolved.resolution, [*front, *arguments])
                return result
            case CompiledCall(target, call, carried):
                if isinstance(target, types.Closure):
                    items = tuple_items(Value(Tuple(target.carried), function.parts))
                    arguments += [items[k] for k in carried]
                return call_function(self.build, target, call, arguments)
            case OneOf(functions):
                return self._call_one_of(op, functions, function)
            case MadeTuple(cls, call):
                return self._make_named(op, cls, call, arguments)
        raise InternalError(f"no lowering for a call of {resolved}", op.loc)

    def _call_one_of(self, op: nodes.Call, resolved: tuple[Resolved, ...], chosen: Value) -> Value:
        """Emit a branch for each function, and merge after the calls."""
        build, wanted = self.build, self.types[op.result]
        number, done = chosen.parts[0], build.new_label("called")
        functions = functions_in(chosen)
        results: list[tuple[Value, str]] = []
        for k, function in enumerate(functions.values()):
            if k + 1 < len(functions):
                this, others = build.new_label("function"), build.new_label("others")
                build.branch(build.compare("eq", "i64", number, str(k)), this, others)
                build.start(this)
            result = build.cast(self._result_of(op, resolved[k], function), wanted)
            if not brings_reference(resolved[k], called=True):
                self.count_in("cutaway_incref", result)
            results.append((result, build.block))
            build.jump(done)
            if k + 1 < len(functions):
                build.start(others)
        build.start(done)
        return Value(
            wanted,
            tuple(
                build.phi(kind, [(value.parts[k], label) for value, label in results])
                for k, kind in enumerate(part_types(wanted))
            ),
        )

    def _make_named(self, op: nodes.Call, cls: Any, call: Call, arguments: list[Value]) -> Value:
        ty, parameters = self.types[op.result], named_tuples.fields_of(cls)
        assert isinstance(ty, Tuple)
        parts: list[str] = []
        for place, item, default in zip(
            parameters.lay_out(call) or (), ty.items, parameters.defaults, strict=True
        ):
            assert not isinstance(place, tuple)
            value = self.build.constant(item, default) if place is None else arguments[place]
            parts += value.parts
        return Value(ty, tuple(parts))

    def call_values(
        self, op: nodes.Call | nodes.RaiseComputed | nodes.RaiseComputedFrom
    ) -> list[Value]:
        """Return the values of all arguments, keyword arguments at the end."""
        positional = len(op.args) - len(op.keywords)
        values = [self.values[name] for name in op.args]
        if op.star is not None:
            values[positional:positional] = tuple_items(self.values[op.star])
        return values

    def _calls_compiled(self) -> bool:  # a Python function of the library never calls user code
        return any(
            isinstance(self.resolutions.get(op.id), CompiledCall | OneOf) for op in walk(self.fn)
        )

    def _check_stack(self) -> None:
        # Only a function that calls compiled functions can recurse without end.
        build = self.build
        build.loc = Loc(self.fn.first_line, 0, self.fn.first_line, 0, self.fn.filename)
        build.links.target.exceptions.check_stack(build)

    # --- terminators ----------------------------------------------------------------------------

    def _branch(self, op: nodes.Branch) -> None:
        truth = self._answer(op)
        rare = "orelse" in op.rare
        weights = builder.SECOND_COLD if rare else self.latches.weights(self.label, op.then)
        self.build.branch(truth.parts[0], self.way_to(op.then), self.way_to(op.orelse), weights)

    def way_to(self, label: int) -> str:
        """Return the LLVM block to jump to for a block."""
        return self.latches.target(self.label, label)

    def _return(self, value: Value) -> None:
        assert self.callee.returns is not None
        if self.frame is not None:
            self.frame.give_back(value)
            return
        store_slots(self.build, self.build.cast(value, self.callee.returns), "%ret")
        self.build.ret(raising.OK)

    def suspend(self, op: nodes.Suspend) -> None:
        """Suspend at a `yield`, whose value is None."""
        assert self.frame is not None
        self.frame.suspend(op)
        self.values[op.result] = Value(types.none, ())

    def _raise(self, op: nodes.StaticRaise) -> None:
        self.build.raise_now(op.exception, *op.args)

    # --- memory ---------------------------------------------------------------------------------

    def _make_owner_slots(self) -> None:
        """Reserve a stack slot for each owner of each owned variable, null while there is none."""
        build = self.build
        for name in sorted(self.owned):
            build.needs_cleanup = True
            build.hint = f"{name}.owned"
            slots = [build.alloca("ptr") for _ in self._counted(self.types[name])]
            for slot in slots:
                build.at_entry(f"store ptr null, ptr {slot}, align 8")
            self.owner_slots[name] = slots

    def _counted(self, ty: Type) -> tuple[int, ...]:
        """Return the positions of the owners in a value that may not be null."""
        on_stack = () if self.counts_cells else cells(ty)
        return tuple(place for place in owner_positions(ty) if place not in on_stack)

    def take_ownership(self, names: Sequence[str]) -> None:
        """Store the memory of owning variables in their slots, which are freed on an exception."""
        for name in names:
            slots = self.owner_slots.get(name)
            if not slots:
                continue
            value = self.values[name]
            for slot, position in zip(slots, self._counted(value.ty), strict=True):
                self.build.store("ptr", value.parts[position], slot, 8)

    def _forget_owner(self, name: str) -> None:
        for slot in self.owner_slots.get(name, ()):
            self.build.store("ptr", "null", slot, 8)

    def _count_references(self, function: str, name: str) -> None:
        self.count_in(function, self.values[name])

    def count_in(self, function: str, value: Value) -> None:
        """Emit a reference count function for all memory of a value."""
        for position in owner_positions(value.ty):
            if value.parts[position] != "null":  # on the stack
                self.build.call("void", function, [("ptr", value.parts[position])])

    def _release_all(self) -> None:
        for slots in self.owner_slots.values():
            for slot in slots:
                owner = self.build.load("ptr", slot, 8)
                self.build.call("void", "cutaway_decref", [("ptr", owner)])


def unpack_message(wanted: int, ty: Tuple) -> str:
    """Python's message for a tuple whose length differs from the number of its targets."""
    count = len(ty.items)
    if count > wanted:
        return too_many(wanted, None if isinstance(ty, NamedTuple) else count)
    return f"not enough values to unpack (expected {wanted}, got {count})"


def _check_is_last(op: Op, block: Block) -> None:
    """Check that a block ends at an op that always raises, as pass prune_unreachable leaves it."""
    if op is not block.terminator and not isinstance(block.terminator, nodes.Unreachable):
        raise InternalError(f"label {block.label} goes on after an op that always raises: {op}")
