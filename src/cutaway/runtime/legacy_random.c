/* The distributions of `numpy.random.RandomState`.

   NumPy promises that their numbers never change, and exports none of them.  Each method is a
   published one, named at its function; the order in which uniform numbers are drawn, and in which
   terms are added, is part of what NumPy has frozen.  tests/random compares each with NumPy's
   numbers, bit for bit. */

#include "legacy_random.h"

#include <math.h>

#define PI 3.141592653589793238462643383279502884

legacy_imports legacy_numpy;

static inline double uniform(legacy_state *state)
{
    return state->bits->next_double(state->bits->state);
}

/* --- normal numbers and their derivatives ---------------------------------------------------- */

/* Marsaglia's polar method: a point in the unit circle gives two normal numbers. */
double legacy_standard_normal(legacy_state *state)
{
    double x, y, square, factor;

    if (state->has_gauss) {
        factor = state->gauss;
        state->has_gauss = 0;
        state->gauss = 0.0;
        return factor;
    }
    do {
        x = 2.0 * uniform(state) - 1.0;
        y = 2.0 * uniform(state) - 1.0;
        square = x * x + y * y;
    } while (square >= 1.0 || square == 0.0);
    factor = sqrt(-2.0 * log(square) / square);
    state->gauss = factor * x;
    state->has_gauss = 1;
    return factor * y;
}

double legacy_normal(legacy_state *state, double loc, double scale)
{
    return loc + scale * legacy_standard_normal(state);
}

double legacy_lognormal(legacy_state *state, double mean, double sigma)
{
    return exp(legacy_normal(state, mean, sigma));
}

double legacy_standard_cauchy(legacy_state *state)
{
    double above = legacy_standard_normal(state);

    return above / legacy_standard_normal(state);
}

/* Michael, Schucany and Haas: a uniform number selects one of two roots. */
double legacy_wald(legacy_state *state, double mean, double scale)
{
    double half = mean / (2 * scale), y = legacy_standard_normal(state), x;

    y = mean * y * y;
    x = mean + half * (y - sqrt(4 * scale * y + y * y));
    return uniform(state) <= mean / (mean + x) ? x : mean * mean / x;
}

/* --- exponential numbers, by the inverse of their distribution ------------------------------- */

double legacy_standard_exponential(legacy_state *state)
{
    return -log(1.0 - uniform(state)); /* a uniform number may be 0, never 1 */
}

double legacy_exponential(legacy_state *state, double scale)
{
    return scale * legacy_standard_exponential(state);
}

double legacy_pareto(legacy_state *state, double a)
{
    return exp(legacy_standard_exponential(state) / a) - 1;
}

double legacy_weibull(legacy_state *state, double a)
{
    return a == 0.0 ? 0.0 : pow(legacy_standard_exponential(state), 1. / a);
}

double legacy_power(legacy_state *state, double a)
{
    return pow(1 - exp(-legacy_standard_exponential(state)), 1. / a);
}

double legacy_rayleigh(legacy_state *state, double scale)
{
    return scale * sqrt(-2.0 * log1p(-uniform(state)));
}

/* --- gamma and its derivatives --------------------------------------------------------------- */

/* Ahrens and Dieter's method for shapes below 1, with an exponential number for the test. */
static double small_gamma(legacy_state *state, double shape)
{
    for (;;) {
        double u = uniform(state), v = legacy_standard_exponential(state), x, y;

        if (u <= 1.0 - shape) {
            x = pow(u, 1. / shape);
            if (x <= v)
                return x;
        } else {
            y = -log((1 - u) / shape);
            x = pow(1.0 - shape + shape * y, 1. / shape);
            if (x <= v + y)
                return x;
        }
    }
}

/* Marsaglia and Tsang's method for shapes above 1. */
static double large_gamma(legacy_state *state, double shape)
{
    double b = shape - 1. / 3., c = 1. / sqrt(9 * b);

    for (;;) {
        double x, v, u;

        do {
            x = legacy_standard_normal(state);
            v = 1.0 + c * x;
        } while (v <= 0.0);
        v = v * v * v;
        u = uniform(state);
        if (u < 1.0 - 0.0331 * (x * x) * (x * x))
            return b * v;
        if (log(u) < 0.5 * x * x + b * (1. - v + log(v)))
            return b * v;
    }
}

