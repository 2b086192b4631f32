"""Calls that reduce an array by a loop of their own, where elements are taken in their order.

    np.sum(a)   a.mean(1, keepdims=True)   np.std(a, axis=0)   np.count_nonzero(a, 0)

The type is a rule's, and nothing is compiled for a call but the loop itself
(`lowering/arrays/reductions.py`).  Pass `array_expressions` makes ops of these calls.  What the
rule does not take has an implementation in Python.
"""

from __future__ import annotations

from typing import Any

from cutaway.extending.registry import CONTEXT, method
from cutaway.library.elements.kernels import KernelMaker
from cutaway.lowering.arrays import nests
from cutaway.lowering.arrays.kernels import Kernel
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
from cutaway.typing.types import Array, Complex, Float, Signature, Type
from cutaway.typing.ufuncs import reduced_type

SPREAD = ("var", "std")
_IN_ANY_ORDER = ("any", "all", "count_nonzero", "min", "max")  # of floats, too

_WITH_TYPE = ("a", "axis", "dtype", "out", "keepdims")
_WITHOUT_TYPE = ("a", "axis", "out", "keepdims")
_PARAMETERS = {
    "sum": _WITH_TYPE,
    "prod": _WITH_TYPE,
    "mean": _WITH_TYPE,
    "min": _WITHOUT_TYPE,
    "max": _WITHOUT_TYPE,
    "any": _WITHOUT_TYPE,
    "all": _WITHOUT_TYPE,
    "count_nonzero": ("a", "axis", "keepdims"),
    "var": ("a", "axis", "dtype", "out", "ddof", "keepdims"),
    "std": ("a", "axis", "dtype", "out", "ddof", "keepdims"),
}
_DEFAULTS = {"keepdims": False, "ddof": 0}


def reduces(name: str, *functions: Any, is_method: bool = True) -> None:
    """Let functions of NumPy, and a method of arrays, be reductions."""
    parameters = _PARAMETERS[name]
    defaults = (REQUIRED, *(_DEFAULTS.get(one) for one in parameters[1:]))

    def template(call: Call) -> Typed | None:
        found = lay_out(reducing, call)
        return None if found is None else _reduction(name, parameters, call, *found)

    template.__name__ = name
    reducing = Overload(None, (), None, parameters, defaults, template=template)
    for key in (*functions, *([method(Array, name)] if is_method else [])):
        CONTEXT.add(key, reducing)


def _reduction(
    name: str,
    parameters: tuple[str, ...],
    call: Call,
    arguments: Arguments,
    layout: tuple[int | None, ...],
) -> Typed | None:
    """The reduction that a call is, by what is known of its arguments; None for any other call."""
    known = map(_value, arguments.types, arguments.constants)
    given = dict(zip(parameters, known, strict=True))
    whole, axis = arguments.types[0], given["axis"]
    if given.get("dtype") is not None or given.get("out") is not None or given.get("ddof", 0) != 0:
        return None
    if not isinstance(whole, Array) or not isinstance(given["keepdims"], bool | int):
        return None
    if axis is not None and (type(axis) is not int or not -whole.ndim <= axis < whole.ndim):
        return None
    reducing = Reducing(name, axis, bool(given["keepdims"]))
    if not _is_possible(reducing, whole):
        return None
    places = sorted(range(len(call.arguments)), key=lambda place: place != layout[0])
    args = tuple(call.arguments.types[place] for place in places)
    returns = reduced_type(name, whole, axis, reducing.keepdims)
    return Typed(Signature(returns, args), tuple(places), _lowering(reducing), reducing)


def _value(ty: Type, constant: Any) -> Any:
    """What is known of an argument."""
    if isinstance(ty, types.Omitted):
        return ty.value
    if isinstance(ty, types.Literal):
        return ty.literal_value
    return None if ty is types.none else constant


def _is_possible(how: Reducing, ty: Array) -> bool:
    """True if the elements can be taken in the order in which NumPy takes them."""
    if ty.ndim == 0 or not _is_combined(how.function, ty.dtype):
        return False
    if how.function in SPREAD and how.axis is not None and ty.layout == "F":
        return False  # the mean along an axis is in C order here, and NumPy's is not
    if how.function in _IN_ANY_ORDER or not isinstance(ty.dtype, Float | Complex):
        return True
    return ty.layout != "A" or ty.ndim == 1


def _is_combined(function: str, element: Type) -> bool:
    """True if elements of a type are combined as they are computed.

    Sums and products of float16 are not: NumPy computes them in float32, a run at a time.
    """
    if element is types.float16 and function in ("sum", "prod", "mean", *SPREAD):
        return False
    if function == "mean":
        return isinstance(element, Float | Complex)
    if function in SPREAD:
        return isinstance(element, Float)
    if function in ("min", "max"):
        return types.is_real(element)
    return types.is_number(element)


# --- where no pass has made an op of the call -----------------------------------------------------


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
    """The mean of the squares of the distances from the mean, or its square root."""
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
    """What a function makes of a value that is not needed after it."""
    if not isinstance(used.ty, Array):
        made: Value = make()
        return made
    owner = array_parts(used).owner
    held = build.keep(owner)
    made = make()
    build.let_go(held)
    build.call("void", "cutaway_decref", [("ptr", owner)])
    return made
