"""Reductions of array expressions: their elements come in C order, a block at a time.

    while elements are left:
        for k in range(m): block[k] = ...       the kernel, through as many rows as it takes
        add up the block

Floats and complex numbers are added in NumPy's order, to the last bit: a block has at most 128
numbers, which are added in eight lanes, and sums of blocks are added as the leaves of a tree that
halves the whole again and again (pairwise summation).
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.foundation.dataclass import replace
from cutaway.lowering.arrays.elements import load_element
from cutaway.lowering.arrays.kernels import Kernel, phases_of
from cutaway.lowering.arrays.nests import Nest, Track, constants_of, shape_of, tracks_of
from cutaway.lowering.build.builder import FIRST_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, item_size, part_types, zero_value
from cutaway.typing import types
from cutaway.typing.types import Array, Boolean, Complex, Float, Integer, Type
from cutaway.typing.ufuncs import result_type

BLOCK = 512  # elements that are computed at a time, but where their order says another number
LEAF = 128  # floats that NumPy adds in lanes
DEPTH = 64  # of the tree of halves

REDUCTIONS = ("sum", "prod", "mean", "min", "max", "any", "all", "count_nonzero")


def reduce(
    build: FunctionBuilder,
    function: str,
    kernel: Kernel,
    operands: Sequence[Value],
    returns: Type,
) -> Value:
    """The result of a reduction of all elements of a kernel."""
    stream = Stream(build, kernel, operands)
    element = kernel.type_of(kernel.result)
    if function in ("sum", "mean") and isinstance(element, Float | Complex):
        total = _pairwise(build, stream, element)
        return build.cast(
            _mean(build, total, stream.count) if function == "mean" else total, returns
        )
    if function in ("min", "max"):
        name = f"{function}imum"
        message = f"zero-size array to reduction operation {name} which has no identity"
        build.raise_if(build.compare("eq", "i64", stream.count, "0"), ValueError, message)
    return _in_order(build, function, stream, element, returns)


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


# --- the elements, in order ---------------------------------------------------------------------


class Stream:
    """The elements of a kernel, one after the other, into a block on the stack."""

    def __init__(self, build: FunctionBuilder, kernel: Kernel, operands: Sequence[Value]) -> None:
        self.build = build
        self.kernel = kernel
        shape = shape_of(build, kernel, operands)
        self.shape = shape or ("1",)
        self.constants = constants_of(build, kernel, operands)
        tracks = tracks_of(build, operands, self.shape)
        element = kernel.type_of(kernel.result)
        whole = result_type(element, [operand.ty for operand in operands])
        if isinstance(whole, Array) and whole.layout == "F":  # NumPy goes along the memory
            self.shape = self.shape[::-1]
            tracks = {n: track.reversed() for n, track in tracks.items()}
        bytes_of_block = BLOCK * item_size(element)
        self.block = Track(
            Array(element, 1, "C"),
            build.alloca("i64", bytes_of_block // 8),
            (str(item_size(element)),),
        )
        nest = Nest(build, kernel, self.shape, tracks, self.constants, None, phases_of(kernel))
        self.sizes, self.tracks = nest.merged()
        self.length = self.sizes[-1]
        self.rows = self._product(self.sizes[:-1])
        self.count = build.binary("mul", "i64", self.rows, self.length)
        self.row, self.offset = build.alloca("i64"), build.alloca("i64")
        self.places = {n: build.alloca("ptr") for n in self.tracks}
        build.store("i64", "0", self.row, 8)
        self._start_row("0")

    def _product(self, sizes: Sequence[str]) -> str:
        total = "1"
        for size in sizes:
            total = size if total == "1" else self.build.binary("mul", "i64", total, size)
        return total

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
        Nest(
            build, self.kernel, (length,), tracks, self.constants, target, phases_of(self.kernel)
        ).run()


# --- one after the other ------------------------------------------------------------------------


def _in_order(
    build: FunctionBuilder, function: str, stream: Stream, element: Type, returns: Type
) -> Value:
    """Combine the elements from the first to the last."""
    first = _identity(build, function, returns)
    kinds = part_types(returns)
    held = [build.alloca(kind) for kind in kinds]

    def save(value: Value) -> None:
        for kind, part, place in zip(kinds, value.parts, held, strict=True):
            build.store(kind, part, place, 8)

    save(first)
    rest = build.alloca("i64")
    build.store("i64", stream.count, rest, 8)
    more, block, end = (build.new_label(stem) for stem in ("more", "block", "end"))
    build.jump(more)
    build.start(more)
    left = build.load("i64", rest, 8)
    build.branch(build.compare("ne", "i64", left, "0"), block, end)
    build.start(block)
    length = build.call("i64", "llvm.umin.i64", [("i64", left), ("i64", str(BLOCK))])
    build.store("i64", build.binary("sub", "i64", left, length), rest, 8)
    stream.fill(length)

    def add(k: str) -> None:
        value = stream.load(k)
        parts = [build.load(kind, place, 8) for kind, place in zip(kinds, held, strict=True)]
        save(_combined(build, function, Value(returns, tuple(parts)), value))

    build.loop(length, add)
    build.jump(more)
    build.start(end)
    parts = [build.load(kind, place, 8) for kind, place in zip(kinds, held, strict=True)]
    return Value(returns, tuple(parts))


def _identity(build: FunctionBuilder, function: str, ty: Type) -> Value:
    if function in ("prod", "all"):
        return build.constant(ty, 1 if not isinstance(ty, Boolean) else True)
    if function in ("min", "max"):
        low = function == "max"
        if isinstance(ty, Integer):
            return build.constant(ty, ty.low if low else ty.high)
        if isinstance(ty, Float):
            return build.constant(ty, float("-inf") if low else float("inf"))
        return build.constant(ty, not low)
    return zero_value(ty)


def _combined(build: FunctionBuilder, function: str, total: Value, element: Value) -> Value:
    if function in ("any", "all", "count_nonzero"):
        truth = _is_nonzero(build, element)
        if function == "count_nonzero":
            one = build.convert("zext", "i1", truth, "i64")
            return Value(total.ty, (build.binary("add", "i64", total.parts[0], one),))
        opcode = "or" if function == "any" else "and"
        return Value(total.ty, (build.binary(opcode, "i1", total.parts[0], truth),))
    element = build.cast(element, total.ty)
    (kind, *_), (a, *_), (b, *_) = part_types(total.ty), total.parts, element.parts
    if function in ("min", "max"):
        return Value(total.ty, (_extreme(build, function, total.ty, a, b),))
    if isinstance(total.ty, Complex):
        return _product(build, total, element)
    if isinstance(total.ty, Float):
        return Value(total.ty, (build.binary("fmul", kind, a, b),))
    return Value(total.ty, (build.binary("add" if function == "sum" else "mul", kind, a, b),))


def _product(build: FunctionBuilder, a: Value, b: Value) -> Value:
    (kind, _), (re, im), (x, y) = part_types(a.ty), a.parts, b.parts
    rr, ii = build.binary("fmul", kind, re, x), build.binary("fmul", kind, im, y)
    ri, ir = build.binary("fmul", kind, re, y), build.binary("fmul", kind, im, x)
    return Value(a.ty, (build.binary("fsub", kind, rr, ii), build.binary("fadd", kind, ri, ir)))


def _extreme(build: FunctionBuilder, function: str, ty: Type, a: str, b: str) -> str:
    kind = part_types(ty)[0]
    if isinstance(ty, Float):
        name = f"llvm.{function}imum.f{ty.bits}"
    elif isinstance(ty, Integer):
        name = f"llvm.{'s' if ty.signed else 'u'}{function}.{kind}"
    else:
        return build.binary("or" if function == "max" else "and", "i1", a, b)
    return build.call(kind, name, [(kind, a), (kind, b)])


def _is_nonzero(build: FunctionBuilder, value: Value) -> str:
    answer = "false"
    for kind, part in zip(part_types(value.ty), value.parts, strict=True):
        if isinstance(value.ty, Float | Complex):
            one = build.fcompare("une", kind, part, "0.0")
        elif isinstance(value.ty, Boolean):
            one = part
        else:
            one = build.compare("ne", kind, part, "0")
        answer = one if answer == "false" else build.binary("or", "i1", answer, one)
    return answer


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
    build.branch(build.compare("ult", "i64", count, str(lanes)), few, many, FIRST_COLD)

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
