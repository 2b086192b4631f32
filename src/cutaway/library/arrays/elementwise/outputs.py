"""Ufuncs that are told where to store their results, what to compute with, and for which elements:
`out where dtype casting`.
"""

from __future__ import annotations

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.registry import CONTEXT
from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.element_functions import name_of
from cutaway.library.arrays.indexing.updates import check_dimensions
from cutaway.library.arrays.kit.dtypes import dtype_of
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

_NAMES = ("out", "where", "dtype", "casting")


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a call asks for: its loop, the types of its results, and of its mask, if there is one;
    `forced` says that operands are converted whatever they are."""

    loop: Loop
    results: tuple[Type, ...]
    mask: Type | None
    forced: bool


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
    positional, (out, where, dtype, casting) = given[: -len(_NAMES)], given[-len(_NAMES) :]
    if not function.nin <= len(positional) <= function.nargs:
        return None
    operands = positional[: function.nin]
    outputs = _outputs(function, positional[function.nin :], out)
    wanted = None if _is_left_out(dtype) else dtype_of(dtype, types.float64)
    mask = None if _is_everywhere(where) else where
    if outputs is None or (wanted is None and not _is_left_out(dtype)):
        return None
    _check_mask(mask)
    rule = casting.value if isinstance(casting, types.String) else "same_kind"
    stored = tuple(None if ty is None else element_of(ty) for ty in outputs)
    loop = loop_with(name_of(function), operands, stored, wanted, rule)
    if loop is None:
        return None
    shaping = operands if mask is None else (*operands, mask)
    number = result_type(loop.outputs[0], shaping) is loop.outputs[0]
    if mask is not None and (len(outputs) > 1 or number):
        raise TypingError("`where` of a ufunc of numbers, or with two results, is not compiled")
    results = tuple(
        result_type(computed, shaping) if ty is None else ty
        for ty, computed in zip(outputs, loop.outputs, strict=True)
    )
    for ty, computed in zip(outputs, loop.outputs, strict=True):
        check_dimensions(ty, result_type(computed, shaping))
    return _Plan(loop, results, mask, wanted is not None)


def _is_left_out(ty: Type) -> bool:
    return isinstance(ty, types.Omitted) or ty is types.none


def _is_everywhere(ty: Type) -> bool:
    return _is_left_out(ty) or (isinstance(ty, types.Literal) and ty.literal_value is True)


def _outputs(
    function: np.ufunc, positional: tuple[Type, ...], out: Type
) -> tuple[Type | None, ...] | None:
    """For each result the array that it is stored in, or None; None where they are no arrays."""
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
    if len(targets) == 1:
        mask = None if plan.mask is None else args[-len(_NAMES) + 1]
        return [_result(build, name, plan, operands, mask, targets[0])]
    # What is stored first may be an operand of what is computed second.
    computed = [
        _computed(build, f"{name}.{k}", plan, operands, element)
        for k, element in enumerate(plan.loop.outputs)
    ]
    pairs = zip(computed, targets, strict=True)
    return [_stored(build, value, target) for value, target in pairs]


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
    """A new array, or a number, of one of the results."""
    kinds = [value.ty for value in operands]
    maker = KernelMaker(build, kinds)
    kernel = maker.made(maker.operation(function, plan.loop, len(kinds), plan.forced))
    return nests.compute(build, kernel, operands, result_type(element, kinds))


def _stored(build: FunctionBuilder, value: Value, target: Value | None) -> Value:
    """An array that was computed, in the caller's array if there is one."""
    if target is None:
        return value
    assert isinstance(target.ty, Array)
    maker = KernelMaker(build, [value.ty])
    kernel = maker.made(maker.step(f"as.{target.ty.dtype}", 0))
    kept = build.keep(array_parts(value).owner) if isinstance(value.ty, Array) else None
    nests.store_into(build, kernel, [value], target, output=True)
    if kept is not None:
        build.let_go(kept)
        build.call("void", "cutaway_decref", [("ptr", array_parts(value).owner)])
    return _shared(build, target)


def _result(
    build: FunctionBuilder,
    name: str,
    plan: _Plan,
    operands: list[Value],
    mask: Value | None,
    target: Value | None,
) -> Value:
    """The one result of a ufunc, in the caller's array or in a new one."""
    if mask is None and target is None:
        return _computed(build, name, plan, operands, plan.loop.outputs[0])
    values = [*operands, *([] if mask is None else [mask])]
    new = None if target is not None else _new_target(build, plan, values)
    into = target or new
    assert into is not None and isinstance(into.ty, Array)
    maker = KernelMaker(build, [value.ty for value in (*values, into)])
    number = maker.operation(name, plan.loop, len(operands), plan.forced)
    if plan.loop.outputs[0] is not into.ty.dtype:
        number = maker.step(f"as.{into.ty.dtype}", number)
    if mask is not None:
        number = maker.step("where", len(operands), number, len(values))
    kept = None if new is None else build.keep(array_parts(new).owner)
    same = [k for k, value in enumerate((*values, into)) if value.parts == into.parts]
    nests.store_into(build, maker.made(number), [*values, into], into, output=True, same=same)
    if kept is None:
        return _shared(build, into)
    build.let_go(kept)
    return into


def _new_target(build: FunctionBuilder, plan: _Plan, values: list[Value]) -> Value:
    """A new array whose elements are any, where the mask does not say that they are computed."""
    shapes = [array_parts(v).shape if isinstance(v.ty, Array) else () for v in values]
    ty = plan.results[0]
    assert isinstance(ty, Array)
    return allocate(build, ty, broadcast(build, shapes), zeroed=False)


def _shared(build: FunctionBuilder, value: Value) -> Value:
    """An array of the caller's as a result: with a reference of its own."""
    build.call("void", "cutaway_incref", [("ptr", array_parts(value).owner)])
    return value
