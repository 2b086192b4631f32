"""Integers between two bounds, of any dtype: of one pair of bounds or one for each element.

The functions without a type here are the library's own: typed by a rule, and in Python what their
bodies say.  A span is its lowest number and how far the highest is from it, as 64 bits each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.registry import primitive
from cutaway.library.random.drawing import source_name
from cutaway.lowering.arrays.loops import loop_parts
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, array_parts
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Array, Integer, RandomSource, String, Tuple, Type

SPAN = Tuple((types.uint64, types.uint64))
LOW = "low is out of bounds for {}"
HIGH = "high is out of bounds for {}"
# The last word of NumPy's: whether the highest number is meant, and whether the lowest is 0.
_ORDER = {
    (False, False): "low >= high",
    (False, True): "high <= 0",
    (True, False): "low > high",
    (True, True): "high < 0",
}


def limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The lowest and the highest number of a dtype."""
    if dtype.kind == "b":
        return 0, 1
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def span_of(low, high, name, closed, from_zero):
    """The span between two bounds.  Raises ValueError, in NumPy's words, where there is none."""
    first, last = int(low), int(high) if closed else int(high) - 1
    least, most = limits(np.dtype(name))
    if first < least:
        raise ValueError(LOW.format(name))
    if last > most:
        raise ValueError(HIGH.format(name))
    if first > last:
        raise ValueError(_ORDER[bool(closed), bool(from_zero)])
    return np.uint64(first % 2**64), np.uint64(last - first)


def _span_rule(arguments: Arguments) -> Signature | None:
    low, high, name, closed, from_zero = arguments.types
    if not all(map(types.is_integral, (low, high))) or not isinstance(name, String):
        return None
    if closed is not types.boolean or from_zero is not types.boolean:
        return None
    return Signature(SPAN, arguments.types)


def _wide(build: FunctionBuilder, value: Value) -> str:
    """An integer in 128 bits, which no difference of two leaves."""
    if not isinstance(value.ty, Integer):
        return build.convert("zext", "i1", value.parts[0], "i128")
    opcode = "sext" if value.ty.signed else "zext"
    return build.convert(opcode, f"i{value.ty.bits}", value.parts[0], "i128")


