"""Reductions of array expressions: of all elements, or along an axis.

    for k in range(m):                  of all elements, or of each line along the last axis
        total += ...

    for i in range(n):                  along another axis than the last: row by row
        for j in range(m): out[j] += ...

Sums of floats and complex numbers are added in NumPy's order (`pairwise.py`).  A single array,
with its axes in any order, is traversed in memory order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cutaway.foundation.dataclass import dataclass, replace
from cutaway.ir.reductions import REDUCTIONS, Reduction, nothing_to_reduce
from cutaway.lowering.arrays.combining import combined, identity
from cutaway.lowering.arrays.elements import load_element, store_element
from cutaway.lowering.arrays.kernels import Kernel, phases_of
from cutaway.lowering.arrays.loops import (
    call_loop,
    has_loop,
    in_memory_order,
    loop_pointer,
    stored,
)
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.nests import Nest, constants_of, shape_of, tracks_of
from cutaway.lowering.arrays.pairwise import Stream, pairwise
from cutaway.lowering.arrays.shapes import Shape, element_count
from cutaway.lowering.arrays.tracks import Track, reversed_tracks
from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, item_size, part_types, zero_value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Reducing
from cutaway.typing.types import Array, Complex, Float, Type
from cutaway.typing.ufuncs import element_of, result_type

FEW = 8  # lanes do not pay off for fewer


def reduce(
    build: FunctionBuilder,
    how: Reducing,
    kernel: Kernel,
    operands: Sequence[Value],
    returns: Type,
) -> Value:
    """Reduce the elements of a kernel to a number or a new array."""
    shape = shape_of(build, kernel, operands)
    constants = constants_of(build, kernel, operands)
    whole = result_type(kernel.type_of(kernel.result), [operand.ty for operand in operands])
    tracks = tracks_of(build, operands, shape)
    job = Job(build, REDUCTIONS[how.function], kernel, constants, element_of(returns))
    columns = isinstance(whole, Array) and whole.layout == "F"
    if how.axis is None:
        if columns:  # NumPy goes along the memory
            shape, tracks = shape[::-1], reversed_tracks(tracks)
        shape, tracks = _as_line(build, kernel, shape or ("1",), tracks)
        if job.is_loose(tracks) and job.is_in_any_order:
            ((place, track),) = tracks.items()
            shape, strides = in_memory_order(build, shape, track.strides)
            tracks = {place: replace(track, strides=strides)}
        by_numpy = job.is_loose(tracks) and not job.is_in_any_order
        number = job.folded_by_numpy(shape, tracks) if by_numpy else job.line(shape, tracks)
        if not isinstance(returns, Array):
            return number
        target = allocate(build, returns, ("1",) * returns.ndim, zeroed=False)
        store_element(build, returns, number, array_parts(target).data)
        return target
    axis = how.axis % len(shape)
    if not isinstance(returns, Array):
        return job.line(shape, tracks)
    kept = ["1" if k == axis else size for k, size in enumerate(shape)]
    sizes = kept if how.keepdims else kept[:axis] + kept[axis + 1 :]
    job.require_elements(shape, axis)
    target = allocate(build, returns, tuple(sizes), zeroed=False)
    held = build.keep(array_parts(target).owner)
    assert isinstance(target.ty, Array)
    place = Track(target.ty, array_parts(target).data, array_parts(target).strides)
    along(job, shape, tracks, axis, place, columns)
    build.let_go(held)
    return target


def _as_line(
    build: FunctionBuilder, kernel: Kernel, shape: Shape, tracks: dict[int, Track]
) -> tuple[Shape, dict[int, Track]]:
    """Return a contiguous array that is reduced directly, flattened to one axis."""
    if kernel.steps or not tracks:
        return shape, tracks
    (number, track), *_ = tracks.items()
    if track.ty.layout == "A":
        return shape, tracks
    return (element_count(build, shape),), {number: track.flat()}


def along(
    job: Job, shape: Shape, tracks: dict[int, Track], axis: int, place: Track, columns: bool
) -> None:
    """Reduce along an axis, into an array in C order; with `columns` the operands are in F order
    and traversed in that order."""
    strides = list(place.strides)
    if len(strides) < len(shape):
        strides.insert(axis, "0")
    else:
        strides[axis] = "0"
    place = replace(place, strides=tuple(strides))
    if columns:
        shape, axis, place = shape[::-1], len(shape) - 1 - axis, place.reversed()
        tracks = reversed_tracks(tracks)
    if job.is_loose(tracks) and not job.is_in_any_order:
        _along_loose(job, shape, tracks, axis, place)
        return
    if axis == len(shape) - 1:
        job.rows(shape, tracks, place)
        return
    if not job.is_pairwise:
        job.across(shape, tracks, place, axis)
        return
    # If the axes after it have a single element, the elements along the axis are a line, too.
    build, rest = job.build, element_count(job.build, shape[axis + 1 :])
    line, lines, done = (build.new_label(stem) for stem in ("line", "lines", "along"))
    build.branch(build.compare("eq", "i64", rest, "1"), line, lines, FIRST_COLD)
    build.start(line)
    shorter = {n: track.first(axis + 1) for n, track in tracks.items()}
    job.rows(shape[: axis + 1], shorter, place.first(axis + 1))
    build.jump(done)
    build.start(lines)
    job.across(shape, tracks, place, axis)
    build.jump(done)
    build.start(done)


def _along_loose(job: Job, shape: Shape, tracks: dict[int, Track], axis: int, place: Track) -> None:
    """Reduce an array whose axes have any order in memory along an axis: as lines if no other axis
    has a smaller stride."""
    build, ((number, track),) = job.build, tracks.items()
    others = [k for k in range(len(shape)) if k != axis]
    inner, outer = (*others, axis), (axis, *others)
    steps = [
        build.call("i64", "llvm.abs.i64", [("i64", s), ("i1", "false")]) for s in track.strides
    ]
    is_inner = "true"
    for k in others:
        farther = build.compare("ugt" if k > axis else "uge", "i64", steps[k], steps[axis])
        single = build.compare("eq", "i64", shape[k], "1")
        fits = build.binary("or", "i1", farther, single)
        is_inner = build.binary("and", "i1", is_inner, fits)

    def in_order(axes: tuple[int, ...]) -> tuple[Shape, dict[int, Track], Track]:
        sizes = tuple(shape[k] for k in axes)
        return sizes, {number: track.ordered(axes)}, place.ordered(axes)

    line, lines, done = (build.new_label(stem) for stem in ("line", "lines", "along"))
    build.branch(is_inner, line, lines)
    build.start(line)
    job.rows(*in_order(inner))
    build.jump(done)
    build.start(lines)
    job.across(*in_order(outer), 0)
    build.jump(done)
    build.start(done)


@dataclass(slots=True)
class Job:
    """A reduction of a kernel; `ty` is the type of the result, or of its elements."""

    build: FunctionBuilder
    how: Reduction
    kernel: Kernel
    constants: dict[int, Value]
    ty: Type

    @property
    def is_in_any_order(self) -> bool:
        """True where the order of the elements makes no difference."""
        return self.how.is_in_any_order or not isinstance(self.ty, Float | Complex)

    @property
    def is_pairwise(self) -> bool:
        """True for sums whose order matters."""
        return self.how.ufunc == "add" and not self.is_in_any_order

    def is_loose(self, tracks: dict[int, Track]) -> bool:
        """True for a single array without steps whose type leaves the order of its axes open."""
        if self.kernel.steps or len(tracks) != 1:
            return False
        ((_, track),) = tracks.items()
        return track.ty.layout == "A" and track.ty.ndim > 1 and len(track.strides) > 1

    def require_elements(self, shape: Shape, axis: int | None = None) -> None:
        """Raise ValueError for a minimum or maximum of no elements."""
        if self.how.identity is not None:
            return
        build = self.build
        reduced = shape if axis is None else shape[axis : axis + 1]
        nothing = build.compare("eq", "i64", element_count(build, reduced), "0")
        build.raise_if(nothing, ValueError, nothing_to_reduce(self.how.ufunc))

    # --- to a number ----------------------------------------------------------------------------

    def line(self, shape: Shape, tracks: dict[int, Track]) -> Value:
        """Reduce all elements over a shape, from the first to the last, to one number."""
        self.require_elements(shape)
        if self._is_extreme_of_floats and self._is_plain(tracks):
            return self._extreme_by_numpy(shape, tracks)
        if not self.is_pairwise:
            return self._folded(shape, tracks)
        if self._are_few(shape):
            return self._finished(self._folded(shape, tracks, few=True), shape[0])
        if len(shape) == 1 and self._is_plain(tracks):
            return self._added_by_numpy(shape[0], next(iter(tracks.values())))
        stream = Stream(self.build, self.kernel, shape, tracks, self.constants)
        total = pairwise(self.build, stream, self.ty)
        return self._finished(total, stream.count)

    @property
    def _loop(self) -> str:
        char = types.to_dtype(self.ty).char
        return f"numpy.{self.how.ufunc}.{char}{char}.{char}"

    @property
    def _is_extreme_of_floats(self) -> bool:
        """True if NumPy's loop is faster than the inline one, which has to check for NaN."""
        return self.how.identity is None and self.ty in (types.float32, types.float64)

    def _is_plain(self, tracks: dict[int, Track]) -> bool:
        """True for the elements of an array itself, which a NumPy loop can reduce."""
        return bool(tracks) and not self.kernel.steps and has_loop(self._loop)

    def _extreme_by_numpy(self, shape: Shape, tracks: dict[int, Track]) -> Value:
        """Compute the largest or smallest element: starts with the first one, and for a single line
        the loop processes the others."""
        build = self.build
        sizes, tracks = Nest(build, self.kernel, shape, tracks, self.constants, None).merged()
        track = next(iter(tracks.values()))
        best, place = build.alloca("i64"), Array(self.ty, 1, "C")
        store_element(build, place, load_element(build, track.ty, track.data), best)
        count, step = sizes[-1], track.strides[-1]
        if len(sizes) == 1:
            count, track = build.binary("sub", "i64", count, "1"), track.moved(build, 0, "1")

        def row(index: tuple[str, ...]) -> None:
            data = track.inner(build, *index).data
            call_loop(build, self._loop, (count,), (best, data, best), ("0", step, "0"))

        build.loop_nest(sizes[:-1], row)
        return load_element(build, place, best)

    def folded_by_numpy(self, shape: Shape, tracks: dict[int, Track]) -> Value:
        """Reduce all elements of an array in memory order, with NumPy's own loop."""
        ((_, track),) = tracks.items()
        first = identity(self.build, self.how, self.ty)
        total = fold_all(self.build, self._loop, first, shape, track)
        return self._finished(total, element_count(self.build, shape))

    def _added_by_numpy(self, count: str, track: Track) -> Value:
        """Compute the sum of the elements of a line, with NumPy's own loop."""
        first = zero_value(self.ty)
        total = fold_line(self.build, self._loop, first, count, (track.data, track.strides[-1]))
        return self._finished(total, count)

    def _are_few(self, shape: Shape) -> bool:
        """True if a line has a constant size that is less than the number of lanes."""
        is_short = len(shape) == 1 and shape[0].isdigit() and int(shape[0]) < FEW
        return is_short and self._is_inline

    @property
    def _is_inline(self) -> bool:
        """True if the elements are computed inline, without calls of NumPy loops."""
        return phases_of(self.kernel).count == 1

    def _folded(self, shape: Shape, tracks: dict[int, Track], few: bool = False) -> Value:
        """Combine the elements in sequence; a line with `few` is not worth vectorizing."""
        build, kinds = self.build, part_types(self.ty)
        held = [build.alloca(kind) for kind in kinds]

        def save(value: Value) -> None:
            for kind, part, place in zip(kinds, value.parts, held, strict=True):
                build.store(kind, part, place, 8)

        def saved() -> Value:
            pairs = zip(kinds, held, strict=True)
            return Value(self.ty, tuple(build.load(kind, place, 8) for kind, place in pairs))

        def add(track: Track | None, k: str, value: Value) -> None:
            save(combined(build, self.how, saved(), value))

        save(identity(build, self.how, self.ty))
        nest = Nest(build, self.kernel, shape, tracks, self.constants, None, add)
        if few:
            nest.elements(shape, tracks, plain=True)
        else:
            nest.run()
        return saved()

    def _finished(self, total: Value, count: str) -> Value:
        return _mean(self.build, total, count) if self.how.gives == "mean" else total

    # --- to an array ----------------------------------------------------------------------------

    def rows(self, shape: Shape, tracks: dict[int, Track], place: Track) -> None:
        """Reduce along the last axis: a number for each line."""
        build = self.build

        def row(index: tuple[str, ...]) -> None:
            inner = {n: track.inner(build, *index) for n, track in tracks.items()}
            number = self._row(shape[-1:], inner)
            store_element(build, place.ty, number, place.inner(build, *index).data)

        build.loop_nest(shape[:-1], row)

    def _row(self, shape: Shape, tracks: dict[int, Track]) -> Value:
        is_long_way = self.is_pairwise or self._is_extreme_of_floats
        if not is_long_way or not self._is_inline or shape[0].isdigit():
            return self.line(shape, tracks)
        build, kinds = self.build, part_types(self.ty)
        few, many, done = (build.new_label(stem) for stem in ("few", "many", "row"))
        build.branch(build.compare("ult", "i64", shape[0], str(FEW)), few, many)
        build.start(few)
        one = self._finished(self._folded(shape, tracks, few=True), shape[0])
        one_end = build.block
        build.jump(done)
        build.start(many)
        other = self.line(shape, tracks)
        other_end = build.block
        build.jump(done)
        build.start(done)
        parts = [
            build.phi(kind, [(a, one_end), (b, other_end)])
            for kind, a, b in zip(kinds, one.parts, other.parts, strict=True)
        ]
        return Value(self.ty, tuple(parts))

    def across(self, shape: Shape, tracks: dict[int, Track], place: Track, axis: int) -> None:
        """Reduce along another axis than the last: add line after line to the results."""
        build = self.build
        others = (*shape[:axis], *shape[axis + 1 :])
        rest = replace(place, strides=(*place.strides[:axis], *place.strides[axis + 1 :]))
        first = identity(build, self.how, self.ty)
        self._fill(others, rest, lambda old: first)

        def add(track: Track | None, k: str, value: Value) -> None:
            assert track is not None
            where = track.at(build, k)
            old = load_element(build, track.ty, where)
            store_element(build, track.ty, combined(build, self.how, old, value), where)

        Nest(build, self.kernel, shape, tracks, self.constants, place, add).run()
        if self.how.gives == "mean":
            self._fill(others, rest, lambda old: _mean(build, old, shape[axis]))

    def _fill(self, shape: Shape, place: Track, change: Callable[[Value], Value]) -> None:
        build = self.build

        def one(index: tuple[str, ...]) -> None:
            where = place.inner(build, *index).data
            store_element(build, place.ty, change(load_element(build, place.ty, where)), where)

        build.loop_nest(shape, one)


