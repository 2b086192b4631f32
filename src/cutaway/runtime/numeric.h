/* Number functions with Python's meaning, called by compiled code.

   Nothing here touches a Python object or sets an error: a result that stands for an error
   (NaN, infinity, a negative count) is recognised by the caller, which raises.  Only
   cutaway_round uses the interpreter's own decimal conversion. */

#ifndef CUTAWAY_NUMERIC_H
#define CUTAWAY_NUMERIC_H

#include <stdint.h>

double cutaway_math_fmod(double x, double y);
double cutaway_math_remainder(double x, double y);
double cutaway_math_pow(double x, double y);
double cutaway_math_gamma(double x);
double cutaway_math_lgamma(double x);
double cutaway_math_ldexp(double x, int64_t n);
double cutaway_math_frexp_mantissa(double x);
int64_t cutaway_math_frexp_exponent(double x);
int64_t cutaway_math_gcd(int64_t a, int64_t b);
int64_t cutaway_math_lcm(int64_t a, int64_t b);
int64_t cutaway_math_ipow(int64_t base, int64_t exponent);
int64_t cutaway_math_powmod(int64_t base, int64_t exponent, int64_t modulus);

/* For arguments that are not negative; -1 where the result needs more than 63 bits. */
int64_t cutaway_math_factorial(int64_t n);
int64_t cutaway_math_isqrt(int64_t n);
int64_t cutaway_math_comb(int64_t n, int64_t k);
int64_t cutaway_math_perm(int64_t n, int64_t k);

/* x rounded to n decimals as Python's round(x, n). */
double cutaway_round(double x, int64_t n);

/* (a + bi) ** (c + di) into result[0], result[1]; 0 ok, 1 zero to a negative or complex power,
   2 overflow. */
int32_t cutaway_complex_pow(double a, double b, double c, double d, double *result);

/* Copy an array into another of the same element size, broadcasting.  `axes` are the sizes of
   each dimension, then the strides in bytes.  The two may overlap.
   0 ok, 1 the shapes do not fit, 2 out of memory. */
int32_t cutaway_assign(int64_t itemsize, char *target, int64_t target_ndim,
                       const int64_t *target_axes, const char *source, int64_t source_ndim,
                       const int64_t *source_axes);

#endif
