"""Uniform integers between two bounds, of any dtype: `integers` and the like.

Functions without annotated types here are the library's own: a rule types them, and Python runs
their bodies. A span is its lowest number and the distance of the highest from it, 64 bits each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cutaway.errors import TypingError
from cutaway.extending.bodies import Takes, static
from cutaway.extending.registry import method, primitive
from cutaway.library.arrays.kit.dtypes import asked_dtype
from cutaway.library.arrays.kit.shapes import spread
from cutaway.library.arrays.kit.takes import Dtype, Reals, SizesOrNone
from cutaway.library.arrays.kit.typers import (
    dimensions,
    element,
    flag,
    has_real_elements,
    left_out,
    private,
)
from cutaway.library.random.by_python import (
    GENERATOR,
    STATE,
    asked_sizes,
    do,
    filled,
    methods,
    one_or_several,
)
from cutaway.library.random.drawing import find_shape, loop_of_source, whole_number
from cutaway.lowering.arrays.loops import loop_parts
from cutaway.lowering.arrays.shapes import element_count
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.inference.statics import seen_type
from cutaway.typing.overloads.resolution import REQUIRED, Arguments, Signature
from cutaway.typing.types import (
    Array,
    GeneratorSource,
    Integer,
    RandomSource,
    StateSource,
    String,
    Tuple,
    Type,
)

SPAN = Tuple((types.uint64, types.uint64))

LOW, HIGH = "low is out of bounds for {}", "high is out of bounds for {}"
# NumPy's messages for bounds in the wrong order, by (closed interval, lower bound is zero).
_ORDER = {
    (False, False): "low >= high",
    (False, True): "high <= 0",
    (True, False): "low > high",
    (True, True): "high < 0",
}
_DEFAULTS = (REQUIRED, REQUIRED, None, None, np.int64, False)
# NumPy's messages for a choice from nothing, by (among items, from a RandomState).
_NONE_THERE = {
    (False, False): "a must be a positive integer",
    (False, True): "a must be greater than 0",
    (True, False): "a cannot be empty",
    (True, True): "'a' cannot be empty",
}


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The lowest and highest number of a dtype."""
    if dtype.kind == "b":
        return 0, 1
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _wanted(dtype: Any) -> np.dtype[Any]:
    """The requested dtype, int64 by default."""
    if isinstance(dtype, types.Omitted) and dtype.value is not None:
        return np.dtype(np.int64)
    item = asked_dtype(dtype, types.int64)
    if item is None:
        raise TypingError("this dtype is not one of numbers", hint="for example np.int64")
    return types.to_dtype(item)


def _is_bound(ty: Any) -> bool:
    """True for valid bounds; arrays must hold integers."""
    number = element(ty)
    return types.is_integral(number) if isinstance(ty, Array) else types.is_real(number)


def _is_endpoint(ty: Any) -> bool:
    return flag(ty) is not None or ty is types.boolean


# --- spans --------------------------------------------------------------------------------------


def span_of(low, high, dtype, closed, from_zero):
    """The span between two bounds. Raises ValueError, in NumPy's words, if it is empty."""
    first, last = int(low), int(high) if closed else int(high) - 1
    least, most = _limits(np.dtype(dtype))
    if first < least:
        raise ValueError(LOW.format(np.dtype(dtype)))
    if last > most:
        raise ValueError(HIGH.format(np.dtype(dtype)))
    if first > last:
        raise ValueError(_ORDER[bool(closed), bool(from_zero)])
    return np.uint64(first % 2**64), np.uint64(last - first)


