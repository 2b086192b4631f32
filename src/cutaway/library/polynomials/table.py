"""The functions with polynomials, and the error budget of each.

    computed(build, "exp", float64, [x])       the part of the result

A budget is the maximum distance to the exact result, anywhere in the domain, in units in the last
place. `tests/unit/vector_math` checks each at many points.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.loading import load
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.processors import has_feature
from cutaway.typing.types import Float, Type


@dataclass(frozen=True, slots=True)
class PolynomialFunction:
    """A function: its number of arguments, and its budgets for float64 and float32.

    `times`: its time relative to NumPy's loop when both use AVX-512, for 100,000 elements, as
    measured by `benchmarks/vector_math.py`.
    """

    arity: int
    budgets: tuple[float, float]
    times: tuple[float, float]

    def budget(self, ty: Float) -> float:
        """The error budget for a type."""
        return self.budgets[ty.bits == 32]

    def beside(self, build: FunctionBuilder, ty: Float) -> str:
        """A note that NumPy's loop is faster; empty if it is not."""
        times = self.times[ty.bits == 32]
        if times < 1.1 or not has_feature(build, "avx512f"):
            return ""
        return f"; NumPy's own loop alone is {times:.1f} times as fast on this processor"


ROWS = {
    "exp": PolynomialFunction(1, (1.1, 0.6), (0.89, 1.25)),
    "exp2": PolynomialFunction(1, (1.1, 0.6), (0.91, 2.33)),
    "expm1": PolynomialFunction(1, (1.5, 0.6), (0.89, 1.64)),
    "sinh": PolynomialFunction(1, (2.0, 0.6), (0.85, 2.33)),
    "cosh": PolynomialFunction(1, (2.0, 0.6), (0.98, 2.44)),
    "tanh": PolynomialFunction(1, (3.5, 0.6), (0.57, 2.78)),
    "log": PolynomialFunction(1, (1.0, 0.6), (1.2, 1.64)),
    "log1p": PolynomialFunction(1, (1.0, 0.6), (1.15, 1.79)),
    "log2": PolynomialFunction(1, (1.0, 0.6), (1.32, 2.5)),
    "log10": PolynomialFunction(1, (1.0, 0.6), (1.52, 3.03)),
    "sin": PolynomialFunction(1, (1.1, 0.6), (0.17, 1.54)),
    "cos": PolynomialFunction(1, (1.1, 0.6), (0.17, 1.47)),
    "tan": PolynomialFunction(1, (3.5, 0.6), (1.15, 2.33)),
    "arcsin": PolynomialFunction(1, (1.0, 0.6), (0.86, 1.45)),
    "arccos": PolynomialFunction(1, (1.0, 0.6), (0.85, 1.54)),
    "arctan": PolynomialFunction(1, (2.5, 0.6), (0.83, 1.82)),
    "arctan2": PolynomialFunction(2, (2.5, 0.6), (0.74, 1.89)),
    "cbrt": PolynomialFunction(1, (1.0, 0.6), (1.06, 3.03)),
    "hypot": PolynomialFunction(2, (1.25, 0.6), (0.04, 0.15)),
    "power": PolynomialFunction(2, (1.5, 0.6), (2.86, 3.7)),
}

_OF_MATH = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "pow": "power",
}


def name_in_table(name: str) -> str:
    """The table's name of a function of `math`."""
    return _OF_MATH.get(name, name)


def note_c_library(build: FunctionBuilder, name: str) -> None:
    """Note that a C library function computes a value that a polynomial could."""
    reason = "a function of the C library computes it, which LLVM makes no vectors of"
    build.note(f"`{name}`", "c_library", reason, "@jit(vector_math=True)")


def row_of(name: str, inputs: Sequence[Type]) -> PolynomialFunction | None:
    """The row of a NumPy function for these types, or None."""
    row = ROWS.get(name)
    fits = all(isinstance(ty, Float) and ty.bits in (32, 64) for ty in inputs)
    return row if fits else None


def computed(
    build: FunctionBuilder, name: str, ty: Float, args: Sequence[str], of_array: bool = False
) -> str:
    """The part of a function's result, from the parts of its arguments; `of_array` says that
    NumPy's own loop could compute whole arrays."""
    row = ROWS[name]
    reason = f"a polynomial in place, off by at most {row.budget(ty)} units in the last place"
    beside = row.beside(build, ty) if of_array else ""
    build.note(f"`{name}`", "vector_math", f"{reason} of a {ty}{beside}")
    formulas = load("cutaway.library.polynomials.emitting")
    result: str = formulas.emitted(build, name, ty, args)
    return result
