"""The positions of elements in sorted order, by a stable radix sort without comparisons.

Each element becomes an unsigned 64-bit key with the elements' order; one pass per byte of the keys
distributes them over 256 bins. A byte that all keys share needs no pass.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.extending.bodies import static
from cutaway.extending.registry import primitive
from cutaway.library.arrays.kit.typers import private
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value, part_types
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types import Float, Type

BYTES = 8
VALUES = 256  # of a byte
BYTE = np.uint64(VALUES - 1)
SIGN = np.uint64(1 << 63)

# --- keys -------------------------------------------------------------------------------------


def bits_of(x):
    """The bits of a float64 or an int64 as an unsigned number."""
    kind = np.float64 if isinstance(x, float | np.floating) else np.int64
    return np.array(x, kind).view(np.uint64)[()]


def _bits_rule(arguments: Arguments) -> Signature | None:
    number = arguments.types[0]
    return Signature(types.uint64, (types.float64 if isinstance(number, Float) else types.int64,))


@primitive(bits_of, _bits_rule)
def take_bits(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """Emit a bitcast, or nothing for integers."""
    kind = part_types(args[0].ty)[0]
    part = args[0].parts[0]
    bits = build.convert("bitcast", kind, part, "i64") if kind == "double" else part
    return Value(types.uint64, (bits,))


@static
def _is_unsigned(x: Any) -> bool:
    return x is types.uint64


@static
def _is_float(x: Any) -> bool:
    return isinstance(x, Float)


@private
def _key_of(x):
    """An unsigned key with the elements' order; NaN sorts last."""
    if _is_unsigned(x):
        return x
    if not _is_float(x):
        return bits_of(x) ^ SIGN
    bits = bits_of(x + 0.0 if x == x else np.nan)  # noqa: PLR0124  there is one NaN, and one zero
    return ~bits if bits >= SIGN else bits ^ SIGN


def has_keys(ty: Type) -> bool:
    """True if elements of a type have keys."""
    return types.is_real(ty)


# --- passes -----------------------------------------------------------------------------------


@private
def _counts_of(keys):
    """The histogram of each byte of the keys."""
    counts = np.zeros((BYTES, VALUES), np.int64)
    for key in keys:
        for k in range(BYTES):
            counts[k, (key >> np.uint64(8 * k)) & BYTE] += 1
    return counts


@private
def _spread(keys, places, to_keys, to_places, starts, shift):
    for k in range(len(keys)):
        key = keys[k]
        byte = (key >> shift) & BYTE
        n = np.uint64(starts[byte])
        starts[byte] += 1
        to_keys[n] = key
        to_places[n] = places[k]


@private
def _make_starts(counts):
    """Replace the size of each bin by its first position."""
    total = 0
    for k in range(VALUES):
        counts[k], total = total, total + counts[k]


@private
def places_by_radix(line):
    """The positions of a non-empty line's elements in sorted order."""
    count = len(line)
    keys, spare = np.empty(count, np.uint64), np.empty(count, np.uint64)
    places, spare_places = np.empty(count, np.int64), np.empty(count, np.int64)
    for k in range(count):
        keys[k], places[k] = _key_of(line[k]), k
    counts = _counts_of(keys)
    for k in range(BYTES):
        shift, starts = np.uint64(8 * k), counts[k]
        if starts[(keys[0] >> shift) & BYTE] < count:
            _make_starts(starts)
            _spread(keys, places, spare, spare_places, starts, shift)
            keys, spare = spare, keys
            places, spare_places = spare_places, places
    return places