double legacy_standard_gamma(legacy_state *state, double shape)
{
    if (shape == 1.0)
        return legacy_standard_exponential(state);
    if (shape == 0.0)
        return 0.0;
    return shape < 1.0 ? small_gamma(state, shape) : large_gamma(state, shape);
}

double legacy_gamma(legacy_state *state, double shape, double scale)
{
    return scale * legacy_standard_gamma(state, shape);
}

double legacy_chisquare(legacy_state *state, double df)
{
    return 2.0 * legacy_standard_gamma(state, df / 2.0);
}

double legacy_standard_t(legacy_state *state, double df)
{
    double above = legacy_standard_normal(state);
    double below = legacy_standard_gamma(state, df / 2);

    return sqrt(df / 2) * above / sqrt(below);
}

double legacy_f(legacy_state *state, double dfnum, double dfden)
{
    double above = legacy_chisquare(state, dfnum) * dfden;

    return above / (legacy_chisquare(state, dfden) * dfnum);
}

double legacy_noncentral_chisquare(legacy_state *state, double df, double nonc)
{
    double square, n;

    if (nonc == 0)
        return legacy_chisquare(state, df);
    if (1 < df) {
        square = legacy_chisquare(state, df - 1);
        n = legacy_standard_normal(state) + sqrt(nonc);
        return square + n * n;
    }
    square = legacy_chisquare(state, df + 2 * legacy_numpy.poisson(state->bits, nonc / 2.0));
    return isnan(nonc) ? nonc : square;
}

double legacy_noncentral_f(legacy_state *state, double dfnum, double dfden, double nonc)
{
    double above = legacy_noncentral_chisquare(state, dfnum, nonc) * dfden;

    return above / (legacy_chisquare(state, dfden) * dfnum);
}

/* Johnk's method if both are at most 1: logarithms replace the powers if both have become zero. */
double legacy_beta(legacy_state *state, double a, double b)
{
    double x, y, u, v, large;

    if (!(a <= 1.0 && b <= 1.0)) { /* and if one of them is NaN */
        x = legacy_standard_gamma(state, a);
        return x / (x + legacy_standard_gamma(state, b));
    }
    for (;;) {
        u = uniform(state);
        v = uniform(state);
        x = pow(u, 1.0 / a);
        y = pow(v, 1.0 / b);
        if (x + y > 1.0)
            continue;
        if (x + y > 0)
            return x / (x + y);
        x = log(u) / a;
        y = log(v) / b;
        large = x > y ? x : y;
        x -= large;
        y -= large;
        return exp(x - log(exp(x) + exp(y)));
    }
}

/* --- angles ---------------------------------------------------------------------------------- */

/* Best and Fisher's method: a wrapped Cauchy distribution as the envelope. */
double legacy_vonmises(legacy_state *state, double mu, double kappa)
{
    double s, r, rho, u, v, w, y, z, result, angle;

    if (kappa < 1e-8)
        return PI * (2 * uniform(state) - 1);
    if (kappa < 1e-5) {
        s = 1. / kappa + kappa; /* the series for small kappa */
    } else {
        r = 1 + sqrt(1 + 4 * kappa * kappa);
        rho = (r - sqrt(2 * r)) / (2 * kappa);
        s = (1 + rho * rho) / (2 * rho);
    }
    do {
        u = uniform(state);
        z = cos(PI * u);
        w = (1 + s * z) / (s + z);
        y = kappa * (s - w);
        v = uniform(state);
    } while (y * (2 - y) - v < 0 && !(log(y / v) + 1 - y >= 0));
    result = acos(w);
    if (uniform(state) < 0.5)
        result = -result;
    result += mu;
    angle = fmod(fabs(result) + PI, 2 * PI) - PI;
    return result < 0 ? -angle : angle;
}

/* --- integers -------------------------------------------------------------------------------- */

int64_t legacy_negative_binomial(legacy_state *state, double n, double p)
{
    return legacy_numpy.poisson(state->bits, legacy_gamma(state, n, (1 - p) / p));
}

static int64_t successes(bitgen_t *bits, double p, int64_t n, void *constants)
{
    if (p * (double)n <= 30.0)
        return legacy_numpy.few_trials(bits, n, p, constants);
    return legacy_numpy.many_trials(bits, n, p, constants);
}

