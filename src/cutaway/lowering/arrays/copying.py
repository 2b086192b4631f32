"""Copies of elements between arrays: by the runtime, or inline for targets without one.

Inline copies have no temporary buffer.  Where both arrays share memory, the copy starts at the end
that is safe; where neither is, it fails at run time.
"""

from __future__ import annotations

from cutaway.lowering.arrays.elements import element_pointer
from cutaway.lowering.arrays.overlap import extent
from cutaway.lowering.build.builder import SECOND_COLD
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts

DONE, MISMATCH, NO_MEMORY = "0", "1", "2"


def assign(
    build: FunctionBuilder, itemsize: int, source: ArrayParts, target: ArrayParts, align: int = 1
) -> str:
    """Copy the elements of one array into another, to whose shape it is broadcast, by the runtime,
    which handles overlap.  An i32: 0, or 1 if the shapes do not fit, 2 if out of memory.  Elements
    are at multiples of `align`."""
    if not build.links.target.hosted and len(target.shape) >= max(len(source.shape), 1):
        return copy_here(build, itemsize, align, source, target)
    step = (str(itemsize),)
    if source.strides == step and target.strides == step:
        return _assign_line(build, itemsize, source, target)
    return _assign_any(build, itemsize, source, target)


def _assign_line(
    build: FunctionBuilder, itemsize: int, source: ArrayParts, target: ArrayParts
) -> str:
    """Copy a contiguous line by memmove if the target has the same length: for a few elements a
    call of the runtime takes longer than the copy."""
    moved, other, done = (build.new_label(stem) for stem in ("moved", "other", "assigned"))
    build.branch(
        build.compare("eq", "i64", source.shape[0], target.shape[0]), moved, other, SECOND_COLD
    )
    build.start(moved)
    size = build.binary("mul", "i64", source.shape[0], str(itemsize))
    operands = [("ptr", target.data), ("ptr", source.data), ("i64", size), ("i1", "false")]
    build.call("void", "llvm.memmove.p0.p0.i64", operands)
    build.jump(done)
    build.start(other)
    status = _assign_any(build, itemsize, source, target)
    last = build.block
    build.jump(done)
    build.start(done)
    return build.phi("i32", [(DONE, moved), (status, last)])


def _assign_any(
    build: FunctionBuilder, itemsize: int, source: ArrayParts, target: ArrayParts
) -> str:
    operands = [("i64", str(itemsize))]
    for parts in (target, source):
        axes = build.alloca("i64", max(2 * len(parts.shape), 1))
        for k, number in enumerate((*parts.shape, *parts.strides)):
            build.store("i64", number, build.offset(axes, str(8 * k)), 8)
        operands += [("ptr", parts.data), ("i64", str(len(parts.shape))), ("ptr", axes)]
    return build.call("i32", "cutaway_assign", operands)


def copy_here(
    build: FunctionBuilder, itemsize: int, align: int, source: ArrayParts, target: ArrayParts
) -> str:
    """Copy the elements of one array into another, to whose shape it is broadcast.  Returns an i32,
    as the runtime's `cutaway_assign` does."""
    strides, wrong = _broadcast(build, source, target)
    backward, unsafe = _order(build, itemsize, source, strides, target)
    stop = build.binary("or", "i1", wrong, unsafe)
    counts = (build.select(stop, "i64", "0", target.shape[0]), *target.shape[1:])

    def copy(index: tuple[str, ...]) -> None:
        places = []
        for place, count in zip(index, counts, strict=True):
            last = build.binary("sub", "i64", count, "1")
            mirrored = build.binary("sub", "i64", last, place)
            places.append(build.select(backward, "i64", mirrored, place))
        to = element_pointer(build, target.data, target.strides, tuple(places))
        _move(
            build, itemsize, align, to, element_pointer(build, source.data, strides, tuple(places))
        )

    build.has_nests = True
    build.loop_nest(counts, copy)
    return build.select(wrong, "i32", MISMATCH, build.select(unsafe, "i32", NO_MEMORY, DONE))


def _broadcast(
    build: FunctionBuilder, source: ArrayParts, target: ArrayParts
) -> tuple[tuple[str, ...], str]:
    """Compute the source's strides along the target's axes, and an i1: whether shapes mismatch."""
    missing = len(target.shape) - len(source.shape)
    strides, wrong = ["0"] * missing, "false"
    for size, stride, wanted in zip(
        source.shape, source.strides, target.shape[missing:], strict=True
    ):
        differs = build.compare("ne", "i64", size, wanted)
        several = build.compare("ne", "i64", size, "1")
        strides.append(build.select(several, "i64", stride, "0"))
        bad = build.binary("and", "i1", differs, several)
        wrong = build.binary("or", "i1", wrong, bad)
    return tuple(strides), wrong


def _order(
    build: FunctionBuilder,
    itemsize: int,
    source: ArrayParts,
    strides: tuple[str, ...],
    target: ArrayParts,
) -> tuple[str, str]:
    """Return whether to copy the last element first, and whether no order is safe (two i1)."""
    low, high = extent(build, source.data, target.shape, strides, itemsize)
    first, last = extent(build, target.data, target.shape, target.strides, itemsize)
    apart = build.binary(
        "or",
        "i1",
        build.compare("ule", "i64", high, first),
        build.compare("ule", "i64", last, low),
    )
    for size in target.shape:
        apart = build.binary("or", "i1", apart, build.compare("eq", "i64", size, "0"))
    together = build.binary("xor", "i1", apart, "true")
    ordered = "true"  # by address, as the indices are
    for mine, theirs in zip(strides, target.strides, strict=True):
        ordered = build.binary("and", "i1", ordered, build.compare("eq", "i64", mine, theirs))
    for outer, inner in zip(target.strides, target.strides[1:], strict=False):
        nested = build.compare("sge", "i64", outer, inner)
        ordered = build.binary("and", "i1", ordered, nested)
    falling = build.compare("slt", "i64", target.strides[-1], "0")
    if len(target.strides) > 1:
        rising = build.binary("xor", "i1", falling, "true")
        ordered = build.binary("and", "i1", ordered, rising)
    after = build.compare("ult", "ptr", source.data, target.data)
    backward = build.binary("xor", "i1", after, falling)
    unordered = build.binary("xor", "i1", ordered, "true")
    return backward, build.binary("and", "i1", together, unordered)


def _move(build: FunctionBuilder, itemsize: int, align: int, to: str, place: str) -> None:
    unit = next(size for size in (8, 4, 2, 1) if itemsize % size == 0 and size <= max(align, 1))
    kind = f"i{8 * unit}"
    offsets = [str(k) for k in range(0, itemsize, unit)]
    words = [build.load(kind, build.offset(place, offset), unit) for offset in offsets]
    for offset, word in zip(offsets, words, strict=True):
        build.store(kind, word, build.offset(to, offset), unit)
