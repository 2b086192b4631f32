/* Functions of numbers with Python's semantics; see numeric.h. */

#include "compat.h"
#include "cutaway_runtime.h"

#include <math.h>
#include <stdlib.h>

#include "numeric.h"

/* --- floats ------------------------------------------------------------------------------- */

double cutaway_math_fmod(double x, double y)
{
    if (isinf(y) && isfinite(x))
        return x;
    return fmod(x, y);
}

/* Implemented here, since glibc 2.36 returns the wrong neighbor for some ties, 187792426.5 by 49,
   and the wrong sign of some zeros. */
double cutaway_math_remainder(double x, double y)
{
    double whole = fabs(x), step = fabs(y);
    double over = fmod(whole, step), under = step - over;
    int is_even = fmod(whole, 2 * step) == over;  /* whether the quotient is even */
    double found = over < under || (over == under && is_even) ? over : -under;

    return signbit(x) ? -found : found;
}

double cutaway_math_pow(double x, double y)
{
    if (y == 0 || x == 1)  /* a signaling NaN beside it changes nothing in Python */
        return 1;
    return pow(x, y);
}

/* CPython has its own gamma functions, whose last bit no C library reproduces: call it. A domain
   error is returned as NaN, a range error as infinity. */
static double ask_math(const char *name, double x)
{
    cutaway_held held = cutaway_hold_gil();
    PyObject *module = PyImport_ImportModule("math");
    PyObject *answer = module ? PyObject_CallMethod(module, name, "d", x) : NULL;
    double result = answer ? PyFloat_AsDouble(answer) : NAN;

    if (PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError))
            result = INFINITY;
        PyErr_Clear();
    }
    Py_XDECREF(answer);
    Py_XDECREF(module);
    cutaway_end_hold(held);
    return result;
}

double cutaway_math_gamma(double x)
{
    return ask_math("gamma", x);
}

double cutaway_math_lgamma(double x)
{
    return ask_math("lgamma", x);
}

double cutaway_math_ldexp(double x, int64_t n)
{
    if (n > INT32_MAX / 2)
        n = INT32_MAX / 2;
    if (n < INT32_MIN / 2)
        n = INT32_MIN / 2;
    return ldexp(x, (int)n);
}

double cutaway_math_frexp_mantissa(double x)
{
    int exponent;
    return frexp(x, &exponent);
}

int64_t cutaway_math_frexp_exponent(double x)
{
    int exponent = 0;
    if (isfinite(x))
        (void)frexp(x, &exponent);
    return exponent;
}

/* The shortest way to Python's result: its own correctly rounded conversions. */
double cutaway_round(double x, int64_t n)
{
    char *text;
    double result;
    cutaway_held held;

    if (!isfinite(x) || n > 323)
        return x;
    if (n < -308)
        return copysign(0.0, x);
    held = cutaway_hold_gil();
    if (n >= 0) {
        text = PyOS_double_to_string(x, 'f', (int)n, 0, NULL);
        result = text ? PyOS_string_to_double(text, NULL, NULL) : NAN;
        PyMem_Free(text);
    }
    else {
        PyObject *number = PyFloat_FromDouble(x);
        PyObject *rounded = number ? PyObject_CallMethod(number, "__round__", "L", n) : NULL;
        result = rounded ? PyFloat_AsDouble(rounded) : INFINITY;
        Py_XDECREF(rounded);
        Py_XDECREF(number);
    }
    if (PyErr_Occurred()) { /* only an overflow ends here */
        PyErr_Clear();
        result = copysign(INFINITY, x);
    }
    cutaway_end_hold(held);
    return result;
}

/* Small whole exponents by multiplication, as CPython does, so that 1j ** 2 is exactly -1. */
static Py_complex whole_power(Py_complex base, long n)
{
    Py_complex result = {1.0, 0.0};

    for (unsigned long rest = n < 0 ? 0UL - (unsigned long)n : (unsigned long)n; rest; rest >>= 1) {
        if (rest & 1)
            result = _Py_c_prod(result, base);
        base = _Py_c_prod(base, base);
    }
    return n < 0 ? _Py_c_quot((Py_complex){1.0, 0.0}, result) : result;
}

