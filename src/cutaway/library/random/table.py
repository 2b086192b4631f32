"""The table of distributions: parameters, result types, and the rules for parameters with NumPy's
errors.

`runtime/numpy_random.c` has the same rules, by letter, for array elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cutaway.foundation.dataclass import dataclass
from cutaway.lowering.build.constants import float_text
from cutaway.lowering.build.function_builder import FunctionBuilder
from cutaway.typing import types
from cutaway.typing.overloads.resolution import REQUIRED

Broken = Callable[[FunctionBuilder, Sequence[str]], str]  # emits an i1


@dataclass(frozen=True, slots=True)
class Check:
    """A rule for the parameter at a position, or for it and the following ones.

    The error message for an array of parameters may differ from that for numbers.
    """

    letter: str
    place: int
    words: str
    exception: type[Exception] = ValueError
    array_words: str = ""

    @property
    def code(self) -> str:
        """The rule's encoding for the runtime."""
        return f"{self.letter}{self.place}"

    def words_for(self, arrays: bool) -> str:
        """The error message."""
        return self.array_words if arrays and self.array_words else self.words


# --- the rules by name ----------------------------------------------------------------------------


def _rule(letter: str, words: str, in_arrays: str = "") -> Callable[[int, str], Check]:
    def make(place: int, name: str) -> Check:
        return Check(letter, place, words.format(name), array_words=in_arrays.format(name))

    return make


non_negative = _rule("N", "{0} < 0")
positive = _rule("P", "{0} <= 0")
a_number = _rule("X", "{0} must not be NaN")
share = _rule("B", "{0} < 0, {0} > 1 or {0} is NaN", "{0} < 0, {0} > 1 or {0} contains NaNs")
share_above_0 = _rule("G", "{0} <= 0, {0} > 1 or {0} contains NaNs")
share_below_1 = _rule(
    "T", "{0} < 0, {0} >= 1 or {0} is NaN", "{0} < 0, {0} >= 1 or {0} contains NaNs"
)
above_1 = _rule("O", "{0} <= 1 or {0} is NaN", "{0} <= 1 or {0} contains NaNs")
at_least_1 = _rule("S", "{0} < 1 or {0} is NaN", "{0} < 1 or {0} contains NaNs")
at_least_0 = _rule("Z", "{0} < 0 or {0} is NaN", "{0} < 0 or {0} contains NaNs")
not_too_large = _rule("L", "{0} value too large")

ORDER = (
    Check("A", 0, "left > mode"),
    Check("A", 1, "mode > right"),
    Check("E", 0, "left == right"),
)
FINITE_RANGE = Check("R", 0, "Range exceeds valid bounds", OverflowError)
RANGE = (
    Check(
        *("R", 0, "high - low range exceeds valid bounds", OverflowError),
        array_words="Range exceeds valid bounds",
    ),
    Check("D", 0, "high - low < 0"),
)
SMALL_MEAN = Check("K", 0, "n too large or p too small, see Generator.negative_binomial Notes")
FEW_ENOUGH = Check("M", 0, "both ngood and nbad must be less than 1000000000")
ENOUGH = Check("Y", 0, "ngood + nbad < nsample")

# --- the distributions ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Distribution:
    """The names of a distribution's parameters, and a letter for each and for the result: d for a
    double, l for an integer; rules in the order in which NumPy checks them."""

    names: tuple[str, ...]
    kinds: str
    rules: tuple[Check, ...]
    result: str = "d"
    defaults: tuple[Any, ...] = ()


def _of(
    names: str, *asked: Check, kinds: str = "", result: str = "d", defaults: tuple[float, ...] = ()
) -> Distribution:
    """A distribution, by default of doubles; `defaults` are those of the last parameters."""
    words = tuple(names.split())
    before = (REQUIRED,) * (len(words) - len(defaults))
    return Distribution(words, kinds or "d" * len(words), asked, result, (*before, *defaults))


def _scaled(names: str, *defaults: float) -> Distribution:
    """A distribution with a nonnegative scale, after an optional location."""
    place, scale = len(names.split()) - 1, names.split()[-1]
    return _of(names, non_negative(place, scale), defaults=defaults)


def _positive(name: str) -> Distribution:
    """A distribution with a positive parameter."""
    return _of(name, positive(0, name))


DISTRIBUTIONS: dict[str, Distribution] = {
    "random": _of(""),
    "standard_normal": _of(""),
    "standard_exponential": _of(""),
    "standard_cauchy": _of(""),
    "normal": _scaled("loc scale", 0.0, 1.0),
    "lognormal": _scaled("mean sigma", 0.0, 1.0),
    "laplace": _scaled("loc scale", 0.0, 1.0),
    "gumbel": _scaled("loc scale", 0.0, 1.0),
    "logistic": _scaled("loc scale", 0.0, 1.0),
    "vonmises": _scaled("mu kappa"),
    "exponential": _scaled("scale", 1.0),
    "rayleigh": _scaled("scale", 1.0),
    "weibull": _scaled("a"),
    "standard_gamma": _scaled("shape"),
    "gamma": _of(
        *("shape scale", non_negative(0, "shape"), non_negative(1, "scale")), defaults=(1.0,)
    ),
    "beta": _of("a b", positive(0, "a"), positive(1, "b")),
    "pareto": _positive("a"),
    "power": _positive("a"),
    "chisquare": _positive("df"),
    "standard_t": _positive("df"),
    "noncentral_chisquare": _of("df nonc", positive(0, "df"), non_negative(1, "nonc")),
    "f": _of("dfnum dfden", positive(0, "dfnum"), positive(1, "dfden")),
    "noncentral_f": _of(
        *("dfnum dfden nonc", positive(0, "dfnum"), positive(1, "dfden")), non_negative(2, "nonc")
    ),
    "wald": _of("mean scale", positive(0, "mean"), positive(1, "scale")),
    "triangular": _of("left mode right", *ORDER),
    "uniform": _of("low high", *RANGE, defaults=(0.0, 1.0)),
    "poisson": _of(
        *("lam", at_least_0(0, "lam"), not_too_large(0, "lam")), result="l", defaults=(1.0,)
    ),
    "geometric": _of("p", share_above_0(0, "p"), result="l"),
    "logseries": _of("p", share_below_1(0, "p"), result="l"),
    "zipf": _of("a", above_1(0, "a"), result="l"),
    "binomial": _of(*("n p", share(1, "p"), non_negative(0, "n")), kinds="ld", result="l"),
    "negative_binomial": _of(
        *("n p", a_number(0, "n"), positive(0, "n"), share_above_0(1, "p")), SMALL_MEAN, result="l"
    ),
    "hypergeometric": _of(
        *("ngood nbad nsample", FEW_ENOUGH, ENOUGH, non_negative(0, "ngood")),
        *(non_negative(1, "nbad"), non_negative(2, "nsample")),
        kinds="lll",
        result="l",
    ),
}

