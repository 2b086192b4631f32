"""Selection by conditions and bounds, and repetition: `where clip repeat`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, body, refuse, static
from cutaway.extending.registry import CONTEXT, method
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import promoted
from cutaway.library.arrays.kit.elements import plain, shape3, single
from cutaway.library.arrays.kit.filling import stored
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.shapes import expanded, inserted, replaced, spread, strided
from cutaway.library.arrays.kit.sizes import size_of_all, size_of_both
from cutaway.library.arrays.kit.takes import (
    Counts,
    Elements,
    IntegerOrNone,
    Numbers,
    Reals,
    Target,
    numpy,
)
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_alike,
    dimensions,
    element,
    has_real_elements,
    left_out,
    private,
    said,
)
from cutaway.library.elements.kernels import elements_of, new_array, rule_of
from cutaway.library.math.number_classes import fitting
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import (
    REQUIRED,
    Arguments,
    ElementWise,
    Overload,
    Signature,
)
from cutaway.typing.types import Array, Type
from cutaway.typing.ufuncs import loop_of, result_type

# --- where ------------------------------------------------------------------------------------


def _where_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 3 or any(map(left_out, arguments.types)):
        return None
    signature = rule_of("where")(arguments)
    if signature is None or isinstance(signature.returns, Array):
        return signature
    return Signature(
        Array(signature.returns, 0, "C"), arguments.types
    )  # NumPy returns an array too


def _lower_where(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    return new_array(build, "where", sig, sig.returns, args)


CONTEXT.add(
    np.where,
    Overload(
        _where_rule,
        (),
        _lower_where,
        ("condition", "x", "y"),
        (REQUIRED, REQUIRED, REQUIRED),
        any_elements=True,
        elements=elements_of("where", 3),
    ),
)


@static
def _require_alike(x, y):
    if not are_alike(x, y):
        raise TypingError("elements of two types are not chosen from", hint="convert one of them")


@numpy(np.where)
def where(condition: Numbers, x: Target = None, y: Target = None):
    """The positions where a condition holds; for non-numeric elements, those of `x` or `y`."""
    if x is None and y is None:
        return np.nonzero(condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    if condition.dtype != np.bool_:
        refuse("a condition for elements that are no numbers is an array of bools")
    _require_alike(x, y)
    shape = shape3(condition, x, y)
    out, chosen = np.empty(shape, x.dtype), spread(condition, shape)
    out[...] = spread(y, shape)
    out[chosen] = spread(x, shape)[chosen]
    return out


# --- bounds -----------------------------------------------------------------------------------


def _clipped_by(given: tuple[Type, ...]) -> ElementWise | None:
    """The element-wise operation of `clip`; None for calls that need the Python body."""
    a, *bounds = given
    present = tuple(k for k, bound in enumerate(bounds, 1) if not left_out(bound))
    operands = [given[k] for k in (0, *present)]
    if not any(map(dimensions, operands)) or not present or not has_real_elements(*operands):
        return None
    if _clip_dtype(*given).kind == "b":
        return None
    # A Python int that does not fit the dtype bounds nothing.
    narrow = isinstance(element(a), types.Integer) and element(a) is not types.int64
    if narrow and types.int64 in bounds:
        return None
    if len(present) < 2:
        return ElementWise("maximum" if present == (1,) else "minimum", (0, *present))
    return ElementWise("clip", (0, 1, 2))


def _clip_rule(arguments: Arguments) -> Signature | None:
    operation = _clipped_by(arguments.types)
    if operation is None:
        return None
    operands = tuple(arguments.types[k] for k in operation.operands)
    loop = loop_of(operation.function, operands)
    if loop is None:
        return None
    return Signature(result_type(loop.outputs[0], operands), arguments.types)


def _lower_clip(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    operation = _clipped_by(sig.args)
    assert operation is not None
    operands = [args[k] for k in operation.operands]
    of_operands = Signature(sig.returns, tuple(operand.ty for operand in operands))
    return new_array(build, operation.function, of_operands, sig.returns, operands)


def _register_clip(key: Any, low: str, high: str) -> None:
    CONTEXT.add(
        key,
        Overload(
            *(_clip_rule, (), _lower_clip),
            *(("a", low, high), (REQUIRED, None, None)),
            elements=lambda sig: _clipped_by(sig.args),
        ),
    )


_register_clip(np.clip, "a_min", "a_max")
_register_clip(method(Array, "clip"), "min", "max")


@static
def _clip_dtype(a: Any, low: Any, high: Any) -> np.dtype[Any]:
    return promoted(*(one for one in (a, low, high) if not left_out(one)))


@static
def _has_no_axes(*operands: Any) -> bool:
    return not any(map(dimensions, operands))


@static
def _may_be_beyond(bound: Any, a: Any, lower: Any) -> bool:
    """True for a Python int beside an array of other integers: if out of their range, it bounds
    nothing and need not fit."""
    is_int = element(bound) is types.int64 and isinstance(element(a), types.Integer)
    return is_int and _end(a, lower) <= _TOP


_TOP = types.int64.high


def _end(a: Any, lower: Any) -> int:
    return element(a).low if said(lower) else element(a).high


_end_of = static(_end)


@static
def _outermost(a: Any, dtype: Any, lower: Any) -> Any:
    """The lowest or highest value of a dtype, which as a bound has no effect on integers."""
    kind = dtype.value
    if kind.kind == "f":
        return kind.type(-np.inf if said(lower) else np.inf)
    return kind.type(np.iinfo(kind).min if said(lower) else np.iinfo(kind).max)


@private
def _bound(x, a, dtype, lower):
    """A bound converted to the result's dtype if it is a number."""
    if x is None or isinstance(x, np.ndarray):
        return x
    if _may_be_beyond(x, a, lower) and (x <= _end_of(a, True) if lower else x >= _end_of(a, False)):
        return _outermost(a, dtype, lower)
    return dtype.type(fitting(x, dtype))


