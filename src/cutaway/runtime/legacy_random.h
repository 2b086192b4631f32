/* The distributions of `numpy.random.RandomState`, whose streams of numbers NumPy has frozen. */

#ifndef CUTAWAY_LEGACY_RANDOM_H
#define CUTAWAY_LEGACY_RANDOM_H

#include <stdint.h>
#include <numpy/random/bitgen.h>

/* The state of a RandomState: normal numbers come in pairs, and the second one is stored here. */
typedef struct {
    bitgen_t *bits;
    int has_gauss;
    double gauss;
} legacy_state;

/* Functions exported by NumPy that the frozen ones call as well. */
typedef struct {
    double (*loggam)(double);
    int64_t (*poisson)(bitgen_t *, double);
    int64_t (*geometric_search)(bitgen_t *, double);
    int64_t (*few_trials)(bitgen_t *, int64_t, double, void *);
    int64_t (*many_trials)(bitgen_t *, int64_t, double, void *);
} legacy_imports;

extern legacy_imports legacy_numpy;

double legacy_standard_normal(legacy_state *state);
double legacy_standard_exponential(legacy_state *state);
double legacy_standard_gamma(legacy_state *state, double shape);
double legacy_standard_cauchy(legacy_state *state);
double legacy_standard_t(legacy_state *state, double df);
double legacy_normal(legacy_state *state, double loc, double scale);
double legacy_lognormal(legacy_state *state, double mean, double sigma);
double legacy_exponential(legacy_state *state, double scale);
double legacy_gamma(legacy_state *state, double shape, double scale);
double legacy_beta(legacy_state *state, double a, double b);
double legacy_chisquare(legacy_state *state, double df);
double legacy_noncentral_chisquare(legacy_state *state, double df, double nonc);
double legacy_f(legacy_state *state, double dfnum, double dfden);
double legacy_noncentral_f(legacy_state *state, double dfnum, double dfden, double nonc);
double legacy_pareto(legacy_state *state, double a);
double legacy_power(legacy_state *state, double a);
double legacy_weibull(legacy_state *state, double a);
double legacy_rayleigh(legacy_state *state, double scale);
double legacy_wald(legacy_state *state, double mean, double scale);
double legacy_vonmises(legacy_state *state, double mu, double kappa);
int64_t legacy_negative_binomial(legacy_state *state, double n, double p);
int64_t legacy_binomial(bitgen_t *bits, double p, int64_t n, void *constants);
int64_t legacy_geometric(legacy_state *state, double p);
int64_t legacy_logseries(legacy_state *state, double p);
int64_t legacy_zipf(legacy_state *state, double a);
int64_t legacy_hypergeometric(legacy_state *state, int64_t good, int64_t bad, int64_t sample);

#endif
