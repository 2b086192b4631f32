/* Functions of numbers with Python's semantics, called by compiled code.

   They touch no Python object and set no error: the caller recognizes a result that stands for an
   error (NaN, infinity, a negative count), and raises.  Only cutaway_round uses the interpreter's
   own decimal conversion. */

#ifndef CUTAWAY_NUMERIC_H
#define CUTAWAY_NUMERIC_H

#include <stdint.h>

#define MAX_NDIM 64 /* the largest number of dimensions, as in NumPy */

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
int64_t cutaway_math_ipow_overflows(int64_t base, int64_t exponent, int64_t is_signed);
int64_t cutaway_math_powmod(int64_t base, int64_t exponent, int64_t modulus);

double cutaway_math_hypot(double x, double y);
double cutaway_math_angle(double x, int function);  /* 0: sine, 1: cosine, 2: tangent */
double cutaway_math_ulp(double x);
double cutaway_math_nextafter_steps(double x, double y, int64_t steps);

/* Round integers to tens, hundreds, ... if `digits` is negative; halves round to even. */
int64_t cutaway_math_round_signed(int64_t x, int64_t digits);
int64_t cutaway_math_round_unsigned(int64_t x, int64_t digits);
float cutaway_math_round_single(float x, int64_t digits);

/* The root of the sum of squares; `sizes` has room for as many floats. */
double cutaway_norm(const double *values, int64_t count, double *sizes);

/* math.fsum: `state` has room for 70 floats, zeros at first.  `add` returns 1 if the sum overflows;
   `end` returns 2 for infinities of both signs and leaves the sum in state[1]. */
int32_t cutaway_fsum_add(double *state, double x);
int32_t cutaway_fsum_end(double *state);

/* math.sumprod: `state` is five floats, zeros at first. */
void cutaway_dot_add(double *state, double x, double y);
double cutaway_dot_end(double *state);

/* The inverse modulo `modulus` (not -1, 0, 1), 0 if there is none. */
int64_t cutaway_math_inverse(int64_t base, int64_t modulus);
double cutaway_math_divide_signed(int64_t a, int64_t b);
double cutaway_math_divide_unsigned(int64_t a, int64_t b);

/* x.as_integer_ratio() of a finite x; a denominator of 0 where it does not fit. */
int64_t cutaway_ratio(double x, int64_t *denominator);

/* For arguments that are not negative; -1 where the result needs more than 63 bits. */
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

/* The layout of the operands of a ufunc's loop, by their addresses and the distances between
   elements. 1: all are contiguous, and no output overlaps another operand except in place; 2: a
   reduction, whose first operand is its result, of a second, contiguous one; 0: any other.  `sizes`
   has the logarithm of each element's size, four bits each. */
int32_t cutaway_operands_lie(char **operands, const int64_t *steps, int64_t count, int64_t inputs,
                             int64_t total, int64_t sizes);

/* The order in which NumPy traverses the axes of several arrays together, by their memory (axes.c):
   the outermost first, ~axis for an axis that is traversed backward.  The strides are those of one
   array followed by those of the next, 0 along axes of one element. */
void cutaway_axis_order(int64_t ndim, int64_t arrays, const int64_t *shape, const int64_t *strides,
                        int64_t *axes);

/* The strides of a contiguous array in C order, and its number of bytes (axes.c). */
int64_t cutaway_without_gaps(int64_t ndim, const int64_t *shape, int64_t itemsize,
                             int64_t *strides);

/* The strides of a view of an array in another shape of as many elements (axes.c).  `axes` has its
   sizes, then its strides.  Returns 0 if there is no such view; the strides are then those of a
   contiguous copy. */
int32_t cutaway_regroup(int64_t ndim, const int64_t *axes, int64_t wanted, const int64_t *shape,
                        int64_t itemsize, int64_t *strides);

/* Elements selected by arrays of indices (gather.c).  The words are: the number of axes of the
   places, the number of index arrays, the number of axes of the part at each place, the size of an
   element; the sizes of the places and the strides of the result or value along them; the sizes of
   a part, its strides in the array, and in the result or value; then for each index array the
   address, the bytes of an index (negative if signed), the size and the stride of the axis that it
   indexes, that axis, and its strides along the places.

   0 ok, 1 an index is out of bounds (fault: the index, axis and size), 2 out of memory, 3 too many
   axes.  Nothing is written if an index is out of bounds; a value and indices may overlap the
   memory that is written. */
int32_t cutaway_gather(const int64_t *words, char *base, char *out, int64_t *fault);
int32_t cutaway_scatter(const int64_t *words, char *base, char *value, int64_t *fault);
int32_t cutaway_check_indices(const int64_t *words, int64_t *fault);

/* Elements selected by a mask (masks.c).  `axes` are the sizes of each dimension of the mask, then
   its strides; `strides` are those of the array.  The places are written as one array for each
   axis, in sequence.  A step of 0 means a single value for all.  2: out of memory. */
int64_t cutaway_count_true(const char *mask, int64_t ndim, const int64_t *axes);
void cutaway_true_places(const char *mask, int64_t ndim, const int64_t *axes, int64_t *out,
                         int64_t count);
void cutaway_compress(const char *mask, int64_t ndim, const int64_t *axes, int64_t itemsize,
                      char *array, const int64_t *strides, char *out, int64_t count);
int32_t cutaway_put_where(const char *mask, int64_t ndim, const int64_t *axes, int64_t itemsize,
                          char *array, const int64_t *strides, char *value, int64_t step,
                          int64_t count);

#endif
