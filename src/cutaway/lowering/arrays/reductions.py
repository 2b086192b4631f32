"""Reductions of array expressions: of all elements, or along an axis.

    total = -0.0                        of floats: the elements of a line, a block at a time
    while elements are left:
        for k in range(m): block[k] = ...       the kernel, through as many rows as it takes
        add up the block

    for i in range(n):                  along another axis than the last: a row on the other
        for j in range(m): out[j] += ...

Floats and complex numbers are added in NumPy's order, to the last bit: a block has at most 128
numbers, which are added in eight lanes, and sums of blocks are added as the leaves of a tree that
halves the whole again and again (pairwise summation).
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
from cutaway.lowering.arrays.shapes import Shape, element_count
from cutaway.lowering.arrays.tracks import Track, reversed_tracks
from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, item_size, part_types, zero_value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Reducing
from cutaway.typing.types import Array, Complex, Float, Type
from cutaway.typing.ufuncs import element_of, result_type

BLOCK = 128  # elements that are computed at a time
LEAF = 128  # floats that NumPy adds in lanes
FEW = 8  # with fewer there are no lanes
DEPTH = 64  # of the tree of halves


def reduce(
    build: FunctionBuilder,
    how: Reducing,
    kernel: Kernel,
    operands: Sequence[Value],
    returns: Type,
) -> Value:
    """The result of a reduction of the elements of a kernel: a number or a new array."""
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
    """An array that lies in one piece, and is reduced as it is, with one axis."""
    if kernel.steps or not tracks:
        return shape, tracks
    (number, track), *_ = tracks.items()
    if track.ty.layout == "A":
        return shape, tracks
    return (element_count(build, shape),), {number: track.flat()}


def along(
    job: Job, shape: Shape, tracks: dict[int, Track], axis: int, place: Track, columns: bool
) -> None:
    """Along an axis, into an array in C order; in `columns` lie the elements of operands in F
    order, which are gone through in that order."""
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
    # Where one element is left on the axes after it, the elements along the axis are a line, too.
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
    """The same of an array whose axes lie in any order: lines are taken as such where no other
    axis has a smaller step."""
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
    """What is reduced and by which row; `ty` is the type of the result, or of its elements."""

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
        """True for one array as it is, with axes in an order that its type does not tell."""
        if self.kernel.steps or len(tracks) != 1:
            return False
        ((_, track),) = tracks.items()
        return track.ty.layout == "A" and track.ty.ndim > 1 and len(track.strides) > 1

    def require_elements(self, shape: Shape, axis: int | None = None) -> None:
        """Raise ValueError for a minimum or maximum of nothing."""
        if self.how.identity is not None:
            return
        build = self.build
        reduced = shape if axis is None else shape[axis : axis + 1]
        nothing = build.compare("eq", "i64", element_count(build, reduced), "0")
        build.raise_if(nothing, ValueError, nothing_to_reduce(self.how.ufunc))

    # --- to a number ----------------------------------------------------------------------------

    def line(self, shape: Shape, tracks: dict[int, Track]) -> Value:
        """All elements over a shape, from the first to the last, as one number."""
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
        total = _pairwise(self.build, stream, self.ty)
        return self._finished(total, stream.count)

    @property
    def _loop(self) -> str:
        char = types.to_dtype(self.ty).char
        return f"numpy.{self.how.ufunc}.{char}{char}.{char}"

    @property
    def _is_extreme_of_floats(self) -> bool:
        """True where NumPy's loop is faster than ours, which has to look for NaN."""
        return self.how.identity is None and self.ty in (types.float32, types.float64)

    def _is_plain(self, tracks: dict[int, Track]) -> bool:
        """True for elements of an array as they are, which a loop of NumPy's can reduce."""
        return bool(tracks) and not self.kernel.steps and has_loop(self._loop)

    def _extreme_by_numpy(self, shape: Shape, tracks: dict[int, Track]) -> Value:
        """The largest or smallest of some elements: it begins with the first of all, and of a line
        that is alone the loop takes the others."""
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
        """All elements of an array in the order of memory, by NumPy's own loop."""
        ((_, track),) = tracks.items()
        first = identity(self.build, self.how, self.ty)
        total = fold_all(self.build, self._loop, first, shape, track)
        return self._finished(total, element_count(self.build, shape))

    def _added_by_numpy(self, count: str, track: Track) -> Value:
        """The sum of a line as it is, by NumPy's own loop."""
        first = zero_value(self.ty)
        total = fold_line(self.build, self._loop, first, count, (track.data, track.strides[-1]))
        return self._finished(total, count)

    def _are_few(self, shape: Shape) -> bool:
        """True if a line is known to have fewer elements than there are lanes."""
        known = len(shape) == 1 and shape[0].isdigit() and int(shape[0]) < FEW
        return known and self._is_inline

    @property
    def _is_inline(self) -> bool:
        """True if instructions alone compute the elements."""
        return phases_of(self.kernel).count == 1

    def _folded(self, shape: Shape, tracks: dict[int, Track], few: bool = False) -> Value:
        """One element after the other; a line of `few` is not worth vectors."""
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
        """Along the last axis: a number for each line."""
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
        """Along another axis than the last: line after line is added to the results."""
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
    # As NumPy divides complex numbers: by the reciprocal, with what an imaginary part of 0 adds.
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
    """What a loop of NumPy's makes of a number and the elements of a line, an address and a
    stride."""
    place, number = build.alloca("i64", 2), Array(first.ty, 1, "C")
    store_element(build, number, first, place)
    call_loop(build, loop, (count,), (place, line[0], place), ("0", line[1], "0"))
    return load_element(build, number, place)


