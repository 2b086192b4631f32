"""Escape analysis of new arrays: those that do not outlive the function may lie on its stack.

    d = a[i] - a[j]             3 elements, used only here: on the stack
    r = d * d; return r         returned: in memory of its own

An array does not escape if every use of it, and of its views, reads or writes its elements, or
reads its shape.  One that a loop carries to its next iteration is not on the stack, since that
iteration creates its own in the same slot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from cutaway.ir import elements, nodes
from cutaway.ir.function import Function
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import definitions, use_table, walk
from cutaway.typing import types
from cutaway.typing.analysis import indices
from cutaway.typing.analysis.ownership import holds_memory
from cutaway.typing.inference.resolutions import Chosen, Resolutions
from cutaway.typing.types import Array, Type

if TYPE_CHECKING:
    from cutaway.typing.analysis.sizes import Sizes

LARGEST = 1024  # bytes of one array
MOST = 8192  # bytes of all arrays of a function
_CREATING = (
    *(np.empty, np.zeros, np.ones, np.full),
    *(np.empty_like, np.zeros_like, np.ones_like, np.full_like),
)


def local_arrays(
    fn: Function,
    table: Mapping[str, Type],
    resolutions: Resolutions,
    known: Callable[[], Sizes],
) -> dict[int, int]:
    """Return the number of bytes of each new array of constant size that may lie on the stack, by
    the op's id; `known` computes the sizes of arrays, which most functions do not need."""
    candidates = [op for op in walk(fn) if _makes_array(op, table, resolutions)]
    if not candidates:
        return {}
    sizes, users = known(), use_table(fn)
    local: dict[int, int] = {}
    for op in candidates:
        (name,) = definitions(op)
        keys, ty = sizes.of(name), table[name]
        assert isinstance(ty, Array)
        if not all(isinstance(key, int) and key >= 0 for key in keys):
            continue
        nbytes = prod(keys) * types.to_dtype(ty.dtype).itemsize
        fits = nbytes <= LARGEST and sum(local.values()) + nbytes <= MOST
        if fits and _stays(name, users, table):
            local[op.id] = nbytes
    return local


def _makes_array(op: Op, table: Mapping[str, Type], resolutions: Resolutions) -> bool:
    if isinstance(op, nodes.ArrayExpr | nodes.ArrayReduce):
        return isinstance(table[op.result], Array)
    if not isinstance(op, nodes.Call):
        return False
    resolved = resolutions.get(op.id)
    if not isinstance(resolved, Chosen) or resolved.resolution.implementation is not None:
        return False
    return any(resolved.question.function is one for one in _CREATING)


def _stays(name: str, users: Mapping[str, list[Op]], table: Mapping[str, Type]) -> bool:
    seen, waiting = {name}, [name]
    while waiting:
        array = waiting.pop()
        for op in users.get(array, ()):
            if not _keeps(op, array, table):
                return False
            views = [one for one in definitions(op) if _may_be_part(op, one, array, table)]
            waiting += [one for one in views if one not in seen]
            seen.update(views)
    return True


def _keeps(op: Op, array: str, table: Mapping[str, Type]) -> bool:
    """True if an op passes an array to nothing but its own results."""
    match op:
        case nodes.Incref() | nodes.Decref() | nodes.Del():
            return True
        case nodes.ArrayExpr() | nodes.ArrayStore() | nodes.ArrayReduce():
            return True
        case nodes.GetItem() | nodes.StaticGetItem() | nodes.Copy() | nodes.Unpack():
            return True
        case nodes.SetItem(target=target) | nodes.StaticSetItem(target=target):
            return isinstance(table[target], Array)  # copies the elements
        case nodes.Cast(result, _):
            return isinstance(table[result], Array)
        case nodes.GetAttr(result, _, attr):
            return attr == "T" or not holds_memory(table[result])
        case nodes.Call(result, func) if func != array:
            return not holds_memory(table[result])
    return False


def _may_be_part(op: Op, result: str, array: str, table: Mapping[str, Type]) -> bool:
    """True if a result may be a view of an array."""
    if isinstance(op, elements.ArrayOp) or not holds_memory(table[result]):
        return False
    return not isinstance(op, nodes.GetItem) or (
        op.value == array and not indices.gives_copy(op, table)
    )