@primitive(span_of, lambda arguments: Signature(SPAN, arguments.types))
def find_span(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a few 128-bit instructions."""
    low, high = (_wide(build, arg) for arg in args[:2])
    dtype = _wanted(args[2].ty)
    return _span(build, low, high, dtype, args[3].parts[0], args[4].parts[0])


def _wide(build: FunctionBuilder, value: Value) -> str:
    """A number truncated to an integer of 128 bits, in which no difference overflows."""
    whole = whole_number(build, value)
    opcode = "zext" if whole.ty is types.uint64 else "sext"
    return build.convert(opcode, "i64", whole.parts[0], "i128")


def _span(
    build: FunctionBuilder,
    low: str,
    high: str,
    dtype: np.dtype[Any],
    closed: str,
    from_zero: str,
    some: str = "true",
) -> Value:
    """A span in LLVM; if `some` is false, none is needed and bounds are not checked."""
    least, most = _limits(dtype)
    last = build.binary("sub", "i128", high, build.select(closed, "i128", "0", "1"))

    def refuse_if(bad: str, words: str) -> None:
        build.raise_if(build.binary("and", "i1", some, bad), ValueError, words)

    refuse_if(build.compare("slt", "i128", low, str(least)), LOW.format(dtype))
    refuse_if(build.compare("sgt", "i128", last, str(most)), HIGH.format(dtype))
    crossed = build.compare("sgt", "i128", low, last)
    for (is_closed, is_zero), words in _ORDER.items():
        here = build.compare("eq", "i1", closed, str(is_closed).lower())
        also = build.compare("eq", "i1", from_zero, str(is_zero).lower())
        refuse_if(build.binary("and", "i1", crossed, build.binary("and", "i1", here, also)), words)
    texts = (low, build.binary("sub", "i128", last, low))
    return Value(SPAN, tuple(build.convert("trunc", "i128", text, "i64") for text in texts))


# --- a single span ------------------------------------------------------------------------------


def _between_rule(arguments: Arguments) -> Signature | None:
    source, low, high, size, dtype, *endpoint = arguments.types
    assert isinstance(source, RandomSource)
    requested = _wanted(dtype)
    is_integral = requested.kind in "bui"
    several = dimensions(low) or dimensions(high)  # the bodies below handle these
    fits = _is_bound(low) and (left_out(high) or _is_bound(high)) and not (several and is_integral)
    returns = one_or_several(types.from_dtype(requested) if is_integral else types.int64, size)
    known = all(_is_endpoint(seen_type(ty, arguments.constants[-1])) for ty in endpoint)
    if returns is None or not fits or not known:
        return None
    return Signature(returns, arguments.types)


@primitive(
    *(method(GeneratorSource, "integers"), _between_rule),
    *(("rng", "low", "high", "size", "dtype", "endpoint"), _DEFAULTS),
)
@primitive(
    *(method(StateSource, "randint"), _between_rule),
    *(("rng", "low", "high", "size", "dtype"), _DEFAULTS[:-1]),
)
def draw_between(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one call after checking the bounds; NumPy skips the check for an empty array."""
    source, low, high, size, dtype, *endpoint = args
    requested, closed = _wanted(dtype.ty), "false"
    for one in endpoint:
        is_given = types.is_integral(one.ty)
        closed = build.cast(one, types.boolean).parts[0] if is_given else str(flag(one.ty)).lower()
    if requested.kind not in "bui":
        name = "integers" if endpoint else "randint"
        build.raise_if("true", TypeError, f"Unsupported dtype {requested!r} for {name}")
        requested = np.dtype(np.int64)
    if left_out(high.ty):
        low, high = build.constant(types.int64, 0), low

    def span(some: str) -> Value:
        first, last = _wide(build, low), _wide(build, high)
        from_zero = build.compare("eq", "i128", first, "0")
        return _span(build, first, last, requested, closed, from_zero, some)

    return _of_span(build, sig.returns, source, size, requested, span)


def places_below(rng, a, size):
    """Positions in a line, or integers below a number."""
    return rng.choice(np.arange(len(a)) if np.ndim(a) else a, size)


def _places_rule(arguments: Arguments) -> Signature | None:
    returns = one_or_several(types.int64, arguments.types[2])
    return None if returns is None else Signature(returns, arguments.types)


@primitive(places_below, _places_rule)
def draw_places(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one call after checking that there is a choice."""
    source, a, size = args
    assert isinstance(source.ty, RandomSource)
    is_line, is_frozen = isinstance(a.ty, Array), source.ty.is_frozen
    count = array_parts(a).shape[0] if is_line else whole_number(build, a).parts[0]

    def span(some: str) -> Value:
        is_signed = a.ty is not types.uint64
        none = build.compare("sle" if is_signed else "ule", "i64", count, "0")
        words = _NONE_THERE[is_line, is_frozen] + " unless no samples are taken"
        build.raise_if(build.binary("and", "i1", some, none), ValueError, words)
        return Value(SPAN, ("0", build.binary("sub", "i64", count, "1")))

    return _of_span(build, sig.returns, source, size, np.dtype(np.int64), span)


def _of_span(
    build: FunctionBuilder,
    returns: Type,
    source: Value,
    size: Value,
    dtype: np.dtype[Any],
    span: Callable[[str], Value],
) -> Value:
    """An integer, or an array of them; `span` receives an i1: whether there are any."""
    function, data = _drawing(build, source, dtype)
    given = f"ptr {data}, ptr {source.parts[0]}"
    if not isinstance(returns, Array):
        low, width = span("true").parts
        made = build.result(f"call i64 {function}({given}, i64 {low}, i64 {width})")
        bits = returns.bits if isinstance(returns, Integer) else 1
        if bits != 64:
            made = build.convert("trunc", "i64", made, f"i{bits}")
        return Value(returns, (made,))

    def fill(out: Value) -> None:
        parts = array_parts(out)
        count = element_count(build, parts.shape)
        low, width = span(build.compare("ne", "i64", count, "0")).parts
        filler, _ = loop_parts(build, "numpy.random.filler.bounded")
        all_given = f"{given}, ptr {parts.data}, i64 {count}, i64 {low}, i64 {width}"
        build.emit(f"call void {filler}({all_given})")

    return filled(build, returns, asked_sizes(build, size), fill)


def _drawing(build: FunctionBuilder, source: Value, dtype: np.dtype[Any]) -> tuple[str, str]:
    """The function that draws an integer of a dtype, and its data argument."""
    kind = "b1" if dtype.kind == "b" else f"u{dtype.itemsize}"
    return loop_of_source(build, source.ty, f"bounded.{kind}")


# --- several spans ------------------------------------------------------------------------------


def shape_between(rng, method, low, high, size):
    """The shape of integers between array bounds. Raises ValueError if the shapes do not fit."""
    return (
        np.broadcast_shapes(np.shape(low), np.shape(high)) if size is None else np.empty(size).shape
    )


def _shape_rule(arguments: Arguments) -> Signature | None:
    _, _, low, high, size = arguments.types
    result = one_or_several(types.int64, size, max(dimensions(low), dimensions(high)))
    shape = Tuple((types.int64,) * dimensions(result))
    return None if result is None else Signature(shape, arguments.types)


@primitive(shape_between, _shape_rule)
def find_shape_between(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a few comparisons."""
    source, method, low, high, size = args
    assert isinstance(method.ty, String) and isinstance(sig.returns, Tuple)
    asked = None if left_out(size.ty) else asked_sizes(build, size)
    name, ndim = str(method.ty.value), len(sig.returns.items)
    return Value(sig.returns, tuple(find_shape(build, source, name, [low, high], asked, ndim)))


def fill_each(rng, out, lows, sizes):
    """Fill an array with one integer from each of several spans."""
    for k, (low, size) in enumerate(zip(lows, sizes, strict=True)):
        signed = int(low) - 2**64 * (out.dtype.kind == "i" and int(low) >= 2**63)
        draw = getattr(rng, "integers", None) or rng.randint
        out.flat[k] = draw(signed, signed + int(size) + 1, dtype=out.dtype)


@primitive(fill_each, lambda arguments: Signature(types.none, arguments.types))
def fill_each_bounded(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit one call for all elements, since small ones share drawn bits."""
    source = args[0]
    out, lows, sizes = (array_parts(arg) for arg in args[1:])
    _, data = _drawing(build, source, types.to_dtype(element(args[1].ty)))
    function, _ = loop_parts(build, "numpy.random.filler.each_bounded")
    given = f"ptr {data}, ptr {source.parts[0]}, ptr {out.data}"
    given += f", i64 {element_count(build, out.shape)}, ptr {lows.data}, ptr {sizes.data}"
    build.emit(f"call void {function}({given})")
    return Value(types.none, ())


@static
def _name_of(dtype: Any) -> str:
    return _wanted(dtype).name


@private
def _elements(x, shape):
    """The bounds broadcast to each element."""
    return spread(x if isinstance(x, np.ndarray) else np.full((), x), shape)


@private
def _each(rng, method, low, high, size, name, closed):
    """Integers of a dtype with separate bounds for each element."""
    if high is None:
        return _each(rng, method, 0, low, size, name, closed)
    out = np.empty(shape_between(rng, method, low, high, size), name)
    lows, sizes = np.empty(out.size, np.uint64), np.empty(out.size, np.uint64)
    k, zero = 0, np.count_nonzero(low) == 0
    for a, b in zip(_elements(low, out.shape).flat, _elements(high, out.shape).flat):
        lows[k], sizes[k] = span_of(a, b, name, closed, zero)
        k += 1
    if k == 0:  # NumPy checks the given bounds, then draws none
        options = (name, closed) if method == "integers" else (name,)
        do(rng, method, (low, high, size, *options))
    fill_each(rng, out, lows, sizes)
    return out


# --- the methods --------------------------------------------------------------------------------

Low = Takes("a real number, or an array of integers", _is_bound)
High = Takes(
    "a real number, an array of integers, or None", lambda ty: left_out(ty) or _is_bound(ty)
)
RealsOrNone = Takes(
    "a real number, an array of such, or None", lambda ty: left_out(ty) or has_real_elements(ty)
)
Endpoint = Takes("a bool", _is_endpoint)


@methods(GENERATOR, "integers")
def integers(
    rng,
    low: Low,
    high: High = None,
    size: SizesOrNone = None,
    dtype: Dtype = np.int64,
    endpoint: Endpoint = False,
):
    return _each(rng, "integers", low, high, size, _name_of(dtype), bool(endpoint))


@methods(STATE, "randint")
def randint(rng, low: Low, high: High = None, size: SizesOrNone = None, dtype: Dtype = int):
    return _each(rng, "randint", low, high, size, _name_of(dtype), False)


@private
def counted(x):
    """A number, or the element of an array without dimensions, truncated to an integer; other
    arrays unchanged."""
    if isinstance(x, np.ndarray):
        return x if x.ndim else int(x[()])
    return int(x)


@methods(STATE, "random_integers")
def random_integers(rng, low: Reals, high: RealsOrNone = None, size: SizesOrNone = None):
    if high is None:
        return rng.randint(1, counted(low) + 1, size)
    return rng.randint(counted(low), counted(high) + 1, size)
