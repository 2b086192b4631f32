"""Kernels of parfors that only load, compute and store elements.

Such a kernel is not a loop over single elements but whole-array loops over a box of them, as for
array expressions (`lowering/arrays`): contiguous elements are vectorized, and NumPy's loops are
called for lines.  Each store and each reduction variable is a *group*.  Several groups take turns
on pieces of the box that fit in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.dataclass import replace as dataclass_replace
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.reductions import BY_UFUNC, REDUCTIONS
from cutaway.ir.traversal import uses
from cutaway.lowering.arrays.blocks import in_parts
from cutaway.lowering.arrays.kernels import Kernel, KernelStep
from cutaway.lowering.arrays.nests import Nest, constants_of
from cutaway.lowering.arrays.reductions import Job
from cutaway.lowering.arrays.tracks import Track
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, item_size, part_types
from cutaway.lowering.parfor_kernels import joined
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.types import Array, Type

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering

SCRATCH = "scratch."  # prefix of the name of a value: the scratch memory for a piece of it
PIECE = 2048  # elements per piece on which groups take turns


class _Group(NamedTuple):
    """One computation: the steps, the operands from outside by their names in the body, and the
    destination of its result: the elements of an array, or the carried value of an index."""

    steps: tuple[nodes.Element, ...]
    reads: Mapping[str, str]
    value: str
    target: str
    carried: int
    function: str

    @property
    def operands(self) -> tuple[str, ...]:
        """The distinct operands, in order."""
        return tuple(dict.fromkeys(self.reads.values()))


@dataclass(frozen=True, slots=True)
class ElementPlan:
    """The groups of a parfor whose body consists of element operations alone.

    `fits` says along which axes an array has an element for each iteration: along others it may
    have one for all.  `is_line` says that all arrays are contiguous, in one order, and `columns`
    that those that are written are in F order.
    """

    op: nodes.Parfor
    groups: tuple[_Group, ...]
    fits: Mapping[str, tuple[bool, ...]]
    is_line: bool
    columns: bool

    def emit(
        self,
        build: FunctionBuilder,
        into: FunctionLowering,
        values: Mapping[str, Value],
        box: Sequence[tuple[str, str]],
        first: Sequence[Value],
    ) -> list[Value]:
        """Emit the loops over a box; returns the carried values after it."""
        sizes = [values[name].parts[0] for name in self.op.stops]
        lows, highs = zip(*box, strict=True)
        return ElementKernel(build, into, self, values, sizes).run(lows, highs, first)


_COUNTING = (nodes.Del, nodes.Incref, nodes.Decref)


def plan_of(into: FunctionLowering, op: nodes.Parfor) -> ElementPlan | None:
    """Return the plan for a parfor; None if its body has any other ops."""
    if len(op.body.blocks) != 1:
        return None
    *inner, end = (one for one in op.body.blocks[0].ops if not isinstance(one, _COUNTING))
    kinds = (nodes.Load, nodes.Store, nodes.Element, nodes.Cast, nodes.Const)
    if not inner or not all(isinstance(one, kinds) for one in inner):
        return None
    if not any(isinstance(one, nodes.Load | nodes.Store) for one in inner):
        return None
    groups = _Groups(into, op, inner, uses(end)).all()
    if groups is None:
        return None
    sizes = into.sizes
    wanted = tuple(sizes.number(name, into.label) for name in op.stops)
    fits, layouts = dict[str, tuple[bool, ...]](), set[str]()
    written: set[str] = set()
    for one in inner:
        if isinstance(one, nodes.Load | nodes.Store):
            name = one.target if isinstance(one, nodes.Store) else one.array
            kind = into.types[name]
            assert isinstance(kind, Array)
            own = sizes.of(name, into.label)
            last = wanted[len(wanted) - kind.ndim :]
            fits[name] = tuple(a == b for a, b in zip(own, last, strict=True))
            layouts.add(kind.layout)
            if isinstance(one, nodes.Store):
                fits[name] = (True,) * kind.ndim
                written.add(kind.layout)
    ndim = len(wanted)
    is_line = layouts in ({"C"}, {"F"}) and all(len(f) == ndim and all(f) for f in fits.values())
    return ElementPlan(op, groups, fits, is_line, (written or layouts) == {"F"})


class _Groups:
    """Splits one body into groups."""

    def __init__(
        self, into: FunctionLowering, op: nodes.Parfor, inner: Sequence[Op], last: Sequence[str]
    ) -> None:
        self.into, self.op, self.inner, self.last = into, op, inner, last
        self.sources: dict[str, str] = {}  # the array that each value in the body is read from
        self.makers: dict[str, nodes.Element] = {}
        self.written, self.stored = set[str](), set[str]()  # arrays, and the values stored in them
        for one in inner:
            match one:
                case nodes.Load(result, array):
                    self.sources[result] = array
                case nodes.Cast(result, value):
                    self.sources[result] = value
                case nodes.Element(result):
                    self.makers[result] = one

    def all(self) -> tuple[_Group, ...] | None:
        """Return the groups, in order; None if an element may change between its uses."""
        op, groups = self.op, list[_Group]()
        indices = op.body.indices
        shared = self._shared()
        for one in self.inner:
            if isinstance(one, nodes.Element) and one.result in shared:
                group = self._group(one.result, f"{SCRATCH}{one.result}", -1, "")
                if group is None:
                    return None
                groups.append(group)
                self.sources[one.result] = group.target
                self.makers.pop(one.result)
            elif isinstance(one, nodes.Load):
                if one.indices != indices[len(indices) - len(one.indices) :]:
                    return None
            elif isinstance(one, nodes.Store):
                group = self._group(one.value, one.target, -1, "")
                if group is None or one.indices != indices or one.target in self.written:
                    return None
                groups.append(group)
                self._note_stored(one)
        for place, (name, final) in enumerate(zip(op.body.carried, self.last, strict=True)):
            step = self.makers.get(final)
            others = [arg for arg in step.args if arg != name] if step is not None else []
            if step is None or step.function not in BY_UFUNC or len(others) != 1:
                return None
            if sum(name in uses(one) for one in self.inner) != 1:
                return None
            group = self._group(others[0], "", place, BY_UFUNC[step.function].name)
            if group is None:
                return None
            groups.append(group)
        return tuple(groups) or None

    def _shared(self) -> set[str]:
        """Return the elements that NumPy's loops compute for several groups, and that no array
        stores: they are computed once."""
        stored = {one.value for one in self.inner if isinstance(one, nodes.Store)}
        roots = [one.value for one in self.inner if isinstance(one, nodes.Store)]
        for final in self.last:
            step = self.makers.get(final)
            roots += step.args if step is not None else ()
        needed = [self._needed(root) for root in dict.fromkeys(roots)]
        return {
            name
            for name, step in self.makers.items()
            if name not in stored
            and sum(name in one for one in needed) > 1
            and _step_of(self.into, step, ()).loop
        }

    def _needed(self, value: str) -> set[str]:
        needed, waiting = {value}, [value]
        while waiting:
            step = self.makers.get(waiting.pop())
            for arg in () if step is None else step.args:
                if arg not in needed:
                    needed.add(arg)
                    waiting.append(arg)
        return needed

    def _note_stored(self, op: nodes.Store) -> None:
        """Record a value that is stored without conversion: it need not be computed again."""
        self.written.add(op.target)
        kind = self.into.types[op.target]
        assert isinstance(kind, Array)
        if kind.dtype is self.into.types[op.value]:
            self.sources[op.value] = op.target
            self.makers.pop(op.value, None)
            self.stored.add(op.value)

    def _group(self, value: str, target: str, carried: int, function: str) -> _Group | None:
        needed = self._needed(value)
        if needed & set(self.op.body.carried):
            return None
        steps = tuple(self.makers[name] for name in self.makers if name in needed)
        used = (*(arg for step in steps for arg in step.args), value)
        reads = {arg: self.sources.get(arg, arg) for arg in used if arg not in self.makers}
        # The old contents are gone where another group has stored.
        if any(outer in self.written and arg not in self.stored for arg, outer in reads.items()):
            return None
        return _Group(steps, reads, value, target, carried, function)


class ElementKernel:
    """The loops of a plan over a box.  `values` are those of variables from outside."""

    def __init__(
        self,
        build: FunctionBuilder,
        into: FunctionLowering,
        plan: ElementPlan,
        values: Mapping[str, Value],
        sizes: Sequence[str],
    ) -> None:
        self.build, self.into, self.plan, self.values = build, into, plan, values
        self.sizes = tuple(sizes)
        scratch = [group for group in plan.groups if group.target.startswith(SCRATCH)]
        kinds = {group.target: Array(into.types[group.value], len(sizes), "C") for group in scratch}
        self.types: dict[str, Type] = {**into.types, **kinds}
        self.scratch = {
            name: Track(ty, build.alloca("i64", PIECE * item_size(ty.dtype) // 8), ())
            for name, ty in kinds.items()
        }
        self.kernels = [self._kernel(group) for group in plan.groups]
        self.tracks = {name: self._track(name) for name in plan.fits}

    def run(self, lows: Sequence[str], highs: Sequence[str], first: Sequence[Value]) -> list[Value]:
        """Emit the loops over a box; returns the carried values after it."""
        build = self.build
        shape = tuple(
            build.binary("sub", "i64", high, low) for low, high in zip(lows, highs, strict=True)
        )
        tracks = dict(self.tracks)
        for axis, low in enumerate(lows):
            tracks = {name: track.moved(build, axis, low) for name, track in tracks.items()}
        if self.plan.columns:
            shape = shape[::-1]
            tracks = {name: track.reversed() for name, track in tracks.items()}
        held = [self._saved(value) for value in first]
        constants = [
            constants_of(build, kernel, [self._operand(name) for name in group.operands])
            for group, kernel in zip(self.plan.groups, self.kernels, strict=True)
        ]

        def piece(shape: Sequence[str], tracks: dict[str, Track]) -> None:
            tracks = {**tracks, **self._scratch_over(shape)}
            for group, kernel, row in zip(self.plan.groups, self.kernels, constants, strict=True):
                self._group(group, kernel, row, tuple(shape), tracks, held)

        if len(self.kernels) == 1:
            piece(shape, tracks)
        else:
            self._pieces(shape, tracks, piece)
        return [self._loaded(value.ty, place) for value, place in zip(first, held, strict=True)]

    def _group(
        self,
        group: _Group,
        kernel: Kernel,
        constants: dict[int, Value],
        shape: tuple[str, ...],
        tracks: dict[str, Track],
        held: Sequence[Sequence[str]],
    ) -> None:
        build, op = self.build, self.plan.op
        own = {k: tracks[name] for k, name in enumerate(group.operands) if name in tracks}
        own = {k: track for k, track in own.items() if track.ty.ndim}
        if group.carried < 0:
            Nest(build, kernel, shape, own, constants, tracks[group.target]).run()
            return
        place, ty = held[group.carried], self.into.types[op.body.carried[group.carried]]
        job = Job(build, REDUCTIONS[group.function], kernel, constants, ty)
        value = job.line(shape, own)
        whole = joined(build, op.operators[group.carried], self._loaded(ty, place), value)
        for kind, part, slot in zip(part_types(ty), whole.parts, place, strict=True):
            build.store(kind, part, slot, 8)

    def _pieces(
        self,
        shape: Sequence[str],
        tracks: dict[str, Track],
        run: Callable[[Sequence[str], dict[str, Track]], None],
    ) -> None:
        """Emit loops over pieces along the last two axes, in order."""
        build, ndim = self.build, len(shape)

        def along_last(outer: tuple[str, ...], tracks: dict[str, Track]) -> None:
            def one(start: str, count: str) -> None:
                run((*outer, count), _moved(build, tracks, ndim - 1, start))

            in_parts(build, shape[-1], str(PIECE), one)

        if ndim == 1:
            along_last((), tracks)
            return
        least = build.call("i64", "llvm.umax.i64", [("i64", shape[-1]), ("i64", "1")])
        rows = build.binary("udiv", "i64", str(PIECE), least)
        rows = build.call("i64", "llvm.umax.i64", [("i64", rows), ("i64", "1")])

        def outer(index: tuple[str, ...]) -> None:
            moved = tracks
            for axis, k in enumerate(index):
                moved = _moved(build, moved, axis, k)

            def lines(start: str, count: str) -> None:
                along_last((*("1" for _ in index), count), _moved(build, moved, ndim - 2, start))

            in_parts(build, shape[-2], rows, lines)

        build.loop_nest(shape[:-2], outer)

    # --- parts ----------------------------------------------------------------------------------

    def _kernel(self, group: _Group) -> Kernel:
        numbers = {name: group.operands.index(outer) for name, outer in group.reads.items()}
        made = list[KernelStep]()
        for one in group.steps:
            step = _step_of(self.into, one, tuple(numbers[name] for name in one.args))
            step.note(self.build)
            made.append(step)
            numbers[one.result] = len(group.operands) + len(made) - 1
        operands = tuple(self.types[name] for name in group.operands)
        return Kernel(operands, tuple(made), numbers[group.value])

    def _operand(self, name: str) -> Value:
        """Return the value of an operand; for scratch memory only the type matters."""
        ty = self.types[name]
        return self.values[name] if name in self.values else Value(ty, ())

    def _scratch_over(self, shape: Sequence[str]) -> dict[str, Track]:
        """Return the tracks of scratch memory over a piece, contiguous along the last two axes;
        other axes are broadcast."""
        tracks = {}
        for name, track in self.scratch.items():
            unit = str(item_size(track.ty.dtype))
            strides = ["0"] * max(len(shape) - 2, 0) + [unit]
            if len(shape) > 1:
                strides.insert(-1, self.build.binary("mul", "i64", shape[-1], unit))
            tracks[name] = dataclass_replace(track, strides=tuple(strides))
        return tracks

    def _track(self, name: str) -> Track:
        """Return the track over a whole array along the axes of the nest."""
        build, value = self.build, self.values[name]
        assert isinstance(value.ty, Array)
        parts, fits = array_parts(value), self.plan.fits[name]
        if self.plan.is_line:
            return Track(value.ty, parts.data, ()).flat()
        strides = ["0"] * (len(self.sizes) - value.ty.ndim)
        for size, stride, fit in zip(parts.shape, parts.strides, fits, strict=True):
            if not fit:
                single = build.compare("eq", "i64", size, "1")
                stride = build.select(single, "i64", "0", stride)
            strides.append(stride)
        return Track(value.ty, parts.data, tuple(strides))

    def _saved(self, value: Value) -> list[str]:
        build, places = self.build, []
        for kind, part in zip(part_types(value.ty), value.parts, strict=True):
            places.append(build.alloca(kind))
            build.store(kind, part, places[-1], 8)
        return places

    def _loaded(self, ty: Type, places: Sequence[str]) -> Value:
        pairs = zip(part_types(ty), places, strict=True)
        return Value(ty, tuple(self.build.load(kind, place, 8) for kind, place in pairs))


def _step_of(into: FunctionLowering, op: nodes.Element, args: tuple[int, ...]) -> KernelStep:
    resolved = into.resolutions[op.id]
    assert isinstance(resolved, Chosen)
    return KernelStep(resolved.resolution, args, op.loc, into.build.flags.vector_math)


def _moved(
    build: FunctionBuilder, tracks: dict[str, Track], axis: int, count: str
) -> dict[str, Track]:
    return {name: track.moved(build, axis, count) for name, track in tracks.items()}
