"""Functions of `math` over several numbers, and the methods and attributes of numbers."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from cutaway.extending.overloads import overload
from cutaway.extending.registry import CONTEXT, attribute, method, primitive
from cutaway.library.core import messages
from cutaway.library.elements.kernels import lowering_of
from cutaway.library.math.numbers import Instructions, became_infinite, became_nan, boolean, widened
from cutaway.lowering.arrays.elements import element_pointer, load_element
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts, make_tuple, tuple_items
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import (
    Array,
    Boolean,
    Complex,
    Float,
    Integer,
    Omitted,
    Range,
    Tuple,
    Type,
)

_INF, _NAN = math.inf, math.nan

# --- norms ------------------------------------------------------------------------------------


def _norm(build: FunctionBuilder, parts: list[str]) -> Value:
    """The square root of a sum of squares."""
    if not build.links.target.hosted:
        return _norm_by_pairs(build, parts)
    ty, count = types.float64, max(len(parts), 1)
    values, sizes = build.alloca("double", count), build.alloca("double", count)
    for k, part in enumerate(parts):
        build.store("double", part, build.offset(values, str(8 * k)), 8)
    args = [("ptr", values), ("i64", str(len(parts))), ("ptr", sizes)]
    return Value(ty, (build.call("double", "cutaway_norm", args),))


def _norm_by_pairs(build: FunctionBuilder, parts: list[str]) -> Value:
    norm = "0.0"
    for part in parts:
        norm = build.call("double", "hypot", [("double", norm), ("double", part)])
    return Value(types.float64, (norm,))


def _hypot_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) == 2 or not all(map(types.is_real, arguments.types)):
        return None
    return Signature(types.float64, (types.float64,) * len(arguments))


@primitive(math.hypot, _hypot_rule)
def hypot(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`math.hypot(...)` of any number of arguments except two."""
    return _norm(build, [value.parts[0] for value in args])


def _dist_rule(arguments: Arguments) -> Signature | None:
    if len(arguments) != 2:
        return None
    for ty in arguments.types:
        if not isinstance(ty, Tuple) or not all(map(types.is_real, ty.items)):
            return None
    return Signature(types.float64, arguments.types)


_DIFFERENT_DIMENSIONS = messages.message_of(lambda: math.dist((1.0,), (1.0, 2.0)))