# Distributions that differ in a RandomState.
FROZEN: dict[str, Distribution] = {
    "uniform": _of("low high", FINITE_RANGE, defaults=(0.0, 1.0)),
    "negative_binomial": _of("n p", positive(0, "n"), share(1, "p"), result="l"),
    "hypergeometric": _of(
        *("ngood nbad nsample", ENOUGH, non_negative(0, "ngood")),
        *(non_negative(1, "nbad"), at_least_1(2, "nsample")),
        kinds="lll",
        result="l",
    ),
    "tomaxint": _of("", result="l"),
}

# --- the rules in LLVM ----------------------------------------------------------------------------

# The largest mean of a Poisson distribution, as NumPy computes it.
LARGEST_MEAN = float(2**63 - 1) - float(2**63 - 1) ** 0.5 * 10


def _compared(predicate: str, bound: float) -> Broken:
    def broken(build: FunctionBuilder, values: Sequence[str]) -> str:
        return build.fcompare(predicate, "double", values[0], float_text(bound, types.float64))

    return broken


def _outside(low_predicate: str, high_predicate: str) -> Broken:
    """The test whether a number is outside [0, 1]; false for NaN."""
    low, high = _compared(low_predicate, 0.0), _compared(high_predicate, 1.0)
    return lambda build, values: build.binary("or", "i1", low(build, values), high(build, values))


def _is_negative(build: FunctionBuilder, value: str) -> str:
    """An i1: whether a number has its sign bit set, as -0.0, and is not NaN."""
    bits = build.convert("bitcast", "double", value, "i64")
    signed = build.compare("slt", "i64", bits, "0")
    return build.binary("and", "i1", signed, build.fcompare("ord", "double", value, value))


def _range(build: FunctionBuilder, values: Sequence[str]) -> str:
    return build.binary("fsub", "double", values[1], values[0])


def _is_infinite_range(build: FunctionBuilder, values: Sequence[str]) -> str:
    size = build.math("fabs", types.float64, _range(build, values))
    return build.fcompare("ueq", "double", size, float_text(float("inf"), types.float64))


def _has_large_mean(build: FunctionBuilder, values: Sequence[str]) -> str:
    n, p = values[0], values[1]
    failed = build.binary("fsub", "double", float_text(1.0, types.float64), p)
    ratio = build.binary("fdiv", "double", failed, p)
    root = build.math("sqrt", types.float64, n)
    more = build.binary("fmul", "double", float_text(10.0, types.float64), root)
    mean = build.binary("fmul", "double", ratio, build.binary("fadd", "double", n, more))
    return build.fcompare("ogt", "double", mean, float_text(LARGEST_MEAN, types.float64))


OF_REALS: dict[str, Broken] = {
    "N": lambda build, values: _is_negative(build, values[0]),
    "P": _compared("ole", 0.0),
    "X": lambda build, values: build.fcompare("uno", "double", values[0], values[0]),
    "B": _outside("ult", "ugt"),
    "G": _outside("ule", "ugt"),
    "T": _outside("ult", "uge"),
    "O": _compared("ule", 1.0),
    "Z": _compared("ult", 0.0),
    "L": _compared("ugt", LARGEST_MEAN),
    "K": _has_large_mean,
    "A": lambda build, values: build.fcompare("ogt", "double", values[0], values[1]),
    "E": lambda build, values: build.fcompare("oeq", "double", values[0], values[2]),
    "R": _is_infinite_range,
    "D": lambda build, values: _is_negative(build, _range(build, values)),
}


def _are_many(build: FunctionBuilder, values: Sequence[str]) -> str:
    first, second = (build.compare("sge", "i64", value, "1000000000") for value in values[:2])
    return build.binary("or", "i1", first, second)


def _are_too_few(build: FunctionBuilder, values: Sequence[str]) -> str:
    both = build.binary("add", "i64", values[0], values[1])
    return build.compare("slt", "i64", both, values[2])


OF_COUNTS: dict[str, Broken] = {
    "N": lambda build, values: build.compare("slt", "i64", values[0], "0"),
    "S": lambda build, values: build.compare("slt", "i64", values[0], "1"),
    "M": _are_many,
    "Y": _are_too_few,
}


def is_broken(build: FunctionBuilder, rule: Check, kinds: str, values: Sequence[str]) -> str:
    """An i1: whether parameters, of the kinds in `kinds`, break a rule."""
    table = OF_COUNTS if kinds[rule.place] == "l" else OF_REALS
    return table[rule.letter](build, values[rule.place :])
