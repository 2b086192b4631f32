"""`hash`: Python's own, of numbers, texts, bytes, None, tuples and frozensets."""

from __future__ import annotations

import math
import sys

import numpy as np

from cutaway.extending.bodies import Takes, body
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.typers import OPTIONS, private
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import FrozenSet, OpenTuple, Tuple
from cutaway.typing.types.buffers import bytes_type

MODULUS = 2**61 - 1  # numbers that are equal have the same rest
IMAGINARY = 1000003
FIRST, SECOND, START = 11400714785074694791, 14029467366897019727, 2870177450012600261  # of xxHash

Integral = Takes("an integer or a bool", types.is_integral)
Real = Takes("a float", lambda ty: isinstance(ty, types.Float))
Imaginary = Takes("a complex number", lambda ty: isinstance(ty, types.Complex))
Row = Takes("a tuple", lambda ty: isinstance(ty, Tuple) and ty.word == "tuple")
OpenRow = Takes("a tuple", lambda ty: isinstance(ty, OpenTuple))
Frozen = Takes("a frozenset", lambda ty: isinstance(ty, FrozenSet))
Nothing = Takes("None", lambda ty: ty is types.none and sys.version_info >= (3, 12))


@body(hash, **OPTIONS)
def of_none(x: Nothing):  # an address in earlier versions
    return 0xFCA86420


@body(hash, **OPTIONS)
def of_integer(x: Integral):
    if x >= 0:
        return np.int64(np.uint64(x) % np.uint64(MODULUS))
    return _not_an_error(-np.int64((np.uint64(0) - np.uint64(x)) % np.uint64(MODULUS)))


@private
def _not_an_error(h):
    return -2 if h == -1 else h


@body(hash, **OPTIONS)
def of_real(x: Real):
    if math.isinf(x):
        return 314159 if x > 0 else -314159
    if math.isnan(x):
        return 0
    fraction, exponent = math.frexp(abs(float(x)))
    whole, turn = int(fraction * 2.0**53), (exponent - 53) % 61
    h = (whole << turn & MODULUS) | whole >> (61 - turn)
    return _not_an_error(-h) if x < 0 else h


@body(hash, **OPTIONS)
def of_complex(x: Imaginary):
    return _not_an_error(hash(x.real) + IMAGINARY * hash(x.imag))


@body(hash, **OPTIONS)
def of_tuple(items: Row):
    return _ended(_mixed(np.uint64(START), items), len(items))


@body(hash, **OPTIONS)
def of_row(items: OpenRow):
    h = np.uint64(START)
    for item in items:
        h = _with_lane(h, item)
    return _ended(h, len(items))


@private
def _mixed(h, items):
    if len(items) == 0:
        return h
    return _mixed(_with_lane(h, items[0]), items[1:])


@private
def _with_lane(h, item):
    h += np.uint64(hash(item)) * np.uint64(SECOND)
    return (h << np.uint64(31) | h >> np.uint64(33)) * np.uint64(FIRST)


@private
def _ended(h, size):
    h += np.uint64(size) ^ np.uint64(START ^ 3527539)
    return 1546275796 if np.int64(h) == -1 else np.int64(h)


@body(hash, **OPTIONS)
def of_set(items: Frozen):
    h = np.uint64(len(items) + 1) * np.uint64(1927868237)
    for item in items:
        one = np.uint64(hash(item))
        h ^= (one ^ np.uint64(89869747) ^ one << np.uint64(16)) * np.uint64(3644798167)
    h ^= h >> np.uint64(11) ^ h >> np.uint64(25)
    h = h * np.uint64(69069) + np.uint64(907133923)
    return 590923713 if np.int64(h) == -1 else np.int64(h)


def _text_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and types.text_classes(arguments.types[0]) == {str}
    return Signature(types.int64, (types.str_type,)) if fits else None


@primitive(hash, _text_rule)
def of_text(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime: it differs from process to process."""
    _, data, length, width = args[0].parts
    operands = [("ptr", data), ("i64", length), ("i64", width)]
    value = build.call("i64", "cutaway_text_hash", operands)
    build.raise_if(build.compare("eq", "i64", value, "-1"), MemoryError)
    return Value(types.int64, (value,))


def _bytes_rule(arguments: Arguments) -> Signature | None:
    fits = len(arguments) == 1 and arguments.types[0] is bytes_type
    return Signature(types.int64, (bytes_type,)) if fits else None


@primitive(hash, _bytes_rule)
def of_bytes(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the runtime: it differs from process to process."""
    _, data, length, *_ = args[0].parts
    operands = [("ptr", data), ("i64", length)]
    return Value(types.int64, (build.call("i64", "cutaway_hash_bytes", operands),))
