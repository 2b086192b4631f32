"""The exact messages of Python exceptions, obtained from the running Python.

They differ between versions ("float modulo" became "float modulo by zero"), so each operation is
performed once to obtain its message.
"""

from __future__ import annotations

import math
from collections.abc import Callable


def message_of(operation: Callable[[], object]) -> str:
    """The message of the exception that the operation raises."""
    try:
        operation()
    except (ArithmeticError, TypeError, ValueError) as error:
        return str(error.args[-1])
    raise AssertionError("the operation was expected to raise")


def domain_of(function: Callable[[float], float]) -> str:
    """The message of a function of one float for a number outside its domain; from Python 3.14 on
    it contains the float, as `{:double}`."""
    for number in (-2.0, _INFINITY):
        try:
            function(number)
        except ValueError as error:
            return str(error).replace(f"got {number}", "got {:double}")
    return MATH_DOMAIN


_ZERO, _NAN, _INFINITY = 0, float("nan"), float("inf")

TRUE_DIVISION = message_of(lambda: 1 / _ZERO)
FLOOR_DIVISION = message_of(lambda: 1 // _ZERO)
MODULO = message_of(lambda: 1 % _ZERO)
DIVMOD = message_of(lambda: divmod(1, _ZERO))
FLOAT_DIVISION = message_of(lambda: 1.0 / float(_ZERO))
FLOAT_FLOOR_DIVISION = message_of(lambda: 1.0 // float(_ZERO))
FLOAT_MODULO = message_of(lambda: 1.0 % float(_ZERO))
FLOAT_DIVMOD = message_of(lambda: divmod(1.0, float(_ZERO)))
COMPLEX_DIVISION = message_of(lambda: 1j / complex(_ZERO))
ZERO_TO_NEGATIVE = message_of(lambda: float(_ZERO) ** -1.0)
POWER_OVERFLOW = message_of(lambda: 1e300 ** float(2 + _ZERO))
COMPLEX_ZERO_POWER = message_of(lambda: complex(_ZERO) ** -1.0)
COMPLEX_OVERFLOW = message_of(lambda: abs(complex(1.7e308, 1.7e308)))
NEGATIVE_SHIFT = message_of(lambda: 1 << (_ZERO - 1))
INTEGER_OF_NAN = message_of(lambda: int(_NAN))
INTEGER_OF_INFINITY = message_of(lambda: int(_INFINITY))
ZERO_STEP = message_of(lambda: range(1, 2, _ZERO))
MATH_DOMAIN = message_of(lambda: math.fmod(1.0, float(_ZERO)))
MATH_RANGE = message_of(lambda: math.exp(1000.0))
