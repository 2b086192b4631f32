"""The distributions that both interfaces have, by their parameters."""

from __future__ import annotations

from cutaway.library.random.kit import BOTH, are_given, counted, drawn, methods

# --- of the line ------------------------------------------------------------------------------


@methods(BOTH, "normal")
def _normal(rng, loc=0.0, scale=1.0, size=None):
    if not are_given((loc, scale), size):
        return None
    return lambda rng, loc=0.0, scale=1.0, size=None: drawn(rng, "normal", (loc, scale), size)


@methods(BOTH, "laplace")
def _laplace(rng, loc=0.0, scale=1.0, size=None):
    if not are_given((loc, scale), size):
        return None
    return lambda rng, loc=0.0, scale=1.0, size=None: drawn(rng, "laplace", (loc, scale), size)


@methods(BOTH, "gumbel")
def _gumbel(rng, loc=0.0, scale=1.0, size=None):
    if not are_given((loc, scale), size):
        return None
    return lambda rng, loc=0.0, scale=1.0, size=None: drawn(rng, "gumbel", (loc, scale), size)


@methods(BOTH, "logistic")
def _logistic(rng, loc=0.0, scale=1.0, size=None):
    if not are_given((loc, scale), size):
        return None
    return lambda rng, loc=0.0, scale=1.0, size=None: drawn(rng, "logistic", (loc, scale), size)


@methods(BOTH, "standard_cauchy")
def _standard_cauchy(rng, size=None):
    if not are_given((), size):
        return None
    return lambda rng, size=None: drawn(rng, "standard_cauchy", (), size)


@methods(BOTH, "standard_t")
def _standard_t(rng, df, size=None):
    if not are_given((df,), size):
        return None
    return lambda rng, df, size=None: drawn(rng, "standard_t", (df,), size)


@methods(BOTH, "vonmises")
def _vonmises(rng, mu, kappa, size=None):
    if not are_given((mu, kappa), size):
        return None
    return lambda rng, mu, kappa, size=None: drawn(rng, "vonmises", (mu, kappa), size)


@methods(BOTH, "uniform")
def _uniform(rng, low=0.0, high=1.0, size=None):
    if not are_given((low, high), size):
        return None
    return lambda rng, low=0.0, high=1.0, size=None: drawn(rng, "uniform", (low, high), size)


@methods(BOTH, "triangular")
def _triangular(rng, left, mode, right, size=None):
    if not are_given((left, mode, right), size):
        return None

    def triangular(rng, left, mode, right, size=None):
        return drawn(rng, "triangular", (left, mode, right), size)

    return triangular


# --- of positive numbers ----------------------------------------------------------------------


@methods(BOTH, "lognormal")
def _lognormal(rng, mean=0.0, sigma=1.0, size=None):
    if not are_given((mean, sigma), size):
        return None
    return lambda rng, mean=0.0, sigma=1.0, size=None: drawn(rng, "lognormal", (mean, sigma), size)


@methods(BOTH, "exponential")
def _exponential(rng, scale=1.0, size=None):
    if not are_given((scale,), size):
        return None
    return lambda rng, scale=1.0, size=None: drawn(rng, "exponential", (scale,), size)


@methods(BOTH, "rayleigh")
def _rayleigh(rng, scale=1.0, size=None):
    if not are_given((scale,), size):
        return None
    return lambda rng, scale=1.0, size=None: drawn(rng, "rayleigh", (scale,), size)


@methods(BOTH, "gamma")
def _gamma(rng, shape, scale=1.0, size=None):
    if not are_given((shape, scale), size):
        return None
    return lambda rng, shape, scale=1.0, size=None: drawn(rng, "gamma", (shape, scale), size)


@methods(BOTH, "beta")
def _beta(rng, a, b, size=None):
    if not are_given((a, b), size):
        return None
    return lambda rng, a, b, size=None: drawn(rng, "beta", (a, b), size)


@methods(BOTH, "chisquare")
def _chisquare(rng, df, size=None):
    if not are_given((df,), size):
        return None
    return lambda rng, df, size=None: drawn(rng, "chisquare", (df,), size)


@methods(BOTH, "noncentral_chisquare")
def _noncentral_chisquare(rng, df, nonc, size=None):
    if not are_given((df, nonc), size):
        return None
    return lambda rng, df, nonc, size=None: drawn(rng, "noncentral_chisquare", (df, nonc), size)


@methods(BOTH, "f")
def _f(rng, dfnum, dfden, size=None):
    if not are_given((dfnum, dfden), size):
        return None
    return lambda rng, dfnum, dfden, size=None: drawn(rng, "f", (dfnum, dfden), size)


@methods(BOTH, "noncentral_f")
def _noncentral_f(rng, dfnum, dfden, nonc, size=None):
    if not are_given((dfnum, dfden, nonc), size):
        return None

    def noncentral_f(rng, dfnum, dfden, nonc, size=None):
        return drawn(rng, "noncentral_f", (dfnum, dfden, nonc), size)

    return noncentral_f


@methods(BOTH, "pareto")
def _pareto(rng, a, size=None):
    if not are_given((a,), size):
        return None
    return lambda rng, a, size=None: drawn(rng, "pareto", (a,), size)


@methods(BOTH, "power")
def _power(rng, a, size=None):
    if not are_given((a,), size):
        return None
    return lambda rng, a, size=None: drawn(rng, "power", (a,), size)


@methods(BOTH, "weibull")
def _weibull(rng, a, size=None):
    if not are_given((a,), size):
        return None
    return lambda rng, a, size=None: drawn(rng, "weibull", (a,), size)


@methods(BOTH, "wald")
def _wald(rng, mean, scale, size=None):
    if not are_given((mean, scale), size):
        return None
    return lambda rng, mean, scale, size=None: drawn(rng, "wald", (mean, scale), size)


# --- of integers ------------------------------------------------------------------------------


@methods(BOTH, "poisson")
def _poisson(rng, lam=1.0, size=None):
    if not are_given((lam,), size):
        return None
    return lambda rng, lam=1.0, size=None: drawn(rng, "poisson", (lam,), size)


@methods(BOTH, "geometric")
def _geometric(rng, p, size=None):
    if not are_given((p,), size):
        return None
    return lambda rng, p, size=None: drawn(rng, "geometric", (p,), size)


@methods(BOTH, "logseries")
def _logseries(rng, p, size=None):
    if not are_given((p,), size):
        return None
    return lambda rng, p, size=None: drawn(rng, "logseries", (p,), size)


@methods(BOTH, "zipf")
def _zipf(rng, a, size=None):
    if not are_given((a,), size):
        return None
    return lambda rng, a, size=None: drawn(rng, "zipf", (a,), size)


@methods(BOTH, "binomial")
def _binomial(rng, n, p, size=None):
    if not are_given((n, p), size):
        return None
    return lambda rng, n, p, size=None: drawn(rng, "binomial", (counted(n), p), size)


@methods(BOTH, "negative_binomial")
def _negative_binomial(rng, n, p, size=None):
    if not are_given((n, p), size):
        return None
    return lambda rng, n, p, size=None: drawn(rng, "negative_binomial", (n, p), size)


@methods(BOTH, "hypergeometric")
def _hypergeometric(rng, ngood, nbad, nsample, size=None):
    if not are_given((ngood, nbad, nsample), size):
        return None

    def hypergeometric(rng, ngood, nbad, nsample, size=None):
        params = (counted(ngood), counted(nbad), counted(nsample))
        return drawn(rng, "hypergeometric", params, size)

    return hypergeometric
