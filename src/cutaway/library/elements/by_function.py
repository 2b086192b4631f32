"""Element functions on targets without NumPy's loops: C's functions for floats, and those of
`cmath`, compiled from Python, for complex numbers.

    np.arctan2(y, x)    ->    call double @atan2(double %y, double %x)

Results may differ from NumPy's by a few units in the last place (`gpu-functions` of the ledger).
"""

from __future__ import annotations

import math
from types import FunctionType

from cutaway.library.math import complex_functions
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.calls import call_function
from cutaway.lowering.layout import Value, float_type
from cutaway.typing import types
from cutaway.typing.overloads.resolution import MISSING, Arguments, Call
from cutaway.typing.types import Complex, Float
from cutaway.typing.ufuncs import Loop

# C's name of each function.
_C_NAMES = {
    **dict.fromkeys(("power", "float_power"), "pow"),
    **{f"arc{name}": f"a{name}" for name in "sin cos tan sinh cosh tanh".split()},
    "arctan2": "atan2",
}


def computed(build: FunctionBuilder, name: str, loop: Loop, args: list[Value]) -> Value:
    """The result of an operation on elements of these types."""
    ty = loop.outputs[0]
    if isinstance(loop.inputs[0], Complex):
        function = _OF_COMPLEX.get(name) or getattr(complex_functions, _python_name(name))
        wide = [build.cast(arg, types.complex128) for arg in args]
        return build.cast(_called(build, function, wide), ty)
    if name in _OF_FLOATS:
        return build.cast(_called(build, _OF_FLOATS[name], args), ty)
    wide_type = types.float32 if loop.inputs[0] is types.float16 else loop.inputs[0]
    assert isinstance(wide_type, Float)
    kind = float_type(wide_type)
    parts = [build.cast(arg, wide_type).parts[0] for arg in args]
    c_name = _C_NAMES.get(name, name) + ("" if kind == "double" else "f")
    result = build.call(kind, c_name, [(kind, part) for part in parts])
    return build.cast(Value(wide_type, (result,)), ty)


def _python_name(name: str) -> str:
    return f"a{name[3:]}" if name.startswith("arc") else name


def _called(build: FunctionBuilder, function: FunctionType, args: list[Value]) -> Value:
    call = Call(Arguments(tuple(arg.ty for arg in args), (MISSING,) * len(args)))
    return call_function(build, function, call, args)


# --- without a C function -------------------------------------------------------------------------


def _logaddexp(x, y):
    if x == y:
        return x + math.log(2.0)
    return max(x, y) + math.log1p(math.exp(-abs(x - y)))


def _logaddexp2(x, y):
    if x == y:
        return x + 1.0
    return max(x, y) + math.log1p(math.exp2(-abs(x - y))) / math.log(2.0)


def _multiply(a, b):
    return complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


def _square(a):
    return complex(a.real * a.real - a.imag * a.imag, 2.0 * a.real * a.imag)


def _absolute(a):
    return math.hypot(a.real, a.imag)


def _sign(a):
    size = math.hypot(a.real, a.imag)
    if size == 0.0:
        return complex(0.0, 0.0)
    return complex(a.real / size, a.imag / size)


def _power(a, b):
    if b.real == 0.0 and b.imag == 0.0:
        return complex(1.0, 0.0)
    if a.real == 0.0 and a.imag == 0.0:
        return complex(0.0, 0.0) if b.real > 0.0 else complex(math.nan, math.nan)
    size, angle = math.log(math.hypot(a.real, a.imag)), math.atan2(a.imag, a.real)
    grown = math.exp(b.real * size - b.imag * angle)
    turned = b.imag * size + b.real * angle
    return complex(grown * math.cos(turned), grown * math.sin(turned))


def _exp2(a):
    grown, turned = 2.0**a.real, a.imag * math.log(2.0)
    return complex(grown * math.cos(turned), grown * math.sin(turned))


def _expm1(a):
    half = math.sin(a.imag / 2.0)
    grown = math.expm1(a.real)
    return complex(
        grown * math.cos(a.imag) - 2.0 * half * half, math.exp(a.real) * math.sin(a.imag)
    )


def _log1p(a):
    return complex(math.log(math.hypot(a.real + 1.0, a.imag)), math.atan2(a.imag, a.real + 1.0))


def _log2(a):
    scale = 1.0 / math.log(2.0)
    size = math.log(math.hypot(a.real, a.imag))
    return complex(size * scale, math.atan2(a.imag, a.real) * scale)


_OF_FLOATS: dict[str, FunctionType] = {"logaddexp": _logaddexp, "logaddexp2": _logaddexp2}
_OF_COMPLEX: dict[str, FunctionType] = {
    "multiply": _multiply,
    "square": _square,
    "absolute": _absolute,
    "sign": _sign,
    "power": _power,
    "float_power": _power,
    "exp2": _exp2,
    "expm1": _expm1,
    "log1p": _log1p,
    "log2": _log2,
}
