"""Marks: which optimizations LLVM should, and should not, apply to a loop.

An *inner* loop, one without loops in it, is aligned to a line of the instruction cache.

A loop with a check in it is *plain*.  The check may leave the loop, so that it is not vectorized
anyway, and unrolling it is not worth its time: where the checks were hoisted, this is the version
that rarely runs.

A loop that becomes *vectors* is not unrolled as well:

    for j in range(1, m - 1):                  eight elements at a time,
        out[j] = a[j - 1] + a[j + 1]    ->     and the old loop for the last ones

LLVM keeps the old loop for the remaining iterations, and for arrays that overlap.  It then unrolls
that loop, as it unrolls each loop with an unknown trip count, eight times.  That gains nothing: a
few iterations are left, and the eight copies were half of the machine code of a stencil and more
than half of the time to generate it.  The mark of a loop that is sure to be vectorized keeps its
remainder from being unrolled.

That is sure for a loop of one block that counts up by one, carries no values between iterations,
calls nothing, and reads and writes elements of arrays without gaps along the contiguous axis.  An
array that is written may only be read at the element that is written.  LLVM may vectorize other
loops too; the mark only says where unrolling is in vain.

A loop of *sums* adds floats in order and does little else, so it should not be vectorized
(`sums.py`).  Where any order is allowed sums are.  Nor should a loop with *gaps*, over a range
whose step is not 1, that writes elements: the processor scatters the elements of a vector one by
one, and a sieve without checks took a hundred times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cutaway.ir import affine, induction, nodes
from cutaway.ir.function import Function
from cutaway.ir.graph import Graph, Loop
from cutaway.ir.nodes import Op
from cutaway.lowering import sums
from cutaway.typing.analysis.items import (
    ItemOp,
    array_of,
    axes_of,
    is_checked,
    is_element,
    is_proved,
    steps_of,
)
from cutaway.typing.types import Array, Iterator, Range, Type, is_number

_PLAIN = (
    nodes.IterNext | nodes.BuildTuple | nodes.Copy | nodes.Cast | nodes.Const | nodes.Unary
    | nodes.Del | nodes.Jump | nodes.Branch
)  # fmt: skip
_QUICK = frozenset("+ - * & | ^ += -= *= &= |= ^=".split())  # operators that never raise


def loop_marks(
    fn: Function,
    table: Mapping[str, Type],
    graph: Graph,
    values: Callable[[], induction.LinearValues],  # few functions need them
    in_order: bool,
) -> dict[int, tuple[str, ...]]:
    """Return the marks of loops by the labels of their headers; `in_order` says that floats are
    added in program order."""
    marks = {}
    for header, loop in graph.loops().items():
        ops = [op for label in loop.body for op in fn.blocks[label].ops]
        writes = any(isinstance(op, nodes.SetItem) for op in ops)
        found = []
        if any(map(is_checked, ops)):
            found.append("plain")
        elif writes and len(loop.body) == 2 and _are_plain(ops, table):
            if _is_in_order(fn, loop, ops, table, values()):
                found.append("vector")
        if header in graph.innermost:
            if in_order and not found and sums.gains_no_vectors(fn, loop, table):
                found.append("sums")
            elif writes and not found and _has_gaps(fn, loop, table, values):
                found.append("gaps")
            found.append("inner")
        marks[header] = tuple(found)
    return marks


def _has_gaps(
    fn: Function,
    loop: Loop,
    table: Mapping[str, Type],
    values: Callable[[], induction.LinearValues],
) -> bool:
    """True for a loop over a range whose step is not known to be 1 or -1."""
    heads = [op for op in fn.blocks[loop.header].ops if isinstance(op, nodes.IterNext)]
    sources = [kind.source for op in heads if isinstance(kind := table[op.iterator], Iterator)]
    if not any(isinstance(one, Range) for one in sources):
        return False
    counter = values().counter(fn, loop)
    return counter is None or abs(counter.step) != 1


def _are_plain(ops: list[Op], table: Mapping[str, Type]) -> bool:
    """True if LLVM can vectorize all of the ops."""
    for op in ops:
        match op:
            case nodes.Binary() | nodes.Inplace():
                if op.op.symbol not in _QUICK or not is_number(table[op.result]):
                    return False
            case nodes.GetItem() | nodes.SetItem():
                if not is_proved(op):
                    return False
            case _ if not isinstance(op, _PLAIN):
                return False
    return True


def _is_in_order(
    fn: Function,
    loop: Loop,
    ops: list[Op],
    table: Mapping[str, Type],
    values: induction.LinearValues,
) -> bool:
    """True if each iteration is at the next element, and reads nothing that another one writes."""
    counter = values.counter(fn, loop)
    if counter is None or counter.step != 1:
        return False
    places: dict[str, set[tuple[affine.Affine, ...]]] = {}
    items = [op for op in ops if isinstance(op, ItemOp)]
    written = {op.target for op in items if isinstance(op, nodes.SetItem)}
    for op in items:
        name = array_of(op)
        array = table[name]
        if not isinstance(array, Array) or not is_element(op, array, values.definitions):
            return False
        along, others = steps_of(op, array, counter.variable, values)
        if any(others) or along not in ((1,) if name in written else (0, 1)):
            return False
        place = tuple(map(values.affine, axes_of(op, values.definitions)))
        places.setdefault(name, set()).add(place)
    return all(len(places[name]) == 1 for name in written)
