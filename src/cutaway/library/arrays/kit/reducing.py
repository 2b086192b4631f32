"""Reductions that are compiled as one loop, over elements in memory order.

    np.sum(a)   a.mean(1, keepdims=True)   np.std(a, axis=0)   np.add.reduce(a)

A rule types the call, and only the loop itself is compiled (`lowering/arrays/reductions.py`). Pass
`array_expressions` turns these calls into ops. Other calls have an implementation in Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.registry import CONTEXT, method
from cutaway.ir.reductions import REDUCTIONS, Reduction
from cutaway.library.elements.kernels import KernelMaker
from cutaway.lowering.arrays import nests
from cutaway.lowering.arrays.kernels import Kernel
from cutaway.lowering.arrays.loops import has_loop
from cutaway.lowering.arrays.reductions import reduce
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.overloads.resolution import (
    REQUIRED,
    Arguments,
    Call,
    Overload,
    Reducing,
    Typed,
    lay_out,
)
from cutaway.typing.reductions import reduced_type
from cutaway.typing.types import Array, Complex, Float, Signature, Type

SPREAD = ("var", "std")  # each is computed from two means

_USUAL = {"axis": None, "dtype": None, "out": None, "ddof": 0, "keepdims": False}
_LACKING = {"total": ("ddof",), "mean": ("ddof",), "spread": (), "count": ("dtype", "out", "ddof")}
_OF_UFUNC = {
    **{"axis": 0, "dtype": None, "out": None, "keepdims": False},
    **{"initial": ..., "where": True},
}


def reduces(name: str, *functions: Any, is_method: bool = True) -> None:
    """Register NumPy functions, and a method of arrays, as a reduction."""
    lacking = _LACKING.get(_gives(name), ("dtype", "ddof"))
    defaults = {key: value for key, value in _USUAL.items() if key not in lacking}
    _register(name, "a", defaults, *functions, *([method(Array, name)] if is_method else []))


def ufunc_reduces(row: Reduction) -> None:
    """Register the `reduce` method of a reduction's ufunc."""
    _register(row.name, "array", _OF_UFUNC, getattr(np, row.ufunc).reduce)


def _gives(name: str) -> str:
    return "spread" if name in SPREAD else REDUCTIONS[name].gives


def _register(name: str, array: str, defaults: dict[str, Any], *keys: Any) -> None:
    def template(call: Call) -> Typed | None:
        found = lay_out(reducing, call)
        return None if found is None else _reduction(name, defaults, call, *found)

    template.__name__ = name
    parameters, values = (array, *defaults), (REQUIRED, *defaults.values())
    reducing = Overload(None, (), None, parameters, values, template=template)
    for key in keys:
        CONTEXT.add(key, reducing)


def _reduction(
    name: str,
    defaults: dict[str, Any],
    call: Call,
    arguments: Arguments,
    layout: tuple[int | None, ...],
) -> Typed | None:
    """The reduction that a call with constant arguments performs; None for other calls."""
    _, *known = map(_value, arguments.types, arguments.constants)
    given = dict(zip(defaults, known, strict=True))
    whole, axis, keeps = arguments.types[0], given.pop("axis"), given.pop("keepdims")
    for key, value in given.items():
        if value is not defaults[key] and (key, value) != ("ddof", 0):
            return None
    if not isinstance(whole, Array) or not isinstance(keeps, bool | int):
        return None
    if axis is not None and (type(axis) is not int or not -whole.ndim <= axis < whole.ndim):
        return None
    reducing = Reducing(name, axis, bool(keeps))
    if not _is_possible(reducing, whole):
        return None
    places = sorted(range(len(call.arguments)), key=lambda place: place != layout[0])
    args = tuple(call.arguments.types[place] for place in places)
    row = "mean" if name in SPREAD else name
    returns = reduced_type(row, whole, axis, reducing.keepdims)
    return Typed(Signature(returns, args), tuple(places), _lowering(reducing), reducing)


def _value(ty: Type, constant: Any) -> Any:
    """The value of a constant argument, or None."""
    if isinstance(ty, types.Omitted):
        return ty.value
    if isinstance(ty, types.Literal):
        return ty.literal_value
    return None if ty is types.none else constant


def _is_possible(how: Reducing, ty: Array) -> bool:
    """True if the elements can be reduced in NumPy's order without a conversion.

    Sums and products of float16 are not: NumPy computes them in float32, a run at a time.
    """
    element, gives = ty.dtype, _gives(how.function)
    if ty.ndim == 0 or not types.is_number(element):
        return False
    if gives in ("truth", "count"):
        return True
    if gives == "element":
        return types.is_real(element)
    if not isinstance(element, Float | Complex):
        return gives == "total"
    if element is types.float16:
        return False
    if gives == "spread":  # the mean along an axis is in C order here, unlike NumPy's
        rows = ty.layout == "C" or ty.ndim == 1
        return isinstance(element, Float) and (rows or (how.axis is None and ty.layout == "F"))
    char, ufunc = types.to_dtype(element).char, REDUCTIONS[how.function].ufunc
    by_numpy = ty.aligned and has_loop(f"numpy.{ufunc}.{char}{char}.{char}")
    return ty.layout != "A" or ty.ndim == 1 or by_numpy


# --- calls that no pass has turned into ops -------------------------------------------------------


def _lowering(how: Reducing) -> Any:
    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        if how.function in SPREAD:
            return _spread(build, how, args[0], sig.returns)
        return _reduced(build, how, args[0], sig.returns)

    lower.__name__ = how.function
    return lower


def _reduced(build: FunctionBuilder, how: Reducing, array: Value, returns: Type) -> Value:
    return reduce(build, how, Kernel((array.ty,), (), 0), [array], returns)


def _spread(build: FunctionBuilder, how: Reducing, array: Value, returns: Type) -> Value:
    """The mean of the squared distances from the mean, or its square root."""
    keeps = how.axis is not None
    ty = reduced_type("mean", array.ty, how.axis, keeps)
    mean = _reduced(build, Reducing("mean", how.axis, keeps), array, ty)
    maker = KernelMaker(build, (array.ty, ty))
    distance = maker.step("subtract", 0, 1)
    squares = maker.made(maker.step("multiply", distance, distance))
    reduction = Reducing("mean", how.axis, how.keepdims)
    variance = _freeing(
        build, mean, lambda: reduce(build, reduction, squares, [array, mean], returns)
    )
    if how.function == "var":
        return variance
    maker = KernelMaker(build, (returns,))
    root = maker.made(maker.step("sqrt", 0))
    return _freeing(build, variance, lambda: nests.compute(build, root, [variance], returns))


def _freeing(build: FunctionBuilder, used: Value, make: Any) -> Value:
    """Build a result from a value, then release the value."""
    if not isinstance(used.ty, Array):
        made: Value = make()
        return made
    owner = array_parts(used).owner
    held = build.keep(owner)
    made = make()
    build.let_go(held)
    build.call("void", "cutaway_decref", [("ptr", owner)])
    return made