def fold_all(build: FunctionBuilder, loop: str, first: Value, shape: Shape, track: Track) -> Value:
    """What a loop of NumPy's makes of a number and all elements of an array, in the runs in which
    NumPy takes them."""
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


# --- the elements, in order ---------------------------------------------------------------------


class Stream:
    """The elements of a kernel, one after the other, into a block on the stack."""

    def __init__(
        self,
        build: FunctionBuilder,
        kernel: Kernel,
        shape: Shape,
        tracks: dict[int, Track],
        constants: dict[int, Value],
    ) -> None:
        self.build = build
        self.kernel = kernel
        self.constants = constants
        element = kernel.type_of(kernel.result)
        self.block = Track(
            Array(element, 1, "C"),
            build.alloca("i64", BLOCK * item_size(element) // 8),
            (str(item_size(element)),),
        )
        nest = Nest(build, kernel, shape, tracks, constants, None)
        self.sizes, self.tracks = nest.merged()
        self.length = self.sizes[-1]
        self.count = build.binary("mul", "i64", element_count(build, self.sizes[:-1]), self.length)
        self.row, self.offset = build.alloca("i64"), build.alloca("i64")
        self.places = {n: build.alloca("ptr") for n in self.tracks}
        build.store("i64", "0", self.row, 8)
        self._start_row("0")

    def _start_row(self, row: str) -> None:
        """Go to the beginning of a row."""
        build, rest = self.build, row
        data = {n: track.data for n, track in self.tracks.items()}
        for axis in range(len(self.sizes) - 2, -1, -1):
            index = rest
            if axis:
                index = build.binary("urem", "i64", rest, self._at_least_one(axis))
                rest = build.binary("udiv", "i64", rest, self._at_least_one(axis))
            for number, track in self.tracks.items():
                if track.strides[axis] != "0":
                    distance = build.binary("mul", "i64", index, track.strides[axis])
                    data[number] = build.offset(data[number], distance, inbounds=False)
        for number, place in self.places.items():
            build.store("ptr", data[number], place, 8)
        build.store("i64", "0", self.offset, 8)

    def _at_least_one(self, axis: int) -> str:
        return self.build.call("i64", "llvm.umax.i64", [("i64", self.sizes[axis]), ("i64", "1")])

    def fill(self, count: str) -> None:
        """Put the next so many elements into the block; there are as many."""
        build = self.build
        done = build.alloca("i64")
        build.store("i64", "0", done, 8)
        more, piece, next_row, end = (build.new_label(s) for s in ("more", "piece", "row", "full"))
        build.jump(more)
        build.start(more)
        filled = build.load("i64", done, 8)
        build.branch(build.compare("ult", "i64", filled, count), piece, end)
        build.start(piece)
        offset = build.load("i64", self.offset, 8)
        left = build.binary("sub", "i64", self.length, offset)
        wanted = build.binary("sub", "i64", count, filled)
        length = build.call("i64", "llvm.umin.i64", [("i64", left), ("i64", wanted)])
        self._compute(length, offset, filled)
        build.store("i64", build.binary("add", "i64", filled, length), done, 8)
        reached = build.binary("add", "i64", offset, length)
        build.store("i64", reached, self.offset, 8)
        build.branch(build.compare("eq", "i64", reached, self.length), next_row, more)
        build.start(next_row)
        row = build.binary("add", "i64", build.load("i64", self.row, 8), "1")
        build.store("i64", row, self.row, 8)
        self._start_row(row)
        build.jump(more)
        build.start(end)

    def load(self, k: str) -> Value:
        """An element of the block."""
        return load_element(self.build, self.block.ty, self.block.at(self.build, k))

    def _compute(self, length: str, offset: str, filled: str) -> None:
        build = self.build
        tracks = {}
        for number, track in self.tracks.items():
            data = build.load("ptr", self.places[number], 8)
            line = replace(track, data=data, strides=track.strides[-1:])
            tracks[number] = replace(line, data=line.at(build, offset))
        target = replace(self.block, data=self.block.at(build, filled))
        Nest(build, self.kernel, (length,), tracks, self.constants, target).run()


# --- pairwise -----------------------------------------------------------------------------------


def _pairwise(build: FunctionBuilder, stream: Stream, ty: Float | Complex) -> Value:
    """The sum of floats or complex numbers in NumPy's order."""
    parts = 2 if isinstance(ty, Complex) else 1
    lanes, leaf = 8 // parts, LEAF // parts
    kinds = part_types(ty)
    rights = build.alloca("i64", DEPTH)
    lefts = [build.alloca(kind, DEPTH) for kind in kinds]
    seen = build.alloca("i8", DEPTH)
    size, depth = build.alloca("i64"), build.alloca("i64")
    totals = [build.alloca(kind) for kind in kinds]
    build.store("i64", stream.count, size, 8)
    build.store("i64", "0", depth, 8)
    names = ("halve", "split", "leaf", "rise", "pair", "turn", "join", "sum")
    halve, split, at_leaf, rise, pair, turn, join, end = map(build.new_label, names)
    build.jump(halve)

    build.start(halve)
    n = build.load("i64", size, 8)
    build.branch(build.compare("ugt", "i64", n, str(leaf)), split, at_leaf)

    build.start(split)
    half = build.binary("lshr", "i64", n, "1")
    half = build.binary("and", "i64", half, str(-lanes))
    level = build.load("i64", depth, 8)
    build.store("i64", build.binary("sub", "i64", n, half), build.offset(rights, level, "i64"), 8)
    build.store("i8", "0", build.offset(seen, level), 1)
    build.store("i64", build.binary("add", "i64", level, "1"), depth, 8)
    build.store("i64", half, size, 8)
    build.jump(halve)

    build.start(at_leaf)
    stream.fill(n)
    for kind, part, place in zip(kinds, _leaf(build, stream, ty, n), totals, strict=True):
        build.store(kind, part, place, 8)
    build.jump(rise)

    build.start(rise)
    level = build.load("i64", depth, 8)
    build.branch(build.compare("eq", "i64", level, "0"), end, pair)

    build.start(pair)
    above = build.binary("sub", "i64", level, "1")
    was_seen = build.load("i8", build.offset(seen, above), 1)
    sums = [build.load(kind, place, 8) for kind, place in zip(kinds, totals, strict=True)]
    build.branch(build.compare("eq", "i8", was_seen, "0"), turn, join)

    build.start(turn)  # from a left half to the right one
    for kind, part, place in zip(kinds, sums, lefts, strict=True):
        build.store(kind, part, build.offset(place, above, kind), 8)
    build.store("i8", "1", build.offset(seen, above), 1)
    right = build.load("i64", build.offset(rights, above, "i64"), 8)
    build.store("i64", right, size, 8)
    build.jump(halve)

    build.start(join)
    for kind, part, left, place in zip(kinds, sums, lefts, totals, strict=True):
        other = build.load(kind, build.offset(left, above, kind), 8)
        build.store(kind, build.binary("fadd", kind, other, part), place, 8)
    build.store("i64", above, depth, 8)
    build.jump(rise)

    build.start(end)
    found = [build.load(kind, place, 8) for kind, place in zip(kinds, totals, strict=True)]
    return Value(ty, tuple(build.binary("fadd", k, "0.0", p) for k, p in zip(kinds, found)))


def _leaf(build: FunctionBuilder, stream: Stream, ty: Float | Complex, count: str) -> list[str]:
    """The sum of a block of at most 128 floats: in eight lanes, which meet in pairs; the rest, and
    fewer than eight, one after the other.  Of complex numbers two lanes are one number."""
    kinds = part_types(ty)
    kind, parts = kinds[0], len(kinds)
    lanes = 8 // parts
    vector = f"<8 x {kind}>"
    data = stream.block.data
    sums = [build.alloca(kind) for _ in kinds]
    start = build.alloca("i64")
    few, many, rest = (build.new_label(stem) for stem in ("few", "lanes", "rest"))
    build.branch(build.compare("ult", "i64", count, str(lanes)), few, many)

    build.start(few)
    for place in sums:
        build.store(kind, "-0.0", place, 8)
    build.store("i64", "0", start, 8)
    build.jump(rest)

    build.start(many)
    held = build.alloca(vector)
    size = item_size(ty) * lanes
    build.store(vector, build.load(vector, data, 8), held, 8)
    whole = build.binary("udiv", "i64", count, str(lanes))

    def add(k: str) -> None:
        following = build.binary("add", "i64", k, "1")
        place = build.offset(data, build.binary("mul", "i64", following, str(size)))
        total = build.binary(
            "fadd", vector, build.load(vector, held, 8), build.load(vector, place, 8)
        )
        build.store(vector, total, held, 8)

    build.loop(build.binary("sub", "i64", whole, "1"), add, plain=True)
    total = build.load(vector, held, 8)
    lane = [build.result(f"extractelement {vector} {total}, i64 {k}") for k in range(8)]
    for part, place in enumerate(sums):
        row = lane[part::parts]
        while len(row) > 1:
            row = [build.binary("fadd", kind, a, b) for a, b in zip(row[::2], row[1::2])]
        build.store(kind, row[0], place, 8)
    build.store("i64", build.binary("mul", "i64", whole, str(lanes)), start, 8)
    build.jump(rest)

    build.start(rest)
    first = build.load("i64", start, 8)

    def add_one(k: str) -> None:
        value = stream.load(build.binary("add", "i64", first, k))
        for part, place in zip(value.parts, sums, strict=True):
            build.store(
                kind, build.binary("fadd", kind, build.load(kind, place, 8), part), place, 8
            )

    build.loop(build.binary("sub", "i64", count, first), add_one, plain=True)
    return [build.load(kind, place, 8) for place in sums]
