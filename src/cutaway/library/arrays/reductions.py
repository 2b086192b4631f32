"""Reductions of arrays: `sum prod mean min max any all argmin argmax`, whole or along an axis.

Floats are added in NumPy's order, to the last bit: NumPy goes through the memory from low to
high addresses, the axis with the smallest step innermost, and adds a run of elements pairwise
in blocks of 128.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.extending.registry import implemented, method, primitive
from cutaway.library.arrays.creation import allocate
from cutaway.library.arrays.lines import take_line
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import ArrayParts, Value, array_parts, array_value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import Array, Complex, DType, Float, Integer, Omitted, Type

# --- what the reductions are called with ------------------------------------------------------

Fits = Callable[[Array], bool]


def _register(name: str, fits: Fits, along_axis: bool) -> Callable[[Any], Any]:
    """Register a Python function for `np.name` and the method; with (a) or (a, axis)."""
    functions = {getattr(np, name), getattr(np, f"a{name}", getattr(np, name))}
    key = method(Array, name)

    def whole(arguments: Arguments) -> bool:
        ty, axis = arguments.types
        none = isinstance(axis, Omitted) and axis.value is None or axis is types.none
        return isinstance(ty, Array) and none and fits(ty)

    def along(arguments: Arguments) -> bool:
        ty, axis = arguments.types
        return isinstance(ty, Array) and isinstance(axis, Integer) and fits(ty)

    chosen = along if along_axis else whole
    defaults = (REQUIRED, None)

    def register(implementation: Any) -> Any:  # Any: a Python function to compile
        for function in (*functions, key):
            implemented(function, chosen, defaults)(implementation)
        return implementation

    return register


def _is_float(ty: Array) -> bool:
    return isinstance(ty.dtype, Float)


def _is_inexact(ty: Array) -> bool:
    return isinstance(ty.dtype, Float | Complex)


def _is_integral(ty: Array) -> bool:
    return types.is_integral(ty.dtype)


def _any_number(ty: Array) -> bool:
    return True


def _one_axis(fits: Fits) -> Fits:
    return lambda ty: ty.ndim <= 1 and fits(ty)


def _first_array(fits: Fits) -> Callable[[Arguments], bool]:
    return lambda arguments: isinstance(ty := arguments.types[0], Array) and fits(ty)


# --- views in the order of memory -------------------------------------------------------------


def _swept(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _view_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    assert isinstance(ty, Array)
    return Signature(ty.viewed(max(ty.ndim, 1), "A"), arguments.types)


@primitive(_swept, _view_rule)
def swept(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A view of the same elements in the order in which NumPy reduces them.

    The last axis is the longest run with one step; axes of one element are in front.
    """
    parts = array_parts(args[0])
    axes = list(zip(parts.shape, parts.strides, strict=True))
    axes = _sorted_axes(build, axes)
    sizes, steps = [size for size, _ in axes] or ["1"], [step for _, step in axes] or ["0"]
    run, going = sizes[-1], "true"
    for k in range(len(sizes) - 2, -1, -1):
        single = build.compare("eq", "i64", sizes[k], "1")
        follows = build.compare("eq", "i64", steps[k], build.binary("mul", "i64", run, steps[-1]))
        joins = build.binary("or", "i1", single, follows)
        going = build.binary("and", "i1", going, joins)
        longer = build.binary("mul", "i64", run, sizes[k])
        run = build.select(going, "i64", longer, run)
        sizes[k] = build.select(going, "i64", "1", sizes[k])
    sizes[-1] = run
    assert isinstance(sig.returns, Array)
    made = ArrayParts(parts.owner, parts.data, tuple(sizes), tuple(steps))
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    return array_value(sig.returns, made)


