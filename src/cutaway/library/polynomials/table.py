"""The functions that there are polynomials of, and by how much each may be off.

    computed(build, "exp", float64, [x])       the part of the result

A budget is in units in the last place of the result: the distance to what is exact, anywhere in
the domain.  `tests/unit/vector_math` holds each, at many more places than a test can list.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.foundation.dataclass import dataclass
from cutaway.foundation.loading import load
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.lowering.build.processors import has_feature
from cutaway.typing.types import Float, Type


@dataclass(frozen=True, slots=True)
class Row:
    """A function: how many arguments it has, and its budgets for float64 and float32.

    `times`: how many times as long as NumPy's loop alone it takes where both have vectors of
    AVX-512, for 100,000 elements, as `benchmarks/vector_math.py` says it.
    """

    arity: int
    budgets: tuple[float, float]
    times: tuple[float, float]

    def budget(self, ty: Float) -> float:
        """The budget for a type."""
        return self.budgets[ty.bits == 32]

    def beside(self, build: FunctionBuilder, ty: Float) -> str:
        """Words for where NumPy's loop would be faster; empty where it would not."""
        times = self.times[ty.bits == 32]
        if times < 1.1 or not has_feature(build, "avx512f"):
            return ""
        return f"; NumPy's own loop alone is {times:.1f} times as fast on this processor"


ROWS = {
    "exp": Row(1, (1.1, 0.6), (0.89, 1.25)),
    "exp2": Row(1, (1.1, 0.6), (0.91, 2.33)),
    "expm1": Row(1, (1.5, 0.6), (0.89, 1.64)),
    "sinh": Row(1, (2.0, 0.6), (0.85, 2.33)),
    "cosh": Row(1, (2.0, 0.6), (0.98, 2.44)),
    "tanh": Row(1, (3.5, 0.6), (0.57, 2.78)),
    "log": Row(1, (1.0, 0.6), (1.2, 1.64)),
    "log1p": Row(1, (1.0, 0.6), (1.15, 1.79)),
    "log2": Row(1, (1.0, 0.6), (1.32, 2.5)),
    "log10": Row(1, (1.0, 0.6), (1.52, 3.03)),
    "sin": Row(1, (1.1, 0.6), (0.17, 1.54)),
    "cos": Row(1, (1.1, 0.6), (0.17, 1.47)),
    "tan": Row(1, (3.5, 0.6), (1.15, 2.33)),
    "arcsin": Row(1, (1.0, 0.6), (0.86, 1.45)),
    "arccos": Row(1, (1.0, 0.6), (0.85, 1.54)),
    "arctan": Row(1, (2.5, 0.6), (0.83, 1.82)),
    "arctan2": Row(2, (2.5, 0.6), (0.74, 1.89)),
    "cbrt": Row(1, (1.0, 0.6), (1.06, 3.03)),
    "hypot": Row(2, (1.25, 0.6), (0.04, 0.15)),
    "power": Row(2, (1.5, 0.6), (2.86, 3.7)),
}

_OF_MATH = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "pow": "power",
}


def name_in_table(name: str) -> str:
    """The name in the table of a function of `math`."""
    return _OF_MATH.get(name, name)


def note_c_library(build: FunctionBuilder, name: str) -> None:
    """Note that a function of the C library computes what a polynomial could."""
    reason = "a function of the C library computes it, which LLVM makes no vectors of"
    build.note(f"`{name}`", "c_library", reason, "@jit(vector_math=True)")


def row_of(name: str, inputs: Sequence[Type]) -> Row | None:
    """The row for a function of NumPy's, of these types; None where there is none."""
    row = ROWS.get(name)
    fits = all(isinstance(ty, Float) and ty.bits in (32, 64) for ty in inputs)
    return row if fits else None


def computed(
    build: FunctionBuilder, name: str, ty: Float, args: Sequence[str], of_array: bool = False
) -> str:
    """The part of a function's result, of parts of its arguments; `of_array` says that NumPy's own
    loop could compute it of whole arrays."""
    row = ROWS[name]
    reason = f"a polynomial in place, off by at most {row.budget(ty)} units in the last place"
    beside = row.beside(build, ty) if of_array else ""
    build.note(f"`{name}`", "vector_math", f"{reason} of a {ty}{beside}")
    formulas = load("cutaway.library.polynomials.emitting")
    result: str = formulas.emitted(build, name, ty, args)
    return result
