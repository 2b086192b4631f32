"""The sum of the elements of a kernel in NumPy's order.

    total = -0.0                        of floats: the elements of a line, a block at a time
    while elements are left:
        for k in range(m): block[k] = ...       the kernel, through as many rows as it takes
        add up the block

Floats and complex numbers are added in NumPy's order, to the last bit: a block has at most 128
numbers, which are added in eight lanes, and sums of blocks are the leaves of a balanced binary tree
(pairwise summation).
"""

from __future__ import annotations

from cutaway.foundation.dataclass import replace
from cutaway.lowering.arrays.elements import load_element
from cutaway.lowering.arrays.kernels import Kernel
from cutaway.lowering.arrays.nests import Nest
from cutaway.lowering.arrays.shapes import Shape, element_count
from cutaway.lowering.arrays.tracks import Track
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, item_size, part_types
from cutaway.typing.types import Array, Complex, Float

BLOCK = 128  # elements that are computed at a time
LEAF = 128  # floats that NumPy adds in lanes
DEPTH = 64  # of the tree's stack

# --- the elements, in order ---------------------------------------------------------------------


class Stream:
    """Computes the elements of a kernel in order into a block on the stack."""

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
        """Move the tracks to the beginning of a row."""
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
        """Compute the next `count` elements into the block; at least that many are left."""
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
        """Load an element of the block."""
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


def pairwise(build: FunctionBuilder, stream: Stream, ty: Float | Complex) -> Value:
    """Compute the sum of floats or complex numbers in NumPy's order."""
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
    """Compute the sum of a block of at most 128 floats: in eight lanes, combined in pairs; the
    remainder, and blocks of fewer than eight, in sequence.  A complex number takes two lanes."""
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
