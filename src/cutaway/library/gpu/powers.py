"""Powers of complex numbers, for which the CPU calls C."""

from __future__ import annotations

import cmath
import math
import operator

from cutaway.library.arrays.kit.typers import private
from cutaway.library.gpu.registry import GPU
from cutaway.typing import types
from cutaway.typing.overloads.resolution import Call, Overload


@private
def _power(base, exponent):
    """`base ** exponent`: small integral exponents by multiplication, as in Python."""
    z, w = complex(base), complex(exponent)
    if w.imag == 0.0 and abs(w.real) <= 100.0 and w.real == math.floor(w.real):
        rest, result = int(abs(w.real)), 1.0 + 0.0j
        while rest > 0:
            if rest & 1:
                result *= z
            z *= z
            rest >>= 1
        return 1.0 / result if w.real < 0.0 else result
    if z.real == 0.0 and z.imag == 0.0:
        if w.imag != 0.0 or w.real < 0.0:
            return 1.0 / z
        return 0j
    size, angle = abs(z), cmath.phase(z)
    length, turn = size**w.real, angle * w.real
    if w.imag != 0.0:
        length *= math.exp(-angle * w.imag)
        turn += w.imag * math.log(size)
    return complex(length * math.cos(turn), length * math.sin(turn))


def _power_of_complex(base, exponent):
    return _power(base, exponent)


def _asked(call: Call):
    """The implementation for complex numbers; None for others."""
    given = call.arguments.types
    fits = len(given) == 2 and all(map(types.is_number, given))
    return (
        _power_of_complex if fits and any(isinstance(ty, types.Complex) for ty in given) else None
    )


for _function in (pow, operator.pow, operator.ipow):
    GPU.add(_function, Overload(None, (), None, template=_asked))
