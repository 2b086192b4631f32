"""The types of numbers and bool, and the lattice of their unions: bool, integers, floats, complex.

(SPEC B4, C1.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from cutaway.typing.types import primitives
from cutaway.typing.types.base import Naming, Type, Typeof
from cutaway.typing.types.conversions import CONVERSIONS, UNIONS, Conversion

if TYPE_CHECKING:
    from cutaway.typing.types.base import Signature


def _of_numpy(ty: Type, value: Any, name: str) -> Any:
    """Return the number itself, or as NumPy's scalar if only that has an attribute."""
    return value if hasattr(value, name) else np.dtype(ty.name).type(value)


class Number(Type):
    """A number: integer, float or complex; `bits` is its size.

    Number types are ordered: integers, signed ones first, then floats, then complex numbers.
    """

    __slots__ = ()
    passable = may_be_none = can_be_written = True
    bits: int

    def cache_name(self, name: Naming) -> str | None:
        return self.name if SCALARS.get(self.name) is self else None

    def with_attribute(self, value: Any, name: str) -> Any:
        return _of_numpy(self, value, name)

    def _order(self) -> tuple[int, int, int]:
        kind = next(k for k, cls in enumerate((Integer, Float, Complex)) if isinstance(self, cls))
        return kind, not getattr(self, "signed", True), self.bits

    def __lt__(self, other: object) -> bool:
        return self._order() < other._order() if isinstance(other, Number) else NotImplemented

    @property
    def bitwidth(self) -> int:
        """Its size in bits."""
        return self.bits

    def cast_python_value(self, value: Any) -> Any:
        """Convert a Python value to NumPy's scalar of the type."""
        return np.dtype(self.name).type(value)

    @overload
    def __call__(self, *args: Type) -> Signature: ...

    @overload
    def __call__(self, value: Any, /) -> Any: ...

    def __call__(self, *args: Any) -> Any:
        """Return a signature, as all types do; or a value converted to this type."""
        if len(args) == 1 and not isinstance(args[0], Type):
            return self.cast_python_value(args[0])
        return Type.__call__(self, *args)