def _sorted_axes(build: FunctionBuilder, axes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Axes (size, step) with the largest step first, those of one element before them."""
    largest = str((1 << 63) - 1)
    keyed = []
    for size, step in axes:
        length = build.call("i64", "llvm.abs.i64", [("i64", step), ("i1", "false")])
        single = build.compare("eq", "i64", size, "1")
        keyed.append((build.select(single, "i64", largest, length), size, step))
    for end in range(len(keyed) - 1, 0, -1):
        for k in range(end):
            first, second = keyed[k], keyed[k + 1]
            wrong = build.compare("slt", "i64", first[0], second[0])
            pairs = list(zip(first, second, strict=True))
            keyed[k] = _chosen(build, wrong, [(b, a) for a, b in pairs])
            keyed[k + 1] = _chosen(build, wrong, pairs)
    return [(size, step) for _, size, step in keyed]


def _chosen(
    build: FunctionBuilder, cond: str, pairs: list[tuple[str, str]]
) -> tuple[str, str, str]:
    key, size, step = (build.select(cond, "i64", then, other) for then, other in pairs)
    return key, size, step


def _lines(a, axis):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _layers(a, axis):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _moved_rule(arguments: Arguments) -> Signature | None:
    ty, axis = arguments.types
    assert isinstance(ty, Array)
    return Signature(ty.viewed(ty.ndim, "A"), (ty, types.int64))


@primitive(_layers, _moved_rule)
def layers(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A view with one axis moved to the front."""
    return _with_axis_moved(build, sig, args, front=True)


@primitive(_lines, _moved_rule)
def lines(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A view with one axis moved to the end."""
    return _with_axis_moved(build, sig, args, front=False)


def _with_axis_moved(
    build: FunctionBuilder, sig: Signature, args: list[Value], front: bool
) -> Value:
    assert isinstance(sig.returns, Array)
    parts, ndim = array_parts(args[0]), sig.returns.ndim
    axis = checked_axis(build, args[1].parts[0], ndim)
    tables = []
    for numbers in (parts.shape, parts.strides):
        table = build.alloca("i64", ndim)
        for k, number in enumerate(numbers):
            build.store("i64", number, build.offset(table, str(8 * k)), 8)
        rest = []
        for k in range(ndim - 1):
            later = build.compare("sge", "i64", str(k), axis)
            place = build.select(later, "i64", str(k + 1), str(k))
            rest.append(_table_item(build, table, place))
        chosen = _table_item(build, table, axis)
        tables.append((chosen, *rest) if front else (*rest, chosen))
    build.call("void", "cutaway_incref", [("ptr", parts.owner)])
    return array_value(sig.returns, ArrayParts(parts.owner, parts.data, *tables))


def _table_item(build: FunctionBuilder, table: str, index: str) -> str:
    return build.load("i64", build.offset(table, build.binary("mul", "i64", index, "8")), 8)


def checked_axis(
    build: FunctionBuilder, axis: str, ndim: int, single: bool = False, role: str = ""
) -> str:
    """An axis as a number from 0; raises AxisError where there is none, which tells its `role`
    among several.  A `single` number may count as one axis."""
    axes = 1 if single and ndim == 0 else ndim
    negative = build.compare("slt", "i64", axis, "0")
    found = build.select(negative, "i64", build.binary("add", "i64", axis, str(axes)), axis)
    outside = build.compare("uge", "i64", found, str(axes))
    bad, good = build.new_label("raise"), build.new_label("ok")
    build.branch(outside, bad, good)
    build.start(bad)
    named = Value(types.String(role) if role else types.none, ())
    given = [Value(types.int64, (axis,)), Value(types.int64, (str(ndim),)), named]
    build.raise_values(np.exceptions.AxisError, given)
    build.start(good)
    return found


def require_any_axis(a, axis):  # type: ignore[no-untyped-def]
    """Raise AxisError where the array has no such axis; a single number counts as one."""
    if not -max(a.ndim, 1) <= axis < max(a.ndim, 1):
        raise np.exceptions.AxisError(axis, a.ndim, None)


def _check_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    return Signature(types.none, (ty, types.int64))


@primitive(require_any_axis, _check_rule)
def check_axis(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Raise AxisError where the array has no such axis."""
    assert isinstance(args[0].ty, Array)
    checked_axis(build, args[1].parts[0], args[0].ty.ndim, single=True)
    return Value(types.none, ())


def _require_axis(a, axis):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@primitive(_require_axis, _check_rule)
def require_axis(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Raise AxisError where the array has no such axis, a single number included."""
    assert isinstance(args[0].ty, Array)
    checked_axis(build, args[1].parts[0], args[0].ty.ndim)
    return Value(types.none, ())


def _line(a, k):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _line_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    assert isinstance(ty, Array)
    return Signature(ty.viewed(1, "A"), (ty, types.int64))


primitive(_line, _line_rule)(take_line)


def _is_innermost(a, axis):  # type: ignore[no-untyped-def]
    shape, strides = a.shape, a.strides
    place = axis if axis >= 0 else axis + a.ndim
    step = abs(strides[place])
    for k in range(a.ndim):
        other = abs(strides[k])
        if k != place and shape[k] != 1 and (other < step or (other == step and k > place)):
            return False
    return True


def _register_only_axis(name: str) -> None:
    """Along its only axis an array is reduced as a whole."""
    reduce = getattr(np, name)

    if name.startswith("arg"):

        @_register(name, lambda ty: ty.ndim == 0, along_axis=True)
        def along_line(a, axis):  # type: ignore[no-untyped-def]
            return reduce(a.reshape(1), axis)  # NumPy takes it for a line

    @_register(name, _one_axis(_any_number), along_axis=True)
    def along(a, axis):  # type: ignore[no-untyped-def]
        require_any_axis(a, axis)
        return reduce(a)


for _name in ("sum", "prod", "min", "max", "argmin", "argmax", "any", "all"):
    _register_only_axis(_name)


def _register_by_line(name: str, dtype: Any = None, empty: str | None = None) -> None:
    """Along an axis each line is reduced by itself, to items of a dtype (by default the array's);
    `empty` is what is said where there is nothing in a line.  (Any: a class of NumPy's.)"""
    reduce = getattr(np, name)

    @_register(name, _any_number, along_axis=True)
    def along(a, axis):  # type: ignore[no-untyped-def]
        lines = _lines(a, axis)
        if empty is not None and lines.shape[-1] == 0 and a.size == 0:
            raise ValueError(empty)
        out = np.empty(lines.shape[:-1], a.dtype if dtype is None else dtype)
        for k in range(out.size):
            out.flat[k] = reduce(_line(lines, k))
        return out


def _sum_dtype(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _mean_dtype(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def sum_type(dtype: Type) -> Type:
    """What numbers of a type are added up in."""
    if not types.is_integral(dtype):
        return dtype
    unsigned = isinstance(dtype, Integer) and not dtype.signed
    return types.uint64 if unsigned else types.int64


def _dtype_rule(choose: Callable[[Type], Type], arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    assert isinstance(ty, Array)
    return Signature(types.constant_type(DType, types.to_dtype(choose(ty.dtype))), (ty,))


def _mean_type(dtype: Type) -> Type:
    return types.float64 if types.is_integral(dtype) else dtype


@primitive(_sum_dtype, lambda arguments: _dtype_rule(sum_type, arguments))
@primitive(_mean_dtype, lambda arguments: _dtype_rule(_mean_type, arguments))
def chosen_dtype(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The dtype of the sum or the mean of an array."""
    return Value(sig.returns, ())


def _zero(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@primitive(_zero, lambda arguments: _zero_rule(arguments))
def zero(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The sum of no elements."""
    return build.constant(sig.returns, 0)


def _zero_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    assert isinstance(ty, Array)
    return Signature(sum_type(ty.dtype), (ty,))


def _one(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@primitive(_one, lambda arguments: _zero_rule(arguments))
def one(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """The product of no elements."""
    return build.constant(sig.returns, 1)


# --- sums -------------------------------------------------------------------------------------

_BLOCK = 128  # numbers that NumPy adds in eight lanes


def _pairwise(a, start, count):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@implemented(_pairwise, _first_array(_is_float))
def _pairwise_floats(a, start, count):  # type: ignore[no-untyped-def]
    if count < 8:
        total = -a.dtype.type(0)
        for k in range(start, start + count):
            total += a[k]
        return total
    if count <= _BLOCK:
        r0, r1, r2, r3 = a[start], a[start + 1], a[start + 2], a[start + 3]
        r4, r5, r6, r7 = a[start + 4], a[start + 5], a[start + 6], a[start + 7]
        whole = count - count % 8
        for k in range(start + 8, start + whole, 8):
            r0 += a[k]
            r1 += a[k + 1]
            r2 += a[k + 2]
            r3 += a[k + 3]
            r4 += a[k + 4]
            r5 += a[k + 5]
            r6 += a[k + 6]
            r7 += a[k + 7]
        total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
        for k in range(start + whole, start + count):
            total += a[k]
        return total
    half = count // 2
    half -= half % 8
    return _pairwise(a, start, half) + _pairwise(a, start + half, count - half)


@implemented(_pairwise, _first_array(lambda ty: isinstance(ty.dtype, Complex)))
def _pairwise_complex(a, start, count):  # type: ignore[no-untyped-def]
    if count < 4:
        total = -a.dtype.type(0)
        for k in range(start, start + count):
            total += a[k]
        return total
    if 2 * count <= _BLOCK:
        r0, r1, r2, r3 = a[start], a[start + 1], a[start + 2], a[start + 3]
        whole = count - count % 4
        for k in range(start + 4, start + whole, 4):
            r0 += a[k]
            r1 += a[k + 1]
            r2 += a[k + 2]
            r3 += a[k + 3]
        total = (r0 + r1) + (r2 + r3)
        for k in range(start + whole, start + count):
            total += a[k]
        return total
    half = count // 2
    half -= half % 4
    return _pairwise(a, start, half) + _pairwise(a, start + half, count - half)


@_register("sum", _is_inexact, along_axis=False)
def _sum_of_inexact(a, axis):  # type: ignore[no-untyped-def]
    return _total(a)


def _total(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@implemented(_total, _first_array(lambda ty: ty.ndim == 1 and ty.layout == "C"))
def _total_of_line(a):  # type: ignore[no-untyped-def]
    return _zero(a) + _pairwise(a, 0, a.size)


@implemented(_total, _first_array(lambda ty: ty.layout == "C"))
def _total_of_block(a):  # type: ignore[no-untyped-def]
    return _zero(a) + _pairwise(a.ravel(), 0, a.size)


@implemented(_total, _first_array(lambda ty: ty.layout == "F"))
def _total_of_columns(a):  # type: ignore[no-untyped-def]
    return _zero(a) + _pairwise(a.T.ravel(), 0, a.size)


@implemented(_total, _first_array(_any_number))
def _total_of_strided(a):  # type: ignore[no-untyped-def]
    runs = _swept(a)
    if runs.shape[-1] == runs.size:
        return _zero(a) + _pairwise(_line(runs, 0), 0, runs.size)
    return _buffered_sum(runs, _zero(a), False)


_BUFFER = 8192  # elements that NumPy copies or converts at a time


def _buffered_sum(runs, zero, converts):  # type: ignore[no-untyped-def]
    core, outer = _buffer_lengths(runs, converts)
    chunk = max(_BUFFER // core, 1) * core
    total, position, done, limit = zero, 0, 0, min(chunk, outer)
    length = runs.shape[-1]
    buffer = _buffer_for(limit, total)
    for r in range(runs.size // max(length, 1)):
        line = _line(runs, r)
        for k in range(length):
            buffer[position] = line[k]
            position += 1
            if position == limit:
                total += _pairwise(buffer, 0, position)
                done += position
                position = 0
                limit = min(chunk, outer - done % outer)
    return total


def _buffer_for(count, total):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@primitive(_buffer_for, lambda arguments: _buffer_rule(arguments))
def buffer_for(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A new array for so many numbers of a type."""
    assert isinstance(sig.returns, Array)
    return allocate(build, sig.returns, args[0].parts, zeroed=False)


def _buffer_rule(arguments: Arguments) -> Signature | None:
    count, number = arguments.types
    return Signature(Array(number, 1, "C"), (types.int64, number))


# How many elements go through the buffer together: whole inner axes as far as they fit, and as
# many of those as fit, but none across the end of the next axis.
def _buffer_lengths(runs, converts):  # type: ignore[no-untyped-def]
    shape, strides = runs.shape, runs.strides
    core, outer, group, step = 1, 0, 1, 0
    for k in range(runs.ndim - 1, -2, -1):
        if k >= 0:
            if shape[k] == 1:
                continue
            if group == 1:
                group, step = shape[k], strides[k]
                continue
            if strides[k] == group * step:
                group *= shape[k]
                continue
        if outer == 0:
            if core * group <= _BUFFER or (core == 1 and not converts):
                core *= group
            else:
                outer = core * group
        if k >= 0:
            group, step = shape[k], strides[k]
    return max(core, 1), max(core, outer, 1)


def _private(function: Any) -> None:  # Any: a Python function to compile
    """Let the library's functions call one of its own."""
    implemented(function, lambda arguments: True)(function)


_private(_is_innermost)
_private(_buffered_sum)
_private(_buffer_lengths)


@_register("sum", _is_integral, along_axis=False)
def _sum_of_integers(a, axis):  # type: ignore[no-untyped-def]
    total = _zero(a)
    for element in a.flat:
        total += element
    return total


@_register("sum", _is_inexact, along_axis=True)
def _sum_along(a, axis):  # type: ignore[no-untyped-def]
    lines = _lines(a, axis)
    out = np.zeros(lines.shape[:-1], a.dtype)
    if _is_innermost(a, axis):
        for k in range(out.size):
            out.flat[k] = _total(_line(lines, k))
    else:
        for layer in _layers(a, axis):
            out += layer
    return out


@_register("sum", _is_integral, along_axis=True)
def _sum_of_integers_along(a, axis):  # type: ignore[no-untyped-def]
    layers = _layers(a, axis)
    out = np.zeros(layers.shape[1:], _sum_dtype(a))
    for layer in layers:
        out += layer
    return out


# --- products ---------------------------------------------------------------------------------


@_register("prod", _any_number, along_axis=False)
def _product(a, axis):  # type: ignore[no-untyped-def]
    total = _one(a)
    for element in _swept(a).flat:
        total *= element
    return total


@_register("prod", _any_number, along_axis=True)
def _product_along(a, axis):  # type: ignore[no-untyped-def]
    layers = _layers(a, axis)
    out = np.ones(layers.shape[1:], _sum_dtype(a))
    for layer in layers:
        out *= layer
    return out


# --- means ------------------------------------------------------------------------------------


@_register("mean", _is_inexact, along_axis=False)
def _mean(a, axis):  # type: ignore[no-untyped-def]
    return a.dtype.type(_divided(a.sum(), a.size))


def _divided(total, count):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@implemented(_divided, lambda arguments: types.is_real(arguments.types[0]))
def _divided_float(total, count):  # type: ignore[no-untyped-def]
    if count == 0:
        return -np.nan
    return float(np.float64(total) / count)


@implemented(_divided, lambda arguments: True)
def _divided_complex(total, count):  # type: ignore[no-untyped-def]
    if count == 0:
        return complex(-np.nan, -np.nan)
    real, imag, scale = float(total.real), float(total.imag), 1.0 / count
    return complex((real + imag * 0.0) * scale, (imag - real * 0.0) * scale)


@_register("mean", _is_integral, along_axis=False)
def _mean_of_integers(a, axis):  # type: ignore[no-untyped-def]
    return _divided(_buffered_sum(_swept(a), 0.0, True), a.size)


@_register("mean", _one_axis(_any_number), along_axis=True)
def _mean_along_the_only_axis(a, axis):  # type: ignore[no-untyped-def]
    _require_axis(a, axis)
    return a.mean()


@_register("mean", _any_number, along_axis=True)
def _mean_along(a, axis):  # type: ignore[no-untyped-def]
    lines = _lines(a, axis)
    out = _inexact(a).sum(axis)
    for k in range(out.size):
        out.flat[k] = out.dtype.type(_divided(out.flat[k], lines.shape[-1]))
    return out


def _inexact(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@implemented(_inexact, _first_array(_is_inexact))
def _same(a):  # type: ignore[no-untyped-def]
    return a


@implemented(_inexact, _first_array(lambda ty: ty.layout == "F"))
def _floats_of_columns(a):  # type: ignore[no-untyped-def]
    out = np.empty(a.shape[::-1])
    out[...] = a.T
    return out.T


@implemented(_inexact, _first_array(_any_number))
def _floats(a):  # type: ignore[no-untyped-def]
    out = np.empty(a.shape)
    out[...] = a
    return out


# --- min, max ---------------------------------------------------------------------------------

_NO_MINIMUM = "zero-size array to reduction operation minimum which has no identity"
_NO_MAXIMUM = "zero-size array to reduction operation maximum which has no identity"


def _below(x, y):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _above(x, y):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _at_least(x, y):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _at_most(x, y):  # type: ignore[no-untyped-def]
    raise NotImplementedError


def _are_real(arguments: Arguments) -> bool:
    return types.is_real(arguments.types[0])


@implemented(_below, _are_real)
def _real_below(x, y):  # type: ignore[no-untyped-def]
    return x < y


@implemented(_above, _are_real)
def _real_above(x, y):  # type: ignore[no-untyped-def]
    return x > y


@implemented(_at_least, _are_real)
def _real_at_least(x, y):  # type: ignore[no-untyped-def]
    return x >= y


@implemented(_at_most, _are_real)
def _real_at_most(x, y):  # type: ignore[no-untyped-def]
    return x <= y


@implemented(_at_least, lambda arguments: True)
def _complex_at_least(x, y):  # type: ignore[no-untyped-def]
    return x == x and not _below(x, y)  # noqa: PLR0124


@implemented(_at_most, lambda arguments: True)
def _complex_at_most(x, y):  # type: ignore[no-untyped-def]
    return x == x and not _above(x, y)  # noqa: PLR0124


@implemented(_below, lambda arguments: True)
def _complex_below(x, y):  # type: ignore[no-untyped-def]
    return x.real < y.real or (x.real == y.real and x.imag < y.imag)


@implemented(_above, lambda arguments: True)
def _complex_above(x, y):  # type: ignore[no-untyped-def]
    return x.real > y.real or (x.real == y.real and x.imag > y.imag)


@_register("min", _any_number, along_axis=False)
def _minimum(a, axis):  # type: ignore[no-untyped-def]
    if a.size == 0:
        raise ValueError(_NO_MINIMUM)
    elements = _ordered(a).flat
    best = elements[0]
    for element in elements:
        if _below(element, best) or element != element:  # noqa: PLR0124  NaN is the least
            best = element
        if best != best:  # noqa: PLR0124
            break
    return best


@_register("max", _any_number, along_axis=False)
def _maximum(a, axis):  # type: ignore[no-untyped-def]
    if a.size == 0:
        raise ValueError(_NO_MAXIMUM)
    elements = _ordered(a).flat
    best = elements[0]
    for element in elements:
        if _above(element, best) or element != element:  # noqa: PLR0124  NaN is the greatest
            best = element
        if best != best:  # noqa: PLR0124
            break
    return best


def _ordered(a):  # type: ignore[no-untyped-def]
    raise NotImplementedError


@primitive(_ordered, lambda arguments: _ordered_rule(arguments))
def ordered(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Complex numbers in the order of memory, which decides among several with a NaN."""
    if isinstance(sig.args[0], Array) and isinstance(sig.args[0].dtype, Complex):
        return swept(build, sig, args)
    build.call("void", "cutaway_incref", [("ptr", args[0].parts[0])])
    return args[0]


def _ordered_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    assert isinstance(ty, Array)
    return _view_rule(arguments) if isinstance(ty.dtype, Complex) else Signature(ty, (ty,))


# --- argmin, argmax ---------------------------------------------------------------------------

_NO_ARGMIN = "attempt to get argmin of an empty sequence"
_NO_ARGMAX = "attempt to get argmax of an empty sequence"


@_register("argmin", _any_number, along_axis=False)
def _place_of_minimum(a, axis):  # type: ignore[no-untyped-def]
    if a.size == 0:
        raise ValueError(_NO_ARGMIN)
    best, place, k = a.flat[0], 0, 0
    if best != best:  # noqa: PLR0124
        return 0
    for element in a.flat:
        if not _at_least(element, best):  # less, or NaN, which is the least
            best, place = element, k
            if best != best:  # noqa: PLR0124
                break
        k += 1
    return place


@_register("argmax", _any_number, along_axis=False)
def _place_of_maximum(a, axis):  # type: ignore[no-untyped-def]
    if a.size == 0:
        raise ValueError(_NO_ARGMAX)
    best, place, k = a.flat[0], 0, 0
    if best != best:  # noqa: PLR0124
        return 0
    for element in a.flat:
        if not _at_most(element, best):  # more, or NaN, which is the greatest
            best, place = element, k
            if best != best:  # noqa: PLR0124
                break
        k += 1
    return place


# --- any, all ---------------------------------------------------------------------------------


@_register("any", _any_number, along_axis=False)
def _any(a, axis):  # type: ignore[no-untyped-def]
    for element in a.flat:  # noqa: SIM110
        if element:
            return True
    return False


@_register("all", _any_number, along_axis=False)
def _all(a, axis):  # type: ignore[no-untyped-def]
    for element in a.flat:  # noqa: SIM110
        if not element:
            return False
    return True


_register_by_line("min", empty=_NO_MINIMUM)
_register_by_line("max", empty=_NO_MAXIMUM)
_register_by_line("argmin", np.int64, _NO_ARGMIN)
_register_by_line("argmax", np.int64, _NO_ARGMAX)
_register_by_line("any", np.bool_)
_register_by_line("all", np.bool_)