@private
def _clipped(a, low, high):
    """The elements clipped to two bounds, either of which may be None."""
    dtype = _clip_dtype(a, low, high)
    if low is None and high is None:
        return single(a) if _has_no_axes(a) else a.astype(dtype)
    first, last = _bound(low, a, dtype, True), _bound(high, a, dtype, False)
    if dtype.kind != "b" and not _has_no_axes(a, low, high):
        own = plain(a, dtype) if isinstance(a, np.ndarray) else dtype.type(a)
        return np.clip(own, first, last)
    raised = a if first is None else np.maximum(a, first)
    return raised if last is None else np.minimum(raised, last)


RealsOrNone = Takes(
    "a real number, an array of such, or None", lambda one: left_out(one) or has_real_elements(one)
)


@numpy(np.clip)
def clip(
    a: Reals,
    a_min: RealsOrNone = None,
    a_max: RealsOrNone = None,
    out: Target = None,
    *,
    min: RealsOrNone = None,  # noqa: A002  NumPy's names
    max: RealsOrNone = None,  # noqa: A002
):
    if min is None and max is None:
        result = _clipped(a, a_min, a_max)
        return result if out is None else stored(out, result)
    if a_min is not None or a_max is not None:
        refuse(
            "passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is"
            " forbidden",
            "pass two bounds",
        )
    return stored(out, _clipped(a, min, max))


@body(method(Array, "clip"), **OPTIONS)
def clip_method(a: Reals, min: RealsOrNone = None, max: RealsOrNone = None, out: Target = None):  # noqa: A002
    result = _clipped(a, min, max)
    return result if out is None else stored(out, result)


# --- repetition --------------------------------------------------------------------------------


@private
def _repeat_line(out, line, repeats):
    n = 0
    for k in range(len(line)):
        element, count = line[k], repeats[k] if len(repeats) > 1 else repeats[0]
        for _ in range(count):
            out[n] = element
            n += 1


@private
def _repeat_each(out, line, times):
    if times == 2:  # so that LLVM vectorizes short runs
        for k in range(len(line)):
            out[2 * k] = out[2 * k + 1] = line[k]
    elif times == 3:
        for k in range(len(line)):
            out[3 * k] = out[3 * k + 1] = out[3 * k + 2] = line[k]
    elif times == 4:
        for k in range(len(line)):
            out[4 * k] = out[4 * k + 1] = out[4 * k + 2] = out[4 * k + 3] = line[k]
    else:
        for k in range(len(line)):
            out[k * times : (k + 1) * times] = line[k]


@private
def _repeated_size(repeats, size):
    if len(repeats) == 1:
        if repeats[0] < 0 and size > 0:
            raise ValueError("negative dimensions are not allowed")
        return size_of_all(max(int(repeats[0]), 0), size)
    if len(repeats) != size:
        raise ValueError(
            f"operands could not be broadcast together with shape ({size},) ({len(repeats)},)"
        )
    total = 0
    for count in repeats:
        if count < 0:
            raise ValueError("repeats may not contain negative values.")
        total = size_of_both(total, count)
    return total


@numpy(np.repeat, "repeat")
def repeat(a: Elements, repeats: Counts, axis: IntegerOrNone = None):
    """Each element, or each part along an axis, repeated."""
    many = isinstance(repeats, np.ndarray)
    if axis is None and not many:
        out = np.empty(_repeated_size((repeats,), a.size), a.dtype)
        if out.size > 0:
            _repeat_each(out, a.ravel(), out.size // a.size)
        return out
    each = repeats if many else np.array((repeats,))
    if axis is None:
        out = np.empty(_repeated_size(each, a.size), a.dtype)
        _repeat_line(out, a.ravel(), each)
        return out
    table = a if a.ndim else a.reshape(1)  # NumPy treats it as a line
    k = axis_of(table, axis)
    out = np.empty(replaced(table.shape, k, _repeated_size(each, table.shape[k])), a.dtype)
    if len(each) == 1 and table.size:  # each position along the axis becomes an axis of copies
        times = out.shape[k] // table.shape[k]
        steps = inserted(replaced(out.strides, k, out.strides[k] * times), k + 1, out.strides[k])
        copies = strided(out, inserted(table.shape, k + 1, times), steps)
        copies[...] = expanded(table, k + 1)
        return out
    source, target = lines_along(table, k), lines_along(out, k)
    for n in range(line_count(source)):
        _repeat_line(line_at(target, n), line_at(source, n), each)
    return out
