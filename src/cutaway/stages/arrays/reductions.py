"""Calls that reduce the elements of an array."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from cutaway.foundation.dataclass import dataclass
from cutaway.ir import nodes
from cutaway.ir.nodes import Op
from cutaway.ir.traversal import by_place_and_name
from cutaway.stages.arrays.tables import Tables
from cutaway.stages.unit import CompileUnit
from cutaway.typing import types
from cutaway.typing.inference.resolutions import Chosen
from cutaway.typing.types import Array, Complex, Float, Type
from cutaway.typing.ufuncs import reduced_type

_FUNCTIONS = {
    np.sum: "sum",
    np.prod: "prod",
    np.mean: "mean",
    np.min: "min",
    np.amin: "min",
    np.max: "max",
    np.amax: "max",
    np.any: "any",
    np.all: "all",
    np.count_nonzero: "count_nonzero",
    np.var: "var",
    np.std: "std",
}
_METHODS = ("sum", "prod", "mean", "min", "max", "any", "all", "var", "std")
_SPREAD = ("var", "std")


@dataclass(frozen=True, slots=True)
class ReductionCall:
    """A call that reduces `array`; `taken` is the op that takes the method, if it is one."""

    function: str
    array: str
    axis: int | None
    keepdims: bool
    taken: Op | None


def reduction_of(op: nodes.Call, unit: CompileUnit, tables: Tables) -> ReductionCall | None:
    """The reduction that a call is, of elements that can be taken in their order; None for any
    other call."""
    constants = tables.constants
    resolved = unit.resolutions.get(op.id)
    if not isinstance(resolved, Chosen) or op.star is not None:
        return None
    if not set(op.keywords) <= {"axis", "keepdims", "ddof"}:
        return None
    function, array, taken = _called(op, resolved, tables.makers)
    places, named = by_place_and_name(op.args, op.keywords)
    arguments = [*places[taken is None :], *named.values()]
    if not function or len(places) > 1 + (taken is None):
        return None
    if not all(name in constants for name in arguments):
        return None
    given = {name: constants[variable] for name, variable in named.items()}
    axis = given.get("axis", constants[arguments[0]] if len(places) > (taken is None) else None)
    keepdims = given.get("keepdims", False)
    if "ddof" in given and (function not in _SPREAD or given["ddof"] != 0):
        return None
    call = ReductionCall(function, array, axis, bool(keepdims), taken)
    return call if _is_possible(call, unit.types[array], unit.types[op.result]) else None


def _called(
    op: nodes.Call, resolved: Chosen, makers: Mapping[str, Op]
) -> tuple[str, str, Op | None]:
    """The name of the reduction, empty for any other function, and the array."""
    function = resolved.question.function
    if resolved.owner is None:
        try:
            name = _FUNCTIONS.get(function, "")
        except TypeError:  # not hashable
            return "", "", None
        return (name, op.args[0], None) if len(op.args) > len(op.keywords) else ("", "", None)
    if isinstance(function, tuple) and function[1] in _METHODS:
        taken = makers.get(op.func)
        if isinstance(taken, nodes.GetAttr):
            return function[1], taken.value, taken
    return "", "", None


def _is_possible(call: ReductionCall, ty: Type, result: Type) -> bool:
    if not isinstance(ty, Array) or ty.ndim == 0:
        return False
    if call.axis is not None and (
        type(call.axis) is not int or not -ty.ndim <= call.axis < ty.ndim
    ):
        return False
    if call.function in _SPREAD and call.axis is not None and ty.layout == "F":
        return False  # the mean along an axis is in C order here, and NumPy's is not
    in_order = ty.layout != "A" or ty.ndim == 1 or not isinstance(ty.dtype, Float | Complex)
    if not in_order or not _is_combined(call.function, ty.dtype):
        return False
    return reduced_type(call.function, ty, call.axis, call.keepdims) is result


def _is_combined(function: str, element: Type) -> bool:
    """True if elements of a type are combined as they are computed."""
    if function == "mean":
        return isinstance(element, Float | Complex)
    if function in _SPREAD:
        return isinstance(element, Float)
    if function in ("min", "max"):
        return types.is_real(element)
    return types.is_number(element)
