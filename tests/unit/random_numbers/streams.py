"""The distributions, with parameters at all the places where their methods change."""

from __future__ import annotations

from typing import Any

import numpy as np

GENERATOR, STATE = "Generator", "RandomState"
BIT_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")

_PLACES: tuple[tuple[float, float], ...] = ((0.0, 1.0), (-3.5, 1e-300), (1e5, 0.0), (2.0, 7.5))
_DEGREES = (1e-3, 0.5, 1.0, 2.0, 3.7, 1e4)

# For each distribution the parameters that it is drawn with.
OF_BOTH: dict[str, tuple[tuple[Any, ...], ...]] = {
    "normal": _PLACES,
    "laplace": _PLACES,
    "gumbel": _PLACES,
    "logistic": _PLACES,
    "lognormal": ((0.0, 1.0), (-3.5, 0.25), (2.0, 0.0)),
    "standard_cauchy": ((),),
    "standard_normal": ((),),
    "standard_exponential": ((),),
    "random": ((),),
    "exponential": ((0.0,), (1.0,), (1e-3,), (1e9,)),
    "rayleigh": ((0.0,), (1.0,), (1e9,)),
    "uniform": ((0.0, 1.0), (-5.0, 5.0), (1e10, 1e10 + 1), (3.0, 3.0)),
    "triangular": ((0.0, 0.5, 1.0), (0.0, 0.0, 1.0), (-1.0, 2.0, 2.0)),
    "standard_gamma": tuple((a,) for a in (0.0, 1e-3, 0.3, 0.999, 1.0, 1.001, 2.5, 1e5)),
    "gamma": ((0.0, 1.0), (0.3, 2.0), (1.0, 3.0), (7.5, 0.0), (1e4, 1e-3)),
    "beta": ((0.5, 0.5), (1e-3, 1e-3), (1.0, 1.0), (2.0, 3.0), (0.1, 5.0), (1e-320, 1e-5)),
    "chisquare": tuple((df,) for df in _DEGREES),
    "standard_t": tuple((df,) for df in _DEGREES),
    "noncentral_chisquare": tuple((df, nonc) for df in _DEGREES for nonc in (0.0, 0.5, 30.0)),
    "f": ((1.0, 1.0), (0.5, 3.0), (10.0, 1e3)),
    "noncentral_f": ((1.0, 2.0, 0.0), (0.5, 3.0, 2.0), (10.0, 1e3, 25.0)),
    "pareto": ((0.1,), (1.0,), (30.0,)),
    "power": ((0.1,), (1.0,), (30.0,)),
    "weibull": ((0.0,), (0.1,), (1.0,), (30.0,)),
    "wald": ((1.0, 1.0), (0.1, 20.0), (1e3, 0.5)),
    "vonmises": tuple((mu, k) for mu in (-4.0, 0.0, 2.0) for k in (0.0, 1e-9, 1e-6, 0.5, 9.0, 1e3)),
    "poisson": tuple((lam,) for lam in (0.0, 1e-3, 3.0, 9.999, 10.0, 35.5, 1e6)),
    "geometric": ((1.0,), (0.999,), (0.34,), (0.3333,), (0.01,)),
    "logseries": ((0.0,), (1e-3,), (0.5,), (0.999,)),
    "zipf": ((1.01,), (1.5,), (2.0,), (20.0,)),
    "binomial": tuple(
        (n, p) for n in (0, 1, 20, 59, 61, 100_000) for p in (0.0, 0.1, 0.499, 0.5, 0.51, 1.0)
    ),
    "negative_binomial": ((1.0, 0.5), (0.3, 0.1), (100.0, 0.99), (5.5, 1.0)),
    "hypergeometric": (
        *((5, 5, 5), (20, 30, 10), (20, 30, 11), (30, 20, 25), (100_000, 5, 50)),
        *((1000, 2000, 2999), (7, 0, 3), (0, 7, 3)),
    ),
}


def source(kind: str, bits: str, seed: int) -> Any:  # Any: a source of random numbers
    """A new source on a bit generator by name."""
    return getattr(np.random, kind)(getattr(np.random, bits)(seed))
