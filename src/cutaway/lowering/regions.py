"""Lower the region of an op in place: a loop, with the lowering of any block inside.

head:   %k = phi [ 0, before ], [ %k.next, latch ]    and a phi per carried part
        branch %k < count, run, done
run:    the region's blocks; each `yield` jumps to the latch, and a raise leaves the function
latch:  yielded values merge; %k.next = %k + 1; jump head
done:   the carried values are the result
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.graph import graph_of
from cutaway.ir.region_views import view
from cutaway.ir.regions import Region
from cutaway.lowering.build.builder import CodeLine
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


@dataclass(frozen=True, slots=True)
class RegionRun:
    """A region that is being lowered: its latch, and the blocks that jump there with values."""

    region: Region
    latch: str
    ends: list[tuple[str, list[str]]]


def counted_loop(into: FunctionLowering, region: Region, count: str) -> list[Value]:
    """Run a region for 0, 1, ... up to below an i64 count, which its one index variable holds.

    Returns the carried values after the last iteration; without one they are the initial values.
    """
    build = into.build
    head, latch = build.new_label("head"), build.new_label("latch")
    start, done = build.new_label("run"), build.new_label("done")
    phis = [
        part
        for name, first in zip(region.carried, region.initial, strict=True)
        for part in build.cast(into.values[first], into.types[name]).parts
    ]
    before = build.block
    build.jump(head)
    build.start(head)
    lines, names = _open_phis(into, region)
    build.branch(build.compare("slt", "i64", names[0], count), start, done)
    build.start(start)
    # At the start of an iteration the carried values belong to the region, which frees them on an
    # exception.
    into.take_ownership(region.carried)
    ends = _run(into, region, latch)
    incoming = [[("0", before)], *([(part, before)] for part in phis)]
    if ends:
        build.start(latch)
        met = [
            build.phi(kind, [(parts[k], block) for block, parts in ends])
            for k, kind in enumerate(_kinds(into, region)[1:])
        ]
        following = build.binary("add nuw nsw", "i64", names[0], "1")
        for pairs, part in zip(incoming, [following, *met], strict=True):
            pairs.append((part, build.block))
        build.jump(head)
    _close_phis(into, region, lines, names, incoming)
    build.start(done)
    return [into.values[name] for name in region.carried]


def end_run(into: FunctionLowering, op: nodes.Yield) -> None:
    """Lower a `yield`: jump to the latch with the values of the carried variables."""
    run = into.runs[-1]
    pairs = zip(op.values, run.region.carried, strict=True)
    cast = [into.build.cast(into.values[name], into.types[carried]) for name, carried in pairs]
    run.ends.append((into.build.block, [part for value in cast for part in value.parts]))
    into.build.jump(run.latch)


def block_name(label: int) -> str:
    """Return the name of a block in LLVM IR."""
    return f"B{label}"


def _run(into: FunctionLowering, region: Region, latch: str) -> list[tuple[str, list[str]]]:
    """Lower the blocks of a region; returns the blocks where iterations end, with their values."""
    build = into.build
    shown = view(into.fn, region)
    build.jump(block_name(shown.entry.label))
    run = RegionRun(region, latch, [])
    into.runs.append(run)
    into.looping.update(shown.blocks)
    in_loop = build.in_loop
    for label in graph_of(shown).reverse_postorder():
        into.lower_block(shown.blocks[label])
    build.in_loop = in_loop
    into.runs.pop()
    return run.ends


def _kinds(into: FunctionLowering, region: Region) -> list[str]:
    return ["i64", *(kind for name in region.carried for kind in part_types(into.types[name]))]


def _open_phis(into: FunctionLowering, region: Region) -> tuple[list[CodeLine], list[str]]:
    """Begin with a phi for the counter and for each carried part; the lines are written when the
    values from the latch are known."""
    build = into.build
    (index,) = region.indices
    kinds = _kinds(into, region)
    lines = [build.reserve() for _ in kinds]
    names = [build.fresh(index)]
    into.values[index] = Value(types.int64, (names[0],))
    for name in region.carried:
        own = [build.fresh(name) for _ in part_types(into.types[name])]
        into.values[name] = Value(into.types[name], tuple(own))
        names += own
    return lines, names


def _close_phis(
    into: FunctionLowering,
    region: Region,
    lines: list[CodeLine],
    names: list[str],
    incoming: list[list[tuple[str, str]]],
) -> None:
    for line, kind, name, pairs in zip(lines, _kinds(into, region), names, incoming, strict=True):
        texts = ", ".join(f"[ {part}, %{block} ]" for part, block in pairs)
        line.text = f"{name} = phi {kind} {texts}"
