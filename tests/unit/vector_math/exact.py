"""What functions are exactly, by mpmath, and how far a float is from that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf

PRECISION = 400  # bits: more than any result needs, and an angle's whole part has 1024 more

_EXACT: dict[str, Callable[..., Any]] = {  # Any: numbers of mpmath
    "exp": mpmath.exp,
    "exp2": lambda x: mpf(2) ** x,
    "expm1": mpmath.expm1,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "log": mpmath.log,
    "log1p": lambda x: mpmath.log1p(x),
    "log2": lambda x: mpmath.log(x) / mpmath.log(2),
    "log10": lambda x: mpmath.log(x) / mpmath.log(10),
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "arcsin": mpmath.asin,
    "arccos": mpmath.acos,
    "arctan": mpmath.atan,
    "arctan2": mpmath.atan2,
    "cbrt": lambda x: mpmath.cbrt(abs(x)) * mpmath.sign(x),
    "hypot": mpmath.hypot,
    "power": lambda x, y: abs(x) ** y * (-1 if x < 0 and int(y) % 2 else 1),
}


def exact(name: str, args: tuple[float, ...]) -> Any:  # Any: a number of mpmath
    """The result without rounding."""
    with mpmath.workprec(PRECISION):
        return _EXACT[name](*(mpf(float(arg)) for arg in args))


def distance(found: Any, value: Any, dtype: Any) -> float:  # Any: numbers, a dtype
    """How far a float is from a number, in units in the last place of that.

    Beyond the largest float, infinity stands for the next power of two.
    """
    info = np.finfo(dtype)
    top = mpf(2) ** int(info.maxexp)
    with mpmath.workprec(PRECISION):
        value = max(min(value, top), -top)
        given = mpf(float(np.clip(float(found), -1.8e308, 1.8e308)))
        if np.isinf(found):
            given = top if found > 0 else -top
        exponent = max(mpmath.frexp(value)[1] - 1, int(info.minexp)) if value else info.minexp
        return float(abs(given - value) / mpf(2) ** (int(exponent) - int(info.nmant)))
