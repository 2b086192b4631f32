"""The distributions: the kinds of their parameters and numbers, and the rules for parameters."""

from __future__ import annotations

from cutaway.foundation.dataclass import dataclass
from cutaway.library.random import rules
from cutaway.library.random.rules import Rule


@dataclass(frozen=True, slots=True)
class Distribution:
    """A letter for each parameter and for the number, d for a double and l for an integer; rules in
    the order in which NumPy asks for them.

    Where the number is single, arrays of it are of float32.
    """

    parameters: str
    result: str = "d"
    rules: tuple[Rule, ...] = ()
    single: bool = False


def _of(parameters: str, *asked: Rule, result: str = "d") -> Distribution:
    return Distribution(parameters, result, asked)


def _scaled(location: str, scale: str) -> Distribution:
    """Any location, and a scale."""
    return _of("dd" if location else "d", rules.non_negative(len(location) and 1, scale))


DISTRIBUTIONS: dict[str, Distribution] = {
    "random": _of(""),
    "standard_normal": _of(""),
    "standard_exponential": _of(""),
    "standard_cauchy": _of(""),
    "normal": _scaled("loc", "scale"),
    "lognormal": _scaled("mean", "sigma"),
    "laplace": _scaled("loc", "scale"),
    "gumbel": _scaled("loc", "scale"),
    "logistic": _scaled("loc", "scale"),
    "vonmises": _scaled("mu", "kappa"),
    "exponential": _scaled("", "scale"),
    "rayleigh": _scaled("", "scale"),
    "weibull": _scaled("", "a"),
    "standard_gamma": _scaled("", "shape"),
    "gamma": _of("dd", rules.non_negative(0, "shape"), rules.non_negative(1, "scale")),
    "beta": _of("dd", rules.positive(0, "a"), rules.positive(1, "b")),
    "pareto": _of("d", rules.positive(0, "a")),
    "power": _of("d", rules.positive(0, "a")),
    "chisquare": _of("d", rules.positive(0, "df")),
    "standard_t": _of("d", rules.positive(0, "df")),
    "noncentral_chisquare": _of("dd", rules.positive(0, "df"), rules.non_negative(1, "nonc")),
    "f": _of("dd", rules.positive(0, "dfnum"), rules.positive(1, "dfden")),
    "noncentral_f": _of(
        *("ddd", rules.positive(0, "dfnum"), rules.positive(1, "dfden")),
        rules.non_negative(2, "nonc"),
    ),
    "wald": _of("dd", rules.positive(0, "mean"), rules.positive(1, "scale")),
    "triangular": _of("ddd", *rules.ORDER),
    "uniform": _of("dd", *rules.RANGE),
    "poisson": _of("d", rules.at_least_0(0, "lam"), rules.not_too_large(0, "lam"), result="l"),
    "geometric": _of("d", rules.share_above_0(0, "p"), result="l"),
    "logseries": _of("d", rules.share_below_1(0, "p"), result="l"),
    "zipf": _of("d", rules.above_1(0, "a"), result="l"),
    "binomial": _of("ld", rules.share(1, "p"), rules.non_negative(0, "n"), result="l"),
    "negative_binomial": _of(
        *("dd", rules.a_number(0, "n"), rules.positive(0, "n"), rules.share_above_0(1, "p")),
        rules.SMALL_MEAN,
        result="l",
    ),
    "hypergeometric": _of(
        *("lll", rules.FEW_ENOUGH, rules.ENOUGH, rules.non_negative(0, "ngood")),
        *(rules.non_negative(1, "nbad"), rules.non_negative(2, "nsample")),
        result="l",
    ),
    "place": _of("l", result="l"),
}

# Of a RandomState, where that differs.
FROZEN: dict[str, Distribution] = {
    "uniform": _of("dd", rules.FINITE_RANGE),
    "negative_binomial": _of("dd", rules.positive(0, "n"), rules.share(1, "p"), result="l"),
    "hypergeometric": _of(
        *("lll", rules.ENOUGH, rules.non_negative(0, "ngood"), rules.non_negative(1, "nbad")),
        rules.at_least_1(2, "nsample"),
        result="l",
    ),
    "tomaxint": _of("", result="l"),
}


def distribution(name: str, is_frozen: bool) -> Distribution | None:
    """The distribution that a source has by a name; None where there is none.

    A name such as `standard_normal.single` says more of how it is drawn.
    """
    stem, *how = name.split(".")
    found = FROZEN.get(stem) if is_frozen else None
    if found is None:
        found = DISTRIBUTIONS.get(stem)
    if found is None or "single" not in how:
        return found
    return Distribution(found.parameters, found.result, found.rules, single=True)
