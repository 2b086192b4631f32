"""The one emitter of loops over arrays: it runs a kernel over all elements of a shape.

    for i in range(n):                  the outer axes, merged with the inner one where the memory
                                        of all operands lies in one piece
        where all steps are of one element:
            for j in range(m): ...      elements side by side, which LLVM makes vectors of
        else:
            for j in range(m): ...      any strides, left as it is

Where one operand lies along the last axis and another one along another, both are gone through in
tiles.  A kernel that calls loops of NumPy's goes through the inner axis in blocks (see `kernels`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import UNKNOWN
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.kernels import Kernel, Phases, phases_of
from cutaway.lowering.arrays.loops import call_loop
from cutaway.lowering.arrays.memory import allocate, assign
from cutaway.lowering.arrays.overlap import may_share
from cutaway.lowering.arrays.shapes import (
    Shape,
    broadcast,
    broadcast_into,
    element_count,
    require_shape,
    strides_over,
)
from cutaway.lowering.arrays.tracks import Track, as_unit, reversed_tracks
from cutaway.lowering.build.builder import SECOND_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value, item_size
from cutaway.typing.types import Array, Type

BLOCK = 512  # elements that are gone through at a time between calls of NumPy's loops
CACHE_LINE = 64  # bytes
TILE = 256  # elements of each line of a tile: of so many lines of the cache one part is in use


@dataclass
class Nest:
    """A kernel over a shape: its tracks by the numbers of operands, the values that are the same
    for all elements, and the track of the result, if that is stored."""

    build: FunctionBuilder
    kernel: Kernel
    shape: Shape
    tracks: dict[int, Track]
    constants: dict[int, Value]
    target: Track | None
    # What is done with an element of the result; without it, it is stored in the target.
    sink: Callable[[Track | None, str, Value], None] | None = None

    @cached_property
    def phases(self) -> Phases:
        """The phases of the kernel."""
        return phases_of(self.kernel)

    def run(self) -> None:
        """Emit the loops."""
        self.build.has_nests = True
        shape, tracks = self.merged()
        if self.crossing:
            self._tiles(shape, tracks)
        else:
            self._outer(shape or ("1",), tracks)

    @cached_property
    def crossing(self) -> frozenset[int]:
        """The operands whose elements lie side by side along the first axis, as those of the
        result do along the last."""
        if self.target is None or len(self.shape) < 2:
            return frozenset()
        other = "C" if self.target.ty.layout == "F" else "F"
        tables = [n for n, track in self.tracks.items() if track.ty.ndim == len(self.shape)]
        return frozenset(n for n in tables if self.tracks[n].ty.layout == other)

    # --- axes -----------------------------------------------------------------------------------

    def _all(self) -> dict[int, Track]:
        return self.tracks if self.target is None else {**self.tracks, -1: self.target}

    def merged(self) -> tuple[Shape, dict[int, Track]]:
        """The shape with outer axes merged into the last one as far as all strides allow it."""
        build, tracks = self.build, self._all()
        if len(self.shape) < 2:
            return self.shape, tracks
        sizes, inner, whole = list(self.shape), self.shape[-1], "true"
        for axis in range(len(sizes) - 2, -1, -1):
            for track in tracks.values():
                near, far = track.strides[-1], track.strides[axis]
                if near == far == "0":
                    continue
                reach = build.binary("mul", "i64", near, inner)
                whole = _both(build, whole, build.compare("eq", "i64", far, reach))
            total = build.binary("mul", "i64", inner, sizes[axis])
            inner = build.select(whole, "i64", total, inner)
            sizes[axis] = build.select(whole, "i64", "1", sizes[axis])
        none = build.compare("eq", "i64", inner, "0")
        sizes[0] = build.select(none, "i64", "0", sizes[0])
        return (*sizes[:-1], inner), tracks

    def _tiles(self, shape: Shape, tracks: dict[int, Track]) -> None:
        """Tiles over the first axis and the last: of an operand that lies along the first, a line
        of the cache is then read once, and not once for each of its elements."""
        build, last = self.build, len(shape) - 1
        order = [*range(1, last), 0, last]

        def rows(row: str, height: str) -> None:
            def columns(column: str, width: str) -> None:
                tile = {
                    number: track.moved(build, 0, row).moved(build, last, column).ordered(order)
                    for number, track in tracks.items()
                }
                self._outer((*shape[1:last], height, width), tile)

            in_parts(build, shape[last], str(TILE), columns)

        smallest = min(item_size(tracks[number].ty.dtype) for number in self.crossing)
        in_parts(build, shape[0], str(max(CACHE_LINE // smallest, 4)), rows)

    def _outer(self, shape: Shape, tracks: dict[int, Track]) -> None:
        """Loops over the outer axes; of a kernel in phases the two last ones are left."""
        if len(shape) <= (1 if self.phases.count == 1 else 2):
            self._lines(shape, tracks)
            return

        def inside(k: str) -> None:
            inner = {n: track.inner(self.build, k) for n, track in tracks.items()}
            self._outer(shape[1:], inner)

        self.build.loop(shape[0], inside)

    # --- lines ----------------------------------------------------------------------------------

    def _lines(self, shape: Shape, tracks: dict[int, Track]) -> None:
        """The elements along the last axis: side by side in one version of the code, anyhow in
        another where they may lie so."""
        build = self.build
        unsure = {
            number: track
            for number, track in tracks.items()
            if not track.is_known and number not in self.crossing
        }
        if not unsure:
            self.elements(shape, tracks, False)
            return
        side_by_side = "true"
        for track in unsure.values():
            is_unit = build.compare("eq", "i64", track.strides[-1], track.unit)
            side_by_side = _both(build, side_by_side, is_unit)
        near, far, after = (build.new_label(stem) for stem in ("dense", "strided", "after"))
        build.branch(side_by_side, near, far)
        build.start(near)
        dense = {number: as_unit(track) for number, track in unsure.items()}
        self.elements(shape, {**tracks, **dense}, False)
        build.jump(after)
        build.start(far)
        self.elements(shape, tracks, True)
        build.jump(after)
        build.start(after)

    def elements(self, shape: Shape, tracks: dict[int, Track], plain: bool) -> None:
        """The elements of one line, or of several, in one version of the code."""
        if self.phases.count > 1:
            Blocks(self, shape, tracks, plain).run()
            return

        def body(k: str) -> None:
            values = self.operands(tracks, k)
            self.compute(values, self.phases.of)
            self.store(tracks.get(-1), k, values[self.kernel.result])

        self.build.loop(shape[-1], body, plain)

    # --- one element ----------------------------------------------------------------------------

    def operands(self, tracks: dict[int, Track], k: str) -> dict[int, Value]:
        """The values of the operands for an element, and of what is constant."""
        values = dict(self.constants)
        for number, track in tracks.items():
            if number >= 0:
                values[number] = load_element(self.build, track.ty, track.at(self.build, k))
        return values

    def compute(self, values: dict[int, Value], numbers: Sequence[int] | dict[int, int]) -> None:
        """Add the results of steps to the values."""
        for number in numbers:
            step = self.kernel.step(number)
            assert step is not None
            values[number] = step.computed(self.build, values)

    def store(self, track: Track | None, k: str, value: Value) -> None:
        """See to an element of the result."""
        if self.sink is not None:
            self.sink(track, k, value)
            return
        assert track is not None
        store_element(self.build, track.ty, value, track.at(self.build, k))


def in_parts(
    build: FunctionBuilder, count: str, size: str, part: Callable[[str, str], None]
) -> None:
    """Go along an axis in parts of a size, given where each begins and how long it is."""
    above = build.binary("add", "i64", count, build.binary("sub", "i64", size, "1"))

    def one(number: str) -> None:
        start = build.binary("mul nuw nsw", "i64", number, size)
        rest = build.binary("sub", "i64", count, start)
        part(start, build.call("i64", "llvm.umin.i64", [("i64", rest), ("i64", size)]))

    build.loop(build.binary("udiv", "i64", above, size), one, plain=True)


def _both(build: FunctionBuilder, a: str, b: str) -> str:
    if "true" in (a, b):
        return b if a == "true" else a
    return build.binary("and", "i1", a, b)


# --- blocks -------------------------------------------------------------------------------------


class Blocks:
    """One axis or two, gone through in blocks, with calls of NumPy's loops between the phases.

    A block is a part of a line, or as many short lines as fit in.
    """

    def __init__(self, nest: Nest, shape: Shape, tracks: dict[int, Track], plain: bool) -> None:
        self.nest = nest
        self.build = nest.build
        self.kernel = nest.kernel
        self.phases = nest.phases
        self.shape = shape
        self.tracks = tracks
        self.plain = plain
        self.buffers: dict[tuple[int, Type], Track] = {}
        self.rows, self.columns = "1", "0"  # of the block

    def run(self) -> None:
        """Emit the loops over blocks."""
        build, count = self.build, self.shape[-1]
        size = build.call("i64", "llvm.umin.i64", [("i64", count), ("i64", str(BLOCK))])
        size = build.call("i64", "llvm.umax.i64", [("i64", size), ("i64", "1")])
        if len(self.shape) == 1:
            in_parts(build, count, size, self._line)
            return
        lines = build.binary("udiv", "i64", str(BLOCK), size)

        def several(first: str, rows: str) -> None:
            whole, self.tracks = self.tracks, self._moved(self.tracks, 0, first)
            self.rows = rows
            in_parts(build, count, size, self._line)
            self.tracks = whole

        in_parts(build, self.shape[0], lines, several)

    def _line(self, start: str, length: str) -> None:
        self.columns = length
        tracks = self._moved(self.tracks, -1, start)
        for phase in range(self.phases.count):
            self._phase(phase, tracks)

    def _moved(self, tracks: dict[int, Track], axis: int, count: str) -> dict[int, Track]:
        return {n: track.moved(self.build, axis, count) for n, track in tracks.items()}

    # --- phases ---------------------------------------------------------------------------------

    def _phase(self, phase: int, tracks: dict[int, Track]) -> None:
        """The steps in place, into buffers and the result, then the calls."""
        called = self.phases.called(phase)
        inline = self.phases.inline(phase)
        stores = self._stores(phase, inline, called, tracks)
        final = self._is_result(phase, inline, tracks)
        if stores or final:
            self._each(inline, stores, final, tracks)
        for number in called:
            self._call(number, tracks)

    def _stores(
        self, phase: int, inline: list[int], called: list[int], tracks: dict[int, Track]
    ) -> list[tuple[int, Type]]:
        """The buffers that a phase fills: arguments of its calls, what later phases need."""
        stores: list[tuple[int, Type]] = []
        for number in called:
            step = self.kernel.step(number)
            assert step is not None
            for arg, wanted in zip(step.args, step.inputs, strict=True):
                if arg in self.phases.constant or (arg, wanted) in self._there:
                    continue
                if self._direct(arg, wanted, tracks) is None:
                    stores.append((arg, wanted))
        for number in inline:
            if self._needed_after(number, phase):
                stores.append((number, self.kernel.type_of(number)))
        for key in stores:
            self._buffer(*key)
        return list(dict.fromkeys(stores))

    def _is_result(self, phase: int, inline: list[int], tracks: dict[int, Track]) -> bool:
        """True if a phase's loop sees to the elements of the result."""
        result = self.kernel.result
        if result in inline:
            return True
        return phase == self.phases.count - 1 and not self._goes_to_target(result, tracks)

    @property
    def _there(self) -> set[tuple[int, Type]]:
        """The buffers that loops of NumPy's have filled."""
        return {key for key in self.buffers if key[0] in self.phases.by_loops}

    def _needed_after(self, number: int, phase: int) -> bool:
        for user, at in self.phases.of.items():
            step = self.kernel.step(user)
            assert step is not None
            if number in step.args and at > phase:
                return True
        return False

    def _each(
        self,
        inline: list[int],
        stores: list[tuple[int, Type]],
        final: bool,
        tracks: dict[int, Track],
    ) -> None:
        """The loop of a phase over the elements of a block."""

        def line(tracks: dict[int, Track], buffers: dict[tuple[int, Type], Track]) -> None:
            def body(k: str) -> None:
                self._element(inline, stores, final, tracks, buffers, k)

            self.build.loop(self.columns, body, self.plain)

        if len(self.shape) == 1:
            line(tracks, self.buffers)
            return

        def row(k: str) -> None:
            before = self.build.binary("mul", "i64", k, self.columns)
            buffers = {
                key: track.moved(self.build, 0, before) for key, track in self.buffers.items()
            }
            line({n: track.inner(self.build, k) for n, track in tracks.items()}, buffers)

        self.build.loop(self.rows, row, plain=True)

    def _element(
        self,
        inline: list[int],
        stores: list[tuple[int, Type]],
        final: bool,
        tracks: dict[int, Track],
        buffers: dict[tuple[int, Type], Track],
        k: str,
    ) -> None:
        values = dict(self.nest.constants)
        wanted = [number for number, _ in stores] + [self.kernel.result] * final
        for number in self._read(inline, wanted):
            track = tracks.get(number) or buffers[number, self.kernel.type_of(number)]
            values[number] = load_element(self.build, track.ty, track.at(self.build, k))
        self.nest.compute(values, inline)
        for number, ty in stores:
            track, value = buffers[number, ty], self.build.cast(values[number], ty)
            store_element(self.build, track.ty, value, track.at(self.build, k))
        if final:
            self.nest.store(tracks.get(-1), k, values[self.kernel.result])

    def _read(self, inline: list[int], wanted: list[int]) -> list[int]:
        """The values that come from memory in a phase."""
        read = list(wanted)
        for number in inline:
            step = self.kernel.step(number)
            assert step is not None
            read += step.args
        own = {*inline, *self.nest.constants}
        return [number for number in dict.fromkeys(read) if number not in own]

    # --- calls ----------------------------------------------------------------------------------

    def _call(self, number: int, tracks: dict[int, Track]) -> None:
        step = self.kernel.step(number)
        assert step is not None
        places: list[Track] = []
        for arg, wanted in zip(step.args, step.inputs, strict=True):
            if arg in self.phases.constant:
                places.append(self._repeated(arg, wanted))
            else:
                places.append(self._direct(arg, wanted, tracks) or self._buffer(arg, wanted))
        if self._goes_to_target(number, tracks):
            places.append(tracks[-1])
        else:
            places.append(self._buffer(number, step.output))
        length = self.columns
        if len(self.shape) > 1:
            length = self.build.binary("mul", "i64", self.rows, length)
        addresses, steps = [t.data for t in places], [_step_of(t) for t in places]
        call_loop(self.build, step.loop, (length,), addresses, steps)

    def _direct(self, number: int, wanted: Type, tracks: dict[int, Track]) -> Track | None:
        """The track of an argument that a loop of NumPy's can read where it is: one line."""
        track = tracks.get(number)
        if track is None or track.ty.dtype is not wanted or not track.ty.aligned:
            return None
        return track if len(self.shape) == 1 else None

    def _repeated(self, number: int, ty: Type) -> Track:
        """One element for all: NumPy's loops look for that (`power` by 2)."""
        track = Track(Array(ty, 1, "A"), self.build.alloca("i64", 2), ("0",))
        value = self.build.cast(self.nest.constants[number], ty)
        store_element(self.build, track.ty, value, track.data)
        return track

    def _goes_to_target(self, number: int, tracks: dict[int, Track]) -> bool:
        """True if a loop of NumPy's writes into the result."""
        target, step = tracks.get(-1), self.kernel.step(number)
        if target is None or step is None or self.nest.sink is not None or len(self.shape) > 1:
            return False
        if number not in self.phases.by_loops or number != self.kernel.result:
            return False
        fits = target.ty.dtype is step.output and target.ty.aligned
        return fits and not self._is_used(number)

    def _is_used(self, number: int) -> bool:
        return any(number in step.args for step in self.kernel.steps)

    def _buffer(self, number: int, ty: Type) -> Track:
        key = (number, ty)
        if key not in self.buffers:
            bytes_of_all = BLOCK * item_size(ty)
            data = self.build.alloca("i64", bytes_of_all // 8)
            self.buffers[key] = Track(Array(ty, 1, "C"), data, (str(item_size(ty)),))
        return self.buffers[key]


def _step_of(track: Track) -> str:
    return track.strides[-1] if track.strides else "0"


# --- whole operations ---------------------------------------------------------------------------


def tracks_of(build: FunctionBuilder, operands: Sequence[Value], shape: Shape) -> dict[int, Track]:
    """The tracks of the operands that are arrays, over a shape."""
    tracks: dict[int, Track] = {}
    for number, operand in enumerate(operands):
        if isinstance(operand.ty, Array) and operand.ty.ndim:
            parts = array_parts(operand)
            strides = tuple(strides_over(build, parts, shape))
            tracks[number] = Track(operand.ty, parts.data, strides)
    return tracks


def constants_of(
    build: FunctionBuilder, kernel: Kernel, operands: Sequence[Value]
) -> dict[int, Value]:
    """The values of a kernel that are the same for all elements."""
    values: dict[int, Value] = {}
    constant = kernel.constant()
    for number, operand in enumerate(operands):
        if number in constant:
            values[number] = operand
            if isinstance(operand.ty, Array):
                values[number] = load_element(build, operand.ty, array_parts(operand).data)
    for number, step in enumerate(kernel.steps, len(operands)):
        if number in constant:
            values[number] = step.computed(build, values)
    return values


def shape_of(
    build: FunctionBuilder, kernel: Kernel, operands: Sequence[Value], output: Shape | None = None
) -> Shape:
    """The shape of a kernel's result; raises where operands of a step do not fit together, or its
    output does not fit."""
    shapes: list[Shape] = [
        array_parts(operand).shape if isinstance(operand.ty, Array) else () for operand in operands
    ]
    own = build.loc
    for number, step in enumerate(kernel.steps, len(operands)):
        build.loc = own if step.loc is UNKNOWN else step.loc
        given = [shapes[arg] for arg in step.args]
        if output is not None and number == kernel.result:
            shapes.append(broadcast_into(build, given, output))
        else:
            shapes.append(broadcast(build, given))
    build.loc = own
    return shapes[kernel.result]


def compute(
    build: FunctionBuilder, kernel: Kernel, operands: Sequence[Value], returns: Type
) -> Value:
    """The result of a kernel: a new array, or a number where no operand has a dimension."""
    shape = shape_of(build, kernel, operands)
    constants = constants_of(build, kernel, operands)
    if not isinstance(returns, Array):
        return build.cast(constants[kernel.result], returns)
    target = allocate(build, returns, shape, zeroed=False)
    kept = build.keep(array_parts(target).owner)
    run_nest(build, kernel, operands, shape, target, constants)
    build.let_go(kept)
    return target


def store_into(
    build: FunctionBuilder,
    kernel: Kernel,
    operands: Sequence[Value],
    target: Value,
    tested: Sequence[tuple[Value, bool]] | None = None,
    output: bool = False,
    same: Sequence[int] = (),
) -> None:
    """Compute the elements of an array that is there, to whose shape the operands are broadcast.
    Whether it is the `output` of the last operation counts for errors; `same` are the operands
    that are the array itself.

    Where it shares memory with one of the `tested` arrays, a new array is computed and copied; but
    not where it is that array, and that is told to be an operand.  All operands are tested where
    none are named.
    """
    assert isinstance(target.ty, Array)
    parts = array_parts(target)
    shape = shape_of(build, kernel, operands, parts.shape if output else None)
    if not output:
        require_shape(build, shape, parts.shape)
    constants = constants_of(build, kernel, operands)
    shared = "false"
    for other, is_operand in [(value, True) for value in operands] if tested is None else tested:
        if isinstance(other.ty, Array) and other.ty.ndim:
            one = may_share(build, target.ty, parts, other.ty, array_parts(other), is_operand)
            if one != "false":
                shared = one if shared == "false" else build.binary("or", "i1", shared, one)
    if shared == "false":
        run_nest(build, kernel, operands, parts.shape, target, constants)
        return
    _store_apart(build, kernel, operands, target, constants, shared, same)


def _store_apart(
    build: FunctionBuilder,
    kernel: Kernel,
    operands: Sequence[Value],
    target: Value,
    constants: dict[int, Value],
    shared: str,
    same: Sequence[int],
) -> None:
    """Into memory of its own where an i1 holds, which is then copied."""
    assert isinstance(target.ty, Array)
    parts = array_parts(target)
    apart, joined = build.new_label("apart"), build.new_label("joined")
    before = build.block
    build.branch(shared, apart, joined, SECOND_COLD)
    build.start(apart)
    own_type = Array(target.ty.dtype, target.ty.ndim, "C")
    own = array_parts(allocate(build, own_type, parts.shape, zeroed=False))
    if same:
        assign(build, item_size(target.ty.dtype), parts, own)
    end = build.block
    build.jump(joined)
    build.start(joined)

    def either(kind: str, new: str, old: str) -> str:
        return build.phi(kind, [(new, end), (old, before)])

    owner = either("ptr", own.owner, "null")
    data = either("ptr", own.data, parts.data)
    strides = [
        new if new == old else either("i64", new, old)
        for new, old in zip(own.strides, parts.strides, strict=True)
    ]
    kept = build.keep(owner)
    place_type = target.ty if target.ty.layout == "C" else target.ty.copy(layout="A")
    place = ArrayParts(owner, data, parts.shape, tuple(strides))
    into = array_value(place_type, place)
    # What is read where it is written is read by the same address, or LLVM would look for overlap,
    # and find it.
    operands = [into if number in same else one for number, one in enumerate(operands)]
    run_nest(build, kernel, operands, parts.shape, into, constants)
    copying, done = build.new_label("copy"), build.new_label("stored")
    build.branch(shared, copying, done, SECOND_COLD)
    build.start(copying)
    assign(build, item_size(target.ty.dtype), place, parts)
    build.jump(done)
    build.start(done)
    build.let_go(kept)
    build.call("void", "cutaway_decref", [("ptr", owner)])


def _is_one_line(arrays: Sequence[Value], shape: Shape) -> bool:
    """True if arrays are known to lie in one piece, in one order, and none is repeated."""
    layouts = {value.ty.layout for value in arrays}  # type: ignore[attr-defined]  # arrays
    return layouts in ({"C"}, {"F"}) and all(array_parts(v).shape == shape for v in arrays)


def run_nest(
    build: FunctionBuilder,
    kernel: Kernel,
    operands: Sequence[Value],
    shape: Shape,
    target: Value,
    constants: dict[int, Value],
) -> None:
    """Compute the elements of `target`, which has this shape, and shares no memory with the
    operands but element by element."""
    parts = array_parts(target)
    assert isinstance(target.ty, Array)
    track = Track(target.ty, parts.data, parts.strides)
    tracks = tracks_of(build, operands, shape)
    arrays = [v for v in (*operands, target) if isinstance(v.ty, Array) and v.ty.ndim]
    if len(shape) > 1 and _is_one_line(arrays, shape):
        shape, track = (element_count(build, shape),), track.flat()
        tracks = {number: one.flat() for number, one in tracks.items()}
    if target.ty.layout == "F":  # along the memory
        shape, track, tracks = shape[::-1], track.reversed(), reversed_tracks(tracks)
    Nest(build, kernel, shape, tracks, constants, track).run()