int32_t cutaway_complex_pow(double a, double b, double c, double d, double *result)
{
    Py_complex base = {a, b}, exponent = {c, d}, power;

    errno = 0;
    if (d == 0.0 && c == floor(c) && fabs(c) <= 100.0)
        power = whole_power(base, (long)c);
    else
        power = _Py_c_pow(base, exponent);
    result[0] = power.real;
    result[1] = power.imag;
    if (errno == EDOM)
        return 1;
    return isinf(power.real) || isinf(power.imag) ? 2 : 0;
}

/* --- norms and sums ----------------------------------------------------------------------- */

/* A number as the sum of two or three floats that do not overlap. */
typedef struct {
    double high, low;
} pair;

static pair two_sum(double a, double b)
{
    double sum = a + b, other = sum - a;
    return (pair){sum, (a - (sum - other)) + (b - other)};
}

static pair two_product(double a, double b)
{
    double product = a * b;
    return (pair){product, fma(a, b, -product)};
}

/* The root of the sum of squares: in twice the precision, scaled by a power of two so that nothing
   overflows, and corrected once.  `largest` is finite. */
#if NORM_DIVIDES_TINY
/* Python 3.11 divides the tiniest numbers by the largest of them. */
static double norm_of_tiny(const double *sizes, int64_t count, double largest)
{
    double total = 1.0, lost = 0.0;

    for (int64_t k = 0; k < count; k++) {
        double x = sizes[k] / largest;
        pair sum = two_sum(total, x * x);
        total = sum.high;
        lost += sum.low;
    }
    return largest * sqrt(total - 1.0 + lost);
}
#endif

static double norm(const double *sizes, int64_t count, double largest)
{
    double high = 0.0, low = 0.0, up = 1.0, scale, root;
    int exponent;

    if (largest == 0.0)
        return 0.0;
#if NORM_DIVIDES_TINY
    if (largest < 0x1p-1024)
        return norm_of_tiny(sizes, count, largest);
#endif
    if (largest < 0x1p-1000)
        up = 0x1p600; /* else the scale itself would overflow */
    (void)frexp(largest * up, &exponent);
    scale = ldexp(1.0, -exponent);
    for (int64_t k = 0; k < count; k++) {
        double x = sizes[k] * up * scale;
        pair square = two_product(x, x), sum = two_sum(high, square.high);
        high = sum.high;
        low += sum.low + square.low;
    }
    root = sqrt(high + low);
    root += (fma(-root, root, high) + low) / (2.0 * root);
    return root / scale / up;
}

double cutaway_norm(const double *values, int64_t count, double *sizes)
{
    double largest = 0.0;
    int nan = 0;

    for (int64_t k = 0; k < count; k++) {
        sizes[k] = fabs(values[k]);
        nan |= isnan(sizes[k]);
        if (sizes[k] > largest)
            largest = sizes[k];
    }
    if (isinf(largest))
        return largest;
    if (nan)
        return NAN;
    return norm(sizes, count, largest);
}

double cutaway_math_hypot(double x, double y)
{
    double values[2] = {x, y}, sizes[2];
    return cutaway_norm(values, 2, sizes);
}

double cutaway_math_ulp(double x)
{
    double size = fabs(x), above;

    if (isnan(x) || isinf(x))
        return size;
    above = nextafter(size, INFINITY);
    return isinf(above) ? size - nextafter(size, 0.0) : above - size;
}

/* The bits of positive floats are integers in the floats' order; negative ones are mirrored. */
double cutaway_math_nextafter_steps(double x, double y, int64_t steps)
{
    union {
        double number;
        uint64_t bits;
    } from = {x}, to = {y};
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t left, right, distance = (uint64_t)steps;

    if (!steps)
        return x;
    if (isnan(x) || isnan(y))
        return x + y;
    if (x == y)
        return y;
    left = from.bits & ~sign;
    right = to.bits & ~sign;
    if ((from.bits ^ to.bits) & sign) { /* through zero */
        if (left + right <= distance)
            return y;
        if (distance < left)
            from.bits -= distance;
        else if (distance > left)
            from.bits = (to.bits & sign) | (distance - left);
        else
            from.bits &= sign; /* zero keeps the sign of `from` */
        return from.number;
    }
    if (left < right)
        from.bits = right - left <= distance ? to.bits : from.bits + distance;
    else
        from.bits = left - right <= distance ? to.bits : from.bits - distance;
    return from.number;
}