/* A number is drawn even if there is only one possible result. */
int64_t legacy_binomial(bitgen_t *bits, double p, int64_t n, void *constants)
{
    return p <= 0.5 ? successes(bits, p, n, constants) : n - successes(bits, 1.0 - p, n, constants);
}

int64_t legacy_geometric(legacy_state *state, double p)
{
    if (p >= 0.333333333333333333333333)
        return legacy_numpy.geometric_search(state->bits, p);
    return (int64_t)ceil(log(1.0 - uniform(state)) / log(1.0 - p));
}

/* Kemp's method, the second one of the two that need one logarithm per number. */
int64_t legacy_logseries(legacy_state *state, double p)
{
    double r = log(1.0 - p);

    for (;;) {
        double v = uniform(state), q;
        int64_t result;

        if (v >= p)
            return 1;
        q = 1.0 - exp(r * uniform(state));
        if (v <= q * q) {
            result = (int64_t)floor(1 + log(v) / log(q));
            if (result < 1 || v == 0.0)
                continue;
            return result;
        }
        return v >= q ? 1 : 2;
    }
}

/* Devroye's rejection from a Pareto distribution. */
int64_t legacy_zipf(legacy_state *state, double a)
{
    double less = a - 1.0, b = pow(2.0, less);

    for (;;) {
        double u = 1.0 - uniform(state), v = uniform(state), x = floor(pow(u, -1.0 / less)), t;

        if (x > (double)INT64_MAX || x < 1.0)
            continue;
        t = pow(1.0 + 1.0 / x, less);
        if (v * x * (t - 1.0) / (b - 1.0) <= t / b)
            return (int64_t)x;
    }
}

/* One drawing at a time. */
static int64_t few_of_both(legacy_state *state, int64_t good, int64_t bad, int64_t sample)
{
    double others = (double)(bad + good - sample), fewer = (double)(good < bad ? good : bad);
    double rest = fewer;
    int64_t left = sample, taken;

    while (rest > 0.0) {
        rest -= (double)(int64_t)floor(uniform(state) + rest / (others + (double)left));
        if (--left == 0)
            break;
    }
    taken = (int64_t)(fewer - rest);
    return good > bad ? sample - taken : taken;
}

static double log_ways(int64_t k, int64_t fewer, int64_t more, int64_t sample)
{
    double (*loggam)(double) = legacy_numpy.loggam;

    return loggam((double)(k + 1)) + loggam((double)(fewer - k + 1)) +
           loggam((double)(sample - k + 1)) + loggam((double)(more - sample + k + 1));
}

/* Stadlober's ratio of uniforms. */
static int64_t many_of_both(legacy_state *state, int64_t good, int64_t bad, int64_t sample)
{
    int64_t fewer = good < bad ? good : bad, more = good < bad ? bad : good, all = good + bad;
    int64_t count = sample < all - sample ? sample : all - sample, k;
    double share = (double)fewer / (double)all, middle = (double)count * share + 0.5;
    double spread = sqrt((double)(all - count) * (double)sample * share * (1.0 - share) /
                             (double)(all - 1) + 0.5);
    double width = 1.7155277699214135 * spread + 0.8989161620588988;
    int64_t mode = (int64_t)floor((double)(count + 1) * (double)(fewer + 1) / (double)(all + 2));
    double top = log_ways(mode, fewer, more, count);
    double most = (double)(count < fewer ? count : fewer) + 1.0;
    double end = fmin(most, floor(middle + 16 * spread));

    for (;;) {
        double x = uniform(state), y = uniform(state), w = middle + width * (y - 0.5) / x, t;

        if (w < 0.0 || w >= end)
            continue;
        k = (int64_t)floor(w);
        t = top - log_ways(k, fewer, more, count);
        if (x * (4.0 - x) - 3.0 <= t)
            break;
        if (x * (x - t) >= 1)
            continue;
        if (2.0 * log(x) <= t)
            break;
    }
    if (good > bad)
        k = count - k;
    return count < sample ? good - k : k;
}

int64_t legacy_hypergeometric(legacy_state *state, int64_t good, int64_t bad, int64_t sample)
{
    if (sample > 10)
        return many_of_both(state, good, bad, sample);
    return sample > 0 ? few_of_both(state, good, bad, sample) : 0;
}