def _mean(build: FunctionBuilder, total: Value, count: str) -> Value:
    number = build.cast(Value(types.int64, (count,)), types.float64).parts[0]
    if not isinstance(total.ty, Complex):
        wide = build.cast(total, types.float64).parts[0]
        mean = Value(types.float64, (build.binary("fdiv", "double", wide, number),))
        return build.cast(mean, total.ty)
    # As NumPy divides complex numbers: by the reciprocal, including the terms of the imaginary 0.
    a, b = build.cast(total, types.complex128).parts
    ratio = build.binary("fdiv", "double", "0.0", number)
    scale = build.binary("fdiv", "double", "1.0", number)
    real = build.binary("fadd", "double", a, build.binary("fmul", "double", b, ratio))
    imag = build.binary("fsub", "double", b, build.binary("fmul", "double", a, ratio))
    parts = tuple(build.binary("fmul", "double", part, scale) for part in (real, imag))
    return build.cast(Value(types.complex128, parts), total.ty)


def fold_line(
    build: FunctionBuilder, loop: str, first: Value, count: str, line: tuple[str, str]
) -> Value:
    """Fold the elements of a line, an address and a stride, into a number with a NumPy loop."""
    place, number = build.alloca("i64", 2), Array(first.ty, 1, "C")
    store_element(build, number, first, place)
    call_loop(build, loop, (count,), (place, line[0], place), ("0", line[1], "0"))
    return load_element(build, number, place)


def fold_all(build: FunctionBuilder, loop: str, first: Value, shape: Shape, track: Track) -> Value:
    """Fold all elements of an array into a number with a NumPy loop, in the runs in which NumPy
    traverses them."""
    total, place = build.alloca("i64", 2), Array(first.ty, 1, "C")
    store_element(build, place, first, total)
    arguments = [
        ("ptr", loop_pointer(build, loop)),
        ("ptr", track.data),
        ("i64", str(len(shape))),
        ("ptr", stored(build, "i64", [*shape, *track.strides])),
        ("i64", str(item_size(first.ty))),
        ("ptr", total),
    ]
    build.call("void", "cutaway_fold_all", arguments)
    return load_element(build, place, total)
