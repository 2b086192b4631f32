"""Iterations that draw random numbers: each draws from its own streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from cutaway.foundation.foreign import attribute
from cutaway.ir import nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.own_streams import is_source, with_streams
from cutaway.ir.regions import Region
from cutaway.ir.traversal import definitions, makers_of
from cutaway.stages.parallel.nests import Numbers
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.types import RandomSource, Type


def with_own_streams(
    fn: Function, types: Mapping[str, Type], region: Region, loop: Op, new: Numbers
) -> Region:
    """Return the region of a loop, with streams for its iterations if they draw from a source that
    is not their own.  Draws of callees are found when code is generated."""
    ops = [op for block in region.blocks for op in block.ops]
    own = {name for op in ops for name in definitions(op)}
    shared = {name: ty for name, ty in types.items() if name not in own}
    if not _draws(ops, shared, constants_of(fn), makers_of(fn)):
        return region

    def make(kind: type[Op], operand: Any) -> Op:
        return kind(operand, loc=loop.loc, id=new.id())

    return with_streams(region, make, new.label())


def _draws(
    ops: Iterable[Op], types: Mapping[str, Type], constants: Mapping[str, Any], makers: Any
) -> bool:
    for op in ops:
        if isinstance(op, nodes.Call):
            maker = makers.get(op.func)
            owner = maker.value if isinstance(maker, nodes.GetAttr) else ""
            method_of = attribute(constants.get(op.func), "__self__", None)
            if isinstance(types.get(owner), RandomSource) or is_source(method_of):
                return True
    return False
