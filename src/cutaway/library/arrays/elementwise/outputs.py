"""Ufunc calls with outputs, dtypes, casting rules and masks: `out where dtype casting order
subok`."""

from __future__ import annotations

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import CONTEXT
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.element_functions import name_of
from cutaway.library.arrays.indexing.updates import check_dimensions
from cutaway.library.arrays.kit.dtypes import CASTINGS, dtype_of
from cutaway.library.elements.kernels import KernelMaker
from cutaway.lowering.arrays import nests
from cutaway.lowering.arrays.memory import allocate
from cutaway.lowering.arrays.shapes import broadcast
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, make_tuple, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Overload, Signature
from cutaway.typing.types import Array, Tuple, Type
from cutaway.typing.ufuncs import Loop, element_of, loop_with, result_type

_NAMES = ("out", "where", "dtype", "casting", "order", "subok")


@dataclass(frozen=True, slots=True)
class _Plan:
    """A resolved call: the loop, the result types, and the mask's type, if any; `forced` says that
    operands are converted in any case, `order` is that of new arrays, one of `CFKA`."""

    loop: Loop
    results: tuple[Type, ...]
    mask: Type | None
    forced: bool
    order: str


def register(function: np.ufunc) -> None:
    """Register the calls of a ufunc with outputs, or with keywords."""

    def rule(arguments: Arguments) -> Signature | None:
        plan = _plan(function, arguments.types)
        if plan is None:
            return None
        results = plan.results
        returns = results[0] if len(results) == 1 else Tuple(results)
        return Signature(returns, arguments.types)

    def lower(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        plan = _plan(function, sig.args)
        assert plan is not None
        results = _results(build, function, plan, args)
        return results[0] if len(results) == 1 else make_tuple(results)

    lower.__name__ = name_of(function)
    named = tuple((name, None) for name in _NAMES)
    CONTEXT.add(function, Overload(rule, (), lower, named=named, any_elements=True))


# --- types ----------------------------------------------------------------------------------------


def _plan(function: np.ufunc, given: tuple[Type, ...]) -> _Plan | None:
    positional, keywords = given[: -len(_NAMES)], given[-len(_NAMES) :]
    out, where, dtype, casting, order, subok = keywords  # subclasses of arrays are not compiled
    if not function.nin <= len(positional) <= function.nargs:
        return None
    operands = positional[: function.nin]
    outputs = _outputs(function, positional[function.nin :], out)
    requested = None if _is_left_out(dtype) else dtype_of(dtype, types.float64)
    mask = None if _is_everywhere(where) else where
    if outputs is None or (requested is None and not _is_left_out(dtype)):
        return None
    if not _is_left_out(subok) and not isinstance(subok, types.Boolean):
        return None
    if isinstance(mask, Tuple):  # the call is resolved anew, with an array for it
        return None
    _check_mask(mask)
    rule = _casting(casting)
    chosen = _order(order)
    stored = tuple(None if ty is None else element_of(ty) for ty in outputs)
    loop = loop_with(name_of(function), operands, stored, requested, rule)
    if loop is None:
        return None
    shaping = operands if mask is None else (*operands, mask)
    number = result_type(loop.outputs[0], shaping) is loop.outputs[0]
    if mask is not None and number:
        raise TypingError("`where` of a ufunc of numbers is not compiled")
    results = tuple(
        _ordered(result_type(computed, shaping), chosen) if ty is None else ty
        for ty, computed in zip(outputs, loop.outputs, strict=True)
    )
    for ty, computed in zip(outputs, loop.outputs, strict=True):
        check_dimensions(ty, result_type(computed, shaping))
    return _Plan(loop, results, mask, requested is not None, chosen)


def _casting(casting: Type) -> str:
    """The casting rule for the operands."""
    if _is_left_out(casting):
        return "same_kind"
    value = casting.value if isinstance(casting, types.String) else casting
    if value not in CASTINGS:
        shown = f"got {value!r}" if isinstance(value, str) else f"got a value of type {casting}"
        raise TypingError(f"casting must be one of {', '.join(map(repr, CASTINGS))} ({shown})")
    return str(value)


def _order(order: Type) -> str:
    """The order of new arrays that a call asks for."""
    value = order.value if isinstance(order, types.String) else "K"
    if not isinstance(value, str) or value.upper() not in ("C", "F", "K", "A"):
        raise TypingError(f"order must be one of 'C', 'F', 'A', or 'K' (got {value!r})")
    return value.upper()


def _ordered(ty: Type, order: str) -> Type:
    """An array type in an order; number types unchanged."""
    several = isinstance(ty, Array) and ty.ndim > 1 and order in "CF"
    return Array(ty.dtype, ty.ndim, order) if several else ty


def _is_left_out(ty: Type) -> bool:
    return isinstance(ty, types.Omitted) or ty is types.none


def _is_everywhere(ty: Type) -> bool:
    return _is_left_out(ty) or (isinstance(ty, types.Literal) and ty.literal_value is True)


def _outputs(
    function: np.ufunc, positional: tuple[Type, ...], out: Type
) -> tuple[Type | None, ...] | None:
    """The passed output array for each result, or None; None for arguments that are not arrays."""
    given: list[Type | None] = [None if _is_left_out(ty) else ty for ty in positional]
    if not _is_left_out(out):
        if positional:
            raise TypingError("cannot specify 'out' as both a positional and keyword argument")
        items = out.items if isinstance(out, Tuple) else (out,)
        if len(items) != function.nout:
            raise TypingError(
                "The 'out' tuple must have exactly one entry per ufunc output"
                if isinstance(out, Tuple)
                else "'out' must be a tuple of arrays"
            )
        given = [None if _is_left_out(ty) else ty for ty in items]
    given += [None] * (function.nout - len(given))
    for ty in given:
        if ty is not None and not isinstance(ty, Array):
            raise TypingError("return arrays must be of ArrayType")
        if isinstance(ty, Array) and ty.readonly:
            raise TypingError("output array is read-only")
    return tuple(given)


def _check_mask(mask: Type | None) -> None:
    if mask is not None and element_of(mask) is not types.boolean:
        dtype = types.to_dtype(element_of(mask))
        raise TypingError(
            f"Cannot cast array data from {dtype!r} to dtype('bool') according to the rule 'safe'"
        )


# --- lowering -------------------------------------------------------------------------------------


def _results(
    build: FunctionBuilder, function: np.ufunc, plan: _Plan, args: list[Value]
) -> list[Value]:
    name, targets = name_of(function), _targets(function, args)
    operands = args[: function.nin]
    mask = None if plan.mask is None else args[-len(_NAMES) + 1]
    if len(targets) == 1:
        return [_result(build, name, plan, operands, mask, targets[0])]
    # The array stored first may be an operand of the second result.
    computed = [
        _computed(build, f"{name}.{k}", plan, operands, element)
        for k, element in enumerate(plan.loop.outputs)
    ]
    pairs = zip(computed, targets, plan.results, strict=True)
    if mask is None:
        return [_stored(build, value, target) for value, target, _ in pairs]
    shaping = [*operands, mask]
    return [
        _stored(build, value, target or _new_target(build, ty, shaping), mask, target is None)
        for value, target, ty in pairs
    ]


def _targets(function: np.ufunc, args: list[Value]) -> list[Value | None]:
    out = args[-len(_NAMES)]
    given = args[function.nin : -len(_NAMES)]
    if not _is_left_out(out.ty):
        given = tuple_items(out) if isinstance(out.ty, Tuple) else [out]
    targets = [None if _is_left_out(value.ty) else value for value in given]
    return targets + [None] * (function.nout - len(targets))


def _computed(
    build: FunctionBuilder, function: str, plan: _Plan, operands: list[Value], element: Type
) -> Value:
    """One of the results, as a new array or a number."""
    kinds = [value.ty for value in operands]
    maker = KernelMaker(build, kinds)
    kernel = maker.made(maker.operation(function, plan.loop, len(kinds), plan.forced))
    return nests.compute(build, kernel, operands, _ordered(result_type(element, kinds), plan.order))


def _stored(
    build: FunctionBuilder,
    value: Value,
    target: Value | None,
    mask: Value | None = None,
    is_new: bool = False,
) -> Value:
    """Store a computed array, or its masked elements, in the target; without one, return it."""
    if target is None:
        return value
    assert isinstance(target.ty, Array)
    values = [value] if mask is None else [value, mask, target]
    maker = KernelMaker(build, [one.ty for one in values])
    number = maker.step(f"as.{target.ty.dtype}", 0)
    if mask is not None:
        number = maker.step("where", 1, number, 2)
    owners = [array_parts(value).owner] if isinstance(value.ty, Array) else []
    slots = [build.keep(one) for one in (*owners, *([array_parts(target).owner] * is_new))]
    same = () if mask is None else (2,)
    nests.store_into(build, maker.made(number), values, target, output=True, same=same)
    for one in reversed(slots):
        build.let_go(one)
    for owner in owners:
        build.call("void", "cutaway_decref", [("ptr", owner)])
    return target if is_new else _shared(build, target)


def _result(
    build: FunctionBuilder,
    name: str,
    plan: _Plan,
    operands: list[Value],
    mask: Value | None,
    target: Value | None,
) -> Value:
    """The result of a one-output ufunc, in the caller's array or in a new one."""
    if mask is None and target is None:
        return _computed(build, name, plan, operands, plan.loop.outputs[0])
    values = [*operands, *([] if mask is None else [mask])]
    new = None if target is not None else _new_target(build, plan.results[0], values)
    into = target or new
    assert into is not None and isinstance(into.ty, Array)
    maker = KernelMaker(build, [value.ty for value in (*values, into)])
    number = maker.operation(name, plan.loop, len(operands), plan.forced)
    if plan.loop.outputs[0] is not into.ty.dtype:
        number = maker.step(f"as.{into.ty.dtype}", number)
    if mask is not None:
        number = maker.step("where", len(operands), number, len(values))
    slot = None if new is None else build.keep(array_parts(new).owner)
    same = [k for k, value in enumerate((*values, into)) if value.parts == into.parts]
    nests.store_into(build, maker.made(number), [*values, into], into, output=True, same=same)
    if slot is None:
        return _shared(build, into)
    build.let_go(slot)
    return into


def _new_target(build: FunctionBuilder, ty: Type, values: list[Value]) -> Value:
    """A new array whose elements are undefined where the mask is false."""
    shapes = [array_parts(v).shape if isinstance(v.ty, Array) else () for v in values]
    assert isinstance(ty, Array)
    return allocate(build, ty, broadcast(build, shapes), zeroed=False)


def _shared(build: FunctionBuilder, value: Value) -> Value:
    """The caller's array as a result, with its own reference."""
    build.call("void", "cutaway_incref", [("ptr", array_parts(value).owner)])
    return value
