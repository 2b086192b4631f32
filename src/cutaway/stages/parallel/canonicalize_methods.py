"""Call functions of NumPy's in the place of methods of arrays (stage 5b).

    $1 = getattr(value=a, attr=cumsum)           $1 = global(np.cumsum)
    $2 = call $1(0)                        ->    $2 = call $1(a, 0)

So that later passes match one form.  A method whose function has another result type, or is unknown
to compiled code, stays a method.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import CompileError
from cutaway.ir import nodes
from cutaway.ir.editing import Rule
from cutaway.ir.nodes import Block, replace
from cutaway.ir.traversal import makers_of, uses, walk
from cutaway.stages.unit import CompileUnit
from cutaway.typing.inference.questions import constants_of
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.types import Array
from cutaway.typing.values.typeof import typeof_constant

METHOD = Rule(
    "method_to_function",
    "a.sum() => np.sum(a)",
    note="{0!v} is computed by the function np.{1}",
)
# The methods whose NumPy function does the same with the array as first argument.
_METHODS = frozenset(
    (
        "all any argmax argmin argsort clip copy cumprod cumsum diagonal dot max mean min"
        " nonzero prod ptp ravel repeat searchsorted std sum take trace transpose var"
    ).split()
)


def run(unit: CompileUnit) -> None:
    """Rewrite the calls of methods, block by block."""
    makers = makers_of(unit.fn)
    for block in unit.fn.blocks.values():
        for op in list(block.ops):
            taken = makers.get(op.func) if isinstance(op, nodes.Call) else None
            if isinstance(taken, nodes.GetAttr) and taken.attr in _METHODS:
                assert isinstance(op, nodes.Call)
                if isinstance(unit.types[taken.value], Array) and op.star is None:
                    _rewrite(unit, block, op, taken)


def _rewrite(unit: CompileUnit, block: Block, op: nodes.Call, taken: nodes.GetAttr) -> None:
    function: Any = getattr(np, taken.attr)
    name = unit.fn.fresh(taken.attr)
    number = unit.fn.new_id()
    found = nodes.Global(name, f"np.{taken.attr}", function, loc=op.loc, id=number)
    call = replace(op, func=name, args=(taken.value, *op.args))
    unit.types[name] = typeof_constant(function)
    before = unit.resolutions.pop(op.id, None)
    try:
        unit.resolve([call], {**constants_of(unit.fn), name: function})
        resolved = unit.resolutions.get(op.id)
    except CompileError:
        resolved = None
    returns = resolved.resolution.signature.returns if isinstance(resolved, Chosen) else None
    if returns is not unit.types[op.result]:
        if before is not None:
            unit.resolutions[op.id] = before
        del unit.types[name]
        return
    editor = unit.editor()
    position = next(k for k, one in enumerate(block.ops) if one is op)
    editor.replace(block, position, found, call)
    if not any(taken.result in uses(other) for other in walk(unit.fn)):
        for one in unit.fn.blocks.values():
            if any(other is taken for other in one.ops):
                editor.remove(one, taken)
    editor.commit(METHOD, op.loc, op.result, taken.attr, types=[name])
