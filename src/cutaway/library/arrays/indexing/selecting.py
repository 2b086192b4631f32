"""Elements chosen by conditions and bounds, and repeated: `where clip repeat`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import refuse, static
from cutaway.extending.overloads import overload_method
from cutaway.extending.registry import CONTEXT, method
from cutaway.library.arrays.kit.axes import axis_of
from cutaway.library.arrays.kit.dtypes import promoted
from cutaway.library.arrays.kit.elements import (
    map1,
    map3,
    mapped2,
    result_is_number,
    shape3,
    single,
)
from cutaway.library.arrays.kit.lines import line_at, line_count, lines_along
from cutaway.library.arrays.kit.order import larger, smaller
from cutaway.library.arrays.kit.shapes import expanded, inserted, replaced, spread, strided
from cutaway.library.arrays.kit.sizes import size_of_all, size_of_both
from cutaway.library.arrays.kit.storing import stored, takes
from cutaway.library.arrays.kit.takes import Along, Counts, Elements, Numbers, Target, numpy
from cutaway.library.arrays.kit.typers import (
    OPTIONS,
    are_alike,
    element,
    has_real_elements,
    is_array,
    left_out,
    private,
)
from cutaway.library.arrays.kit.typers import (
    numpy as typed_numpy,
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
    found = rule_of("where")(arguments)
    if found is None or isinstance(found.returns, Array):
        return found
    return Signature(Array(found.returns, 0, "C"), arguments.types)  # as NumPy has it


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
    """The places where a condition holds; of elements that are no numbers, those of `x` there."""
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


def _bound(ty, a, dtype, lower):
    """The function that converts an argument to a lower or an upper bound.

    An int of Python's beyond all that the integers of `a` can be is no bound, and need not fit.
    """
    kind = element(a)
    if ty is not types.int64 or not isinstance(kind, types.Integer):
        return private(lambda x: fitting(x, dtype))
    end = kind.low if lower else kind.high
    if end > types.int64.high:
        return private(lambda x: fitting(x, dtype))
    infinite, of_dtype = dtype.kind == "f", np.iinfo(kind.name if dtype.kind == "f" else dtype)
    if lower:
        lowest = dtype.type(-np.inf if infinite else of_dtype.min)
        return private(lambda x: lowest if x <= end else fitting(x, dtype))
    highest = dtype.type(np.inf if infinite else of_dtype.max)
    return private(lambda x: highest if x >= end else fitting(x, dtype))


def _bounded(a, low, high):
    """The implementation of clip: a function of `a` and the two bounds."""
    operands = [one for one in (a, low, high) if not left_out(one)]
    if left_out(a) or not has_real_elements(*operands):
        return None
    dtype, plain = promoted(*operands), result_is_number(*operands)
    cast = dtype.type
    if left_out(low) and left_out(high):
        return (lambda a, low, high: single(a)) if plain else (lambda a, low, high: a.astype(dtype))
    bottom, top = _bound(low, a, dtype, True), _bound(high, a, dtype, False)

    @private
    def within(x, low, high):
        return smaller(larger(cast(x), cast(low)), cast(high))

    @private
    def at_least(x, low):
        return larger(cast(x), cast(low))

    @private
    def at_most(x, high):
        return smaller(cast(x), cast(high))

    if left_out(high):
        from_below = mapped2(at_least, dtype, plain)
        return lambda a, low, high: from_below(a, bottom(low))
    if left_out(low):
        from_above = mapped2(at_most, dtype, plain)
        return lambda a, low, high: from_above(a, top(high))

    def between_numbers(a, low, high):
        first, last = cast(single(bottom(low))), cast(single(top(high)))
        limit = last if first == first else first  # noqa: PLR0124

        def clipped(x):
            """Two instructions, max and min, since the bounds are no NaN."""
            y = first if cast(x) < first else cast(x)
            return last if y > last else y

        def unless_nan(x):
            return cast(x) if x != x else limit  # noqa: PLR0124

        out = np.empty(a.shape, dtype)
        if first == first and last == last:  # noqa: PLR0124
            map1(clipped, out, a)
        else:
            map1(unless_nan, out, a)
        return out

    def from_both(a, low, high):
        first, last = bottom(low), top(high)
        out = np.empty(shape3(a, first, last), dtype)
        map3(within, out, a, first, last)
        return out

    def number(a, low, high):
        return within(single(a), single(bottom(low)), single(top(high)))

    if plain:
        return number
    return between_numbers if dtype.kind == "f" and result_is_number(low, high) else from_both


def _clipped_by(given: tuple[Type, ...]) -> ElementWise | None:
    """What clip does with each element of an array; None for calls with an implementation."""
    a, *bounds = given
    present = tuple(k for k, bound in enumerate(bounds, 1) if not left_out(bound))
    operands = [given[k] for k in (0, *present)]
    if not is_array(a) or not a.ndim or not present or not has_real_elements(*operands):
        return None
    # An int of Python's that does not fit is no bound.
    narrow = isinstance(a.dtype, types.Integer) and a.dtype is not types.int64
    if narrow and types.int64 in bounds:
        return None
    if len(present) < 2:
        return ElementWise("maximum" if present == (1,) else "minimum", (0, *present))
    return None if any(map(is_array, bounds)) else ElementWise("clip", (0, 1, 2))


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


@typed_numpy(np.clip)
def _clip(a, a_min=None, a_max=None):
    implementation = _bounded(a, a_min, a_max)
    if implementation is None:
        return None
    clipped = private(implementation)
    return lambda a, a_min=None, a_max=None: clipped(a, a_min, a_max)


@overload_method(Array, "clip", jit_options=OPTIONS)
def _clip_method(a, min=None, max=None):
    implementation = _bounded(a, min, max)
    if implementation is None:
        return None
    clipped = private(implementation)
    return lambda a, min=None, max=None: clipped(a, min, max)


# --- repeated ----------------------------------------------------------------------------------


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
    if times == 2:  # what is written to short runs becomes vectors
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
def repeat(a: Elements, repeats: Counts, axis: Along = None):
    """Each element, or each part along an axis, again and again."""
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
    table = a if a.ndim else a.reshape(1)  # NumPy takes it for a line
    k = axis_of(table, axis)
    out = np.empty(replaced(table.shape, k, _repeated_size(each, table.shape[k])), a.dtype)
    if len(each) == 1 and table.size:  # each place along the axis is an axis of copies
        times = out.shape[k] // table.shape[k]
        steps = inserted(replaced(out.strides, k, out.strides[k] * times), k + 1, out.strides[k])
        copies = strided(out, inserted(table.shape, k + 1, times), steps)
        copies[...] = expanded(table, k + 1)
        return out
    source, target = lines_along(table, k), lines_along(out, k)
    for n in range(line_count(source)):
        _repeat_line(line_at(target, n), line_at(source, n), each)
    return out


# --- clip as it is seldom told ----------------------------------------------------------------


@typed_numpy(np.clip)
def _clip_told(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    named = not left_out(min) or not left_out(max)
    if named and not (left_out(a_min) and left_out(a_max)):
        raise TypingError(
            "passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is"
            " forbidden",
            hint="pass two bounds",
        )
    implementation = _bounded(a, *((min, max) if named else (a_min, a_max)))
    if implementation is None:
        return None
    clipped = private(implementation)

    def by_name(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
        return clipped(a, min, max)

    def by_place(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
        return clipped(a, a_min, a_max)

    def kept(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
        result = clipped(a, min, max) if named else clipped(a, a_min, a_max)
        return stored(out, np.asarray(result))

    if left_out(out):
        return by_name if named else by_place
    operands = [one for one in (a, min, max, a_min, a_max) if not left_out(one)]
    return kept if takes(out, promoted(*operands)) else None


@overload_method(Array, "clip", jit_options=OPTIONS)
def _clip_method_told(a, min=None, max=None, out=None):
    def kept(a, min=None, max=None, out=None):
        return np.clip(a, min, max, out)

    return kept if is_array(out) else None
