"""The one emitter of loops over arrays: it runs a kernel over all elements of a shape.

    for i in range(n):                  the outer axes, merged with the inner one if the memory of
                                        all operands is contiguous
        if all steps are of one element:
            for j in range(m): ...      adjacent elements, which LLVM vectorizes
        else:
            for j in range(m): ...      any strides, left scalar

If the operands are contiguous along different axes, the nest is tiled.  A kernel that calls NumPy's
loops processes the inner axis in blocks (see `kernels`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.source import UNKNOWN
from cutaway.lowering.arrays.blocks import Blocks, in_parts
from cutaway.lowering.arrays.copying import assign
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.fetching import shape_of_fetch
from cutaway.lowering.arrays.kernels import WHOLE, Kernel, Phases, phases_of
from cutaway.lowering.arrays.memory import allocate
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

CACHE_LINE = 64  # bytes
TILE = 256  # elements of each line of a tile: as many cache lines are in use


@dataclass
class Nest:
    """A kernel over a shape: the tracks of its operands by number, the values that are invariant
    over all elements, and the track of the result, if that is stored."""

    build: FunctionBuilder
    kernel: Kernel
    shape: Shape
    tracks: dict[int, Track]
    constants: dict[int, Value]
    target: Track | None
    # Consumes each element of the result; without it, elements are stored in the target.
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
        """The operands contiguous along the first axis, if the result is so along the last."""
        if self.target is None or len(self.shape) < 2:
            return frozenset()
        other = "C" if self.target.ty.layout == "F" else "F"
        tables = [n for n, track in self.tracks.items() if track.ty.ndim == len(self.shape)]
        return frozenset(n for n in tables if self.tracks[n].ty.layout == other)

    # --- axes -----------------------------------------------------------------------------------

    def _all(self) -> dict[int, Track]:
        return self.tracks if self.target is None else {**self.tracks, -1: self.target}

    def merged(self) -> tuple[Shape, dict[int, Track]]:
        """Return the shape with outer axes merged into the last one as far as strides permit."""
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
        """Emit tiles over the first axis and the last: a cache line of an operand that is
        contiguous along the first is then read once, and not once for each of its elements."""
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
        """Emit loops over the outer axes; a kernel with several phases keeps the two last ones."""
        if len(shape) <= (1 if self.phases.count == 1 else 2):
            self._lines(shape, tracks)
            return

        def inside(k: str) -> None:
            inner = {n: track.inner(self.build, k) for n, track in tracks.items()}
            self._outer(shape[1:], inner)

        self.build.loop(shape[0], inside)

    # --- lines ----------------------------------------------------------------------------------

    def _lines(self, shape: Shape, tracks: dict[int, Track]) -> None:
        """Emit the loop over the last axis: a version for contiguous elements, and one for any
        strides where they are not proven contiguous."""
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
        """Emit the loop over one line, or over several, in one version of the code."""
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
        """Return the values of the operands for an element, and the constant ones."""
        values = dict(self.constants)
        for number, track in tracks.items():
            if number >= 0:
                values[number] = load_element(self.build, track.ty, track.at(self.build, k))
        return values

    def compute(self, values: dict[int, Value], numbers: Sequence[int] | dict[int, int]) -> None:
        """Compute steps and add their results to the values."""
        for number in numbers:
            step = self.kernel.step(number)
            assert step is not None
            values[number] = step.computed(self.build, values)

    def store(self, track: Track | None, k: str, value: Value) -> None:
        """Store an element of the result, or pass it to the sink."""
        if self.sink is not None:
            self.sink(track, k, value)
            return
        assert track is not None
        store_element(self.build, track.ty, value, track.at(self.build, k))


def _both(build: FunctionBuilder, a: str, b: str) -> str:
    if "true" in (a, b):
        return b if a == "true" else a
    return build.binary("and", "i1", a, b)


# --- whole operations ---------------------------------------------------------------------------


def tracks_of(build: FunctionBuilder, operands: Sequence[Value], shape: Shape) -> dict[int, Track]:
    """Return the tracks of the operands that are arrays, over a shape."""
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
    """Return the values of a kernel that are invariant over all elements."""
    values = {WHOLE + k: whole for k, whole in enumerate(kernel.wholes)}
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
    """Compute the shape of a kernel's result; raises if a step's operands or output do not fit."""
    shapes: list[Shape] = [
        array_parts(operand).shape if isinstance(operand.ty, Array) else () for operand in operands
    ]
    own = build.loc
    for number, step in enumerate(kernel.steps, len(operands)):
        build.loc = own if step.loc is UNKNOWN else step.loc
        operand_shapes = [shapes[arg] for arg in kernel.operands_of(step)]
        if len(operand_shapes) < len(step.args):
            shapes.append(shape_of_fetch(build, kernel, step, operands))
        elif output is not None and number == kernel.result:
            shapes.append(broadcast_into(build, operand_shapes, output))
        else:
            shapes.append(broadcast(build, operand_shapes))
    build.loc = own
    return shapes[kernel.result]


def compute(
    build: FunctionBuilder, kernel: Kernel, operands: Sequence[Value], returns: Type
) -> Value:
    """Compute a kernel into a new array, or a scalar where no operand has a dimension."""
    shape = shape_of(build, kernel, operands)
    constants = constants_of(build, kernel, operands)
    if not isinstance(returns, Array):
        return build.cast(constants[kernel.result], returns)
    target = allocate(build, returns, shape, zeroed=False)
    rooted = build.keep(array_parts(target).owner)
    run_nest(build, kernel, operands, shape, target, constants)
    build.let_go(rooted)
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
    """Compute the elements of an existing array, to whose shape the operands are broadcast.

    Errors say if it is the `output` of the last operation; `same` are the operands that are the
    array itself.

    If it shares memory with one of the `tested` arrays, a new array is computed and copied; but not
    if it is that very array, and that is marked as an operand.  All operands are tested if none are
    named.
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
    """If an i1 holds, compute into a temporary array, which is then copied."""
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
    # Elements that are read where they are written have the same address; otherwise LLVM would emit
    # an overlap check, and find overlap.
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
    """True if arrays are contiguous in the same order, and none is broadcast."""
    layouts = {value.ty.layout for value in arrays}  # arrays
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
