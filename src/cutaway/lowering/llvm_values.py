"""The values of variables in LLVM IR, in the function and in the kernels of its parallel loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.lowering.layout import Value, part_names, part_types
from cutaway.lowering.regions import block_name

if TYPE_CHECKING:
    from cutaway.lowering.function import FunctionLowering


# Of a kernel: the values of its variables, and the blocks where items of iterators are defined.
KernelValues = tuple[Mapping[str, Value], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class LlvmPart:
    """A part of a variable's value in LLVM IR: its label (`a.data`), its type and text there, and
    the function that it is in.

    `block` is where the variable gets the value, if that is not where it is computed: an iterator's
    next item is valid only where there is one.  If the text is the address of a variable in memory,
    `memory` is the address of a stack slot and the offset in bytes from there.
    """

    label: str
    kind: str
    text: str
    function: str
    block: str = ""
    memory: tuple[str, int] | None = None


def values_of(lowering: FunctionLowering) -> dict[str, tuple[LlvmPart, ...]]:
    """Return the parts of each variable's value, in all functions of a function's lowering."""
    values_by_name: dict[str, tuple[LlvmPart, ...]] = {}
    for symbol, (values, items) in {
        lowering.callee.symbol: (lowering.values, items_of(lowering.fn)),
        **lowering.kernels,
    }.items():
        for name, value in values.items():
            parts = tuple(_parts(name, value, symbol, items.get(name, "")))
            values_by_name[name] = values_by_name.get(name, ()) + parts
    return values_by_name


def _parts(name: str, value: Value, function: str, block: str) -> Iterator[LlvmPart]:
    kinds = part_types(value.ty)
    labels = part_names(value.ty, name) if len(kinds) == len(value.parts) else []
    for label, kind, text in zip(labels, kinds, value.parts, strict=False):
        yield LlvmPart(label, kind, text, function, block)


def items_of(fn: Function) -> Mapping[str, str]:
    """Return the variables that are items of iterators, with the blocks in which they are valid."""
    items = {}
    for block in fn.blocks.values():
        steps = {op.valid: op.result for op in block.ops if isinstance(op, nodes.IterNext)}
        end = block.terminator
        if isinstance(end, nodes.Branch) and end.cond in steps:
            items[steps[end.cond]] = block_name(end.then)
    return items
