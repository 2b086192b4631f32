"""The formula of each function of the table; loaded when code needs one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cutaway.library.polynomials import circles, exponentials, logarithms, powers
from cutaway.library.polynomials.formulas import Real
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.typing.types import Float

_FORMULAS: dict[str, Callable[..., Real]] = {  # of the arguments, and `short`
    "exp": exponentials.exp,
    "exp2": exponentials.exp2,
    "expm1": exponentials.expm1,
    "sinh": exponentials.sinh,
    "cosh": exponentials.cosh,
    "tanh": exponentials.tanh,
    "log": logarithms.log,
    "log1p": logarithms.log1p,
    "log2": logarithms.log2,
    "log10": logarithms.log10,
    "sin": circles.sin,
    "cos": circles.cos,
    "tan": circles.tan,
    "arcsin": circles.arcsin,
    "arccos": circles.arccos,
    "arctan": circles.arctan,
    "arctan2": circles.arctan2,
    "cbrt": powers.cbrt,
    "hypot": powers.hypot,
    "power": powers.power,
}


def emitted(build: FunctionBuilder, name: str, ty: Float, args: Sequence[str]) -> str:
    """The part of a function's result, from the parts of its arguments."""
    short = ty.bits == 32
    reals = [
        Real(build, build.convert("fpext", "float", arg, "double") if short else arg)
        for arg in args
    ]
    result = _FORMULAS[name](*reals, short).text
    return build.convert("fptrunc", "double", result, "float") if short else result