@primitive(span_of, _span_rule)
def find_span(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A few instructions in 128 bits."""
    low, high = (_wide(build, arg) for arg in args[:2])
    name = args[2].ty
    assert isinstance(name, String)
    closed, from_zero = args[3].parts[0], args[4].parts[0]
    dtype = np.dtype(str(name.value))
    least, most = limits(dtype)
    less = build.select(closed, "i128", "0", "1")
    last = build.binary("sub", "i128", high, less)
    build.raise_if(build.compare("slt", "i128", low, str(least)), ValueError, LOW.format(dtype))
    build.raise_if(build.compare("sgt", "i128", last, str(most)), ValueError, HIGH.format(dtype))
    crossed = build.compare("sgt", "i128", low, last)
    for (is_closed, is_zero), words in _ORDER.items():
        here = build.compare("eq", "i1", closed, str(is_closed).lower())
        also = build.compare("eq", "i1", from_zero, str(is_zero).lower())
        both = build.binary("and", "i1", crossed, build.binary("and", "i1", here, also))
        build.raise_if(both, ValueError, words)
    texts = (low, build.binary("sub", "i128", last, low))
    parts = tuple(build.convert("trunc", "i128", text, "i64") for text in texts)
    return Value(SPAN, parts)


# --- drawing ------------------------------------------------------------------------------------


def _integers(rng: Any, name: str, span: Any, size: Any = None) -> Any:
    """Integers of a span, as NumPy's own method gives them."""
    low = int(span[0])
    if np.dtype(name).kind == "i" and low >= 2**63:
        low -= 2**64
    high = low + int(span[1])
    if isinstance(rng, np.random.RandomState):
        return rng.randint(low, high + 1, size, dtype=np.dtype(name))
    return rng.integers(low, high, size, dtype=np.dtype(name), endpoint=True)


def draw_between(rng, name, span):
    """An integer of a span."""
    return _integers(rng, name, span)


def _draw_rule(arguments: Arguments) -> Signature | None:
    source, name, span = arguments.types
    if not isinstance(source, RandomSource) or not isinstance(name, String) or span is not SPAN:
        return None
    return Signature(types.from_dtype(np.dtype(str(name.value))), arguments.types)


def _drawing(build: FunctionBuilder, source: Value, name: Type) -> tuple[str, str]:
    """What draws one integer of a dtype, and what it is told."""
    assert isinstance(source.ty, RandomSource) and isinstance(name, String)
    dtype = np.dtype(str(name.value))
    kind = "b1" if dtype.kind == "b" else f"u{dtype.itemsize}"
    return loop_parts(build, source_name(source.ty, f"bounded.{kind}"))


@primitive(draw_between, _draw_rule)
def draw_bounded(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """One call."""
    function, data = _drawing(build, args[0], sig.args[1])
    low, size = args[2].parts
    owner = args[0].parts[0]
    given = f"ptr {data}, ptr {owner}, i64 {low}, i64 {size}"
    made = build.result(f"call i64 {function}({given})")
    returns = sig.returns
    bits = returns.bits if isinstance(returns, Integer) else 1
    if bits != 64:
        made = build.convert("trunc", "i64", made, f"i{bits}")
    return Value(returns, (made,))


def fill_between(rng, name, out, span):
    """Fill an array with integers of a span."""
    out[...] = _integers(rng, name, span, out.shape)


def _is_fillable(source: Any, name: Any, out: Any) -> bool:
    fits = isinstance(source, RandomSource) and isinstance(name, String)
    return fits and isinstance(out, Array) and out.layout == "C"


def _fill_rule(arguments: Arguments) -> Signature | None:
    source, name, out, span = arguments.types
    fits = _is_fillable(source, name, out) and span is SPAN
    return Signature(types.none, arguments.types) if fits else None


def _count(build: FunctionBuilder, array: Value) -> str:
    count = "1"
    for size in array_parts(array).shape:
        count = build.binary("mul", "i64", count, size)
    return count


@primitive(fill_between, _fill_rule)
def fill_bounded(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """One call for all elements."""
    _, data = _drawing(build, args[0], sig.args[1])
    function, _ = loop_parts(build, "numpy.random.filler.bounded")
    low, size = args[3].parts
    given = f"ptr {data}, ptr {args[0].parts[0]}, ptr {array_parts(args[2]).data}"
    build.emit(
        f"call void {function}({given}, i64 {_count(build, args[2])}, i64 {low}, i64 {size})"
    )
    return Value(types.none, ())


def fill_each(rng, name, out, lows, sizes):
    """Fill an array with integers, each of a span of its own."""
    kind = np.dtype(name)
    low = lows.reshape(out.shape).astype(object)
    if kind.kind == "i":
        low = np.where(low >= 2**63, low - 2**64, low)
    high = low + sizes.reshape(out.shape).astype(object)
    if isinstance(rng, np.random.RandomState):
        out[...] = rng.randint(low, high + 1, dtype=kind)
    else:
        out[...] = rng.integers(low, high, dtype=kind, endpoint=True)


def _each_rule(arguments: Arguments) -> Signature | None:
    source, name, out, lows, sizes = arguments.types
    line = Array(types.uint64, 1, "C")
    fits = _is_fillable(source, name, out) and lows is line and sizes is line
    return Signature(types.none, arguments.types) if fits else None


@primitive(fill_each, _each_rule)
def fill_each_bounded(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """One call for all elements: small ones share the bits that are drawn."""
    _, data = _drawing(build, args[0], sig.args[1])
    function, _ = loop_parts(build, "numpy.random.filler.each_bounded")
    out, lows, sizes = (array_parts(arg).data for arg in args[2:])
    given = f"ptr {data}, ptr {args[0].parts[0]}, ptr {out}, i64 {_count(build, args[2])}"
    build.emit(f"call void {function}({given}, ptr {lows}, ptr {sizes})")
    return Value(types.none, ())