@primitive(math.dist, _dist_rule)
def dist(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`math.dist(p, q)` of tuples."""
    ty = types.float64
    left, right = ([build.cast(item, ty) for item in tuple_items(arg)] for arg in args)
    if len(left) != len(right):
        build.raise_if("true", ValueError, _DIFFERENT_DIMENSIONS)
        return build.constant(ty, 0.0)
    pairs = zip(left, right, strict=True)
    return _norm(build, [build.binary("fsub", "double", a.parts[0], b.parts[0]) for a, b in pairs])


# --- sums and products ------------------------------------------------------------------------


def _is_reals(ty: Type) -> bool:
    if isinstance(ty, Array):
        return ty.ndim == 1 and types.is_real(ty.dtype)
    return isinstance(ty, Tuple) and all(map(types.is_real, ty.items))


def _each(build: FunctionBuilder, owner: Value, use: Callable[[Value], None]) -> None:
    """Apply `use` to the items of a tuple or a 1-d array in order, as float64."""
    if isinstance(owner.ty, Tuple):
        for item in tuple_items(owner):
            use(build.cast(item, types.float64))
        return
    array = owner.ty
    assert isinstance(array, Array)
    parts = array_parts(owner)

    def body(k: str) -> None:
        pointer = element_pointer(build, parts.data, parts.strides, (k,))
        use(build.cast(load_element(build, array, pointer), types.float64))

    build.loop(parts.shape[0], body)


def _fsum_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and _is_reals(arguments.types[0])
    return Signature(types.float64, arguments.types) if fits else None


_FSUM_OVERFLOW = messages.message_of(lambda: math.fsum([1.7e308, 1.7e308]))
_FSUM_INVALID = messages.message_of(lambda: math.fsum([_INF, -_INF]))
_FSUM_ROOM = 70


@primitive(math.fsum, _fsum_rule)
def fsum(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`math.fsum(tuple or array)`: the exact sum, rounded once."""
    state = build.alloca("double", _FSUM_ROOM)
    for k in range(3):
        build.store("double", "0.0", build.offset(state, str(8 * k)), 8)

    def add(item: Value) -> None:
        given = [("ptr", state), ("double", item.parts[0])]
        status = build.call("i32", "cutaway_fsum_add", given)
        overflow = build.compare("ne", "i32", status, "0")
        build.raise_if(overflow, OverflowError, _FSUM_OVERFLOW)

    _each(build, args[0], add)
    status = build.call("i32", "cutaway_fsum_end", [("ptr", state)])
    build.raise_if(build.compare("ne", "i32", status, "0"), ValueError, _FSUM_INVALID)
    return Value(types.float64, (build.load("double", build.offset(state, "8"), 8),))


def _has_equal_numbers(ty: Type) -> bool:
    if isinstance(ty, Tuple):
        return all(map(types.is_number, ty.items)) and len(set(ty.items)) <= 1
    if isinstance(ty, Array):
        return ty.ndim == 1 and types.is_number(ty.dtype)
    return isinstance(ty, Range)


@overload(math.prod)
def _prod(iterable, start=1):
    plain = start == 1 or isinstance(start, Omitted) or types.is_number(start)
    return _product_of_items if plain and _has_equal_numbers(iterable) else None


def _product_of_items(iterable, start=1):
    total = start
    for item in iterable:
        total = total * item
    return total


def _float_pairs(arguments: Arguments) -> Signature | None:
    lhs, rhs = arguments.types
    for ty in (lhs, rhs):
        items = (ty.dtype,) if isinstance(ty, Array) and ty.ndim == 1 else None
        items = ty.items if isinstance(ty, Tuple) else items
        if items is None or not all(isinstance(item, Float) for item in items):
            return None
    same = isinstance(lhs, Tuple) == isinstance(rhs, Tuple)
    return Signature(types.float64, (lhs, rhs)) if same else None


def _is_line_of_integers(ty: Type) -> bool:
    return isinstance(ty, Array) and ty.ndim == 1 and types.is_integral(ty.dtype)


if sys.version_info >= (3, 12):
    _UNEQUAL = messages.message_of(lambda: math.sumprod([1], [1, 2]))

    @primitive(math.sumprod, _float_pairs, ("p", "q"), (REQUIRED, REQUIRED))
    def sumprod(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        """`math.sumprod(p, q)` of floats, in triple precision."""
        state = build.alloca("double", 5)
        for k in range(5):
            build.store("double", "0.0", build.offset(state, str(8 * k)), 8)

        def add(*pair: Value) -> None:
            parts = [build.cast(item, types.float64).parts[0] for item in pair]
            build.call("void", "cutaway_dot_add", [("ptr", state), *(("double", p) for p in parts)])

        if isinstance(args[0].ty, Tuple):
            left, right = (tuple_items(arg) for arg in args)
            if len(left) != len(right):
                build.raise_if("true", ValueError, _UNEQUAL)
            for pair in zip(left, right, strict=False):
                add(*pair)
        else:
            _pairs_of_arrays(build, args, add)
        return Value(types.float64, (build.call("double", "cutaway_dot_end", [("ptr", state)]),))

    @overload(math.sumprod)
    def _sumprod(p, q):
        return _sumprod_of_integers if all(map(_is_line_of_integers, (p, q))) else None

    def _sumprod_of_integers(p, q):
        if len(p) != len(q):
            raise ValueError(_UNEQUAL)
        total = 0
        for k in range(len(p)):
            total += p[k] * q[k]
        return total


def _pairs_of_arrays(build: FunctionBuilder, args: list[Value], add: Callable[..., None]) -> None:
    parts = [array_parts(arg) for arg in args]
    unequal = build.compare("ne", "i64", parts[0].shape[0], parts[1].shape[0])
    build.raise_if(unequal, ValueError, _UNEQUAL)

    def body(k: str) -> None:
        items = []
        for arg, part in zip(args, parts, strict=True):
            assert isinstance(arg.ty, Array)
            pointer = element_pointer(build, part.data, part.strides, (k,))
            items.append(load_element(build, arg.ty, pointer))
        add(*items)

    build.loop(parts[0].shape[0], body)


# --- fused multiplication -----------------------------------------------------------------------

if sys.version_info >= (3, 13):
    _FMA_INVALID = messages.message_of(lambda: math.fma(_INF, 0.0, 1.0))
    _FMA_OVERFLOW = messages.message_of(lambda: math.fma(1e308, 1e308, 1.0))

    @primitive(math.fma, "float64(float64, float64, float64)")
    def fma(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
        """`math.fma(x, y, z)`."""
        ty, parts = types.float64, [value.parts[0] for value in args]
        result = build.math("fma", ty, *parts)
        if build.flags.error_model == "python":
            invalid = became_nan(build, ty, result, parts)
            build.raise_if(invalid, ValueError, _FMA_INVALID)
            overflow = became_infinite(build, ty, result, parts)
            build.raise_if(overflow, OverflowError, _FMA_OVERFLOW)
        return Value(ty, (result,))


# --- methods and attributes -------------------------------------------------------------------


def _alone(*kinds: type[Type], gives: Callable[[Any], Type | None]) -> Any:
    def rule(arguments: Arguments) -> Signature | None:
        ty = arguments.types[0]
        if len(arguments) != 1 or not isinstance(ty, kinds):
            return None
        result = gives(ty)
        return None if result is None else Signature(result, (widened(ty),))

    return rule


def _bits_rule(arguments: Arguments) -> Signature | None:
    ty = widened(arguments.types[0])
    return Signature(types.int64, (ty,)) if len(arguments) == 1 else None


def bit_length(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`n.bit_length()`."""
    n = Instructions(build, args[0].ty)
    return Value(types.int64, (n("sub", "64", n.call("ctlz", n.size(args[0].parts[0]))),))


def bit_count(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`n.bit_count()`: the number of ones in the absolute value."""
    n = Instructions(build, args[0].ty)
    return Value(types.int64, (n.call("ctpop", n.size(args[0].parts[0])),))


def itself(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`n.numerator`, `x.conjugate()` of a real number."""
    return build.cast(args[0], sig.returns)


def one(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`n.denominator`."""
    return build.constant(sig.returns, 1)


def yes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`n.is_integer()` of an integer."""
    return boolean("true")


def whole(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`x.is_integer()` of a float."""
    n, (part,) = Instructions(build, args[0].ty), args[0].parts
    return boolean(n.both(n.compare("oeq", n.math("floor", part), part), n.is_finite(part)))


_RATIO_OF_NAN = messages.message_of(lambda: _NAN.as_integer_ratio())
_RATIO_OF_INFINITY = messages.message_of(lambda: _INF.as_integer_ratio())


def _ratio_rule(arguments: Arguments) -> Signature | None:
    ty = arguments.types[0]
    wanted = types.float64 if isinstance(ty, Float) else widened(ty)
    part = types.int64 if isinstance(ty, Float) else wanted
    return Signature(Tuple((part, part)), (wanted,)) if len(arguments) == 1 else None


def integer_ratio(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """`x.as_integer_ratio()`; raises OverflowError if a part exceeds 64 bits."""
    (value,) = args
    if not isinstance(value.ty, Float):
        return make_tuple([value, build.constant(value.ty, 1)])
    n, (part,) = Instructions(build, value.ty), value.parts
    n.raise_if(n.is_nan(part), ValueError, _RATIO_OF_NAN)
    n.raise_if(n.is_infinite(part), OverflowError, _RATIO_OF_INFINITY)
    place = build.alloca("i64", 1)
    top = build.call("i64", "cutaway_ratio", [("double", part), ("ptr", place)])
    bottom = build.load("i64", place, 8)
    beyond = build.compare("eq", "i64", bottom, "0")
    build.raise_if(beyond, OverflowError, "the integer does not fit in 64 bits")
    return make_tuple([Value(types.int64, (top,)), Value(types.int64, (bottom,))])


for _kind in (Boolean, Integer, Float):
    primitive(method(_kind, "as_integer_ratio"), _ratio_rule)(integer_ratio)
for _kind in (Boolean, Integer):
    primitive(method(_kind, "bit_length"), _bits_rule)(bit_length)
    primitive(method(_kind, "bit_count"), _bits_rule)(bit_count)
    attribute(_kind, "numerator", widened)(itself)
    attribute(_kind, "denominator", widened)(one)
    if sys.version_info >= (3, 12):
        _integral = _alone(_kind, gives=lambda ty: types.boolean)
        primitive(method(_kind, "is_integer"), _integral)(yes)
for _kind in (Boolean, Integer, Float):
    primitive(method(_kind, "conjugate"), _alone(_kind, gives=widened))(itself)
for _kind in (Integer, Float):  # methods of NumPy numbers
    primitive(method(_kind, "conj"), _alone(_kind, gives=widened))(itself)
for _name in ("conjugate", "conj"):
    primitive(method(Complex, _name), _alone(Complex, gives=widened))(lowering_of("conjugate"))
primitive(method(Float, "is_integer"), _alone(Float, gives=lambda ty: types.boolean))(whole)

# Methods of NumPy numbers that Python's lack, as in `(a[0] > 0).any()`: those of an array without
# axes, whose results become numbers (`sequences.resolution_of`).
METHODS_OF_NUMPY = dict.fromkeys(
    "all any argmax argmin clip cumprod cumsum flatten item max mean min prod ravel repeat reshape"
    " round std sum tobytes tolist var".split(),
    "",
) | dict.fromkeys("astype copy squeeze view".split(), "[()]")

for _kind in (Boolean, Integer, Float, Complex):
    CONTEXT.methods |= {(_kind, name) for name in METHODS_OF_NUMPY}
