"""`hash`: Python's, of numbers, None and tuples; of texts and bytes that of this process."""

from __future__ import annotations

import math
import sys

import numpy as np

from cutaway.extending.bodies import Takes, body
from cutaway.extending.overloads import register_jitable
from cutaway.extending.registry import primitive
from cutaway.foundation.marks import literal_unroll
from cutaway.library.text.texts import AnyText, part_of
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.layout import Value
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Arguments, Signature
from cutaway.typing.types.buffers import bytes_type

OPTIONS = {"error_model": "python", "overflow": "wrap"}
private = register_jitable(**OPTIONS)
Signed = Takes("an int", lambda ty: types.is_integral(ty) and ty is not types.uint64)
Large = Takes("an unsigned int", lambda ty: ty is types.uint64)
Float = Takes("a float", lambda ty: isinstance(ty, types.Float))
Complex = Takes("a complex number", lambda ty: isinstance(ty, types.Complex))
Plain = Takes("a tuple", lambda ty: isinstance(ty, types.Tuple) and ty.word == "tuple")
Nothing = Takes("None", lambda ty: ty is types.none)

# The hash of a rational number is the number modulo this prime.
_BITS = 61
_MODULUS = 2**_BITS - 1
_STEP = 28  # bits of a mantissa that are taken at once
_INFINITE, _IMAGINARY = sys.hash_info.inf, sys.hash_info.imag
# xxHash, by which Python hashes tuples
_FIRST, _SECOND = np.uint64(11400714785074694791), np.uint64(14029467366897019727)
_FIFTH, _LENGTHS = np.uint64(2870177450012600261), np.uint64(3527539)
_LEFT, _RIGHT, _NONE = np.uint64(31), np.uint64(33), np.uint64(2**64 - 1)


@private
def _valid(number):
    """The hash for a number: -1 reports an error in Python."""
    return -2 if number == -1 else number


@body(hash, **OPTIONS)
def of_integer(obj: Signed, /):
    number = int(obj)
    rest = number % _MODULUS if number >= 0 else -(-number % _MODULUS)
    if number == -(2**63):
        rest = -4
    return _valid(rest)


@body(hash, **OPTIONS)
def of_unsigned(obj: Large, /):
    return int(obj % np.uint64(_MODULUS))


@private
def _of_float(number):
    if math.isinf(number):
        return _INFINITE if number > 0 else -_INFINITE
    if math.isnan(number):
        return 0
    mantissa, exponent = math.frexp(abs(number))
    rest = 0
    while mantissa:
        rest = ((rest << _STEP) & _MODULUS) | rest >> (_BITS - _STEP)
        mantissa *= 2.0**_STEP
        exponent -= _STEP
        whole = int(mantissa)
        mantissa -= whole
        rest += whole
        if rest >= _MODULUS:
            rest -= _MODULUS
    exponent %= _BITS
    rest = ((rest << exponent) & _MODULUS) | rest >> (_BITS - exponent)
    return _valid(-rest if number < 0 else rest)


@body(hash, **OPTIONS)
def of_float(obj: Float, /):
    return _of_float(float(obj))


@body(hash, **OPTIONS)
def of_complex(obj: Complex, /):
    return _valid(_of_float(float(obj.real)) + _IMAGINARY * _of_float(float(obj.imag)))


@body(hash, **OPTIONS)
def of_tuple(obj: Plain, /):
    total = _FIFTH
    for item in literal_unroll(obj):
        total += np.uint64(hash(item)) * _SECOND
        total = (total << _LEFT | total >> _RIGHT) * _FIRST
    total += np.uint64(len(obj)) ^ (_FIFTH ^ _LENGTHS)
    return 1546275796 if total == _NONE else np.int64(total)


if sys.version_info >= (3, 12):  # before, its address was its hash
    _OF_NONE = hash(None)

    @body(hash, **OPTIONS)
    def of_none(obj: Nothing, /):
        return _OF_NONE


def narrow_hash(text):
    """Return the hash of a text whose characters are as narrow as they can be."""
    return hash(text)


def _narrow_rule(arguments: Arguments) -> Signature | None:
    fits = arguments.types[0] in (types.str_type, bytes_type)
    return Signature(types.int64, arguments.types) if fits else None


@primitive(narrow_hash, _narrow_rule, any_elements=True)
def lower_narrow_hash(build: FunctionBuilder, sig: Signature, args: list[Value]) -> Value:
    """A call of the function that hashes bytes in Python."""
    _, data, length, *width = args[0].parts
    count = build.binary("mul", "i64", length, width[0]) if width else length
    operands = [("ptr", data), ("i64", count)]
    return Value(types.int64, (build.call("i64", "cutaway_hash_bytes", operands),))


@body(hash, **OPTIONS)
def of_text(obj: AnyText, /):
    return narrow_hash(part_of(obj, 0, len(obj), 1))


@body(hash, **OPTIONS)
def of_bytes(obj: Takes("bytes", lambda ty: ty is bytes_type), /):
    return narrow_hash(obj)
