"""Numbers and bool: the lattice that unification climbs, bool, integers, floats, complex.

(SPEC B4, C1.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutaway.typing.types.base import Type
from cutaway.typing.types.primitives import FLAG, Crossing, Members, Word


class Number(Type):
    """A number: integer, float or complex; `bits` is its size.

    Numbers are in an order: integers, signed ones first, then floats, then complex numbers.
    """

    __slots__ = ()
    bits: int

    def _order(self) -> tuple[int, int, int]:
        kind = next(k for k, cls in enumerate((Integer, Float, Complex)) if isinstance(self, cls))
        return kind, not getattr(self, "signed", True), self.bits

    def __lt__(self, other: object) -> bool:
        return self._order() < other._order() if isinstance(other, Number) else NotImplemented

    @property
    def bitwidth(self) -> int:
        """Its size in bits."""
        return self.bits

    def __call__(self, *args: Any) -> Any:  # Any: types, or a value to convert
        """A signature as for all types; or of a value the number of this type."""
        if len(args) == 1 and not isinstance(args[0], Type):
            return np.dtype(self.name).type(args[0])
        return Type.__call__(self, *args)


class Boolean(Type):
    """`bool`."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = "bool"

    def members(self) -> Members:
        """See Type."""
        return (("value", FLAG),)

    def crossing(self, cross: Crossing) -> bytes:
        """See Type."""
        return b"?"


class Integer(Number):
    """A machine integer of 8, 16, 32 or 64 bits."""

    __slots__ = ("bits", "signed")

    def __init__(self, bits: int, signed: bool) -> None:
        self.bits = bits
        self.signed = signed
        self.name = f"{'' if signed else 'u'}int{bits}"

    def members(self) -> Members:
        """See Type."""
        return (("value", Word(f"i{self.bits}", self.signed)),)

    def crossing(self, cross: Crossing) -> bytes:
        """See Type."""
        return f"{'i' if self.signed else 'u'}{self.bits // 8}".encode()

    @property
    def low(self) -> int:
        """The smallest value."""
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def high(self) -> int:
        """The largest value."""
        return (1 << (self.bits - self.signed)) - 1


class Float(Number):
    """A binary float of 32 or 64 bits."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name = f"float{bits}"

    def members(self) -> Members:
        """See Type."""
        return (("value", Word("double" if self.bits == 64 else "float")),)

    def crossing(self, cross: Crossing) -> bytes:
        """See Type."""
        return f"f{self.bits // 8}".encode()


class Complex(Number):
    """A complex number of two floats; `bits` counts both."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.name = f"complex{bits}"

    def members(self) -> Members:
        """See Type."""
        return (("real", self.part), ("imag", self.part))

    def crossing(self, cross: Crossing) -> bytes:
        """See Type."""
        return b"c8" if self.bits == 64 else b"cg"

    @property
    def part(self) -> Float:
        """The type of the real and of the imaginary part."""
        return Float(self.bits // 2)

    underlying_float = part


boolean = Boolean()
int8, int16, int32, int64 = (Integer(bits, True) for bits in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (Integer(bits, False) for bits in (8, 16, 32, 64))
float32, float64 = Float(32), Float(64)
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
        float32,
        float64,
        complex64,
        complex128,
    )
}

BY_DTYPE: dict[np.dtype[Any], Type] = {np.dtype(name): ty for name, ty in SCALARS.items()}


def from_dtype(dtype: Any) -> Type | None:  # Any: whatever np.dtype takes
    """The scalar type of a NumPy dtype in native byte order; None where there is none."""
    return BY_DTYPE.get(np.dtype(dtype))


def is_number(ty: Type) -> bool:
    """Whether arithmetic works on values of the type (bool counts, as in Python)."""
    return isinstance(ty, Boolean | Integer | Float | Complex)


def is_real(ty: Type) -> bool:
    """Whether the type is a number with an order."""
    return isinstance(ty, Boolean | Integer | Float)


def is_integral(ty: Type) -> bool:
    """Whether the type is bool or an integer."""
    return isinstance(ty, Boolean | Integer)