class Boolean(Type):
    """`bool`."""

    __slots__ = ()
    value_class = bool
    passable = may_be_none = can_be_written = True
    python_classes = (bool,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        return boolean

    def __init__(self) -> None:
        self.name = "bool"

    def with_attribute(self, value: Any, name: str) -> Any:
        return _of_numpy(self, value, name)

    def members(self) -> primitives.Members:
        return (("value", primitives.FLAG),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"?"

    def fits(self, value: Any) -> bool:
        return isinstance(value, bool)

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return (bool(value),)

    def put_together(self, items: Iterable[Any]) -> Any:
        (value,) = items
        return value

    def coerced(self, value: Any) -> bool:
        return bool(value)

    def sample(self) -> Any:
        return True

    def argument(self, numbers: Iterator[int]) -> Any:
        return bool(next(numbers))

    def cache_name(self, name: Naming) -> str | None:
        return self.name if self is boolean else None


class Integer(Number):
    """A machine integer of 8, 16, 32 or 64 bits."""

    __slots__ = ("bits", "signed")
    value_class = int
    python_classes = (int,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        return int64

    def __init__(self, bits: int, signed: bool) -> None:
        self.bits = bits
        self.signed = signed
        self.name = f"{'' if signed else 'u'}int{bits}"

    def members(self) -> primitives.Members:
        return (("value", primitives.Word(f"i{self.bits}", self.signed)),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return f"{'i' if self.signed else 'u'}{self.bits // 8}".encode()

    def fits(self, value: Any) -> bool:
        return isinstance(value, int) and self.low <= value <= self.high

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return (int(value),)

    def put_together(self, items: Iterable[Any]) -> Any:
        (value,) = items
        return value

    def coerced(self, value: Any) -> int:
        wrapped = int(value) & ((1 << self.bits) - 1)
        return wrapped - (1 << self.bits) if self.signed and wrapped > self.high else wrapped

    def sample(self) -> Any:
        return 1

    def argument(self, numbers: Iterator[int]) -> Any:
        number = next(numbers)
        return number if self is int64 else np.dtype(str(self)).type(number)

    @property
    def low(self) -> int:
        """The smallest value."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The largest value."""
        return (1 << (self.bits - self.signed)) - 1

    minval, maxval = low, high

    @classmethod
    def from_bitwidth(cls, bitwidth: int, signed: bool = True) -> Integer:
        """Return the integer type with a number of bits."""
        return Integer(bitwidth, signed)


_WORDS = {16: "half", 32: "float", 64: "double"}  # LLVM's names of the floats


class Float(Number):
    """A binary float of 16, 32 or 64 bits."""

    __slots__ = ("bits",)
    value_class = float
    python_classes = (float,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        return float64

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name = f"float{bits}"

    def members(self) -> primitives.Members:
        return (("value", primitives.Word(_WORDS[self.bits])),)

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return f"f{self.bits // 8}".encode()

    def fits(self, value: Any) -> bool:
        return isinstance(value, int | float)

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        return (float(value),)

    def put_together(self, items: Iterable[Any]) -> Any:
        (value,) = items
        return value

    def coerced(self, value: Any) -> float:
        return float(value) if self.bits == 64 else float(_rounded(value, self.bits))

    def sample(self) -> Any:
        return 1.0

    def argument(self, numbers: Iterator[int]) -> Any:
        return _with_fraction(self, numbers)


class Complex(Number):
    """A complex number of two floats; `bits` counts both."""

    __slots__ = ("bits",)
    value_class = complex
    python_classes = (complex,)

    @classmethod
    def of_value(cls, value: Any, typeof: Typeof) -> Type:
        return complex128

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name = f"complex{bits}"

    def members(self) -> primitives.Members:
        return (("real", self.part), ("imag", self.part))

    def crossing(self, cross: primitives.Crossing) -> bytes:
        return b"c8" if self.bits == 64 else b"cg"

    def fits(self, value: Any) -> bool:
        return isinstance(value, int | float | complex)

    def taken_apart(self, value: Any) -> tuple[Any, ...]:
        number = complex(value)
        return number.real, number.imag

    def put_together(self, items: Iterable[Any]) -> Any:
        real, imag = items
        return complex(real, imag)

    def coerced(self, value: Any) -> complex:
        number = complex(value)
        if self.bits == 128:
            return number
        return complex(float(_rounded(number.real, 32)), float(_rounded(number.imag, 32)))

    def sample(self) -> Any:
        return 1j

    def argument(self, numbers: Iterator[int]) -> Any:
        return _with_fraction(self, numbers)

    @property
    def part(self) -> Float:
        """The type of the real and of the imaginary part."""
        return Float(self.bits // 2)

    underlying_float = part


_NARROW: dict[int, type[np.floating[Any]]] = {16: np.float16, 32: np.float32}


def _rounded(value: Any, bits: int) -> np.floating[Any]:
    # A value out of range becomes infinite or zero, as in machine code, without NumPy's warning.
    with np.errstate(over="ignore", under="ignore"):
        return _NARROW[bits](value)


def _with_fraction(ty: Type, numbers: Iterator[int]) -> Any:
    number = np.dtype(str(ty)).type(next(numbers) + 0.5)
    return number.item() if ty in (float64, complex128) else number


boolean = Boolean()
int8, int16, int32, int64 = (Integer(bits, True) for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (Integer(bits, False) for bits in (8, 16, 32, 64))
float16, float32, float64 = (Float(bits) for bits in (16, 32, 64))
complex64, complex128 = Complex(64), Complex(128)
intp = int64

SCALARS: dict[str, Type] = {
    ty.name: ty
    for ty in (
        boolean,
        int8,
        int16,
        int32,
        int64,
        uint8,
        uint16,
        uint32,
        uint64,
        float16,
        float32,
        float64,
        complex64,
        complex128,
    )
}

BY_DTYPE: dict[np.dtype[Any], Type] = {np.dtype(name): ty for name, ty in SCALARS.items()}


def from_dtype(dtype: Any) -> Type | None:
    """Return the scalar type of a NumPy dtype in native byte order; None if there is none."""
    return BY_DTYPE.get(np.dtype(dtype))


def is_number(ty: Type) -> bool:
    """True if arithmetic works on values of the type (bool counts, as in Python)."""
    return isinstance(ty, Boolean | Integer | Float | Complex)


def is_real(ty: Type) -> bool:
    """True if the type is a number with an order."""
    return isinstance(ty, Boolean | Integer | Float)


def is_integral(ty: Type) -> bool:
    """True if the type is bool or an integer."""
    return isinstance(ty, Boolean | Integer)


# The number of bits of integers that a float holds exactly, by the float's number of bits.
_EXACT_INTEGER_BITS = {16: 11, 32: 24, 64: 53}


@CONVERSIONS.add(Boolean, (Integer, Float, Complex))
def _of_bool(source: Type, wanted: Type) -> Conversion:
    return Conversion.SAFE


@CONVERSIONS.add(Integer, Integer)
def _between_integers(source: Integer, wanted: Integer) -> Conversion:
    if source.low >= wanted.low and source.high <= wanted.high:
        return Conversion.PROMOTION if source.signed == wanted.signed else Conversion.SAFE
    return Conversion.UNSAFE


@CONVERSIONS.add(Integer, (Float, Complex))
def _integer_to_float(source: Integer, wanted: Float | Complex) -> Conversion:
    # int64 to float64 may round, yet is what every mixed expression does in Python.
    bits = wanted.part.bits if isinstance(wanted, Complex) else wanted.bits
    fits = source.bits - source.signed <= _EXACT_INTEGER_BITS[bits]
    return Conversion.SAFE if fits or bits == 64 else Conversion.UNSAFE


@CONVERSIONS.add(Float, Float)
@CONVERSIONS.add(Complex, Complex)
def _between_widths(source: Number, wanted: Number) -> Conversion:
    return Conversion.PROMOTION if wanted.bits >= source.bits else Conversion.UNSAFE


@CONVERSIONS.add(Float, Complex)
def _float_to_complex(source: Float, wanted: Complex) -> Conversion:
    return Conversion.SAFE if wanted.bits >= 2 * source.bits else Conversion.UNSAFE


@CONVERSIONS.add(Float, Integer)
@CONVERSIONS.add((Integer, Float), Boolean)
def _down(source: Type, wanted: Type) -> Conversion:
    return Conversion.UNSAFE


_NUMBERS = (Boolean, Integer, Float, Complex)


@UNIONS.add(_NUMBERS, _NUMBERS)
def _unify_numbers(first: Type, second: Type) -> Type:
    low, high = sorted((first, second), key=_rank)
    match low, high:
        case Boolean(), _:
            return high
        case Integer(), Integer():
            return _unify_integers(low, high)
        case Integer(), Float():
            return _unify_with_float(low, high)
        case Integer(), Complex():
            return high if _narrow(low) else complex128
        case Float(), Complex():
            return high if high.bits >= 2 * low.bits else complex128
    return high  # two floats or two complex numbers: the wider one


def _unify_with_float(low: Integer, high: Float) -> Type:
    # The union of int8 and uint8 does not fit in float16: for associativity, neither has a union
    # with it that is narrower than that of both.
    if not _narrow(low):
        return float64
    return float32 if high is float16 else high


def _narrow(ty: Integer) -> bool:
    # The integers whose unions with each other fit in float32: with uint16, whose union with int8
    # is int32, the union of three types would depend on the order.
    return ty.bits - ty.signed < 16


def _rank(ty: Type) -> tuple[int, int]:
    kind = next(k for k, cls in enumerate(_NUMBERS) if isinstance(ty, cls))
    return kind, getattr(ty, "bits", 0)


def _unify_integers(first: Integer, second: Integer) -> Type:
    if first.signed == second.signed:
        return first if first.bits >= second.bits else second
    signed, unsigned = (first, second) if first.signed else (second, first)
    for bits in (8, 16, 32, 64):
        candidate = Integer(bits, True)
        if candidate.low <= signed.low and candidate.high >= unsigned.high:
            return candidate
    return float64  # int64 with uint64, as in NumPy