/* The exact sum: a list of floats that do not overlap, in rising order (Shewchuk).  The range of a
   double needs at most about 40 of them.

   state[0] is their number, state[1] the sum of infinities and NaNs, state[2] that of infinities,
   then follows the list. */
int32_t cutaway_fsum_add(double *state, double x)
{
    double *list = state + 3, given = x;
    int count = (int)state[0], kept = 0;

    for (int k = 0; k < count; k++) {
        pair sum = fabs(x) < fabs(list[k]) ? two_sum(list[k], x) : two_sum(x, list[k]);
        if (!isfinite(sum.high)) {
            x = sum.high;
            break;
        }
        if (sum.low != 0.0)
            list[kept++] = sum.low;
        x = sum.high;
    }
    if (!isfinite(x)) {
        if (isfinite(given))
            return 1; /* the sum overflows on the way */
        state[1] += given;
        if (isinf(given))
            state[2] += given;
        kept = 0;
    }
    else if (x != 0.0)
        list[kept++] = x;
    state[0] = kept;
    return 0;
}

/* 0: the sum is in state[1]; 2: infinities of both signs. */
int32_t cutaway_fsum_end(double *state)
{
    double *list = state + 3, total, error = 0.0;
    int count = (int)state[0];

    if (state[1] != 0.0)
        return isnan(state[2]) ? 2 : 0;
    if (!count)
        return 0;
    total = list[--count];
    while (count > 0) {
        pair sum = two_sum(total, list[--count]);
        total = sum.high;
        error = sum.low;
        if (error != 0.0)
            break;
    }
    /* If the sum is half way between two floats, the rest of the list decides. */
    if (count > 0 && ((error < 0.0 && list[count - 1] < 0.0) ||
                      (error > 0.0 && list[count - 1] > 0.0))) {
        double twice = error * 2.0, moved = total + twice;
        if (moved - total == twice)
            total = moved;
    }
    state[1] = total;
    return 0;
}

/* A sum of products in three floats (Ogita, Rump and Oishi), until one is not finite: from then on,
   as in Python, in one float.  state: the three, whether it is in one float, that one. */
void cutaway_dot_add(double *state, double x, double y)
{
    pair product = two_product(x, y), high = two_sum(state[0], product.high);
    pair middle = two_sum(state[1], product.low), low = two_sum(middle.high, high.low);

    if (state[3] == 0.0 && isfinite(high.high)) {
        state[0] = high.high;
        state[1] = low.high;
        state[2] += middle.low + low.low;
        return;
    }
    if (state[3] == 0.0)
        state[4] = state[0] + (state[1] + state[2]);
    state[3] = 1.0;
    state[4] += x * y;
}

double cutaway_dot_end(double *state)
{
    return state[3] == 0.0 ? 0.0 + (state[0] + (state[1] + state[2])) : state[4];
}

/* --- rounding to tens --------------------------------------------------------------------- */

static __int128 round_to_tens(__int128 x, int64_t digits)
{
    __int128 power = 1, rest;

    if (digits >= 0)
        return x;
    if (digits < -20)
        return 0;
    for (; digits; digits++)
        power *= 10;
    rest = x % power;
    if (rest < 0)
        rest += power;
    x -= rest;
    if (2 * rest > power || (2 * rest == power && x / power % 2))
        x += power;
    return x;
}

int64_t cutaway_math_round_signed(int64_t x, int64_t digits)
{
    return (int64_t)(uint64_t)round_to_tens(x, digits);
}

int64_t cutaway_math_round_unsigned(int64_t x, int64_t digits)
{
    return (int64_t)(uint64_t)round_to_tens((uint64_t)x, digits);
}

/* Round like NumPy's float32: multiply by a power of ten, round to a whole number, and divide. */
float cutaway_math_round_single(float x, int64_t digits)
{
    float power = digits > 400 || digits < -400 ? INFINITY : (float)pow(10.0, (double)llabs(digits));

    if (!isfinite(x))
        return x;
    return digits >= 0 ? rintf(x * power) / power : rintf(x / power) * power;
}
