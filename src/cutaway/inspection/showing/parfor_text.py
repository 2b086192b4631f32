"""Format parallel loops for readers: each between two lines, with its loop nest and init block.

    ---begin parfor 0---
    LoopNest(index_variable=$i.7, range=(0, $size.6, 1))
    schedule: static
    init block:
        ($size.6) = sizes of (a, b) in None, named ('a', 'b')
        $0.2 = new_array(float64, C, sizes=($size.6))
    label 3:
        $a.0 = load a at ($i.7)
        ...
    ----end parfor 0----

The init block are the ops before a loop that only serve it. The plain text of the IR, which can be
parsed, has them in their blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Block, Op
from cutaway.ir.printer import op_text
from cutaway.ir.regions import FrozenBlock
from cutaway.ir.traversal import definitions, uses, walk
from cutaway.stages.unit import CompileUnit

INDENT = 4
_INIT = (
    *(nodes.SizesOf, nodes.NewArray, nodes.Apart, nodes.RequireElements, nodes.Const),
    *(nodes.Element, nodes.Cast, nodes.Del),
)


def parfor_text(unit: CompileUnit) -> str:
    """Format the function of a unit, with types if they are known."""
    types = unit.types if unit.has("types") else {}
    return "\n".join(_Writer(unit.fn, types).lines()) + "\n"


class _Writer:
    """The text of one function."""

    def __init__(self, fn: Function, types: Mapping[str, object]) -> None:
        self.fn, self.types = fn, types
        self.numbers: dict[int, int] = {}
        self.constants = {op.result: op.value for op in walk(fn) if isinstance(op, nodes.Const)}

    def lines(self) -> Iterator[str]:
        """Yield the lines in order."""
        yield f"func {self.fn.name}({', '.join(self.fn.params)}):"
        yield from self._blocks(self.fn.blocks.values(), 0)

    def _blocks(self, blocks: Iterable[Block | FrozenBlock], indent: int) -> Iterator[str]:
        for block in blocks:
            yield f"{' ' * indent}label {block.label}:"
            ops = list(block.ops)
            own = self._init_blocks(ops)
            moved = {op.id for rows in own.values() for op in rows}
            for op in ops:
                if isinstance(op, nodes.Parfor):
                    yield from self._parfor(op, own[op.id], indent + INDENT)
                elif op.id not in moved:
                    yield from self._op(op, indent + INDENT)

    def _init_blocks(self, ops: Sequence[Op]) -> dict[int, list[Op]]:
        """Collect the ops before each parfor of a block that only serve it."""
        inits: dict[int, list[Op]] = {}
        waiting: list[Op] = []
        for op in ops:
            if isinstance(op, nodes.Parfor):
                inits[op.id], waiting = waiting, []
            elif isinstance(op, _INIT):
                waiting.append(op)
            else:
                waiting = []
        return inits

    def _parfor(self, op: nodes.Parfor, init: Sequence[Op], indent: int) -> Iterator[str]:
        number = self.numbers.setdefault(op.id, len(self.numbers))
        front = " " * indent
        yield f"{front}---begin parfor {number}---"
        rows = zip(op.body.indices, op.starts, op.stops, op.steps, strict=True)
        for index, *bounds in rows:
            shown = ", ".join(str(self.constants.get(name, name)) for name in bounds)
            yield f"{front}LoopNest(index_variable={index}, range=({shown}))"
        yield f"{front}schedule: {op.schedule}"
        for result, carried, first, how in zip(
            op.results, op.body.carried, op.body.initial, op.operators, strict=True
        ):
            yield f"{front}reduction: {result} = {how} of {carried}, from {first} on"
        if init:
            yield f"{front}init block:"
            for one in init:
                yield from self._op(one, indent + INDENT)
        yield from self._blocks(op.body.blocks, indent)
        yield f"{front}----end parfor {number}----"

    def _op(self, op: Op, indent: int) -> Iterator[str]:
        defined = definitions(op)
        kinds = " | ".join(str(self.types[name]) for name in defined if name in self.types)
        text = op_text(op) + (f"  :: {kinds}" if kinds else "")
        yield f"{' ' * indent}{text:<40} {sorted({*defined, *uses(op)})}"
        for name in op.REGIONS:
            yield from self._blocks(getattr(op, name).blocks, indent + INDENT)
