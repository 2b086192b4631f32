"""Range analysis of floats: the least and the greatest value that each can have.

    1.0 + np.exp(-x)             at least 1.0: a divisor that needs no test for zero
    np.sin(x) ** 2               of a number from -2.0 to 2.0: the square cannot overflow
    dx * dx + dy * dy + 1e-9     at least 1e-9

A test in a loop keeps LLVM from vectorizing it; these ranges save the test.  NaN is outside of all
ranges and always possible, but it is neither a zero nor an overflow.  Rounding is monotonic, so a
range is computed from its ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from cutaway.foundation.foreign import key_of
from cutaway.ir import nodes
from cutaway.typing import types
from cutaway.typing.analysis.intervals import Interval
from cutaway.typing.types import Float, Type

DEEPEST = 12  # operations on the longest chain from a value to its inputs


class Magnitude(NamedTuple):
    """The ends of a range of floats."""

    low: float
    high: float

    @property
    def is_nonzero(self) -> bool:
        """True if the range excludes zero."""
        return self.low > 0.0 or self.high < 0.0

    def times(self, other: Magnitude) -> Magnitude:
        """Return the range of the products of two ranges."""
        return _around([a * b for a in self for b in other])


ANY = Magnitude(-math.inf, math.inf)
POSITIVE = Magnitude(0.0, math.inf)

# The last bits of these functions are inexact, so the ends leave a wide margin.
_OF_FUNCTIONS: dict[Any, Magnitude] = {
    **dict.fromkeys((np.sin, np.cos, np.tanh, math.sin, math.cos, math.tanh), Magnitude(-2, 2)),
    **dict.fromkeys((np.arctan, math.atan, np.arctan2, math.atan2), Magnitude(-4.0, 4.0)),
    **dict.fromkeys((np.exp, np.exp2, math.exp, np.sqrt, math.sqrt), POSITIVE),
    **dict.fromkeys((np.abs, np.fabs, math.fabs, abs, np.square), POSITIVE),
    **dict.fromkeys((np.hypot, math.hypot, np.cosh, math.cosh), POSITIVE),
}


class Magnitudes:
    """The ranges of one function's floats; `interval` returns the interval of an integer in a
    block."""

    def __init__(
        self,
        table: Mapping[str, Type],
        definitions: Mapping[str, Any],
        constants: Mapping[str, Any],
        interval: Callable[[str, int], Interval | None],
    ) -> None:
        self.types, self.definitions, self.constants = table, definitions, constants
        self.interval = interval

    def at(self, name: str, block: int, depth: int = DEEPEST) -> Magnitude:
        """Return the range of a number in a block that uses it."""
        ty = self.types.get(name)
        if isinstance(ty, types.Integer):
            whole = self.interval(name, block)
            return ANY if whole is None else Magnitude(float(whole.low), float(whole.high))
        if not isinstance(ty, Float) or not depth:
            return ANY
        ends = self._computed(name, block, depth - 1)
        kind = types.to_dtype(ty).type
        with np.errstate(all="ignore"):
            return _around([float(kind(end)) for end in ends])

    def _computed(self, name: str, block: int, depth: int) -> Magnitude:
        """Return the range of a float by its definition."""
        match self.definitions.get(name):
            case nodes.Const(value=value) if isinstance(value, int | float):
                return _around([float(value)])
            case nodes.Copy(value=value) | nodes.Cast(value=value):
                return self.at(value, block, depth)
            case nodes.Unary(op=row, value=value) if row.symbol in ("-", "+"):
                low, high = self.at(value, block, depth)
                return Magnitude(-high, -low) if row.symbol == "-" else Magnitude(low, high)
            case nodes.Binary(_, row, lhs, rhs) | nodes.Inplace(_, row, lhs, rhs):
                return self._of_operator(row.symbol.rstrip("="), lhs, rhs, block, depth)
            case nodes.Call(func=func):
                return _OF_FUNCTIONS.get(key_of(self.constants.get(func)), ANY)
        return ANY

    def _of_operator(self, symbol: str, lhs: str, rhs: str, block: int, depth: int) -> Magnitude:
        left, right = (self.at(side, block, depth) for side in (lhs, rhs))
        match symbol:
            case "+":
                return _around([left.low + right.low, left.high + right.high])
            case "-":
                return _around([left.low - right.high, left.high - right.low])
            case "*":
                product = left.times(right)
                return Magnitude(max(product.low, 0.0), product.high) if lhs == rhs else product
            case "/" if right.is_nonzero:
                return _around([a / b for a in left for b in right])
            case "**" if right == (2.0, 2.0):
                return Magnitude(0.0, left.times(left).high)
        return ANY


def _around(ends: list[float]) -> Magnitude:
    """Return the range of some numbers; ANY if one of them is NaN."""
    return ANY if any(map(math.isnan, ends)) else Magnitude(min(ends), max(ends))
